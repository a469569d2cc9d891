/* SPDX-License-Identifier: MIT */
/* Figures of runs against cases that were computed by hand. */
#include "testing.h"

#include "base/fs.h"
#include "results/analyze_json.h"
#include "results/foreign.h"
#include "results/model_baseline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* --- a run by hand --- */

static struct results *new_run(const char *const *models, const char *const *problems)
{
    struct results *r = xcalloc(1, sizeof(*r));

    r->name = xstrdup("hand");
    r->created = xstrdup("2026-01-01T00:00:00Z");
    r->sizes = xstrdup("small");
    r->device = xstrdup("");
    r->source = xstrdup("");
    for (; models[r->n_models]; r->n_models++) {
        r->models = xrealloc(r->models, (size_t)(r->n_models + 1) * sizeof(*r->models));
        r->models[r->n_models] = xstrdup(models[r->n_models]);
    }
    for (; problems[r->n_problems]; r->n_problems++) {
        r->problems = xrealloc(r->problems, (size_t)(r->n_problems + 1) * sizeof(*r->problems));
        r->problems[r->n_problems] = (struct results_problem){
            .name = xstrdup(problems[r->n_problems]),
            .hash = xstrdup("h"),
            .title = xstrdup("t"),
            .level = xstrdup("level1"),
        };
    }
    return r;
}

/* Cells are added in the order of the store: model, problem, sample, repeat. cold_us 0: not timed.
 */
static struct results_cell *add(struct results *r, int model, int problem, int sample, int repeat,
                                enum verdict_kind verdict, double cold_us)
{
    r->cells = xrealloc(r->cells, (size_t)(r->n_cells + 1) * sizeof(*r->cells));

    struct results_cell *c = &r->cells[r->n_cells++];

    *c = (struct results_cell){.model = r->models[model],
                               .problem = r->problems[problem].name,
                               .model_at = model,
                               .problem_at = problem,
                               .sample = sample,
                               .repeat = repeat,
                               .file = xstrdup("f"),
                               .record = xstrdup("id"),
                               .verdict = verdict,
                               .reason = xstrdup(""),
                               .device = xstrdup("cpu"),
                               .fingerprint = xstrdup("this"),
                               .peak_fraction = cold_us > 0 ? 1 / cold_us : NAN,
                               .sol = NAN};
    c->sizes = xcalloc(1, sizeof(*c->sizes));
    if (cold_us > 0) {
        c->n_sizes = 1;
        c->sizes[0] =
            (struct results_size){"s", cold_us, 0.9 * cold_us, 1.1 * cold_us, 1 / cold_us};
    }
    return c;
}

static void make_skipped(struct results_cell *c)
{
    free(c->record);
    c->record = NULL;
    c->skipped = xstrdup("unreadable");
}

struct times {
    const char *const *problems;
    const double *cold;
};

static double known_time(void *arg, const char *problem, const char *size_hash,
                         const char *fingerprint)
{
    const struct times *t = arg;

    (void)size_hash;
    for (int i = 0; t->problems[i]; i++)
        if (!strcmp(t->problems[i], problem) && !strcmp(fingerprint, "this"))
            return t->cold[i];
    return NAN;
}

static const char *const one_model[] = {"m", NULL}, *const two_models[] = {"a", "b", NULL};
static const char *const five[] = {"p1", "p2", "p3", "p4", "p5", NULL};
static const struct analyze_baseline no_baseline = {0};

/* --- */

/* KernelBench's own test vectors for its scores. */
static void kernelbench_vectors(void **state)
{
    static const struct {
        bool right[5];
        double base[5], cold[5], geomean, fast_1, fast_half;
    } cases[] = {
        {{1, 0, 1, 1, 0}, {.1, .15, .2, .05, .3}, {.2, .15, .3, .01, .2}, 1.185631101, .2, .4},
        {{1, 1, 1, 1, 0}, {.24, .31, 100, 1e-4, .3}, {.3, .3, 200, 1e-4, .3}, .801816719, .2, .6},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(results_freep) struct results *r = new_run(one_model, five);
        AUTO(analysis_release) struct analysis a = {0};
        struct times t = {five, cases[i].base};
        const struct analyze_baseline baseline = {"them", known_time, &t};
        double log_all = 0;

        for (int p = 0; p < 5; p++) {
            add(r, 0, p, 0, 0, cases[i].right[p] ? VERDICT_PASS : VERDICT_WRONG, cases[i].cold[p]);
            log_all += cases[i].right[p] ? log(cases[i].base[p] / cases[i].cold[p]) : 0;
        }
        analyze(r, &baseline, &a);

        const struct analyze_model *m = &a.models[ANALYZE_ALL][0];

        assert_true(fabs(m->geomean_correct - cases[i].geomean) < 1e-8);
        NEAR(m->fast[3], cases[i].fast_1);
        NEAR(m->fast[1], cases[i].fast_half);
        NEAR(m->geomean_all, exp(log_all / 5)); /* what is not right counts as 1 */
        NEAR(m->fast[0], m->correct_rate);
    }
}

