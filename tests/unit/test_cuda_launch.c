/* SPDX-License-Identifier: MIT */
/* covers: src/device/cuda/launch_expr.c */
/* Launch lines: what they come to for given tensors, and where each mistake is said to be. */
#include "testing.h"

#include "device/cuda/cuda_launch.h"

#include <stdio.h>
#include <string.h>

/* in0 [4, 1000], in1 scalar, in2 a parameter [7]; out0 [4], out1 [2, 3, 5] */
static const struct tensor_slot inputs[] = {
    {DT_F32, {2, {4, 1000}}, 0}, {DT_F32, {0, {0}}, 16384}, {DT_F32, {1, {7}}, 20480}};
static const struct tensor_slot outputs[] = {{DT_F32, {1, {4}}, 256},
                                             {DT_F32, {3, {2, 3, 5}}, 4096}};

static struct device_call a_call(void)
{
    return (struct device_call){.in = inputs,
                                .n_in = 3,
                                .out = outputs,
                                .n_out = 2,
                                .in_base = (void *)0x10000000,
                                .out_base = (void *)0x20000000,
                                .first_param = 2};
}

static int parse(const char *line, const struct device_call *c, struct cuda_launch *l,
                 struct err *err)
{
    return cuda_launch_parse(line, strlen(line), c, l, err);
}

/* ---- what is said ---- */

static void a_line_is_worked_out(void **state)
{
    struct device_call c = a_call();
    struct cuda_launch l;
    struct err err = ERR_INIT;
    float f;

    (void)state;
    assert_int_equal(parse("launch row_sum grid=in0.shape[0],2 block=256 smem=256*4 "
                           "args=in0,out1,in0.shape[1]:i32,-in0.numel:i64,3:f32,1e-5:f32",
                           &c, &l, &err),
                     0);
    assert_string_equal(l.name, "row_sum");
    assert_int_equal(l.grid[0], 4);
    assert_int_equal(l.grid[1], 2);
    assert_int_equal(l.grid[2], 1);
    assert_int_equal(l.block[0], 256);
    assert_int_equal(l.block[1] * l.block[2], 1);
    assert_int_equal(l.smem, 1024);
    assert_int_equal(l.n_args, 6);
    assert_int_equal(l.args[0].type, CUDA_ARG_POINTER);
    assert_int_equal(l.args[0].bits, 0x10000000);
    assert_int_equal(l.args[1].bits, 0x20000000 + 4096);
    assert_int_equal(l.args[2].type, CUDA_ARG_I32);
    assert_int_equal((int32_t)l.args[2].bits, 1000);
    assert_int_equal(l.args[3].type, CUDA_ARG_I64);
    assert_int_equal((int64_t)l.args[3].bits, -4000);
    assert_int_equal(l.args[4].type, CUDA_ARG_F32);
    memcpy(&f, &l.args[4].bits, sizeof(f));
    assert_true(f == 3.0f);
    memcpy(&f, &l.args[5].bits, sizeof(f));
    assert_true(f == 1e-5f);
}

static void expressions(void **state)
{
    static const struct {
        const char *text;
        int64_t want;
    } cases[] = {
        {"1", 1},
        {"2+3*4", 14},
        {"(2+3)*4", 20},
        {"20-3-2", 15},
        {"100/7/2", 7},
        {"100%7", 2},
        {"-7/2", -3},
        {"-(1-3)", 2},
        {"--5", 5},
        {" ( 1 + 2 ) ", 3},
        {"ceil_div(1000,256)", 4},
        {"ceil_div(1024, 256)", 4},
        {"ceil_div(-7,2)", -3},
        {"ceil_div(0,5)", 0},
        {"min(3,2)", 2},
        {"min(3, 2, 1, 7)", 1},
        {"max(3,2,5)", 5},
        {"in0.numel", 4000},
        {"in1.numel", 1},
        {"in2.shape[0]", 7},
        {"out1.shape[2]*out1.shape[1]", 15},
        {"ceil_div(in0.shape[1],max(32,out0.numel))", 32},
        {"9223372036854775807", INT64_MAX},
    };
    struct device_call c = a_call();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cuda_launch l;
        struct err err = ERR_INIT;
        char line[256];

        snprintf(line, sizeof(line), "launch k grid=1 block=1 args=%s:i64", cases[i].text);
        if (parse(line, &c, &l, &err) < 0)
            fail_msg("%s: %s", cases[i].text, err.text);
        if ((int64_t)l.args[0].bits != cases[i].want)
            fail_msg("%s is %lld", cases[i].text, (long long)l.args[0].bits);
        assert_int_equal(parse(line, NULL, &l, &err), 0); /* and its form is fine without shapes */
        assert_int_equal(l.args[0].type, CUDA_ARG_I64);
    }
}

