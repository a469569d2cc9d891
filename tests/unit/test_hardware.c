/* SPDX-License-Identifier: MIT */
/* covers: src/tensor/arith.c */
/* Hardware tables: what a good file says, what is said of a bad one, and the rates by class. */
#include "testing.h"

#include "base/fs.h"
#include "hardware/hardware.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void start_anew(void)
{
    fs_remove_tree("share/hardware");
}

#define TFLOPS "tflops = { fp32 = 10, bf16 = 80 }"
#define GPU "gpu { 'X1', source = 's', bandwidth_gb_s = 100, " TFLOPS " }\n"

static void a_good_file(void **state)
{
    AUTO(hardware_release) struct hardware_list l = HARDWARE_LIST_INIT;
    struct err err = ERR_INIT;

    (void)state;
    start_anew();
    write_file("share/hardware/b.lua",
               "local function t(x) return { fp32 = x, fp4 = 2 * x } end\n"
               "gpu { 'Y1', 'Y2', source = 'sheet', bandwidth_gb_s = 2000, memory_gb = 80,"
               " cache_mb = 50, tflops = t(3) }\n");
    write_file("share/hardware/a.lua", GPU);
    write_file("share/hardware/notes.txt", "not a table");
    must(hardware_load("share", &l, &err), &err);
    assert_int_equal(l.n, 2);
    assert_string_equal(l.rows[0].names[0], "X1"); /* by file name */
    assert_true(l.rows[0].memory_bytes == 0 && l.rows[0].cache_bytes == 0);
    assert_null(hardware_find(&l, "Y"));

    const struct hardware *y = hardware_find(&l, "Y2");

    assert_ptr_equal(y, &l.rows[1]);
    assert_string_equal(y->source, "sheet");
    assert_true(y->bytes_s == 2e12 && y->memory_bytes == 80e9 && y->cache_bytes == 50e6);
    assert_true(y->flops_s[ARITH_FP32] == 3e12 && y->flops_s[ARITH_FP4] == 6e12);
    assert_true(y->flops_s[ARITH_BF16] == 0);
}

static void bad_files_say_where_and_what_to_do(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"gpu {", "x.lua:1: "},
        {"\ngpux { 'X' }", "x.lua:2: unknown name 'gpux': did you mean gpu?"},
        {"gpu 'X'", "x.lua:1: gpu takes a table: gpu { ... }"},
        {"local x = 1", "x.lua: gpu { ... } is missing: it describes no device"},
        {"gpu { source = 's', bandwidth_gb_s = 100, " TFLOPS " }",
         "x.lua:1: gpu: the driver's name of the device is missing"},
        {"gpu { 7, source = 's', bandwidth_gb_s = 100, " TFLOPS " }",
         "x.lua:1: gpu: name 1 must be a string, as the driver spells it"},
        {"gpu { 'X', bandwidth_gb_s = 100, " TFLOPS " }",
         "x.lua:1: gpu: source is missing: the title of the datasheet"},
        {"gpu { 'X', source = 7, bandwidth_gb_s = 100, " TFLOPS " }",
         "x.lua:1: gpu: source must be a string, not number"},
        {"gpu { 'X', source = 's', " TFLOPS " }", "x.lua:1: gpu: bandwidth_gb_s is missing"},
        {"gpu { 'X', source = 's', bandwidth_gb_s = 4.8, " TFLOPS " }",
         "x.lua:1: gpu: bandwidth_gb_s = 4.8 cannot be: it is in GB/s"},
        {"gpu { 'X', source = 's', bandwidth_gb_s = -1, " TFLOPS " }",
         "x.lua:1: gpu: bandwidth_gb_s must be a positive number"},
        {"gpu { 'X', source = 's', bandwidth_gb_s = 1/0, " TFLOPS " }",
         "x.lua:1: gpu: bandwidth_gb_s must be a positive number"},
        {"gpu { 'X', source = 's', bandwidth_gb_s = '100', " TFLOPS " }",
         "x.lua:1: gpu: bandwidth_gb_s must be a positive number"},
        {"gpu { 'X', source = 's', bandwith_gb_s = 100, " TFLOPS " }",
         "x.lua:1: gpu: unknown key 'bandwith_gb_s': did you mean bandwidth_gb_s?"},
        {"gpu { 'X', source = 's', bandwidth_gb_s = 100, memory_gb = 1e11, " TFLOPS " }",
         "x.lua:1: gpu: memory_gb = 1e+11 cannot be: it is in GB"},
        {"gpu { 'X', source = 's', bandwidth_gb_s = 100 }", "x.lua:1: gpu: tflops is missing"},
        {"gpu { 'X', source = 's', bandwidth_gb_s = 100,\n tflops = { fp32 = 1, bp16 = 2 } }",
         "unknown key 'bp16': did you mean bf16?"},
        {"gpu { 'X', source = 's', bandwidth_gb_s = 100, tflops = { bf16 = 1 } }",
         "x.lua:1: tflops: fp32 is missing"},
        {"gpu { 'X', source = 's', bandwidth_gb_s = 100, tflops = { fp32 = 67e12 } }",
         "x.lua:1: tflops: fp32 = 6.7e+13 cannot be: it is in TFLOP/s"},
        {"gpu { 'X', source = 's', bandwidth_gb_s = 100, tflops = { fp32 = true } }",
         "x.lua:1: tflops: fp32 must be a positive number"},
        {GPU GPU, "x.lua:2: gpu: X1 is described twice, also in share/hardware/x.lua: keep one"},
        {"gpu { 'X1', 'X1', source = 's', bandwidth_gb_s = 100, " TFLOPS " }",
         "x.lua:1: gpu: X1 is described twice"},
        {"while true do end", "x.lua:1: more than"},
        {"for i = 1, 1000 do gpu { 'X' .. i, source = 's', bandwidth_gb_s = 100, " TFLOPS " } end",
         "x.lua:1: gpu: more than 256 devices"},
        {"input('x', f32, { 1 })", "x.lua:1: unknown name 'input'"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(hardware_release) struct hardware_list l = HARDWARE_LIST_INIT;
        struct err err = ERR_INIT;

        start_anew();
        write_file("share/hardware/x.lua", cases[i].text);
        if (hardware_load("share", &l, &err) == 0)
            fail_msg("taken: %s", cases[i].text);
        if (!strstr(err.text, cases[i].error))
            fail_msg("'%s' is not in: %s", cases[i].error, err.text);
        assert_int_equal(err.kind, ERR_INPUT);
        assert_int_equal(l.n, 0);
    }
    start_anew();
    rmdir("share/hardware");

    struct hardware_list l = HARDWARE_LIST_INIT;
    struct err err = ERR_INIT;

    assert_int_equal(hardware_load("share", &l, &err), -1);
    assert_non_null(
        strstr(err.text, "share/hardware: No such file or directory: expected the hardware"));
}