static void pass_at_k(void **state)
{
    (void)state;
    NEAR(analyze_pass_at_k(4, 1, 1), 0.25);
    NEAR(analyze_pass_at_k(4, 1, 2), 0.5);
    NEAR(analyze_pass_at_k(4, 2, 2), 1 - 1.0 / 6);
    NEAR(analyze_pass_at_k(5, 2, 3), 1 - 1.0 / 10);
    NEAR(analyze_pass_at_k(4, 3, 2), 1);
    NEAR(analyze_pass_at_k(4, 4, 4), 1);
    NEAR(analyze_pass_at_k(4, 0, 4), 0);
    assert_true(isnan(analyze_pass_at_k(3, 3, 4)));
}

/* Model b lacks a sample of p1 and all of p2; skipped counts as failed, infra nowhere. */
static void denominators_are_fixed(void **state)
{
    static const char *const problems[] = {"p1", "p2", NULL};
    AUTO(results_freep) struct results *r = new_run(two_models, problems);
    AUTO(analysis_release) struct analysis a = {0};

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_PASS, 4);
    add(r, 0, 0, 1, 0, VERDICT_BUILD_ERROR, 0);
    add(r, 0, 1, 0, 0, VERDICT_PASS, 2);
    add(r, 0, 1, 1, 0, VERDICT_INFRA, 0);
    add(r, 1, 0, 0, 0, VERDICT_WRONG, 0);
    make_skipped(add(r, 1, 0, 1, 0, VERDICT_PASS, 0));
    analyze(r, &no_baseline, &a);

    const struct analyze_model *m = a.models[ANALYZE_ALL];

    NEAR(m[0].compile_rate, (0.5 + 1) / 2);
    NEAR(m[0].correct_rate, (0.5 + 1) / 2);
    assert_int_equal(m[0].infra, 1);
    assert_int_equal(m[0].samples, 3);
    NEAR(m[0].peak_mean, (0.25 + 0.5) / 2);
    NEAR(m[0].pass_at[0], 0.75);
    assert_true(isnan(m[0].pass_at[1])); /* p2 has one sample that counts */
    assert_true(isnan(m[0].fast[3]) && isnan(m[0].geomean_correct));
    NEAR(m[1].compile_rate, 0.25);
    NEAR(m[1].correct_rate, 0);
    NEAR(m[1].peak_mean, 0);
    NEAR(m[1].pass_at[1], 0);
    assert_int_equal(m[1].samples, 4);
    assert_int_equal(m[1].missing, 2);
    assert_int_equal(m[1].skipped, 1);
}

static void kinds_are_apart(void **state)
{
    static const char *const problems[] = {"p1", "p2", "p3", NULL};
    AUTO(results_freep) struct results *r = new_run(one_model, problems);
    AUTO(analysis_release) struct analysis a = {0};

    (void)state;
    r->problems[1].repaired = xstrdup("inputs");
    r->problems[2].repaired = xstrdup("inputs");
    r->problems[2].algebra = xstrdup("sum of a product");
    add(r, 0, 0, 0, 0, VERDICT_PASS, 1);
    add(r, 0, 1, 0, 0, VERDICT_WRONG, 0);
    add(r, 0, 2, 0, 0, VERDICT_PASS, 2);
    analyze(r, &no_baseline, &a);
    NEAR(a.models[ANALYZE_ALL][0].correct_rate, 2.0 / 3);
    NEAR(a.models[ANALYZE_PLAIN][0].correct_rate, 1);
    NEAR(a.models[ANALYZE_REPAIRED][0].correct_rate, 0);
    NEAR(a.models[ANALYZE_ALGEBRA][0].correct_rate, 1);
    NEAR(a.models[ANALYZE_ALGEBRA][0].peak_mean, 0.5);
}