static void fractions(void **state)
{
    static const struct {
        const char *text;
        float want;
    } cases[] = {
        {"0.5", 0.5f},
        {"-0.25", -0.25f},
        {"2.", 2},
        {"1e3", 1000},
        {"1.5E-2", 1.5e-2f},
        {"1/3", 1.0f / 3},
        {"1/in0.shape[1]", 1e-3f},
        {"-0.5/in0.shape[0]", -0.125f},
        {"1e-3*in0.numel+1", 5},
        {"(1+2)/4*4", 3},
        {"min(1/2,0.75)", 0.5f},
        {"max(in0.shape[0],2.5)", 4},
        {"ceil_div(1,3)", 1},
        {"7%4/2", 1.5f},
    };
    struct device_call c = a_call();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cuda_launch l;
        struct err err = ERR_INIT;
        char line[128];
        float f;

        snprintf(line, sizeof(line), "launch k grid=1 block=1 args=%s:f32", cases[i].text);
        if (parse(line, &c, &l, &err) < 0)
            fail_msg("%s: %s", cases[i].text, err.text);
        memcpy(&f, &l.args[0].bits, sizeof(f));
        assert_true(f == cases[i].want);
    }
}

static void fields_in_any_order(void **state)
{
    struct device_call c = a_call();
    struct cuda_launch l;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(parse("  launch  k\targs=in0 , out0 block=32,4 smem = 0 grid=7", &c, &l, &err),
                     0);
    assert_int_equal(l.n_args, 2);
    assert_int_equal(l.block[1], 4);
    assert_int_equal(l.grid[0], 7);
    assert_int_equal(parse("launch k grid=1 block=1", &c, &l, &err), 0);
    assert_int_equal(l.n_args, 0);
}

/* While setting up there is no data, except parameters where the problem says so. */
static void pointers_of_a_setup(void **state)
{
    struct device_call c = a_call();
    struct cuda_launch l;
    struct err err = ERR_INIT;

    (void)state;
    c.out_base = NULL;
    c.params_only = true;
    assert_int_equal(parse("launch k grid=1 block=1 args=in0,in2,out0", &c, &l, &err), 0);
    assert_int_equal(l.args[0].bits, 0);
    assert_int_equal(l.args[1].bits, 0x10000000 + 20480);
    assert_int_equal(l.args[2].bits, 0);
}

/* ---- mistakes ---- */

struct mistake {
    const char *line, *want;
};

static void refused(const struct mistake *m, const struct device_call *c)
{
    struct cuda_launch l = {.name = "untouched"};
    struct err err = ERR_INIT;

    if (parse(m->line, c, &l, &err) == 0)
        fail_msg("accepted: %s", m->line);
    if (!strstr(err.text, m->want))
        fail_msg("%s\n  says: %s\n  not:  %s", m->line, err.text, m->want);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(l.name, "untouched");
}

