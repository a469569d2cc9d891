/* SPDX-License-Identifier: MIT */
/* A problem's header and its description for people. */
#include "problem_text_rig.h"

#include <stdlib.h>

static void test_header(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;
    AUTO(buf_release) struct buf out = BUF_INIT;
    struct err err = ERR_INIT;

    (void)state;
    must_load(
        "problem { 'ends */ early' }\n"
        "sizes { full = { { B = 4, N = 8 }, { B = 6, N = 8 } }, small = { B = 2, N = 6 } }\n" X
        "local conv = nn.linear('conv.1', N, 5)\n"
        "output('y', conv(x))\noutput('twice', concat({ x, x }))",
        &p);
    emit_c_header(p, SIZES_FULL, &out);
    assert_string_equal(
        buf_str(&out),
        "/* p: ends *  early\n"
        " *\n"
        " * in[] and out[] of assay_kernel by name. Shapes are in the tensors; full:\n"
        " *   B=4 N=8\n"
        " *   B=6 N=8\n"
        " */\n"
        "#ifndef ASSAY_PROBLEM_H\n"
        "#define ASSAY_PROBLEM_H\n"
        "\n"
        "#define IN_X 0                           /* f32 [B, N] */\n"
        "#define IN_CONV_1_WEIGHT 1               /* f32 [5, N] */\n"
        "#define IN_CONV_1_BIAS 2                 /* f32 [5] */\n"
        "#define N_IN 3\n"
        "\n"
        "#define OUT_Y 0                          /* f32 [B, 5] */\n"
        "#define OUT_TWICE 1                      /* f32 [?, N] */\n"
        "#define N_OUT 2\n"
        "\n"
        "#endif\n");
    buf_adds(&out, "int sum[N_IN + N_OUT + IN_CONV_1_WEIGHT];\n");
    assert_int_equal(fs_write_atomic("h.c", out.ptr, out.len, &err), 0);
    assert_int_equal(system("gcc -Wall -Werror -fsyntax-only h.c"), 0);
}

static void test_text(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;
    AUTO(buf_release) struct buf out = BUF_INIT;
    AUTO(freep) char *want = NULL;

    (void)state;
    must_load("problem { 'Title', repaired = 'signed' }\n"
              "sizes { full = { B = 1000, N = 8 }, small = { B = 2, N = 6 } }\n"
              "local x = input('x', f32, { B, N }, spread { scale = 0.5 }, normal())\n"
              "output('y', nn.linear('fc', N, 4, { bias = false })(x))",
              &p);
    emit_text(p, &out);
    want = xasprintf(
        "p: Title\n"
        "\n"
        "  input   x                        f32     [B, N]                    spread x 0.5, "
        "normal\n"
        "  param   fc.weight                f32     [4, N]                    uniform(-0.3536, "
        "0.3536)\n"
        "  output  y                        f32     [B, 4]\n"
        "\n"
        "  full   B=1000 N=8: 64 kFLOP in contractions, 0 FLOP elsewhere, 48.13 kB in and out\n"
        "  medium B=49998 N=6: 2.4 MFLOP in contractions, 0 FLOP elsewhere, 2 MB in "
        "and out\n"
        "  small  B=2 N=6: 96 FLOP in contractions, 0 FLOP elsewhere, 176 B in and out\n"
        "\n"
        "repaired: signed\n"
        "\n"
        "hash %.12s\n",
        p->hash);
    assert_string_equal(buf_str(&out), want);
}

/* The law that makes a score is named by what it is for each float tensor. */
static void test_law_in_words(void **state)
{
    static const char *const want[] = {"a spread x 0.5, c heavy", "a normal, c needle",
                                       "a spread x 0.5, c spread"};
    AUTO(problem_freep) struct problem *p = NULL;

    (void)state;
    must_load(HEAD "local a = input('a', f32, { B, N }, spread { scale = 0.5 }, normal())\n"
                   "local b = input('b', f32, { B, N }, normal())\n"
                   "local c = input('c', f32, { B, N }, heavy(), check_only(needle()), spread())\n"
                   "local i = input('i', i64, { B }, ints(0, B), ints(0, 1))\n"
                   "output('y', a + b + c + gather(a, i))\n",
              &p);
    for (int law = 0; law < 3; law++) {
        AUTO(buf_release) struct buf got = BUF_INIT;

        emit_law(p->sizes[SIZES_SMALL][0].graph, law, &got);
        assert_string_equal(buf_str(&got), want[law]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law_in_words),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_text),
    };

    return cmocka_run_group_tests(tests, testing_enter_folder, testing_leave_folder);
}