/* Right only when it is every time; the time is the median. */
static void repeats_are_one_sample(void **state)
{
    static const char *const problems[] = {"p", NULL};
    static const double base[] = {6};
    AUTO(results_freep) struct results *r = new_run(one_model, problems);
    AUTO(analysis_release) struct analysis a = {0};
    struct times t = {problems, base};
    const struct analyze_baseline baseline = {"them", known_time, &t};

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_PASS, 1);
    add(r, 0, 0, 0, 1, VERDICT_PASS, 3);
    add(r, 0, 0, 0, 2, VERDICT_PASS, 100);
    add(r, 0, 0, 1, 0, VERDICT_PASS, 1);
    add(r, 0, 0, 1, 1, VERDICT_WRONG, 0);
    add(r, 0, 0, 1, 2, VERDICT_PASS, 1);
    analyze(r, &baseline, &a);
    assert_int_equal(a.cells[0].samples, 2);
    assert_int_equal(a.cells[0].correct, 1);
    NEAR(a.cells[0].speedup.median, 2);
    NEAR(a.cells[0].peak.median, 1.0 / 3);
    NEAR(a.ceilings[0].best_cold_us, 3); /* was the first repeat's */
    assert_int_equal(a.reversals.repeats, 3);
    assert_int_equal(a.reversals.samples, 2);
    assert_int_equal(a.reversals.verdicts, 1);
}

static void orders_that_turn(void **state)
{
    static const char *const problems[] = {"p", "q", NULL};
    AUTO(results_freep) struct results *r = new_run(two_models, problems);
    AUTO(analysis_release) struct analysis a = {0};

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_PASS, 10); /* against b's: slower, then faster, clearly */
    add(r, 0, 0, 0, 1, VERDICT_PASS, 10);
    add(r, 0, 0, 1, 0, VERDICT_PASS, 5.05); /* against b's: slower within the interval */
    add(r, 0, 0, 1, 1, VERDICT_PASS, 1);
    add(r, 0, 1, 0, 0, VERDICT_PASS, 7); /* another problem: never compared */
    add(r, 0, 1, 0, 1, VERDICT_PASS, 7);
    add(r, 1, 0, 0, 0, VERDICT_PASS, 5);
    add(r, 1, 0, 0, 1, VERDICT_PASS, 20);
    analyze(r, &no_baseline, &a);
    assert_int_equal(a.reversals.pairs, 3);
    assert_int_equal(a.reversals.orders, 2);
    assert_int_equal(a.reversals.clear, 1);
}

static void medians_and_bests(void **state)
{
    static const char *const problems[] = {"p", NULL};
    AUTO(results_freep) struct results *r = new_run(two_models, problems);
    AUTO(analysis_release) struct analysis a = {0}, again = {0};

    (void)state;
    for (int i = 0; i < 5; i++)
        add(r, 0, 0, i, 0, VERDICT_PASS, 1 + i); /* peaks 1, 1/2, ..., 1/5 */
    for (int i = 0; i < 5; i++)
        add(r, 1, 0, i, 0, i == 3 ? VERDICT_PASS : VERDICT_WRONG, i == 3 ? 0.5 : 0);
    analyze(r, &no_baseline, &a);
    NEAR(a.cells[0].peak.median, 1.0 / 3);
    NEAR(a.cells[0].peak.best, 1);
    assert_int_equal(a.cells[0].peak.best_sample, 0);
    /* With five values the 2.5 % and 97.5 % quantiles of the resampled medians are the extremes or
     * their neighbours. */
    assert_true(a.cells[0].peak.lo >= 0.2 && a.cells[0].peak.lo <= 0.25);
    assert_true(a.cells[0].peak.hi >= 0.5 && a.cells[0].peak.hi <= 1);
    assert_true(isnan(a.cells[1].peak.lo)); /* one value has no interval */
    assert_int_equal(a.ceilings[0].best_peak_model, 1);
    assert_int_equal(a.ceilings[0].best_peak_sample, 3);
    NEAR(a.ceilings[0].best_peak, 2);
    NEAR(a.ceilings[0].best_cold_us, 0.5);
    assert_int_equal(a.ceilings[0].correct, 6);
    assert_int_equal(a.ceilings[0].samples, 10);
    analyze(r, &no_baseline, &again); /* the same figures every time */
    NEAR(a.cells[0].peak.lo, again.cells[0].peak.lo);
    NEAR(a.cells[0].peak.hi, again.cells[0].peak.hi);
}

