/* SPDX-License-Identifier: MIT */
/* On the emulated GPU: results that a candidate left in memory of its own process are found, looked
 * at where they lie, and brought to their places. */
#include "emulated_judge.h"

#include "measure/trial_results.h"

#include <string.h>

#define WORDS 1000
#define BYTES (WORDS * sizeof(uint32_t))

struct rig {
    struct tensor_slot slots[2];
    size_t slot_bytes[2];
    struct pool pool;
    struct trial_config config;
    struct trial trial;
    struct arenas arenas;
    struct call_target target;
    struct rproc runner;
    struct mem own[2]; /* the runner's */
};

static void fill(const struct mem *m, uint32_t word)
{
    for (size_t i = 0; i < m->bytes / sizeof(word); i++)
        ((uint32_t *)(uintptr_t)m->handle)[i] = word;
}

static void make(struct mem *m, size_t bytes, uint32_t word)
{
    struct err err = ERR_INIT;

    must(ops->mem_alloc(ctx, MEM_PRIVATE, bytes, m, &err), &err);
    fill(m, word);
}

/* Two outputs, at 4096 and 12288 of the arena, which holds 9 everywhere. */
static void rig_init(struct rig *g)
{
    *g = (struct rig){.slots = {{.offset = 4096}, {.offset = 12288}}, .slot_bytes = {BYTES, BYTES}};
    g->pool.ctx = ctx;
    g->pool.out = (struct layout){g->slots, g->slot_bytes, 2, 20480};
    g->config.pool = &g->pool;
    g->trial = (struct trial){.config = &g->config, .ops = ops};
    g->target = (struct call_target){.arenas = &g->arenas};
    layout_peeks(&g->pool.out, 77, &g->target.peeks);
    make(&g->arenas.out[0], 20480, 9);
    make(&g->own[0], BYTES + 64, 1);
    make(&g->own[1], BYTES + 64, 2);
    g->runner.n_results = 2;
    for (int i = 0; i < 2; i++)
        memcpy(g->runner.results[i].handle, &g->own[i].handle, sizeof(g->own[i].handle));
}

static void rig_release(struct rig *g)
{
    ops->forget(ctx);
    ops->mem_free(ctx, &g->arenas.out[0]);
    ops->mem_free(ctx, &g->own[0]);
    ops->mem_free(ctx, &g->own[1]);
}

static void count_words(const struct rig *g, int ret[10])
{
    uint32_t words[DEVICE_PEEKS];
    struct err err = ERR_INIT;
    double ns;

    memset(ret, 0, 10 * sizeof(*ret));
    must(trial_peek(&g->trial, &g->target, words, &ns, &err), &err);
    for (int i = 0; i < DEVICE_PEEKS; i++) {
        assert_true(words[i] < 10);
        ret[words[i]]++;
    }
}

static void looks_where_results_lie(void **state)
{
    struct verdict v = VERDICT_INIT;
    struct rig g;
    int n[10];

    (void)state;
    rig_init(&g);
    count_words(&g, n);
    assert_int_equal(n[9], DEVICE_PEEKS); /* the arena, as long as nothing was named */
    assert_int_equal(trial_locate(&g.trial, &g.runner, &v), 0);
    count_words(&g, n);
    assert_int_equal(n[1], DEVICE_PEEKS / 2);
    assert_int_equal(n[2], DEVICE_PEEKS / 2);
    rig_release(&g);
}

/* A view may begin between two words. No peek leaves it by more than these. */
static void places_need_not_be_even(void **state)
{
    struct verdict v = VERDICT_INIT;
    struct rig g;
    int n[10];

    (void)state;
    rig_init(&g);
    g.runner.results[0].at = 64;
    g.runner.results[1].at = 62;
    assert_int_equal(trial_locate(&g.trial, &g.runner, &v), 0);
    count_words(&g, n);
    assert_int_equal(n[1] + n[2], DEVICE_PEEKS);
    rig_release(&g);
}

static void brings_results_to_the_arena(void **state)
{
    struct verdict v = VERDICT_INIT;
    struct err err = ERR_INIT;
    struct rig g;

    (void)state;
    rig_init(&g);
    assert_int_equal(trial_locate(&g.trial, &g.runner, &v), 0);
    must(trial_fetch(&g.trial, &g.runner, &g.target, &v, &err), &err);

    const uint32_t *arena = (const uint32_t *)(uintptr_t)g.arenas.out[0].handle;

    for (size_t i = 0; i < 20480 / 4; i++) {
        bool first = i >= 1024 && i < 1024 + WORDS, second = i >= 3072 && i < 3072 + WORDS;

        assert_int_equal(arena[i], first ? 1 : second ? 2 : 9);
    }
    rig_release(&g);
}

static void lies_are_rejected(void **state)
{
    struct verdict v = VERDICT_INIT;
    struct rig g;

    (void)state;
    rig_init(&g);
    g.runner.n_results = 1;
    assert_int_equal(trial_locate(&g.trial, &g.runner, &v), 1);
    assert_string_equal(v.detail, "call: named 1 results of 2");
    g.runner.n_results = 2;
    g.runner.results[1].at = 65; /* one byte past the end */
    assert_int_equal(trial_locate(&g.trial, &g.runner, &v), 1);
    assert_int_equal(v.reason, REASON_REJECTED_PROTOCOL);
    assert_int_equal(g.trial.n_views, 0);
    memset(g.runner.results[1].handle, 0, DEVICE_HANDLE_BYTES);
    assert_int_equal(trial_locate(&g.trial, &g.runner, &v), 1);
    assert_non_null(strstr(v.detail, "cannot be opened"));
    rig_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_where_results_lie),
        cmocka_unit_test(places_need_not_be_even),
        cmocka_unit_test(brings_results_to_the_arena),
        cmocka_unit_test(lies_are_rejected),
    };

    return cmocka_run_group_tests(tests, emulated_open, emulated_close);
}