static void mistakes_of_form(void **state)
{
    static const struct mistake cases[] = {
        {"", "column 1: expected 'launch' at the start of the line"},
        {"lunch k grid=1 block=1", "column 1: expected 'launch' at the start of the line"},
        {"launch", "column 7: expected the name of a kernel"},
        {"launch 7up grid=1 block=1", "column 8: expected the name of a kernel"},
        {"launch k", "column 9: the line has no grid="},
        {"launch k grid=1", "column 16: the line has no block="},
        {"launch k block=1", "has no grid="},
        {"launch k grid=1 block=1 grid=2", "column 25: a second grid="},
        {"launch k size=1", "column 10: expected grid=, block=, smem= or args="},
        {"launch k grid 1", "column 15: expected '='"},
        {"launch k grid", "column 14: expected '=', but the line ends"},
        {"launch k grid=", "column 15: expected a number, but the line ends"},
        {"launch k grid=,1 block=1", "column 15: expected a number or a tensor's size"},
        {"launch k grid=1,1,1,1 block=1", "column 20: more than three values"},
        {"launch k grid=1; block=1", "column 16: expected grid=, block="},
        {"launch k grid=1 block=(1", "column 25: expected ')', but the line ends"},
        {"launch k grid=(1] block=1", "column 17: expected ')'"},
        {"launch k grid=1+ block=1", "column 18: 'block' is no tensor"},
        {"launch k grid=1.5 block=1", "column 15: not a whole number"},
        {"launch k grid=12x block=1", "column 15: not a whole number"},
        {"launch k grid=99999999999999999999 block=1", "column 15: a number past 64 bits"},
        {"launch k grid=in0 block=1", "column 19: a tensor is not a number"},
        {"launch k grid=in0.size block=1",
         "column 19: a tensor has .numel and .shape[N], not .size"},
        {"launch k grid=in0.shape block=1", "column 25: expected '['"},
        {"launch k grid=in0.shape[] block=1", "column 25: expected a number between"},
        {"launch k grid=in0.shape[-1] block=1", "column 25: expected a number between"},
        {"launch k grid=in0.shape[9] block=1", "column 25: no tensor has more than 8"},
        {"launch k grid=in0.shape[1 block=1", "column 27: expected ']'"},
        {"launch k grid=foo block=1", "column 15: 'foo' is no tensor (in0, out0) and no function"},
        {"launch k grid=inn0.numel block=1", "'inn0' is no tensor"},
        {"launch k grid=ceil_div block=1", "column 24: expected '('"},
        {"launch k grid=ceil_div(4) block=1", "column 15: ceil_div takes 2 values, not 1"},
        {"launch k grid=ceil_div(4,2,1) block=1", "ceil_div takes 2 values, not 3"},
        {"launch k grid=min(4) block=1", "min takes 2 to 16 values, not 1"},
        {"launch k grid=1 block=1 args=", "column 30: expected a number, but the line ends"},
        {"launch k grid=1 block=1 args=in0,", "expected a number, but the line ends"},
        {"launch k grid=1 block=1 args=4", "column 31: a number needs its type"},
        {"launch k grid=1 block=1 args=in0.numel", "column 39: a number needs its type"},
        {"launch k grid=1 block=1 args=4:int", "column 32: types are i32, i64 and f32, not 'int'"},
        {"launch k grid=1 block=1 args=0.5:i32", "column 30: a fraction can only be passed as f32"},
        {"launch k grid=1 block=1 args=1.2.3:f32", "column 30: not a whole number"},
        {"launch k grid=1 block=1 args=in0:i32", "column 33: expected grid=, block="},
        {"launch k grid=(1,2) block=1", "column 17: values have no brackets around them"},
        {"launch relu<float> grid=1 block=1", "column 12: a kernel is named as in extern \"C\""},
        {"launch a::b grid=1 block=1", "column 9: a kernel is named as in extern \"C\""},
        {"launch k gird=1 block=1", "column 10: expected grid=, block=, smem= or args=: did you "
                                    "mean 'grid' by 'gird'?"},
        {"launch k grid=1 block=1 lunch b", "column 25: expected grid=, block=, smem= or args=: "
                                            "did you mean 'launch' by 'lunch'?"},
        {"launch k grid=1 block=1 args=1.5%2:f32", "column 33: % takes whole numbers"},
        {"launch k grid=1 block=1 args=ceil_div(1.5,2):f32", "column 30: ceil_div takes whole"},
        {"launch k grid=in0.numel*0.5 block=1", "column 15: not a whole number"},
        {"launch k grid=1 block=1 args=in0.numel*0.5:i64", "column 30: a fraction can only be"},
        /* constants that nothing could launch with */
        {"launch k grid=0 block=1", "column 15: grid x is 0, and has to be 1 to 2147483647"},
        {"launch k grid=1,70000 block=1", "column 17: grid y is 70000"},
        {"launch k grid=1,1,65536 block=1", "grid z is 65536"},
        {"launch k grid=1 block=0", "column 23: block x is 0, and has to be 1 to 1024"},
        {"launch k grid=1 block=2048", "column 23: block x is 2048, and has to be 1 to 1024"},
        {"launch k grid=1 block=1,1,65", "block z is 65"},
        {"launch k grid=1 block=64,32", "column 23: a block of 2048 threads"},
        {"launch k grid=1 block=1 smem=-1", "column 30: smem is -1"},
        {"launch k grid=1 block=1 smem=2000000", "smem is 2000000"},
        {"launch k grid=4%0 block=1", "column 16: division by zero"},
        {"launch k grid=1 block=1 args=1/0:f32", "column 31: division by zero"},
        {"launch k grid=1 block=1 args=1/0.0:f32", "column 31: division by zero"},
        {"launch k grid=ceil_div(4,0) block=1", "column 15: division by zero"},
        {"launch k grid=9223372036854775807+1 block=1", "column 34: a number past 64 bits"},
        {"launch k grid=1 block=1 args=4000000000:i32", "4000000000 does not fit into i32"},
    };
    struct device_call c = a_call();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        refused(&cases[i], NULL);
        refused(&cases[i], &c);
    }
}

