/* SPDX-License-Identifier: MIT */
/* san-slow: src/gpu src/device src/ops src/tensor src/content src/judge src/problem tests/emu */
/* san-slow: tests/unit/emulated.h */
/* covers: src/content/pool.c src/content/shortcut.c */
/* Outputs that were compared before, in a pool on the emulated GPU whose contents do not all fit:
 * what is compared, what is only looked at, what is compared as it is made, and that the figures
 * are the same either way. The device and the engine are the GPU's, with what they do counted. */
#include "emulated.h"
#include "problem_rig.h"

#include "content/pool.h"
#include "gpu/gpu.h"
#include "gpu/gpu_ctx.h"

#include <math.h>
#include <string.h>

#define CONTENTS 6
#define ROOM ((int64_t)1 << 30)

static void *cuda;
static struct ops_engine gpu, engine;
static struct device_judge_ops ops;
static struct device device;

/* ---- what was done ---- */

static struct {
    int compares, prints, evals; /* evals: in double, of expected values */
    int passings;                /* comparisons with what is made meanwhile */
    bool no_prints;              /* they fail */
} done;

static int count_compare(void *ctx, const struct device_compare *what, struct compare_stats *ret,
                         struct err *err)
{
    done.compares++;
    return device_cuda.judge->compare(ctx, what, ret, err);
}

static int count_print(void *ctx, const struct mem *got, size_t at, enum dtype t, int64_t n,
                       struct fingerprint *print, struct err *err)
{
    done.prints++;
    if (done.no_prints)
        return fail(err, ERR_DEVICE, "no fingerprint today");
    return device_cuda.judge->fingerprint(ctx, got, at, t, n, print, err);
}

static int count_eval(void *ctx, const struct graph *g, const struct ops_run *run,
                      const void *const *sources, void *const *outputs, struct err *err)
{
    done.evals += run->precision == OPS_DOUBLE;
    return gpu.eval(ctx, g, run, sources, outputs, err);
}

static int count_passing(void *ctx, const struct graph *g, const void *const *sources,
                         const struct ops_compare *what, struct compare_stats *ret, struct err *err)
{
    done.passings++;
    return gpu.compare(ctx, g, sources, what, ret, err);
}

/* Of struct gpu: few enough elements for a kernel of their own, or so many that nothing has one. */
static void let_pass(bool yes)
{
    ((struct gpu *)gpu.ctx)->special_least = yes ? 1 : INT64_MAX;
}

static void expect_passings(int passings)
{
    assert_int_equal(done.passings, passings);
    done.passings = 0;
}

static void expect_done(int compares, int prints, int evals)
{
    assert_int_equal(done.passings, 0);
    assert_int_equal(done.compares, compares);
    assert_int_equal(done.prints, prints);
    assert_int_equal(done.evals, evals);
    memset(&done, 0, sizeof(done));
}

static int set_up(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    emulated_load(true);
    if (device_cuda.judge->open(0, &cuda, &err) < 0 || gpu_engine_open(cuda, &gpu, &err) < 0)
        fail_msg("%s", err.text);
    ops = *device_cuda.judge;
    ops.compare = count_compare;
    ops.fingerprint = count_print;
    device = device_cuda;
    device.judge = &ops;
    engine = gpu;
    engine.eval = count_eval;
    engine.compare = count_passing;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gpu_engine_close(&gpu);
    device_cuda.judge->close(cuda);
    return 0;
}

/* ---- a pool and answers ---- */

struct rig {
    struct problem *problem;
    struct pool pool;
    char *right[CONTENTS]; /* answers, laid out like an output arena */
    struct mem out;
};

/* In the least memory that two contents side by side take, or where all of them fit. */
static void open_pool(struct rig *r, bool narrow)
{
    struct pool_config c = {.device = &device,
                            .ctx = cuda,
                            .engine = &engine,
                            .graph = r->problem->sizes[SIZES_SMALL][0].graph,
                            .seed = 7,
                            .contents = CONTENTS,
                            .least_slots = 2,
                            .memory_bytes = narrow ? 1 << 18 : ROOM,
                            .room_bytes = narrow ? 1 : 0};
    struct err err = ERR_INIT;

    while (pool_open(&c, &r->pool, &err) < 0 && c.memory_bytes < ROOM)
        c.memory_bytes += c.memory_bytes / 8;
    assert_int_equal(pool_keeps(&r->pool, CONTENTS), !narrow);
}

