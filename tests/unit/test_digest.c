/* SPDX-License-Identifier: MIT */
/* What is kept of a content that made room: it comes back to the bit, on the host and on the
 * emulated GPU. */
#include "gpu_pool_rig.h"

#include <stdlib.h>
#include <string.h>

static void same_bits(struct pool *p, bool on_gpu)
{
    char *first[CONTENTS];
    struct compare_stats before[CONTENTS], after;
    struct err err = ERR_INIT;

    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < CONTENTS; k++) {
            const struct pool_slot *slot = get(p, k);
            char *y = xmalloc(p->y_bytes);

            if (on_gpu)
                assert_int_equal(
                    device_cuda.judge->download(cuda, &slot->y, 0, y, p->y_bytes, &err), 0);
            else
                memcpy(y, slot->y.host, p->y_bytes);
            assert_int_equal(
                pool_compare(p, k, 0, &slot->y, 0, round == 0 ? &before[k] : &after, &err), 0);
            if (round == 0) {
                first[k] = y;
                continue;
            }
            assert_memory_equal(y, first[k], p->y_bytes);
            assert_memory_equal(&after, &before[k], sizeof(after));
            free(y);
            free(first[k]);
        }
        assert_true(round == 0 || p->own.ms[PHASE_REMADE] > 0);
    }
}

/* What is kept of a content that went does not change it. */
static void contents_come_back_to_the_bit(void **state)
{
    static const struct {
        const char *name;
        int kept;
    } problems[] = {
        {"level1/019_relu", 0},        {"level1/023_softmax", 2},
        {"level1/024_log_softmax", 2}, {"level1/036_rms_norm", 0}, /* a 48th of it: too much */
        {"level1/039_l2_norm", 1},     {"hard/04_kahan_softmax", 2},
    };

    (void)state;
    for (size_t i = 0; i < 2 * ARRAY_SIZE(problems); i++) {
        AUTO(problem_freep) struct problem *problem = load_shipped(problems[i / 2].name);
        struct pool p;

        open_narrow(problem->sizes[SIZES_SMALL][0].graph, i % 2, &p);
        assert_int_equal(p.digest.n, problems[i / 2].kept);
        same_bits(&p, i % 2);
        pool_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_come_back_to_the_bit),
    };

    return cmocka_run_group_tests(tests, gpu_pool_set_up, gpu_pool_tear_down);
}