/* Only seen once the tensors are known. */
static void mistakes_of_value(void **state)
{
    static const struct mistake cases[] = {
        {"launch k grid=in1.numel-1 block=1", "column 15: grid x is 0, and has to be 1 to"},
        {"launch k grid=1,in0.numel*20 block=1", "column 17: grid y is 80000"},
        {"launch k grid=1 block=in0.numel", "column 23: block x is 4000, and has to be 1 to 1024"},
        {"launch k grid=1 block=64,in0.shape[0]*8", "column 23: a block of 2048 threads"},
        {"launch k grid=1 block=1 smem=-in1.numel", "column 30: smem is -1"},
        {"launch k grid=4/(in1.numel-1) block=1", "column 16: division by zero"},
        {"launch k grid=in0.numel*9223372036854775807 block=1", "a number past 64 bits"},
        {"launch k grid=in3.numel block=1",
         "column 15: there is no in3: this problem has 3 inputs"},
        {"launch k grid=1 block=1 args=out2",
         "column 30: there is no out2: this problem has 2 outp"},
        {"launch k grid=in1.shape[0] block=1", "column 25: shape[0] of a tensor of 0 dimensions"},
        {"launch k grid=in0.shape[2] block=1", "shape[2] of a tensor of 2 dimensions"},
        {"launch k grid=1 block=1 args=in0.numel*1000000:i32", "4000000000 does not fit into i32"},
    };
    struct device_call c = a_call();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cuda_launch l;
        struct err err = ERR_INIT;

        refused(&cases[i], &c);
        if (parse(cases[i].line, NULL, &l, &err) < 0)
            fail_msg("%s: %s", cases[i].line, err.text);
    }
}

