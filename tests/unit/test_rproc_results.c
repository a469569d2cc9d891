/* SPDX-License-Identifier: MIT */
/* Results in a runner's own memory. This process stands for the runner. */
#include "testing.h"

#include "process/rproc_results.h"

#include <sys/mman.h>

#define N 64

struct rig {
    struct tensor_slot slots[2];
    size_t slot_bytes[2];
    struct layout out;
    struct rproc_config config;
    struct wire_page page;
    struct rproc r;
    uint32_t arena[4 * N];
    struct mem mem;
    uint32_t first[N], second[N]; /* the runner's own memory */
};

/* Two outputs of N words, at words N and 3 N of the arena. */
static void rig_init(struct rig *g)
{
    *g = (struct rig){.slots = {{.offset = N * 4}, {.offset = 3 * N * 4}},
                      .slot_bytes = {N * 4, N * 4}};
    g->out = (struct layout){g->slots, g->slot_bytes, 2, sizeof(g->arena)};
    g->config.out = &g->out;
    g->config.subject.results_read = true;
    g->mem = (struct mem){MEM_OUTPUT, sizeof(g->arena), g->arena, -1, 0};
    g->r = (struct rproc){.config = &g->config, .pid = getpid(), .page = &g->page};
    for (uint32_t i = 0; i < N; i++) {
        g->first[i] = 1000 + i;
        g->second[i] = 2000 + i;
    }
    g->page.n_results = 2;
    g->page.results[0].at = (uintptr_t)g->first;
    g->page.results[1].at = (uintptr_t)g->second;
}

static void brings_results_to_their_places(void **state)
{
    static struct rig g;
    struct verdict v = VERDICT_INIT;

    (void)state;
    rig_init(&g);
    rproc_take_results(&g.r);
    g.page.results[0].at = 8; /* too late: the address was read */
    assert_int_equal(rproc_fetch(&g.r, &g.mem, &v), 0);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(g.arena[i], 0);
        assert_int_equal(g.arena[N + i], 1000 + i);
        assert_int_equal(g.arena[2 * N + i], 0);
        assert_int_equal(g.arena[3 * N + i], 2000 + i);
    }
    assert_true(rproc_readable(&g.r));
}

static void leaves_the_arena_alone(void **state)
{
    static struct rig g;
    struct verdict v = VERDICT_INIT;

    (void)state;
    rig_init(&g);
    g.page.n_results = 0; /* destination style */
    rproc_take_results(&g.r);
    assert_int_equal(rproc_fetch(&g.r, &g.mem, &v), 0);
    g.page.n_results = 2; /* a candidate in C may write what it likes there */
    g.config.subject.results_read = false;
    rproc_take_results(&g.r);
    assert_int_equal(g.r.n_results, 0);
    assert_int_equal(rproc_fetch(&g.r, &g.mem, &v), 0);
    for (int i = 0; i < 4 * N; i++)
        assert_int_equal(g.arena[i], 0);
}

static void refuses_what_is_no_result(void **state)
{
    static struct rig g;
    void *hidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uint64_t addresses[] = {0, 8, UINT64_MAX - 16, (uintptr_t)hidden};
    const uint32_t counts[] = {1, 3, 7, 8, UINT32_MAX};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
        struct verdict v = VERDICT_INIT;

        rig_init(&g);
        g.page.results[1].at = addresses[i];
        rproc_take_results(&g.r);
        assert_int_equal(rproc_fetch(&g.r, &g.mem, &v), 1);
        assert_int_equal(v.reason, REASON_REJECTED_PROTOCOL);
    }
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        struct verdict v = VERDICT_INIT;

        rig_init(&g);
        g.page.n_results = counts[i];
        rproc_take_results(&g.r);
        assert_true(g.r.n_results <= WIRE_MAX_RESULTS);
        assert_int_equal(rproc_fetch(&g.r, &g.mem, &v), 1);
        assert_int_equal(v.reason, REASON_REJECTED_PROTOCOL);
    }
    munmap(hidden, 4096);
}

/* Words that are looked at when "done" is seen, and again at the standstill. */
static void looks_where_results_lie(void **state)
{
    static struct rig g;
    uint32_t now[RPROC_GLIMPSES];

    (void)state;
    rig_init(&g);
    rproc_take_results(&g.r);
    assert_int_equal(rproc_result_at(&g.r, (N + 5) * 4), (uintptr_t)&g.first[5]);
    assert_int_equal(rproc_result_at(&g.r, (4 * N - 1) * 4), (uintptr_t)&g.second[N - 1]);
    assert_int_equal(rproc_result_at(&g.r, 0), 0);
    g.r.n_glimpses = 2;
    g.r.glimpses[0] = (struct rproc_glimpse){&g.arena[N], (uintptr_t)&g.first[0], 0};
    g.r.glimpses[1] = (struct rproc_glimpse){&g.arena[3 * N], (uintptr_t)&g.second[7], 0};
    rproc_look(&g.r, now);
    assert_int_equal(now[0], 1000);
    assert_int_equal(now[1], 2007);
    g.second[7] = 5; /* written late */
    rproc_look(&g.r, now);
    assert_int_equal(now[1], 5);
    g.r.n_results = 0; /* now in the arena */
    g.arena[3 * N] = 9;
    rproc_look(&g.r, now);
    assert_int_equal(now[1], 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brings_results_to_their_places),
        cmocka_unit_test(leaves_the_arena_alone),
        cmocka_unit_test(refuses_what_is_no_result),
        cmocka_unit_test(looks_where_results_lie),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