/* The tables that come with the program: complete, and consistent in themselves. */
static void the_tables_we_ship(void **state)
{
    static const char *const wanted[] = {"NVIDIA H200",
                                         "NVIDIA H100 80GB HBM3",
                                         "NVIDIA A100-SXM4-80GB",
                                         "NVIDIA B200",
                                         "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
                                         "NVIDIA RTX PRO 6000 Blackwell Server Edition",
                                         "AMD Instinct MI300X"};
    AUTO(hardware_release) struct hardware_list l = HARDWARE_LIST_INIT;
    AUTO(freep) char *share = fs_share_dir();
    struct err err = ERR_INIT;

    (void)state;
    must(hardware_load(share, &l, &err), &err);
    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
        assert_non_null(hardware_find(&l, wanted[i]));
    for (int i = 0; i < l.n; i++) {
        const double *f = l.rows[i].flops_s;

        assert_true(f[ARITH_FP64] > 0 && f[ARITH_FP64] <= f[ARITH_FP32]);
        assert_true(f[ARITH_BF16] == f[ARITH_FP16] && f[ARITH_INT8] > 0);
        /* Dense 16-bit rates are twice tf32's and half of the 8-bit ones, up to rounding: a figure
         * with sparsity among dense ones would be off by two. */
        assert_true(fabs(f[ARITH_BF16] / f[ARITH_TF32] - 2) < 0.1);
        assert_true(fabs(f[ARITH_INT8] / f[ARITH_BF16] - 2) < 0.1);
        assert_true(f[ARITH_FP8] == 0 || fabs(f[ARITH_FP8] / f[ARITH_BF16] - 2) < 0.1);
        assert_true(f[ARITH_FP4] == 0 || fabs(f[ARITH_FP4] / f[ARITH_FP8] - 2) < 0.1);
        assert_true(l.rows[i].memory_bytes > 0);
    }
}

static void classes_without_a_unit_use_a_wider_one(void **state)
{
    static const double cpu[ARITH_COUNT] = {[ARITH_FP64] = 5, [ARITH_FP32] = 10};
    static const double a100[ARITH_COUNT] = {
        [ARITH_FP64] = 9.7, [ARITH_FP64_TENSOR] = 19.5, [ARITH_FP32] = 19.5, [ARITH_TF32] = 156,
        [ARITH_BF16] = 312, [ARITH_FP16] = 312,         [ARITH_INT8] = 624};
    enum arith a;

    (void)state;
    assert_true(arith_rate(cpu, ARITH_FP64) == 5 && arith_bound(cpu, ARITH_FP64) == 5);
    for (int i = ARITH_FP32; i < ARITH_COUNT; i++)
        assert_true(arith_rate(cpu, (enum arith)i) == 10 && arith_bound(cpu, (enum arith)i) == 10);
    assert_true(arith_rate(a100, ARITH_FP64) == 19.5);
    assert_true(arith_rate(a100, ARITH_FP32) == 19.5);
    assert_true(arith_rate(a100, ARITH_FP8) == 312 && arith_rate(a100, ARITH_FP4) == 312);
    assert_true(arith_rate(a100, ARITH_INT8) == 624);
    assert_true(arith_bound(a100, ARITH_FP32) == 104 && arith_bound(a100, ARITH_BF16) == 312);
    assert_true(arith_of(DT_F8E5M2) == ARITH_FP8 && arith_of(DT_I64) == ARITH_FP32);
    assert_true(arith_parse("fp64_tensor", &a) && a == ARITH_FP64_TENSOR);
    assert_false(arith_parse("fp65", &a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_file),
        cmocka_unit_test(bad_files_say_where_and_what_to_do),
        cmocka_unit_test(the_tables_we_ship),
        cmocka_unit_test(classes_without_a_unit_use_a_wider_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
