/* SPDX-License-Identifier: MIT */
/* Which files a run finds, in folders and plans, and what it says of the others. */
#include "testing.h"

#include "base/fs.h"
#include "base/ydoc.h"
#include "build/prebuild.h"
#include "problem/problem.h"
#include "run/plan_file.h"
#include "run/run.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *share(void)
{
    const char *dir = getenv("ASSAY_SHARE");

    return dir ? dir : ".";
}

static void put(const char *dir, const char *name, const char *text)
{
    AUTO(freep) char *path = fs_join(dir, name);
    AUTO(freep) char *folder = xstrdup(path);
    struct err err = ERR_INIT;

    *strrchr(folder, '/') = '\0';
    assert_int_equal(fs_mkdirs(folder, &err), 0);
    assert_int_equal(fs_write_atomic(path, text, strlen(text), &err), 0);
}

static char *new_dir(void)
{
    char *dir = xstrdup("cand-XXXXXX");

    assert_non_null(mkdtemp(dir));
    return dir;
}

static const struct candidate *find(const struct candidates *c, const char *model,
                                    const char *problem, int sample)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->items[i].model, model) && !strcmp(c->items[i].problem, problem) &&
            c->items[i].sample == sample)
            return &c->items[i];
    return NULL;
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
    assert_non_null(strstr(find(&c, "gpt", "level1/019_relu", 2)->skipped, "Python"));
    assert_non_null(strstr(find(&c, "gpt", "level1/019_relu", 3)->skipped, "no device takes"));
    assert_non_null(strstr(find(&c, "gpt", "level1_998", 0)->skipped, "there is no problem"));
    assert_null(find(&c, dir, "level1/023_softmax", 4)->skipped);
    assert_non_null(strstr(find(&c, dir, "level1/023_softmax", 5)->skipped, "Python"));
    assert_int_equal(c.n_notes, 1);
    assert_true(noted(&c, "mine.c: passed over: expected sampleN.EXT"));
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
    assert_true(noted(&c, "gpt: passed over: it is a symbolic link"));
    assert_true(noted(&c, "loop: passed over: it is a symbolic link"));
    assert_true(noted(&c, "stranger: passed over: it is a symbolic link"));
    assert_true(noted(&c, "m/level1_20: passed over: it is a symbolic link"));
    assert_string_equal(find(&c, "m", "level1_19", 1)->skipped,
                        "passed over: it is a symbolic link");
    assert_string_equal(find(&c, "m", "level1_19", 2)->skipped, "passed over: it is no plain file");
    assert_string_equal(find(&c, dir, "level1/19", 0)->skipped,
                        "passed over: it is a symbolic link");

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
    assert_non_null(strstr(err.text, "sample0.c: it is, or lies behind, a symbolic link"));

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
    assert_true(noted(&c, "m/m/mine.lua: passed over: a folder does not name a problem's file"));
}

static int load(const char *text, struct run_settings *s, struct candidates *c, struct err *err)
{
    put(".", "plan.yaml", text);
    return plan_file_load("plan.yaml", share(), s, c, err);
}

static void plans_that_are_refused(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "plan.yaml: line 1: there is nothing in it"},
        {"- a\n", "plan.yaml: line 1: this has to be a map"},
        {"name: a\n\nsize: small\n",
         "plan.yaml: line 3: unknown key 'size'; did you mean 'sizes'?"},
        {"name: a\nname: b\n", "plan.yaml: line 2: 'name' is there twice"},
        {"sizes: huge\n",
         "plan.yaml: line 1: 'sizes' takes auto, small, medium or full, not 'huge'"},
        {"repeats: many\n", "plan.yaml: line 1: 'repeats' takes a whole number"},
        {"repeats: 0\n", "plan.yaml: line 1: 'repeats' takes a whole number from 1 to 100"},
        {"limits:\n  call_ms: 5\n  calls: 1\n", "plan.yaml: line 3: unknown key 'calls'"},
        {"candidates:\n  - model: a\n    problem: level1/19\n",
         "plan.yaml: line 2: a candidate needs model, problem and file"},
        {"candidates:\n  - model: a\n    fil: x\n", "plan.yaml: line 3: unknown key 'fil'"},
        {"candidates: x\n", "plan.yaml: line 1: 'candidates' takes a list"},
        {"folders: [nowhere]\n", "plan.yaml: line 1: nowhere: No such file"},
        {"problems: [level1/998]\n", "plan.yaml: line 1: there is no problem 'level1/998'"},
        {"name: [a\n", "plan.yaml: line 2: did not find expected"},
        {"a: &a [*a]\n", "plan.yaml: line"},
        {"folders:\n", "plan.yaml: line 1: 'folders' takes a list of names"},
        {"models: [a, b,\n a]\n", "plan.yaml: line 2: model a is there twice"},
        {"models: [\"a\\e[31m\"]\n", "plan.yaml: line 1: the model's name is no plain text"},
        {"problems:\n- level1/19\n- 1/19\n",
         "plan.yaml: line 3: problem level1/019_relu is there twice"},
        {"candidates:\n- { model: \"a\\nb\", problem: level1/19, file: a.c }\n",
         "plan.yaml: line 2: the model's name is no plain text"},
        {"name: \"a\\0b\"\n", "plan.yaml: line 1: a text with a NUL in it"},
        {"name: a\n---\nrepeats: 3\n", "plan.yaml: line 3: a second document"},
        {"name: a\n---\n[\n", "plan.yaml: line"},
        {"models: [a, b, c, d, e, f, g, h, i, j, k]\nsamples: 10000\n"
         "problems: [1/1, 1/2, 1/3, 1/4, 1/5, 1/6, 1/7, 1/8, 1/9, 1/10]\n",
         "plan.yaml: line 2: models x problems x samples are more than 1000000 cells"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(run_settings_release) struct run_settings s = {0};
        AUTO(candidates_release) struct candidates c = {0};
        struct err err = ERR_INIT;

        assert_int_equal(load(cases[i].text, &s, &c, &err), -1);
        assert_int_equal(err.kind, ERR_INPUT);
        if (!strstr(err.text, cases[i].want))
            fail_msg("case %zu: '%s', wanted '%s'", i, err.text, cases[i].want);
    }
}