static char *make_right(struct rig *r, int content)
{
    struct pool *p = &r->pool;
    char *out = xcalloc(1, p->out.bytes);
    const struct pool_slot *slot;
    struct err err = ERR_INIT;

    must(pool_get_expected(p, content, &slot, &err), &err);
    for (int o = 0; o < p->out.n; o++) {
        const struct tensor_slot *t = &p->out.slots[o];

        must(ops.store(cuda, &slot->y, p->y_offset[o], t->dtype, shape_count(&t->shape), &r->out,
                       t->offset, &err),
             &err);
    }
    must(ops.download(cuda, &r->out, 0, out, p->out.bytes, &err), &err);
    return out;
}

static void open_rig(struct rig *r, const char *name, bool narrow)
{
    struct err err = ERR_INIT;

    *r = (struct rig){.problem = load_shipped(name), .out = MEM_INIT};
    open_pool(r, narrow);
    must(ops.mem_alloc(cuda, MEM_PRIVATE, r->pool.out.bytes, &r->out, &err), &err);
    for (int k = 0; k < CONTENTS; k++)
        r->right[k] = make_right(r, k);
    memset(&done, 0, sizeof(done));
}

static void close_rig(struct rig *r)
{
    ops.mem_free(cuda, &r->out);
    for (int k = 0; k < CONTENTS; k++)
        free(r->right[k]);
    pool_close(&r->pool);
    problem_free(r->problem);
}

/* What a candidate is judged by when it answers so; of output 0. */
static struct compare_stats answer(struct rig *r, int content, const char *with)
{
    struct pool *p = &r->pool;
    const struct pool_slot *slot;
    struct compare_stats stats;
    struct err err = ERR_INIT;

    must(pool_get(p, content, &slot, &err), &err);
    must(ops.upload(cuda, &r->out, 0, with, p->out.bytes, &err), &err);
    must(pool_compare(p, content, 0, &r->out, p->out.slots[0].offset, &stats, &err), &err);
    return stats;
}

/* The same without a memory. */
static struct compare_stats compared(struct rig *r, int content, const char *with)
{
    bool remembers = r->pool.remembers;
    struct compare_stats stats;

    r->pool.remembers = false;
    stats = answer(r, content, with);
    r->pool.remembers = remembers;
    memset(&done, 0, sizeof(done));
    return stats;
}

static void same(struct compare_stats a, struct compare_stats b)
{
    assert_memory_equal(&a, &b, sizeof(a));
}

/* The right answer, but for one element of output 0. */
static char *spoilt(const struct rig *r, int content, int64_t at, float by)
{
    size_t bytes = r->pool.out.bytes;
    char *copy = memcpy(xmalloc(bytes), r->right[content], bytes);
    float *element = (float *)(copy + r->pool.out.slots[0].offset) + at;

    *element += by;
    return copy;
}

/* Makes room for others. */
static void forget(struct rig *r, int content)
{
    const struct pool_slot *slot;
    struct err err = ERR_INIT;

    for (int k = 0; k < CONTENTS; k++)
        if (k != content)
            must(pool_get(&r->pool, k, &slot, &err), &err);
    memset(&done, 0, sizeof(done));
}

/* Everything is measured and answered once, by somebody. */
static void first_candidate(struct rig *r)
{
    for (int k = 0; k < CONTENTS; k++)
        answer(r, k, r->right[k]);
    memset(&done, 0, sizeof(done));
    pool_begin_candidate(&r->pool);
}

/* ---- the tests ---- */

static void the_same_bits_are_compared_once(void **state)
{
    struct rig r;
    struct compare_stats first;

    (void)state;
    open_rig(&r, "level1/019_relu", true);
    first_candidate(&r);
    for (int k = 0; k < CONTENTS; k++) { /* another one's are the same */
        same(answer(&r, k, r.right[k]), compared(&r, k, r.right[k]));
        forget(&r, k);
        first = answer(&r, k, r.right[k]); /* and its own, once more */
        expect_done(0, 1, 0);              /* nothing was expected of it anew */
        same(first, compared(&r, k, r.right[k]));
    }
    close_rig(&r);
}

