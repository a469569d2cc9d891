/* SPDX-License-Identifier: MIT */
#include "testing.h"

#include "base/util.h"
#include "measure/stats.h"

#include <math.h>

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fmax(1, fabs(want))))
        fail_msg("%.17g is not %.17g", got, want);
}

static void quantiles_by_hand(void **state)
{
    const double s[] = {5, 1, 4, 2, 3};

    (void)state;
    assert_near(stats_median(s, 5), 3);
    assert_near(stats_median(s, 4), 3); /* 1 2 4 5 */
    assert_near(stats_quantile(s, 5, 0), 1);
    assert_near(stats_quantile(s, 5, 1), 5);
    assert_near(stats_quantile(s, 5, 0.25), 2);
    assert_near(stats_quantile(s, 5, 0.9), 4.6);
    assert_near(stats_median(s, 1), 5);
    assert_near(stats_median(s, 0), 0);
}

/* 100 calls of 1 to 10 us; a disturbance of ten calls is no 99th percentile of the machine's. */
static void steady_quantiles_forget_a_disturbance(void **state)
{
    AUTO(series_release) struct series s = {0};

    (void)state;
    for (int i = 0; i < 100; i++)
        series_add(&s, i >= 30 && i < 40 ? 1000 : i % 10 + 1);
    assert_near(series_quantile(&s, 1), 1000);
    assert_near(series_steady_quantile(&s, 1, 5), 10);
    assert_near(series_steady_quantile(&s, 1, 1), 1000);
    assert_near(series_steady_quantile(&s, 0, 200), series_median(&s)); /* more parts than calls */
    series_clear(&s);
    assert_near(series_steady_quantile(&s, 1, 5), 0);
}

/* Ranks of the 95 % interval from published tables of the sign test: n, 1-based lower rank. */
static void interval_ranks_match_the_binomial_tables(void **state)
{
    static const struct {
        size_t n;
        int lower;
    } table[] = {{6, 1},  {8, 1},  {9, 2},   {10, 2},  {15, 4},
                 {20, 6}, {25, 8}, {30, 10}, {40, 14}, {50, 18}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        double s[64];

        for (size_t k = 0; k < table[i].n; k++)
            s[k] = (double)(table[i].n - k); /* n .. 1: sorted it is its rank */

        struct interval iv = stats_median_interval(s, table[i].n);

        assert_near(iv.lo, table[i].lower);
        assert_near(iv.hi, (double)table[i].n + 1 - table[i].lower);
    }
}

static void few_samples_give_the_extremes(void **state)
{
    const double s[] = {7, 3, 5};
    struct interval iv = stats_median_interval(s, 3);

    (void)state;
    assert_near(iv.lo, 3);
    assert_near(iv.hi, 7);
    assert_near(iv.median, 5);
}

/* A simulation: the interval holds the true median in at least 95 % of draws (and not always). */
static void interval_covers_the_median(void **state)
{
    uint64_t x = 88172645463325252u;
    int covered = 0, trials = 4000;

    (void)state;
    for (int t = 0; t < trials; t++) {
        double s[30];

        for (int i = 0; i < 30; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            s[i] = -log((double)((x >> 11) + 1) / 9007199254740993.0); /* exponential */
        }

        struct interval iv = stats_median_interval(s, 30);

        covered += iv.lo <= M_LN2 && M_LN2 <= iv.hi;
    }
    assert_true(covered >= 0.945 * trials);
    assert_true(covered < 0.99 * trials);
}

static void processes_that_disagree_widen_the_interval(void **state)
{
    double s[60];
    int run[60];

    (void)state;
    for (int i = 0; i < 60; i++) {
        run[i] = i % 3;
        s[i] = run[i] == 0 ? 19 + i * 1e-6 : 37 + i * 1e-6;
    }

    struct interval iv = stats_pooled(s, run, 60, 3);

    assert_true(iv.lo < 19.1 && iv.hi > 36.9);
    for (int i = 0; i < 60; i++)
        s[i] = 37 + i % 20;
    iv = stats_pooled(s, run, 60, 3);

    struct interval own = stats_median_interval(s, 60);

    assert_near(iv.lo, own.lo);
    assert_near(iv.hi, own.hi);
}

/* Two processes that differ by a factor: more calls cannot narrow that, so stopping looks inside.
 */
static void within_ignores_the_difference_between_processes(void **state)
{
    double s[60];
    int run[60];

    (void)state;
    for (int i = 0; i < 60; i++) {
        run[i] = i % 2;
        s[i] = (run[i] ? 37000 : 19000) + (i / 2) % 7;
    }

    struct interval iv = stats_within(s, run, 60, 2);

    assert_true(iv.hi - iv.lo <= 7);
    assert_true(stats_settled(&iv));
    iv = stats_pooled(s, run, 60, 2);
    assert_false(stats_settled(&iv));
}

static void settled_is_half_a_percent_or_50_ns(void **state)
{
    (void)state;
    assert_true(stats_settled(&(struct interval){1000, 950, 1050}));    /* 50 ns */
    assert_false(stats_settled(&(struct interval){1000, 940, 1050}));   /* 55 ns */
    assert_true(stats_settled(&(struct interval){1e6, 995e3, 1005e3})); /* 0.5 % */
    assert_false(stats_settled(&(struct interval){1e6, 994e3, 1005e3}));
}

static void geomean_by_hand(void **state)
{
    const double v[] = {0.5, 2, 8};

    (void)state;
    assert_near(stats_geomean(v, 3), 2);
    assert_near(stats_geomean(v, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_by_hand),
        cmocka_unit_test(interval_ranks_match_the_binomial_tables),
        cmocka_unit_test(few_samples_give_the_extremes),
        cmocka_unit_test(interval_covers_the_median),
        cmocka_unit_test(processes_that_disagree_widen_the_interval),
        cmocka_unit_test(within_ignores_the_difference_between_processes),
        cmocka_unit_test(settled_is_half_a_percent_or_50_ns),
        cmocka_unit_test(steady_quantiles_forget_a_disturbance),
        cmocka_unit_test(geomean_by_hand),
    };

    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
