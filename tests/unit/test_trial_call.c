/* SPDX-License-Identifier: MIT */
/* The RMS over all answers of a law. What needs a runner: integration/test_trial_call.c. */
#include "pool_rig.h"

#include "measure/trial_call.h"

/* So many elements, whose errors are on the average that part of what the gate allows. */
static struct compare_stats figures(const struct gate *gate, int64_t count, double part)
{
    double rho = part * gate->rms_factor * gate->honest_rms;

    return (struct compare_stats){.count = count, .sum_sq = (double)count * rho * rho};
}

/* The RMS is judged over all answers of a law: three that are exact enough make up for a fourth
 * that is a little beyond the gate. */
static void pooled_answers_are_judged_together(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "output('y', relu(input('x', f32, { N, N })))");
    struct compare_stats pooled[8], exact;
    struct verdict v = VERDICT_INIT;
    struct err err = ERR_INIT;
    void *ctx = NULL;
    struct pool pool;

    (void)state;
    assert_int_equal(open_cpu_pool(p, 5, (int64_t)1 << 30, &pool, &ctx, &err), 0);
    assert_in_range(pool.graph->n_laws, 1, ARRAY_SIZE(pooled));
    for (size_t i = 0; i < ARRAY_SIZE(pooled); i++)
        pooled[i] = (struct compare_stats)COMPARE_STATS_INIT;

    struct trial_config config = {.pool = &pool, .runner.subject.kind = &subject_native};
    struct trial t = {.config = &config, .pooled = pooled, .wrong = VERDICT_INIT};

    pooled[0] = figures(&pool.gates[0].gate, 1000, 1.2);
    exact = figures(&pool.gates[0].gate, 3000, 0.4);
    compare_merge(&pooled[0], &exact);
    assert_int_equal(trial_judge_pooled(&t, &v, &err), 0);
    pooled[0] = figures(&pool.gates[0].gate, 1000, 2);
    compare_merge(&pooled[0], &exact);
    assert_int_equal(trial_judge_pooled(&t, &v, &err), 1);
    assert_string_equal(v.code, "rms");
    pool_close(&pool);
    device_cpu.judge->close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pooled_answers_are_judged_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
