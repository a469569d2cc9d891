/* SPDX-License-Identifier: MIT */
/* Answers with other bits than those that were compared before, on the emulated GPU: they are
 * compared element by element. Answers that are known: test_recall.c. */
#include "gpu_pool_rig.h"

#include <math.h>
#include <stdlib.h>

/* A candidate's answers: the expected values, off by so much of their rows' size here and there. */
struct answers {
    struct pool *p;
    double *y[CONTENTS];
    struct mem out;
};

static void answers_open(struct answers *a, struct pool *p)
{
    struct err err = ERR_INIT;

    *a = (struct answers){.p = p, .out = MEM_INIT};
    for (int k = 0; k < CONTENTS; k++)
        a->y[k] = download(&get(p, k)->y, p->y_bytes);
    assert_int_equal(device_cuda.judge->mem_alloc(cuda, MEM_PRIVATE, p->out.bytes, &a->out, &err),
                     0);
}

static void answers_close(struct answers *a)
{
    device_cuda.judge->mem_free(cuda, &a->out);
    for (int k = 0; k < CONTENTS; k++)
        free(a->y[k]);
}

static double row_size(const double *y, int64_t row, int64_t length)
{
    double sum_sq = 0;

    for (int64_t i = row * length; i < (row + 1) * length; i++)
        sum_sq += y[i] * y[i];
    return sqrt(sum_sq / (double)length);
}

/* part: of every element, with signs that alternate by threes; last: of the last element alone. */
static struct compare_stats answer(struct answers *a, int content, double part, double last)
{
    const struct tensor_slot *slot = &a->p->out.slots[0];
    int64_t n = shape_count(&slot->shape), length = slot->shape.dim[1];
    AUTO(freep) double *v = xcalloc((size_t)n, sizeof(*v));
    AUTO(freep) char *got = xcalloc(1, a->p->out.bytes);
    struct compare_stats s;
    struct err err = ERR_INIT;

    for (int64_t i = 0; i < n; i++)
        v[i] = a->y[content][i] +
               (i % 3 ? part : -2 * part) * row_size(a->y[content], i / length, length);
    v[n - 1] += last * row_size(a->y[content], n / length - 1, length);
    dtype_from_f64(slot->dtype, v, got + slot->offset, n);
    assert_int_equal(device_cuda.judge->upload(cuda, &a->out, 0, got, a->p->out.bytes, &err), 0);

    must(pool_compare(a->p, content, 0, &a->out, slot->offset, &s, &err), &err);
    return s;
}

static bool has_expected(struct pool *p, int content)
{
    const struct pool_slot *slot = NULL;
    struct err err = ERR_INIT;

    assert_int_equal(pool_get(p, content, &slot, &err), 0);
    return slot->has_y;
}

/* However many other answers of theirs were right, and whoever answered before. */
static void other_bits_are_compared_element_by_element(void **state)
{
    AUTO(problem_freep) struct problem *problem = load(sums);
    const double usual = 1e-7;
    struct compare_stats first, again;
    struct answers a;
    struct pool p;

    (void)state;
    open_for_one(small(problem), &p);
    answers_open(&a, &p);
    pool_begin_candidate(&p);
    for (int k = 0; k < CONTENTS; k++)
        answer(&a, k, 0, 0);

    pool_begin_candidate(&p);
    first = answer(&a, 0, usual, 0);
    assert_int_equal(first.count, 256 * 320);
    for (int k = 1; k < CONTENTS; k++) {
        again = answer(&a, k, usual, 0);
        assert_int_equal(again.count, 256 * 320);
        assert_true(again.max_at >= 0);
        assert_true(has_expected(&p, k));
    }
    again = answer(&a, 0, usual, 0); /* by its fingerprint */
    assert_memory_equal(&again, &first, sizeof(first));
    assert_false(has_expected(&p, 0));
    again = answer(&a, 0, 1.5 * usual, 0);
    assert_true(again.sum_sq > first.sum_sq);
    assert_true(has_expected(&p, 0));
    answers_close(&a);
    pool_close(&p);
}

/* That a content is answered twice the same shows in the figures, also where the expected values
 * came in between. */
static void answers_are_told_apart(void **state)
{
    AUTO(problem_freep) struct problem *problem = load(sums);
    const double usual = 1e-7;
    struct compare_stats first, again;
    struct answers a;
    struct pool p;

    (void)state;
    open_for_one(small(problem), &p);
    answers_open(&a, &p);
    for (int k = 0; k < 2; k++)
        answer(&a, k, 0, 0);
    pool_begin_candidate(&p);
    answer(&a, 0, usual, 0);
    first = answer(&a, 1, usual, 0);
    get(&p, 1);
    again = answer(&a, 1, usual, 0);
    assert_memory_equal(&again, &first, sizeof(first));
    again = answer(&a, 1, usual, 3 * usual);
    assert_true(again.sum_sq != first.sum_sq);
    answers_close(&a);
    pool_close(&p);
}

static void wrong_answers_are_found_among_right_ones(void **state)
{
    AUTO(problem_freep) struct problem *problem = load(sums);
    const double usual = 1e-7;
    struct compare_stats s;
    struct answers a;
    struct pool p;

    (void)state;
    open_for_one(small(problem), &p);
    answers_open(&a, &p);
    for (int candidate = 0; candidate < 2; candidate++) {
        pool_begin_candidate(&p);
        for (int k = 0; k < CONTENTS; k++)
            answer(&a, k, candidate * usual, 0);
    }
    s = answer(&a, 2, usual, 0.001); /* one element */
    assert_int_equal(s.max_at, 256 * 320 - 1);
    assert_true(s.max > 0.0005);
    s = answer(&a, 3, 1e-5, 0); /* all of them, a little */
    assert_int_equal(s.count, 256 * 320);
    assert_true(sqrt(s.sum_sq / (double)s.count) > 5e-6);
    s = answer(&a, 4, usual, NAN);
    assert_int_equal(s.n_nonfinite, 1);
    assert_int_equal(s.first_nonfinite, 256 * 320 - 1);
    s = answer(&a, 4, usual, 0);
    assert_int_equal(s.count, 256 * 320);
    assert_int_equal(s.n_nonfinite, 0);
    answers_close(&a);
    pool_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_bits_are_compared_element_by_element),
        cmocka_unit_test(answers_are_told_apart),
        cmocka_unit_test(wrong_answers_are_found_among_right_ones),
    };

    return cmocka_run_group_tests(tests, gpu_pool_set_up, gpu_pool_tear_down);
}