static void limits(void **state)
{
    AUTO(buf_release) struct buf deep = BUF_INIT;
    AUTO(buf_release) struct buf many = BUF_INIT;
    AUTO(buf_release) struct buf name = BUF_INIT;
    AUTO(buf_release) struct buf line = BUF_INIT;
    struct device_call c = a_call();

    (void)state;
    buf_adds(&deep, "launch k block=1 grid=");
    buf_fill(&deep, '(', 200);
    refused(&(struct mistake){buf_str(&deep), "brackets more than 64 deep"}, &c);
    buf_adds(&many, "launch k block=1 grid=1 args=in0");
    for (int i = 0; i < CUDA_LAUNCH_MAX_ARGS; i++)
        buf_adds(&many, ",in0");
    refused(&(struct mistake){buf_str(&many), "more than 64 arguments"}, &c);
    buf_adds(&name, "launch ");
    buf_fill(&name, 'k', CUDA_LAUNCH_MAX_NAME);
    refused(&(struct mistake){buf_str(&name), "column 8: a name of more than 255"}, &c);
    buf_adds(&line, "launch k");
    buf_fill(&line, ' ', CUDA_LAUNCH_MAX_LINE);
    refused(&(struct mistake){buf_str(&line), "column 4096: the line is too long"}, &c);
}

/* Marks stand where lines of the source began; a place is one of the source then. */
static void places_of_the_source(void **state)
{
    static const struct mistake cases[] = {
        {"@3:11 launch k @4:15 grid=0 @5:11 block=1", "line 4, column 20: grid x is 0"},
        {"@3:11 launch k @4:11 gird=1", "line 4, column 11: expected grid=, block="},
        {"@3:11 launch k @4:11 grid=ceil_div(1, @5:9 ) block=1",
         "line 5, column 9: expected a number or"},
        {"@3:11 launch k grid=1", "line 3, column 26: the line has no block="},
        {"@3:11 lunch k grid=1", "line 3, column 11: expected 'launch' at the start of the line"},
        {"@3:11 launch k @x:11 grid=1", "line 3, column 20: expected grid=, block="},
        {"@3:11 launch k @4 grid=1", "line 3, column 20: expected grid=, block="},
        {"@3", "column 1: expected 'launch' at the start of the line"},
    };
    static const char line[] = "@3:11 launch k @4:11 grid=1, @5:2 2 @6:1 block=1";
    struct device_call c = a_call();
    struct cuda_text text = {line, sizeof(line) - 1}, plain = {line + 6, sizeof(line) - 7};
    struct cuda_place where = {0, 0};
    struct cuda_launch l;
    struct err err = ERR_INIT;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        refused(&cases[i], NULL);
        refused(&cases[i], &c);
    }
    must(parse(line, &c, &l, &err), &err);
    assert_string_equal(l.name, "k");
    assert_int_equal(l.grid[1], 2);
    assert_int_equal(cuda_launch_line(&text), 3);
    assert_int_equal(cuda_launch_line(&plain), 0);
    assert_int_equal(cuda_launch_check(cases[0].line, strlen(cases[0].line), &l, &where, &err), -1);
    assert_int_equal(where.line, 4);
    assert_int_equal(where.column, 20);
    assert_int_equal(strncmp(err.text, "grid x is 0", 11), 0);
}

static void nul_bytes_are_seen(void **state)
{
    static const char line[] = "launch k grid=1 block=1 \0args=in0";
    struct cuda_launch l;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(cuda_launch_parse(line, sizeof(line) - 1, NULL, &l, &err), -1);
    assert_string_equal(err.text, "column 25: a NUL byte");
}

/* No byte behind the end is read: AddressSanitizer watches. */
static void every_beginning_is_safe(void **state)
{
    static const char line[] =
        "@1:11 launch k grid=ceil_div(in0.shape[1],256) @2:11 block=32,4 smem=-(3)+min(1,2) "
        "args=in0,out0,-1.5e-3:f32,out1.numel%3:i32";
    struct device_call c = a_call();

    (void)state;
    for (size_t n = 0; n < sizeof(line) - 1; n++) {
        char *copy = xmalloc(n ? n : 1);
        struct cuda_launch l;
        struct err err = ERR_INIT;

        memcpy(copy, line, n);
        if (cuda_launch_parse(copy, n, &c, &l, &err) < 0)
            assert_non_null(strstr(err.text, "column "));
        free(copy);
    }
}