/* A right sample that nothing can be compared with: fast_p is not said, rather than wrong. */
static void a_missing_baseline_shows(void **state)
{
    static const char *const problems[] = {"p", "q", NULL};
    static const double base[] = {2, NAN};
    AUTO(results_freep) struct results *r = new_run(one_model, problems);
    AUTO(analysis_release) struct analysis a = {0}, other = {0};
    struct times t = {problems, base};
    const struct analyze_baseline baseline = {"them", known_time, &t};

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_PASS, 1);
    add(r, 0, 1, 0, 0, VERDICT_PASS, 1);
    analyze(r, &baseline, &a);
    assert_true(isnan(a.models[ANALYZE_ALL][0].fast[3]));
    assert_int_equal(a.cells[1].without_baseline, 1);
    NEAR(a.models[ANALYZE_ALL][0].fast[0], 1);
    /* and one of another device is none */
    free(r->cells[0].fingerprint);
    r->cells[0].fingerprint = xstrdup("another");
    analyze(r, &baseline, &other);
    assert_int_equal(other.cells[0].without_baseline, 1);
}

static void a_model_as_baseline(void **state)
{
    static const char *const problems[] = {"p", NULL};
    AUTO(results_freep) struct results *r = new_run(two_models, problems);
    struct model_baseline b;
    struct err err = ERR_INIT;

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_PASS, 4);
    add(r, 0, 0, 1, 0, VERDICT_PASS, 3);
    add(r, 0, 0, 2, 0, VERDICT_WRONG, 1);
    add(r, 1, 0, 0, 0, VERDICT_PASS, 2);
    assert_int_equal(model_baseline_init(&b, r, "a", &err), 0);
    NEAR(model_baseline_cold_us(&b, "p", "s", "this"), 3);
    assert_true(isnan(model_baseline_cold_us(&b, "p", "s", "another")));
    assert_true(isnan(model_baseline_cold_us(&b, "p", "another size", "this")));
    assert_int_equal(model_baseline_init(&b, r, "c", &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
}

/* The least of all repeats was taken: a model was slower than itself, and one that had been right
 * once was a baseline. */
static void a_baseline_with_repeats(void **state)
{
    static const char *const problems[] = {"p", NULL};
    AUTO(results_freep) struct results *r = new_run(one_model, problems);
    AUTO(analysis_release) struct analysis a = {0};
    struct model_baseline b;
    const struct analyze_baseline baseline = {"m", model_baseline_cold_us, &b};
    struct err err = ERR_INIT;

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_INFRA, 0);
    add(r, 0, 0, 0, 1, VERDICT_PASS, 2);
    add(r, 0, 0, 0, 2, VERDICT_PASS, 3);
    add(r, 0, 0, 0, 3, VERDICT_PASS, 9);
    add(r, 0, 0, 1, 0, VERDICT_PASS, 1); /* not right every time: not a right sample */
    add(r, 0, 0, 1, 1, VERDICT_WRONG, 0);
    assert_int_equal(model_baseline_init(&b, r, "m", &err), 0);
    NEAR(model_baseline_cold_us(&b, "p", "s", "this"), 3);
    analyze(r, &baseline, &a);
    NEAR(a.cells[0].speedup.median, 1);
    NEAR(a.ceilings[0].best_cold_us, 3); /* there was none where the first repeat was infra */
}

/* The mean of 4.5 / 4 and 4.5 / 5 is more than 1. */
static void a_model_is_as_fast_as_itself(void **state)
{
    static const char *const problems[] = {"p", NULL};
    AUTO(results_freep) struct results *r = new_run(one_model, problems);
    AUTO(analysis_release) struct analysis a = {0};
    struct model_baseline b;
    struct err err = ERR_INIT;

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_PASS, 4);
    add(r, 0, 0, 0, 1, VERDICT_PASS, 5);
    assert_int_equal(model_baseline_init(&b, r, "m", &err), 0);

    const struct analyze_baseline baseline = {"m", model_baseline_cold_us, &b};

    analyze(r, &baseline, &a);
    assert_true(a.cells[0].speedup.median == 1);
}

