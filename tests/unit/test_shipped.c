/* SPDX-License-Identifier: MIT */
/* covers: src/results/named_baseline.c */
/* A file of shipped baselines, as it is read. */
#include "results_rig.h"

#include "base/fs.h"
#include "results/named_baseline.h"

#include <string.h>

/* The run of the rig: problem "p" with hash "h", size "s", device cpu "CPU", fingerprint "this". */
static const char *const problems[] = {"p", "q", NULL};

#define ROW(problem, hash, kind, created, verdict, size, us)                   \
    "{\"problem\": \"" problem "\", \"hash\": \"" hash "\", \"kind\": \"" kind \
    "\", \"created\": \"" created "\", \"verdict\": \"" verdict                \
    "\", \"sizes\": [{\"hash\": \"" size "\", \"cold_us\": " us                \
    ", \"cold_lo\": 1, \"cold_hi\": 99}]}"
#define ORIGIN(sizes, fingerprint, rows)                                                     \
    "{\"sizes\": \"" sizes "\", \"fingerprint\": \"" fingerprint                             \
    "\", \"driver\": \"1\", \"toolchain\": \"torch 2\", \"assay\": \"0.1.0\", \"weights\": " \
    "\"per_call\", \"rows\": [" rows "]}"
#define FILE_OF(device, name, origins)                                                  \
    "{\"schema\": \"assay-baselines/1\", \"device\": \"" device "\", \"name\": \"" name \
    "\", \"origins\": [" origins "]}"

static struct results *run_on(const char *fingerprint, const char *device_name)
{
    struct results *r = new_run(one_model, problems);
    struct results_cell *c = add(r, 0, 0, 0, 0, VERDICT_PASS, 10);

    free(c->fingerprint);
    free(c->device_name);
    c->fingerprint = xstrdup(fingerprint);
    c->device_name = xstrdup(device_name);
    return r;
}

/* Takes kind "torch:eager" of the text for a run. */
static struct shipped take(const char *text, const struct results *r)
{
    struct shipped s = {0};
    struct err err = ERR_INIT;
    json_t *file = NULL;

    assert_int_equal(shipped_parse(text, "f.json", &file, &err), 0);
    assert_int_equal(shipped_take(&s, file, "shipped:f:torch:eager", "torch:eager", r, &err), 0);
    json_decref(file);
    return s;
}

static double time_of(struct shipped *s, const char *problem)
{
    return shipped_cold_us(s, problem, "s", "this");
}

static void times_of_right_rows_of_the_kind(void **state)
{
    static const char text[] = FILE_OF(
        "cpu", "CPU",
        ORIGIN("small", "this",
               ROW("p", "h", "torch:eager", "2026-01-01", "pass", "s", "4") "," //
               ROW("p", "h", "torch:compile", "2026-01-02", "pass", "s", "2") "," ROW(
                   "q", "h", "torch:eager", "2026-01-01", "wrong", "s",
                   "3")) "," ORIGIN("full", "this",
                                    ROW("p", "h", "torch:eager", "2026-01-03", "pass", "s", "9")));
    AUTO(results_freep) struct results *r = run_on("this", "CPU");
    AUTO(shipped_release) struct shipped s = take(text, r);

    (void)state;
    NEAR(time_of(&s, "p"), 4);
    assert_true(isnan(time_of(&s, "q")));
    assert_true(isnan(time_of(&s, "unknown")));
    assert_true(isnan(shipped_cold_us(&s, "p", "another size", "this")));
    assert_string_equal(s.label, "shipped:f:torch:eager");
    assert_null(s.notes[0]);
}

static void this_card_first_then_the_last(void **state)
{
    static const char text[] = FILE_OF(
        "cpu", "CPU",
        ORIGIN("small", "other",
               ROW("p", "h", "torch:eager", "2026-03-01", "pass", "s",
                   "3")) "," ORIGIN("small", "this",
                                    ROW("p", "h", "torch:eager", "2026-01-01", "pass", "s",
                                        "1")) "," ORIGIN("small", "other",
                                                         ROW("p", "h", "torch:eager", "2026-02-01",
                                                             "pass", "s", "2")));
    AUTO(results_freep) struct results *r = run_on("this", "CPU");
    AUTO(shipped_release) struct shipped s = take(text, r);

    (void)state;
    NEAR(shipped_cold_us(&s, "p", "s", "this"), 1);
    NEAR(shipped_cold_us(&s, "p", "s", "third"), 3);
    assert_null(s.notes[0]);
}

