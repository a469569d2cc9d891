/* SPDX-License-Identifier: MIT */
/* covers: src/run/candidates.c src/build/prebuild.c */
/* Which files a run finds in folders, and what it says of the others. */
#include "candidates_rig.h"

#include "base/fs.h"
#include "build/prebuild.h"
#include "run/run.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *new_dir(void)
{
    char *dir = xstrdup("cand-XXXXXX");

    assert_non_null(mkdtemp(dir));
    return dir;
}

static bool noted(const struct candidates *c, const char *text)
{
    for (int i = 0; i < c->n_notes; i++)
        if (strstr(c->notes[i], text))
            return true;
    return false;
}

static void both_layouts(void **state)
{
    AUTO(freep) char *dir = new_dir();
    AUTO(candidates_release) struct candidates c = {0};
    struct err err = ERR_INIT;

    (void)state;
    put(dir, "gpt/level1_19/sample0.c", "a");
    put(dir, "gpt/level1_19/sample_1.cu", "b");
    put(dir, "gpt/level1_19/sample0.txt", "the prompt");
    put(dir, "gpt/level1_019_relu/sample7.c", "h");
    put(dir, "gpt/level1/1/sample0.c", "c");
    put(dir, "gpt/level1_19/mine.c", "d");
    put(dir, "gpt/level1_19/sample2.py", "e");
    put(dir, "gpt/level1_19/sample3.rs", "e");
    put(dir, "gpt/level1_998/sample0.c", "f");
    put(dir, "level_1_problem_23_sample_4_kernel.cu", "g");
    put(dir, "level_1_problem_23_sample_5_kernel.py", "g");
    put(dir, "level_1_problem_23_sample_4_prompt.txt", "g");
    put(dir, "eval_results.json", "{}");
    put(dir, ".hidden/level1_19/sample0.c", "x");
    assert_int_equal(candidates_scan(dir, &c, &err), 0);
    candidates_resolve(&c, share());
    candidates_settle(&c);
    assert_int_equal(c.n, 9);
    assert_null(find(&c, "gpt", "level1/019_relu", 0)->skipped);
    assert_null(find(&c, "gpt", "level1/019_relu", 1)->skipped);
    assert_null(find(&c, "gpt", "level1/019_relu", 7)->skipped);
    assert_null(find(&c, "gpt", "level1/001_square_matrix_multiplication", 0)->skipped);
    assert_null(find(&c, "gpt", "level1/019_relu", 2)->skipped);
    assert_non_null(strstr(find(&c, "gpt", "level1/019_relu", 3)->skipped, "no device takes"));
    assert_non_null(strstr(find(&c, "gpt", "level1_998", 0)->skipped, "there is no problem"));
    assert_null(find(&c, dir, "level1/023_softmax", 4)->skipped);
    assert_null(find(&c, dir, "level1/023_softmax", 5)->skipped);
    assert_int_equal(c.n_notes, 1);
    assert_true(noted(&c, "mine.c: expected sampleN.EXT"));
}

/* Found by two spellings of one problem, or by two suffixes: neither is judged. */
static void two_files_for_one_sample(void **state)
{
    AUTO(freep) char *dir = new_dir();
    AUTO(candidates_release) struct candidates c = {0};
    struct err err = ERR_INIT;

    (void)state;
    put(dir, "m/level1_19/sample0.c", "a");
    put(dir, "m/level1_19/sample0.cu", "b");
    put(dir, "m/level1_019_relu/sample0.c", "c");
    put(dir, "m/level1_19/sample1.c", "d");
    assert_int_equal(candidates_scan(dir, &c, &err), 0);
    candidates_resolve(&c, share());
    candidates_settle(&c);
    assert_int_equal(c.n, 2);
    assert_non_null(strstr(find(&c, "m", "level1/019_relu", 0)->skipped, "two files"));
    assert_null(find(&c, "m", "level1/019_relu", 1)->skipped);
    assert_int_equal(c.n_notes, 2);
}

