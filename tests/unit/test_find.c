/* SPDX-License-Identifier: MIT */
/* Problems by the words that a user writes. */
#include "testing.h"

#include "base/fs.h"
#include "problem/problem.h"

#include <string.h>

static void test_find(void **state)
{
    static const struct {
        const char *word, *want; /* the name, or the message */
    } words[] = {
        {"level1/019_relu", "level1/019_relu"},
        {"level1/19", "level1/019_relu"},
        {"1/019", "level1/019_relu"},
        {"1/019_relu", "level1/019_relu"},
        {"level1/019_rleu", "there is no problem 'level1/019_rleu': did you mean level1/019_relu?"},
        {"019_relu", "there is no problem '019_relu': did you mean level1/019_relu?"},
        {"1/999", "there is no problem '1/999': `assay list` shows them"},
        {"/19", "there is no problem '/19': `assay list` shows them"},
        {"", "there is no problem '': `assay list` shows them"},
        {"missing.lua", "missing.lua: no such file"},
    };
    AUTO(freep) char *tree = fs_share_dir();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        AUTO(problem_ref_release) struct problem_ref ref = {0};
        struct err err = ERR_INIT;
        int rc = problem_find(tree, words[i].word, &ref, &err);

        assert_string_equal(rc < 0 ? err.text : ref.name, words[i].want);
    }
}

static void test_find_path(void **state)
{
    AUTO(freep) char *tree = fs_share_dir();
    AUTO(problem_ref_release) struct problem_ref ref = {0};
    AUTO(freep) char *path = xasprintf("%s/problems/level1/019_relu.lua", tree);
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(problem_find("/nowhere", path, &ref, &err), 0);
    assert_string_equal(ref.name, "level1/019_relu");
    assert_int_equal(ref.id, 19);
    problem_ref_release(&ref);
    assert_int_equal(fs_write_atomic("mine.lua", "", 0, &err), 0);
    assert_int_equal(problem_find("/nowhere", "mine.lua", &ref, &err), 0);
    assert_string_equal(ref.name, "mine");
}

/* A file of a suite with a name of its own was mine/001_gelu by word and 001_gelu by path. */
static void test_word_and_path_agree(void **state)
{
    static const struct {
        const char *word, *name, *level;
    } words[] = {
        {"mine/1", "mine/001_gelu", "mine"},
        {"share/problems/mine/001_gelu.lua", "mine/001_gelu", "mine"},
        {"share/problems/../problems/mine/001_gelu.lua", "mine/001_gelu", "mine"},
        {"share/problems/mine/deep/002_x.lua", "002_x", ""},
        {"share/problems/003_top.lua", "003_top", ""},
        {"share/problems-old/004_x.lua", "004_x", ""},
    };
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fs_mkdirs("share/problems/mine/deep", &err), 0);
    assert_int_equal(fs_mkdirs("share/problems-old", &err), 0);
    for (size_t i = 1; i < ARRAY_SIZE(words); i++)
        assert_int_equal(fs_write_atomic(words[i].word, "", 0, &err), 0);
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        AUTO(problem_ref_release) struct problem_ref ref = {0};

        assert_int_equal(problem_find("share", words[i].word, &ref, &err), 0);
        assert_string_equal(ref.name, words[i].name);
        assert_string_equal(ref.level, words[i].level);
    }
}

static void test_list(void **state)
{
    char one[] = "1", three[] = "level3", bogus[] = "level9";
    char *const suites[] = {three, one}, *const none[] = {bogus};
    struct problem_ref *refs = NULL;
    struct err err = ERR_INIT;
    int n = 0;
    AUTO(freep) char *tree = fs_share_dir();

    (void)state;
    assert_int_equal(problem_list(tree, suites, 2, &refs, &n, &err), 0);
    assert_true(n >= 15);
    for (int i = 1; i < n; i++)
        assert_true(strcmp(refs[i - 1].name, refs[i].name) < 0);
    assert_string_equal(refs[0].name, "level1/001_square_matrix_multiplication");
    assert_string_equal(refs[n - 1].level, "level3");
    problem_refs_free(refs, n);
    assert_int_equal(problem_list(tree, none, 1, &refs, &n, &err), -1);
    assert_non_null(strstr(err.text, "there is no suite 'level9': there are "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_find_path),
        cmocka_unit_test(test_word_and_path_agree),
        cmocka_unit_test(test_list),
    };

    return cmocka_run_group_tests(tests, testing_enter_folder, testing_leave_folder);
}