static void foreign_times(void **state)
{
    static const char text[] =
        "{\"level1\": {\"19_ReLU.py\": {\"mean\": 1.5, \"std\": 0.1},"
        " \"20_LeakyReLU.py\": null}, \"level2\": {\"19_X.py\": {\"mean\": 2}}}";
    AUTO(foreign_release) struct foreign f = {0};
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fs_write_atomic("kb.json", text, strlen(text), &err), 0);
    assert_int_equal(foreign_load("kb.json", &f, &err), 0);
    assert_int_equal(f.n, 2);
    assert_string_equal(f.label, "foreign: kb.json");
    NEAR(foreign_cold_us(&f, "level1/019_relu", "any", "any"), 1500);
    NEAR(foreign_cold_us(&f, "level2/019_y", "any", "any"), 2000);
    assert_true(isnan(foreign_cold_us(&f, "level1/020_leaky_relu", "any", "any")));
    assert_true(isnan(foreign_cold_us(&f, "level/019_relu", "any", "any")));
    assert_true(isnan(foreign_cold_us(&f, "own", "any", "any")));

    struct foreign none = {0};

    assert_int_equal(fs_write_atomic("kb.json", "[]", 2, &err), 0);
    assert_int_equal(foreign_load("kb.json", &none, &err), -1);
    assert_int_equal(fs_write_atomic("kb.json", "{", 1, &err), 0);
    assert_int_equal(foreign_load("kb.json", &none, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
}

static void two_runs(void **state)
{
    static const char *const problems[] = {"p", NULL};
    AUTO(results_freep) struct results *before = new_run(two_models, problems);
    AUTO(results_freep) struct results *after = new_run(two_models, problems);
    AUTO(comparison_release) struct comparison c = {0};

    (void)state;
    add(before, 0, 0, 0, 0, VERDICT_PASS, 8);
    add(before, 0, 0, 1, 0, VERDICT_WRONG, 0);
    add(before, 0, 0, 2, 0, VERDICT_PASS, 1);
    add(before, 1, 0, 0, 0, VERDICT_PASS, 1);
    add(before, 1, 0, 1, 0, VERDICT_INFRA, 0);
    add(after, 0, 0, 0, 0, VERDICT_PASS, 2);  /* four times as fast */
    add(after, 0, 0, 1, 0, VERDICT_PASS, 1);  /* gained */
    add(after, 0, 0, 2, 0, VERDICT_CRASH, 0); /* lost */
    add(after, 1, 0, 0, 0, VERDICT_PASS, 1);
    add(after, 1, 0, 1, 0, VERDICT_PASS, 1); /* was infra: no change */
    add(after, 1, 0, 2, 0, VERDICT_PASS, 1); /* only there */
    analyze_compare(before, after, &c);
    assert_int_equal(c.both, 4);
    assert_int_equal(c.right_before, 3);
    assert_int_equal(c.right_after, 3);
    assert_int_equal(c.n_gained, 1);
    assert_int_equal(c.gained[0].after->sample, 1);
    assert_int_equal(c.n_lost, 1);
    assert_int_equal(c.lost[0].after->sample, 2);
    assert_int_equal(c.timed, 2);
    NEAR(c.ratio, 2); /* sqrt(4 * 1) */
    assert_int_equal(c.faster, 1);
    assert_int_equal(c.slower, 0);
}

static void csv_quotes_names(void **state)
{
    static const char *const models[] = {"a,\"b\"", NULL}, *const problems[] = {"p", NULL};
    AUTO(results_freep) struct results *r = new_run(models, problems);
    AUTO(analysis_release) struct analysis a = {0};
    AUTO(buf_release) struct buf text = BUF_INIT;

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_PASS, 4);
    analyze(r, &no_baseline, &a);
    analyze_csv(&a, &text);
    assert_non_null(strstr(buf_str(&text), "\nhand,\"a,\"\"b\"\"\",p,published,1,1,1,0,0,0,0.25,,,"
                                           "0.25,,,,\n"));
}

static void nothing_at_all(void **state)
{
    static const char *const none[] = {NULL};
    AUTO(results_freep) struct results *r = new_run(none, none);
    AUTO(analysis_release) struct analysis a = {0};

    (void)state;
    analyze(r, &no_baseline, &a);

    json_t *j = analyze_json(&a);

    assert_int_equal(json_array_size(json_object_get(j, "cells")), 0);
    json_decref(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernelbench_vectors),
        cmocka_unit_test(pass_at_k),
        cmocka_unit_test(denominators_are_fixed),
        cmocka_unit_test(kinds_are_apart),
        cmocka_unit_test(repeats_are_one_sample),
        cmocka_unit_test(a_baseline_with_repeats),
        cmocka_unit_test(a_model_is_as_fast_as_itself),
        cmocka_unit_test(orders_that_turn),
        cmocka_unit_test(medians_and_bests),
        cmocka_unit_test(a_missing_baseline_shows),
        cmocka_unit_test(a_model_as_baseline),
        cmocka_unit_test(two_runs),
        cmocka_unit_test(foreign_times),
        cmocka_unit_test(csv_quotes_names),
        cmocka_unit_test(nothing_at_all),
    };

    return cmocka_run_group_tests_name("analyze", tests, NULL, NULL);
}