/* ---- the artifact ---- */

#define LINE_A "launch a grid=1 block=1"
#define LINE_B "launch b grid=2 block=1 args=in0"

static void programs_come_apart_and_together(void **state)
{
    static const char bytes[] = CUDA_LAUNCH_MAGIC LINE_A "\n" LINE_B "\n\n\x7f"
                                                         "ELF\n\0\n";
    AUTO(buf_release) struct buf again = BUF_INIT;
    struct cuda_program p;
    struct err err = ERR_INIT;

    (void)state;
    assert_true(cuda_program_is(bytes, sizeof(bytes) - 1));
    assert_int_equal(cuda_program_split(bytes, sizeof(bytes) - 1, &p, &err), 0);
    assert_int_equal(p.n_lines, 2);
    assert_int_equal(p.lines[1].len, strlen(LINE_B));
    assert_memory_equal(p.lines[1].at, LINE_B, strlen(LINE_B));
    assert_int_equal(p.cubin.len, 7);
    assert_memory_equal(p.cubin.at,
                        "\x7f"
                        "ELF\n\0\n",
                        7);
    cuda_program_join(&p, &again);
    assert_int_equal(again.len, sizeof(bytes) - 1);
    assert_memory_equal(again.ptr, bytes, again.len);
}

static void bad_programs(void **state)
{
    static const struct mistake cases[] = {
        {"", "not a program of launch lines"},
        {"\x7f"
         "ELF",
         "not a program of launch lines"},
        {"ASSAY-LAUNCH 2\n" LINE_A "\n\nx", "not a program of launch lines"},
        {CUDA_LAUNCH_MAGIC, "no empty line"},
        {CUDA_LAUNCH_MAGIC LINE_A, "no empty line"},
        {CUDA_LAUNCH_MAGIC LINE_A "\n", "no empty line"},
        {CUDA_LAUNCH_MAGIC "\nx", "no launch line"},
        {CUDA_LAUNCH_MAGIC LINE_A "\n\n", "no machine code"},
        {CUDA_LAUNCH_MAGIC LINE_A "\nlaunch b grid=1\n\nx",
         "launch line 2: column 16: the line has"},
    };
    AUTO(buf_release) struct buf many = BUF_INIT;
    struct cuda_program p;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct err err = ERR_INIT;

        assert_int_equal(cuda_program_split(cases[i].line, strlen(cases[i].line), &p, &err), -1);
        assert_int_equal(err.kind, ERR_INPUT);
        if (!strstr(err.text, cases[i].want))
            fail_msg("case %zu says: %s", i, err.text);
    }
    buf_adds(&many, CUDA_LAUNCH_MAGIC);
    for (int i = 0; i <= CUDA_LAUNCH_MAX_LINES; i++)
        buf_adds(&many, LINE_A "\n");
    buf_adds(&many, "\nx");

    struct err err = ERR_INIT;

    assert_int_equal(cuda_program_split(many.ptr, many.len, &p, &err), -1);
    assert_string_equal(err.text, "more than 64 launch lines");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_worked_out),
        cmocka_unit_test(expressions),
        cmocka_unit_test(fractions),
        cmocka_unit_test(fields_in_any_order),
        cmocka_unit_test(pointers_of_a_setup),
        cmocka_unit_test(mistakes_of_form),
        cmocka_unit_test(mistakes_of_value),
        cmocka_unit_test(limits),
        cmocka_unit_test(places_of_the_source),
        cmocka_unit_test(nul_bytes_are_seen),
        cmocka_unit_test(every_beginning_is_safe),
        cmocka_unit_test(programs_come_apart_and_together),
        cmocka_unit_test(bad_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
