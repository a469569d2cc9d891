/* SPDX-License-Identifier: MIT */
/* Launch lines in a source: which they are, where they stand, and which comments were meant to be
 * some. */
#include "testing.h"

#include "device/cuda/launch_lines.h"

#include <string.h>

static void lines_are_joined_with_their_places(void **state)
{
    static const char source[] = "int x; // assay: launch no\n"
                                 "\t// assay: launch a grid=1\r\n"
                                 "int y;\n"
                                 "//assay:  block=1,\n"
                                 "  //  assay: 2  \n"
                                 "// assay: launch b";
    struct launch_lines l = {source, source + strlen(source), 0};
    AUTO(buf_release) struct buf line = BUF_INIT;
    int number = 0;

    (void)state;
    assert_true(launch_lines_next(&l, &line, &number));
    assert_string_equal(buf_str(&line), "@2:12 launch a grid=1 @4:11 block=1, @5:14 2");
    assert_int_equal(number, 2);
    assert_true(launch_lines_next(&l, &line, &number));
    assert_string_equal(buf_str(&line), "@6:11 launch b");
    assert_int_equal(number, 6);
    assert_false(launch_lines_next(&l, &line, &number));
    assert_true(launch_lines_any(source, strlen(source)));
    assert_false(launch_lines_any(source, strlen("int x; // assay: launch no\n")));
}

/* They were comments like any other, and the file was said to have no function assay_kernel. */
static void strays(void **state)
{
    static const struct {
        const char *source;
        int line, column;
        const char *why;
    } cases[] = {
        {"// assay: lauch k grid=1 block=1\n", 1, 11, "did you mean 'launch' by 'lauch'?"},
        {"\n  //assay: Launch k grid=1\n", 2, 12, "did you mean 'launch' by 'Launch'?"},
        {"// assay: launch: k grid=1", 1, 11, "did you mean 'launch' by 'launch:'?"},
        {"// assay: grid=1 block=1", 1, 11, "no launch line above that this could continue"},
        {"// assay: a kernel\n// assay: grid=1", 2, 11,
         "no launch line above that this could continue"},
        {"// assay: launch k\n// assay: grid=1 @2:3 block=1", 2, 18, "'@' has no meaning"},
        {"int x;\n// Assay: launch k grid=1", 2, 1, "no launch line: write it as // assay: launch"},
        {"\t// ASSAY: launch k grid=1", 1, 2, "no launch line: write it as"},
        {"//assay launch k grid=1 block=1", 1, 1, "no launch line: write it as"},
        {"// assay lunch k grid=1 block=1", 1, 1, "no launch line: write it as"},
        {"/* assay: launch k grid=1 block=1 */", 1, 1, "no launch line: write it as"},
        {"/*assay: launch k\n * grid=1 */\n// assay : block=1", 3, 1, "no launch line"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct launch_stray s = {.line = 0};

        if (!launch_lines_stray(cases[i].source, strlen(cases[i].source), &s))
            fail_msg("not seen: %s", cases[i].source);
        if (s.line != cases[i].line || s.column != cases[i].column || !strstr(s.why, cases[i].why))
            fail_msg("%s\n  says: %d, %d: %s", cases[i].source, s.line, s.column, s.why);
    }
}

/* Sentences, and lines that are what they should be. */
static void no_strays(void **state)
{
    static const char *const sources[] = {
        "",
        "int x;",
        "// assay: launch k grid=1\n//  assay: block=1\nint x;\n// assay: launch b",
        "// assay: launch k\n// assay: lunch b", /* a mistake, and cuda_launch.h's to find */
        "// Assay: a matrix product, launched once.",
        "// Assay launches this with n = 4096.",
        "// assay is run as: assay eval level1/19 relu.cu",
        "/* Assay: tiles of 128, x = 4 */",
        "int assay; // assay: lauch",
        "#include \"assay.h\"",
        "//",
        "/*",
        "// assay",
        "// assay:",
        "// assay: a fast kernel, mail@me\nint x;\n// assay: launch k grid=1",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        struct launch_stray s;

        if (launch_lines_stray(sources[i], strlen(sources[i]), &s))
            fail_msg("%s\n  says: %d, %d: %s", sources[i], s.line, s.column, s.why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_joined_with_their_places),
        cmocka_unit_test(strays),
        cmocka_unit_test(no_strays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