/* Right the first time and wrong the second, by one bit: found, and where. And what is wrong stays
 * wrong when it is known. */
static void a_wrong_answer_is_wrong_the_second_time(void **state)
{
    struct rig r;

    (void)state;
    open_rig(&r, "level1/019_relu", true);
    first_candidate(&r);
    for (int64_t at = 3; at < 1000; at += 331) {
        AUTO(freep) char *wrong = spoilt(&r, 2, at, 0.5f);
        struct compare_stats want = compared(&r, 2, wrong), got;
        const struct gate *gate = &r.pool.gates[pool_law(&r.pool, 2)].gate;

        answer(&r, 2, r.right[2]);
        got = answer(&r, 2, wrong);
        same(got, want);
        assert_int_equal(got.max_at, at);
        assert_true(got.got == (double)((float)got.want + 0.5f));
        assert_true(got.max > gate->max_factor * gate->honest_max);
        memset(&done, 0, sizeof(done));
        pool_begin_candidate(&r.pool);
        same(answer(&r, 2, wrong), want);
        expect_done(0, 1, 0);
    }
    close_rig(&r);
}

/* Whoever answers otherwise than those before is not asked again; nor who never answers twice the
 * same. Both are only compared, as if nothing were remembered. */
static void hope_ends(void **state)
{
    struct rig r;
    struct compare_stats stats;

    (void)state;
    open_rig(&r, "level1/019_relu", true);
    first_candidate(&r);
    for (int k = 0; k < CONTENTS; k++) {
        AUTO(freep) char *other = spoilt(&r, k, 5, 0x1p-20f);

        forget(&r, k);
        stats = answer(&r, k, other);
        expect_done(1, k == 0, 1);
        same(stats, compared(&r, k, other));
        stats = answer(&r, k, other); /* but twice the same */
        expect_done(0, 1, 0);
        same(stats, compared(&r, k, other));
    }
    pool_begin_candidate(&r.pool);
    for (int i = 0; i < 4; i++) {
        AUTO(freep) char *other = spoilt(&r, 1, i, 0x1p-18f);

        answer(&r, 1, other);
        assert_int_equal(done.compares, 1);
        assert_int_equal(done.prints, i < 2); /* new to it, then twice not the same */
        memset(&done, 0, sizeof(done));
    }
    close_rig(&r);
}

/* A few are remembered, the oldest makes room. */
static void memory_is_short(void **state)
{
    char *others[RECALL_ANSWERS];
    struct rig r;

    (void)state;
    open_rig(&r, "level1/019_relu", true);
    first_candidate(&r);
    for (int i = 0; i < RECALL_ANSWERS; i++) {
        others[i] = spoilt(&r, 0, i, 1);
        pool_begin_candidate(&r.pool);
        answer(&r, 0, others[i]);
    }
    memset(&done, 0, sizeof(done));
    for (int i = 0; i < RECALL_ANSWERS; i++) {
        pool_begin_candidate(&r.pool);
        assert_int_equal(answer(&r, 0, others[i]).max_at, i);
        expect_done(0, 1, 0);
    }
    for (int i = 0; i < RECALL_ANSWERS; i++) { /* known, though nobody hopes: that takes no room */
        r.pool.recall.hit[false] = r.pool.recall.hit[true] = false;
        assert_int_equal(answer(&r, 0, others[0]).max_at, 0);
        expect_done(1, 0, 0);
    }
    pool_begin_candidate(&r.pool);
    assert_int_equal(answer(&r, 0, others[1]).max_at, 1);
    expect_done(0, 1, 0);
    pool_begin_candidate(&r.pool);
    same(answer(&r, 0, r.right[0]), compared(&r, 0, r.right[0]));
    for (int i = 0; i < RECALL_ANSWERS; i++)
        free(others[i]);
    close_rig(&r);
}

