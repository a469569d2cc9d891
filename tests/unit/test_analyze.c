/* SPDX-License-Identifier: MIT */
/* covers: src/results/analyze_json.c */
/* Metrics of runs made by hand, some with figures that others published. */
#include "results_rig.h"

#include "results/analyze_json.h"

#include <math.h>
#include <string.h>

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

static const char *const five[] = {"p1", "p2", "p3", "p4", "p5", NULL};
static const struct analyze_baseline no_baseline = {0};

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

/* A pass whose code was only seen in part is right, and its time is ranked with no other. */
static void own_code_is_apart(void **state)
{
    static const char *const problems[] = {"p", NULL};
    static const double base[] = {8};
    AUTO(results_freep) struct results *r = new_run(two_models, problems);
    AUTO(analysis_release) struct analysis a = {0};
    struct times t = {problems, base};
    const struct analyze_baseline baseline = {"them", known_time, &t};

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_PASS, 4);
    for (int sample = 1; sample < 3; sample++) {
        struct results_cell *c = add(r, 0, 0, sample, 0, VERDICT_PASS, sample);

        c->own_code = true;
        c->own_peak = c->peak_fraction;
        c->peak_fraction = NAN;
    }
    add(r, 1, 0, 0, 0, VERDICT_PASS, 5);
    analyze(r, &baseline, &a);
    assert_int_equal(a.cells[0].correct, 3);
    assert_int_equal(a.cells[0].own_code, 2);
    assert_int_equal(a.cells[0].without_baseline, 0);
    NEAR(a.cells[0].peak.best, 0.25);
    NEAR(a.cells[0].own_peak.best, 1);
    assert_int_equal(a.cells[0].own_peak.best_sample, 1);
    NEAR(a.cells[0].speedup.best, 2);
    assert_int_equal(a.cells[0].faster[0], 3);
    assert_int_equal(a.cells[0].faster[3], 1);
    assert_int_equal(a.cells[1].own_code, 0);
    assert_true(isnan(a.cells[1].own_peak.best));
    assert_int_equal(a.ceilings[0].best_peak_model, 0);
    NEAR(a.ceilings[0].best_peak, 0.25);
    NEAR(a.ceilings[0].best_speedup, 2);
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
        cmocka_unit_test(kernelbench_vectors),      cmocka_unit_test(pass_at_k),
        cmocka_unit_test(denominators_are_fixed),   cmocka_unit_test(kinds_are_apart),
        cmocka_unit_test(own_code_is_apart),        cmocka_unit_test(repeats_are_one_sample),
        cmocka_unit_test(orders_that_turn),         cmocka_unit_test(medians_and_bests),
        cmocka_unit_test(a_missing_baseline_shows), cmocka_unit_test(csv_quotes_names),
        cmocka_unit_test(nothing_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