static void a_plan(void **state)
{
    AUTO(run_settings_release) struct run_settings s = {0};
    AUTO(candidates_release) struct candidates c = {0};
    struct err err = ERR_INIT;

    (void)state;
    put(".", "gen/m1/level1_19/sample0.c", "a");
    put(".", "gen/m1/level1_19/sample5.c", "a");
    put(".", "gen/m1/level1_20/sample0.c", "a");
    put(".", "gen/m3/level1_19/sample0.c", "a");
    assert_int_equal(load("name: night\n"
                          "sizes: full\n"
                          "device: cuda:1\n"
                          "repeats: 2\n"
                          "limits: { build_ms: 1, call_ms: 2, check_ms: 3, timing_ms: 4 }\n"
                          "folders: gen\n"
                          "models: [m1, m2]\n"
                          "problems: [level1_19, level1/023_softmax]\n"
                          "samples: 2\n"
                          "candidates:\n"
                          "  - { model: m2, problem: level1/19, sample: 1, file: own.c }\n",
                          &s, &c, &err),
                     0);
    assert_string_equal(s.name, "night");
    assert_string_equal(size_choice_names[s.sizes], "full");
    assert_string_equal(s.device, "cuda:1");
    assert_int_equal(s.repeats, 2);
    assert_int_equal(s.build_ms + 10 * s.call_ms + 100 * s.check_ms + 1000 * s.timing_ms, 4321);
    /* 2 models x 2 problems x 2 samples; what nobody wrote is there, and skipped */
    assert_int_equal(c.n, 8);
    assert_null(find(&c, "m1", "level1/019_relu", 0)->skipped);
    assert_non_null(strstr(find(&c, "m1", "level1/019_relu", 1)->skipped, "no candidate"));
    assert_null(find(&c, "m2", "level1/019_relu", 1)->skipped);
    assert_string_equal(find(&c, "m2", "level1/019_relu", 1)->origin, "plan.yaml: line 11");
    assert_non_null(find(&c, "m2", "level1/023_softmax", 1));
    assert_int_equal(c.n_problems, 2);
}

/* A problem whose candidates were all left out used to be one of the run's, with nothing in it. */
static void problems_of_left_out_models(void **state)
{
    AUTO(run_settings_release) struct run_settings s = {0};
    AUTO(candidates_release) struct candidates c = {0};
    struct err err = ERR_INIT;

    (void)state;
    put(".", "all/m1/level1_20/sample0.c", "a");
    put(".", "all/m2/level1_19/sample0.c", "a");
    put(".", "all/m2/level1_23/sample0.c", "a");
    assert_int_equal(load("folders: all\nmodels: [m2]\n", &s, &c, &err), 0);
    assert_int_equal(c.n, 2);
    assert_int_equal(c.n_problems, 2);
    for (int i = 0; i < c.n; i++)
        assert_string_equal(c.problems[c.items[i].problem_at].name, c.items[i].problem);
}

static void names_of_runs(void **state)
{
    static const char *const good[] = {"a", "2026-11-15_night.2"};
    static const char *const bad[] = {"", ".a", "-a", "a/b", "a b", "\xc3\xa4"};
    struct err err = ERR_INIT;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(good); i++)
        assert_int_equal(run_check_name(good[i], &err), 0);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_int_equal(run_check_name(bad[i], &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_layouts),
        cmocka_unit_test(two_files_for_one_sample),
        cmocka_unit_test(names_that_are_none),
        cmocka_unit_test(links_are_passed_over),
        cmocka_unit_test(folders_name_no_files),
        cmocka_unit_test(plans_that_are_refused),
        cmocka_unit_test(a_plan),
        cmocka_unit_test(problems_of_left_out_models),
        cmocka_unit_test(names_of_runs),
    };

    return cmocka_run_group_tests_name("candidates", tests, NULL, NULL);
}