/* An appeal widens the gate and leaves the figures; honest runs are nobody's answers. */
static void appeals_are_heard(void **state)
{
    struct rig r;
    struct compare_stats before;
    struct err err = ERR_INIT;
    double honest;

    (void)state;
    open_rig(&r, "level1/023_softmax", true);
    first_candidate(&r);
    before = compared(&r, 1, r.right[1]);
    honest = r.pool.gates[pool_law(&r.pool, 1)].gate.honest_max;
    forget(&r, 1);
    assert_int_equal(pool_include_honest(&r.pool, 1, &err), 0);
    assert_true(done.compares > 0 && done.prints == 0 && done.evals == 1);
    memset(&done, 0, sizeof(done));
    assert_int_equal(pool_include_honest(&r.pool, 1, &err), 0); /* it is in already */
    expect_done(0, 0, 0);
    assert_true(r.pool.gates[pool_law(&r.pool, 1)].gate.honest_max >= honest);
    same(answer(&r, 1, r.right[1]), before);
    expect_done(0, 1, 0);
    close_rig(&r);
}

/* Their time counts as that of contents which are made again, whenever they are. */
static void expected_values_come_when_they_are_needed(void **state)
{
    const struct pool_slot *slot;
    struct err err = ERR_INIT;
    struct rig r;
    double ms;

    (void)state;
    open_rig(&r, "level1/023_softmax", true);
    forget(&r, 0);
    must(pool_get(&r.pool, 0, &slot, &err), &err);
    assert_false(slot->has_y);
    expect_done(0, 0, 0);
    ms = r.pool.own.ms[PHASE_REMADE];
    must(pool_get_expected(&r.pool, 0, &slot, &err), &err);
    assert_true(slot->has_y && r.pool.own.ms[PHASE_REMADE] > ms);
    expect_done(0, 0, 1);
    ms = r.pool.own.ms[PHASE_REMADE];
    must(pool_get_expected(&r.pool, 0, &slot, &err), &err);
    assert_true(r.pool.own.ms[PHASE_REMADE] == ms);
    expect_done(0, 0, 0);
    close_rig(&r);
}

/* For the next candidate, while the last one leaves. */
static void first_contents_come_with_what_is_needed(void **state)
{
    AUTO(freep) char *other = NULL;
    struct err err = ERR_INIT;
    struct rig r;

    (void)state;
    open_rig(&r, "level1/019_relu", true);
    first_candidate(&r);
    other = spoilt(&r, 5, 5, 1);
    for (int round = 0; round < 2; round++) {
        pool_begin_candidate(&r.pool);
        answer(&r, 5, round == 0 ? r.right[5] : other);
        forget(&r, 0);
        must(pool_bring_first(&r.pool, &err), &err);
        expect_done(0, 0, round == 0 ? 0 : r.pool.cap_slots);
    }
    close_rig(&r);
}

/* Where all contents stay, comparing again is cheap, and always done. */
static void what_stays_is_compared(void **state)
{
    struct rig r;

    (void)state;
    open_rig(&r, "level1/019_relu", false);
    first_candidate(&r);
    for (int i = 0; i < 3; i++)
        same(answer(&r, 1, r.right[1]), answer(&r, 1, r.right[1]));
    expect_done(6, 0, 0);
    close_rig(&r);
}

/* Each output has answers of its own. */
static void outputs_are_remembered_one_by_one(void **state)
{
    struct rig r;
    struct err err = ERR_INIT;
    struct compare_stats stats, other;
    size_t at;

    (void)state;
    open_rig(&r, "hard/05_topk_bitonic", true);
    assert_true(r.pool.graph->n_outputs > 1);
    first_candidate(&r);
    at = r.pool.out.slots[1].offset;
    must(ops.upload(cuda, &r.out, 0, r.right[0], r.pool.out.bytes, &err), &err);
    must(pool_compare(&r.pool, 0, 1, &r.out, at, &stats, &err), &err);
    assert_int_equal(done.compares, 1); /* nobody answered that before */
    must(pool_compare(&r.pool, 0, 1, &r.out, at, &other, &err), &err);
    assert_int_equal(done.compares, 1);
    assert_int_equal(stats.n_unequal, 0);
    same(stats, other);
    r.right[0][at] ^= 1; /* an index */
    must(ops.upload(cuda, &r.out, 0, r.right[0], r.pool.out.bytes, &err), &err);
    must(pool_compare(&r.pool, 0, 1, &r.out, at, &stats, &err), &err);
    assert_int_equal(stats.n_unequal, 1);
    assert_int_equal(stats.first_unequal, 0);
    close_rig(&r);
}