static void another_device_is_foreign(void **state)
{
    static const char text[] = FILE_OF(
        "cpu", "CPU",
        ORIGIN("small", "this", ROW("p", "h", "torch:eager", "2026-01-01", "pass", "s", "4")));
    static const struct {
        const char *fingerprint, *name, *label, *note;
    } cases[] = {
        {"this", "whatever", "shipped:f:torch:eager", NULL},
        {"that", "CPU", "shipped:f:torch:eager",
         "the baseline's times are of another device of the same name: CPU"},
        {"that", "Fast", "foreign: shipped:f:torch:eager",
         "the baseline's times are of another device: CPU"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(results_freep) struct results *r = run_on(cases[i].fingerprint, cases[i].name);
        AUTO(shipped_release) struct shipped s = take(text, r);

        assert_string_equal(s.label, cases[i].label);
        if (cases[i].note)
            assert_string_equal(s.notes[0], cases[i].note);
        else
            assert_null(s.notes[0]);
        NEAR(shipped_cold_us(&s, "p", "s", cases[i].fingerprint), 4);
    }

    /* The same name of another kind of device is another device. */
    AUTO(results_freep) struct results *r = run_on("that", "CPU");

    free(r->cells[0].device);
    r->cells[0].device = xstrdup("fake");

    AUTO(shipped_release) struct shipped s = take(text, r);

    assert_string_equal(s.label, "foreign: shipped:f:torch:eager");
}

/* One device of two does not fit: the times of all samples come with the warning. */
static void one_foreign_sample_is_enough(void **state)
{
    static const char text[] = FILE_OF(
        "cpu", "CPU",
        ORIGIN("small", "this", ROW("p", "h", "torch:eager", "2026-01-01", "pass", "s", "4")));
    AUTO(results_freep) struct results *r = run_on("that", "Fast");

    (void)state;
    add(r, 0, 0, 1, 0, VERDICT_PASS, 10);

    AUTO(shipped_release) struct shipped s = take(text, r);

    assert_string_equal(s.label, "foreign: shipped:f:torch:eager");
}

static void a_changed_problem_is_counted(void **state)
{
    static const char text[] = FILE_OF(
        "cpu", "CPU",
        ORIGIN("small", "this",
               ROW("p", "old", "torch:eager", "2026-01-01", "pass", "s", "4") "," ROW(
                   "q", "old", "torch:eager", "2026-01-01", "pass", "s",
                   "5")) "," ORIGIN("small", "other",
                                    ROW("q", "h", "torch:eager", "2026-01-02", "pass", "s", "6")));
    AUTO(results_freep) struct results *r = run_on("this", "CPU");
    AUTO(shipped_release) struct shipped s = take(text, r);

    (void)state;
    assert_true(isnan(time_of(&s, "p")));
    NEAR(time_of(&s, "q"), 6); /* measured again since */
    assert_string_equal(
        s.notes[0], "1 problem changed since the baseline was measured: its times are not used");
    assert_null(s.notes[1]);
}

static void what_a_file_lacks(void **state)
{
    static const char text[] =
        FILE_OF("cpu", "CPU",
                ORIGIN("full", "this",
                       ROW("p", "h", "torch:eager", "2026-01-01", "pass", "s",
                           "4") "," ROW("p", "h", "cpu:naive", "2026-01-01", "pass", "s", "4")));
    AUTO(results_freep) struct results *r = run_on("this", "CPU");
    struct shipped s = {0};
    struct err err = ERR_INIT;
    json_t *file = NULL;

    (void)state;
    assert_int_equal(shipped_parse(text, "f.json", &file, &err), 0);
    assert_int_equal(shipped_take(&s, file, "W", "torch:eager", r, &err), -1);
    assert_string_equal(err.text, "W: its times are for full sizes, but run hand has sizes small");
    assert_int_equal(shipped_take(&s, file, "W", "torch:compile", r, &err), -1);
    assert_string_equal(
        err.text, "W: there is no kind 'torch:compile' in it; it has: torch:eager, cpu:naive");
    assert_int_equal(err.kind, ERR_INPUT);
    assert_null(s.label);
    json_decref(file);
}

static void files_that_are_none(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"{", "f.json: line 1: string or '}' expected near end of file"},
        {"\x1b[2J", "f.json: line 1: no JSON"},
        {"[]", "f.json: no file of baselines: its schema is not assay-baselines/1; `assay "
               "baseline --ship` writes one"},
        {"{\"schema\": \"assay-baselines/2\"}",
         "f.json: no file of baselines: its schema is not assay-baselines/1; `assay baseline "
         "--ship` writes one"},
        {"{\"schema\": \"assay-baselines/1\"}", "f.json: it has no text 'device'"},
        {FILE_OF("cpu", "a\\u001b[2J", ""), "f.json: it has no text 'name'"},
        {"{\"schema\": \"assay-baselines/1\", \"device\": \"\", \"name\": \"\"}",
         "f.json: it has no list 'origins'"},
        {FILE_OF("", "", "3"), "f.json: origin 1: no object"},
        {FILE_OF("", "", "{}"), "f.json: origin 1: it has no text 'fingerprint'"},
        {FILE_OF("", "", ORIGIN("small", "f", "{\"problem\": 1}")),
         "f.json: origin 1: row 1: it has no text 'problem'"},
        {FILE_OF("", "", ORIGIN("small", "f", ROW("p", "h", "k", "c", "v", "s", "0"))),
         "f.json: origin 1: row 1: size 1: it has no positive 'cold_us'"},
        {FILE_OF("", "", ORIGIN("small", "f", ROW("p", "h", "k", "c", "v", "s", "\"1\""))),
         "f.json: origin 1: row 1: size 1: it has no positive 'cold_us'"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct err err = ERR_INIT;
        json_t *file = NULL;

        assert_int_equal(shipped_parse(cases[i].text, "f.json", &file, &err), -1);
        assert_string_equal(err.text, cases[i].error);
        assert_int_equal(err.kind, ERR_INPUT);
        assert_null(file);
    }
}

