/* SPDX-License-Identifier: MIT */
/* A text that grows, and words quoted for a shell. */
#include "testing.h"

#include "base/buf.h"

#include <stdio.h>
#include <string.h>

static void buf_words_are_one_word_to_a_shell(void **state)
{
    static const char *const words[] = {"relu.c", "",           "my relu.c", "it's",
                                        "a\nb",   "$HOME;`ls`", "\"\\"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        AUTO(buf_release) struct buf b = BUF_INIT;
        char got[64] = "";
        FILE *f;

        buf_adds(&b, "printf %s ");
        buf_add_word(&b, words[i]);
        f = popen(buf_str(&b), "r");
        assert_non_null(f);
        assert_int_equal(fread(got, 1, sizeof(got) - 1, f), strlen(words[i]));
        assert_int_equal(pclose(f), 0);
        assert_string_equal(got, words[i]);
    }
}

static void buf_grows_and_stays_terminated(void **state)
{
    AUTO(buf_release) struct buf b = BUF_INIT;

    (void)state;
    assert_string_equal(buf_str(&b), "");
    for (int i = 0; i < 1000; i++)
        buf_addf(&b, "%d,", i);
    assert_int_equal(b.len, strlen(buf_str(&b)));
    assert_memory_equal(buf_str(&b), "0,1,2,3,", 8);
    buf_reset(&b);
    buf_fill(&b, '-', 3);
    buf_fill(&b, '-', -5);
    assert_string_equal(buf_str(&b), "---");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buf_grows_and_stays_terminated),
        cmocka_unit_test(buf_words_are_one_word_to_a_shell),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