static void a_fingerprint_that_fails_is_an_error(void **state)
{
    struct rig r;
    struct compare_stats stats;
    struct err err = ERR_INIT;

    (void)state;
    open_rig(&r, "level1/019_relu", true);
    first_candidate(&r);
    done.no_prints = true;
    assert_int_equal(pool_compare(&r.pool, 0, 0, &r.out, 0, &stats, &err), -1);
    assert_non_null(strstr(err.text, "no fingerprint today"));
    close_rig(&r);
}

/* ---- in passing ---- */

static const char *const passing[] = {"level1/019_relu", "level1/023_softmax"};

/* Known answers cost nothing in either way; others are compared with what is made meanwhile, and
 * nothing is stored. What is remembered of them is the same. */
static void who_comes_back_is_compared_in_passing(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(passing); i++) {
        struct rig r;

        open_rig(&r, passing[i], true);
        first_candidate(&r);
        for (int k = 0; k < CONTENTS; k++) {
            AUTO(freep) char *other = spoilt(&r, k, 77 * k, 0x1p-10f);
            const struct pool_slot *slot;
            struct compare_stats stats, want = compared(&r, k, other);
            struct err err = ERR_INIT;

            forget(&r, k);
            let_pass(true);
            pool_begin_candidate(&r.pool);
            stats = answer(&r, k, other);
            expect_passings(1);
            expect_done(0, 1, 0);
            same(stats, want);
            must(pool_get(&r.pool, k, &slot, &err), &err);
            assert_false(slot->has_y);
            same(answer(&r, k, other), want); /* by its fingerprint */
            expect_done(0, 1, 0);
            let_pass(false);
        }
        close_rig(&r);
    }
}

/* Not in passing: where expected values lie there, where their rows' sizes are not known, and
 * honest runs. */
static void what_lies_there_is_read(void **state)
{
    AUTO(freep) char *other = NULL;
    const struct pool_slot *slot;
    struct err err = ERR_INIT;
    struct rig r;

    (void)state;
    open_rig(&r, "level1/023_softmax", true);
    first_candidate(&r);
    other = spoilt(&r, 1, 9, 1);
    r.pool.remembers = false;
    let_pass(true);
    forget(&r, 1);
    must(pool_get_expected(&r.pool, 1, &slot, &err), &err);
    answer(&r, 1, other);
    expect_done(1, 0, 1);
    forget(&r, 1);
    answer(&r, 1, other);
    expect_passings(1);
    expect_done(0, 0, 0);
    must(pool_include_honest(&r.pool, 1, &err), &err);
    assert_true(done.compares > 0 && done.passings == 0 && done.evals == 1);
    forget(&r, 1);
    ops.mem_free(cuda, &r.pool.contents[1].row_rms);
    answer(&r, 1, other);
    expect_done(1, 0, 1);
    let_pass(false);
    close_rig(&r);
}

static void first_contents_come_without_what_is_not_needed(void **state)
{
    struct err err = ERR_INIT;
    struct rig r;

    (void)state;
    open_rig(&r, "level1/019_relu", true);
    first_candidate(&r);
    for (int round = 0; round < 2; round++) {
        r.pool.recall.hit[false] = false;
        forget(&r, 0);
        let_pass(round == 1);
        must(pool_bring_first(&r.pool, &err), &err);
        expect_done(0, 0, round == 0 ? r.pool.cap_slots : 0);
        let_pass(false);
    }
    close_rig(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bits_are_compared_once),
        cmocka_unit_test(a_wrong_answer_is_wrong_the_second_time),
        cmocka_unit_test(hope_ends),
        cmocka_unit_test(memory_is_short),
        cmocka_unit_test(appeals_are_heard),
        cmocka_unit_test(expected_values_come_when_they_are_needed),
        cmocka_unit_test(first_contents_come_with_what_is_needed),
        cmocka_unit_test(what_stays_is_compared),
        cmocka_unit_test(outputs_are_remembered_one_by_one),
        cmocka_unit_test(a_fingerprint_that_fails_is_an_error),
        cmocka_unit_test(who_comes_back_is_compared_in_passing),
        cmocka_unit_test(what_lies_there_is_read),
        cmocka_unit_test(first_contents_come_without_what_is_not_needed),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