static void words(void **state)
{
    static const char text[] = FILE_OF(
        "cpu", "CPU",
        ORIGIN("small", "this", ROW("p", "h", "torch:eager", "2026-01-01", "pass", "s", "4")));
    static const char *const good[] = {"shipped:own.json:torch:eager",
                                       "shipped:./own.json:torch:eager",
                                       "shipped:a:b.json:torch:eager", "shipped:stem:torch:eager"};
    static const char *const bad[] = {"shipped:",
                                      "shipped:torch:eager",
                                      "shipped::torch:eager",
                                      "shipped:./own:torch:eager",
                                      "shipped:none:torch:eager",
                                      "shipped:none.json:torch:eager",
                                      "shipped:own.json:torch:"};
    AUTO(results_freep) struct results *r = run_on("this", "CPU");
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fs_mkdirs("share/results/baselines", &err), 0);
    assert_int_equal(fs_write_atomic("own.json", text, strlen(text), &err), 0);
    assert_int_equal(fs_write_atomic("a:b.json", text, strlen(text), &err), 0);
    assert_int_equal(fs_write_atomic("share/results/baselines/stem.json", text, strlen(text), &err),
                     0);
    assert_false(shipped_is("baseline:torch:eager"));
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        AUTO(named_baseline_release) struct named_baseline b = {0};

        assert_int_equal(named_baseline_open(&b, NULL, "share", good[i], r, &err), 0);
        assert_string_equal(b.times.name, good[i]);
        NEAR(b.times.cold_us(b.times.arg, "p", "s", "this"), 4);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        AUTO(named_baseline_release) struct named_baseline b = {0};

        err = (struct err)ERR_INIT;
        assert_true(shipped_is(bad[i]));
        assert_int_equal(named_baseline_open(&b, NULL, "share", bad[i], r, &err), -1);
        assert_int_equal(err.kind, ERR_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_right_rows_of_the_kind),
        cmocka_unit_test(this_card_first_then_the_last),
        cmocka_unit_test(another_device_is_foreign),
        cmocka_unit_test(one_foreign_sample_is_enough),
        cmocka_unit_test(a_changed_problem_is_counted),
        cmocka_unit_test(what_a_file_lacks),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