static void names_that_are_none(void **state)
{
    AUTO(freep) char *dir = new_dir();
    AUTO(candidates_release) struct candidates c = {0};
    struct err err = ERR_INIT;

    (void)state;
    put(dir, "bad\xff/level1_19/sample0.c", "a");
    put(dir, "bad\n/level1_19/sample0.c", "a");
    put(dir, "bad\xc2\x9b[31m/level1_19/sample0.c", "a");    /* a terminal takes it for ESC [ */
    put(dir, "bad\xe2\x80\xaegpt/level1_19/sample0.c", "a"); /* would turn round what follows */
    put(dir, "\xc3\xbcn\xc3\xaf \xe2\x86\x92 \xf0\x9f\x9a\x80/level1_19/sample0.c", "a"); /* fine */
    put(dir, "m/level1_19/sample.c", "a");
    put(dir, "m/level1_19/sample99999999999.c", "a");
    put(dir, "m/level1_19/sample1x.c", "a");
    put(dir, "m/a/b/c/sample1.c", "a");
    assert_int_equal(candidates_scan(dir, &c, &err), 0);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.n_notes, 8);
    assert_int_equal(candidates_scan("no/such/folder", &c, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
}

/* Links were followed: the text of any file that the judge may read became a candidate's. (A broken
 * one was not even mentioned: the model was just not there.) */
static void links_are_passed_over(void **state)
{
    AUTO(freep) char *dir = new_dir(), *secret = new_dir(), *named = xasprintf("%s-named", dir);
    AUTO(candidates_release) struct candidates c = {0};
    AUTO(freep) char *text = NULL;
    const struct candidate *found;
    struct err err = ERR_INIT;
    char hash[HASH_HEX];
    size_t len;

    (void)state;
    put(dir, "m/level1_19/sample0.c", "a");
    put(secret, "level1_19/sample0.c", "secret");
    assert_int_equal(symlink(dir, named), 0);
    assert_int_equal(chdir(dir), 0);
    assert_int_equal(symlink("../nowhere", "gpt"), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(symlink("m", "alias.txt"), 0); /* such files are none of ours, linked or not */
    assert_int_equal(symlink("../../m/level1_19", "m/level1_20"), 0);
    assert_int_equal(symlink("sample0.c", "m/level1_19/sample1.c"), 0);
    assert_int_equal(mkfifo("m/level1_19/sample2.c", 0600), 0);
    assert_int_equal(symlink("/etc/passwd", "level_1_problem_19_sample_0_kernel.c"), 0);
    assert_int_equal(chdir(".."), 0);

    AUTO(freep) char *model = fs_join(dir, "stranger"), *to = xasprintf("../%s", secret);

    assert_int_equal(symlink(to, model), 0);
    assert_int_equal(candidates_scan(named, &c, &err), 0);
    assert_int_equal(c.n, 4);
    assert_int_equal(c.n_notes, 4);
    assert_true(noted(&c, "gpt: it is a symbolic link, which is not followed"));
    assert_true(noted(&c, "loop: it is a symbolic link, which is not followed"));
    assert_true(noted(&c, "stranger: it is a symbolic link, which is not followed"));
    assert_true(noted(&c, "m/level1_20: it is a symbolic link, which is not followed"));
    assert_string_equal(find(&c, "m", "level1_19", 1)->skipped,
                        "it is a symbolic link, which is not followed");
    assert_string_equal(find(&c, "m", "level1_19", 2)->skipped, "it is not a plain file");
    assert_string_equal(find(&c, dir, "level1/19", 0)->skipped,
                        "it is a symbolic link, which is not followed");

    /* One that is put there later, or a folder on the way to it, is refused when it is read. */
    found = find(&c, "m", "level1_19", 0);
    assert_null(found->skipped);

    const struct source_file file = {found->file, found->root_len};

    assert_int_equal(prebuild_read(&file, &text, &len, hash, &err), 0);
    assert_string_equal(text, "a");
    freep(&text);
    assert_int_equal(unlink(found->file), 0);
    assert_int_equal(symlink("/etc/passwd", found->file), 0);
    assert_int_equal(prebuild_read(&file, &text, &len, hash, &err), -1);
    assert_non_null(
        strstr(err.text, "sample0.c: it is a symbolic link, or a folder on its path is one"));

    AUTO(freep) char *m = fs_join(dir, "m"), *was = fs_join(dir, "was");

    assert_int_equal(rename(m, was), 0);
    assert_int_equal(symlink(to, m), 0);
    assert_int_equal(prebuild_read(&file, &text, &len, hash, &err), -1);
    assert_null(text);
}

/* A folder called so made the judge look for a problem's file, by that name, where it was started.
 */
static void folders_name_no_files(void **state)
{
    AUTO(freep) char *dir = new_dir();
    AUTO(candidates_release) struct candidates c = {0};
    struct err err = ERR_INIT;

    (void)state;
    put(dir, "m/mine.lua/sample0.c", "a");
    put(dir, "m/m/mine.lua/sample0.c", "a");
    assert_int_equal(candidates_scan(dir, &c, &err), 0);
    assert_int_equal(c.n, 0);
    assert_int_equal(c.n_notes, 2);
    assert_true(
        noted(&c, "m/m/mine.lua: a folder must have a problem's name, not that of a .lua file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_layouts),          cmocka_unit_test(two_files_for_one_sample),
        cmocka_unit_test(names_that_are_none),   cmocka_unit_test(links_are_passed_over),
        cmocka_unit_test(folders_name_no_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
