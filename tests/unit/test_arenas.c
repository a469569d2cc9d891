/* SPDX-License-Identifier: MIT */
/* covers: src/device/cuda/cuda_memory.c */
/* Arenas: what lies in them, when they are freed (on the emulated GPU), and whose turn it is. */
#include "gpu_pool_rig.h"

#include "measure/arenas.h"
#include "tensor/philox.h"

#include <sys/mman.h>

/* Within a deck every arena twice; and not always in the same order. */
static void arenas_take_turns(void **state)
{
    (void)state;
    for (int n = 1; n <= PLAN_MAX_ARENAS; n++) {
        struct deck d = {.left = 0};
        int first[2 * PLAN_MAX_ARENAS], differ = 0;

        for (int round = 0; round < 4; round++) {
            int seen[PLAN_MAX_ARENAS] = {0};

            for (int i = 0; i < 2 * n; i++) {
                struct philox p = philox4x32((uint32_t)(round * 64 + i), 0, 0, 0, 7, (uint32_t)n);
                int arena = deck_draw(&d, n, p.v[0]);

                assert_in_range(arena, 0, n - 1);
                seen[arena]++;
                differ += round > 0 && arena != first[i];
                if (round == 0)
                    first[i] = arena;
            }
            for (int a = 0; a < n; a++)
                assert_int_equal(seen[a], 2);
        }
        assert_true(n == 1 || differ > 0);
    }
}

/* Made anew for every process: what the last one left there are answers. */
static void arenas_hold_a_content_and_nothing_else(void **state)
{
    AUTO(problem_freep) struct problem *problem = load_shipped("level1/019_relu");
    struct exiting exiting = EXITING_INIT;
    struct err err = ERR_INIT;
    struct arenas a;
    struct pool p;

    (void)state;
    open_pool(problem->sizes[SIZES_SMALL][0].graph, true, MEMORY, &p);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(arenas_make(&a, &p, 3, false, &err), 0);
        assert_int_equal(a.n, 3);
        for (int i = 0; i < a.n; i++) {
            AUTO(freep) char *left = download(&a.out[i], p.out.bytes);
            int64_t at = 0;

            for (size_t k = 0; k < p.out.bytes; k++)
                assert_int_equal(left[k], 0);
            assert_int_equal(
                device_cuda.judge->differ(cuda, &a.in[i], &get(&p, 0)->data, p.in.bytes, &at, &err),
                0);
            assert_int_equal(at, -1);
            assert_int_equal(a.in_content[i], 0);
            assert_int_equal(device_cuda.judge->poison(cuda, &a.out[i], 0, p.out.bytes, 5, &err),
                             0);
        }
        arenas_free_later(&a, &p, &exiting);
        assert_int_equal(a.n, 0);
        assert_int_equal(exiting.n_shared, 6);
        exiting_await(&exiting);
    }
    pool_close(&p);
}

/* By the thread that watches runners leave, while contents are made: every byte is given back, and
 * counted. */
static void arenas_are_freed_beside_other_work(void **state)
{
    AUTO(problem_freep) struct problem *problem = load_shipped("level1/019_relu");
    struct exiting exiting = EXITING_INIT;
    int64_t before = 0, after = 0;
    struct err err = ERR_INIT;
    struct arenas a;
    struct pool p;

    (void)state;
    open_narrow(problem->sizes[SIZES_SMALL][0].graph, true, &p);
    assert_int_equal(device_cuda.judge->others_bytes(cuda, &before, &err), 0);
    for (int round = 0; round < 3; round++) {
        struct devlock lock = {memfd_create("lock", MFD_CLOEXEC), -1};

        assert_int_equal(arenas_make(&a, &p, 3, false, &err), 0);
        arenas_free_later(&a, &p, &exiting);
        exiting_hold_lock(&exiting, &lock);
        for (int k = 0; k < CONTENTS; k++) {
            struct mem more = MEM_INIT;

            get(&p, k);
            assert_int_equal(device_cuda.judge->mem_alloc(cuda, MEM_PRIVATE, 5 << 20, &more, &err),
                             0);
            device_cuda.judge->mem_free(cuda, &more);
        }
        exiting_await(&exiting);
        assert_int_equal(device_cuda.judge->others_bytes(cuda, &after, &err), 0);
        assert_int_equal(after, before);
    }
    pool_close(&p);
}

/* A parameter has one address in all calls, whichever input arena they have. */
static void parameters_may_lie_apart(void **state)
{
    AUTO(problem_freep) struct problem *problem = load_shipped("level1/040_layer_norm");
    const struct graph *g = problem->sizes[SIZES_SMALL][0].graph;
    const struct device_judge_ops *ops = device_cuda.judge;
    struct exiting exiting = EXITING_INIT;
    struct err err = ERR_INIT;
    struct arenas a;
    struct pool p;
    int64_t at = 0;

    (void)state;
    assert_true(g->n_sources > g->n_inputs);
    open_pool(g, true, MEMORY, &p);
    assert_int_equal(arenas_make(&a, &p, 2, true, &err), 0);

    size_t split = p.in.slots[g->n_inputs].offset;

    assert_int_equal(a.params.bytes, p.in.bytes - split);
    for (int k = 1; k < 4; k++) {
        const struct pool_slot *slot = get(&p, k);

        assert_int_equal(arenas_fill(&a, &p, k % 2, slot, false, &err), 0);
        assert_int_equal(arenas_differ(&a, &p, k % 2, slot, &at, &err), 0);
        assert_int_equal(at, -1);
    }

    const struct pool_slot *slot = get(&p, 3);

    /* Of an input, then of a parameter. */
    assert_int_equal(ops->upload(cuda, &a.in[1], 4096, "x", 1, &err), 0);
    assert_int_equal(arenas_differ(&a, &p, 1, slot, &at, &err), 0);
    assert_int_equal(at, 4096);
    assert_int_equal(arenas_fill(&a, &p, 1, slot, true, &err), 0);
    assert_int_equal(ops->upload(cuda, &a.params, 8, "x", 1, &err), 0);
    assert_int_equal(arenas_differ(&a, &p, 1, slot, &at, &err), 0);
    assert_int_equal(at, (int64_t)split + 8);
    arenas_free_later(&a, &p, &exiting);
    assert_int_equal(exiting.n_shared, 5);
    exiting_await(&exiting);
    pool_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arenas_take_turns),
        cmocka_unit_test(arenas_hold_a_content_and_nothing_else),
        cmocka_unit_test(arenas_are_freed_beside_other_work),
        cmocka_unit_test(parameters_may_lie_apart),
    };

    return cmocka_run_group_tests(tests, gpu_pool_set_up, gpu_pool_tear_down);
}
