/* SPDX-License-Identifier: MIT */
/* A pool in the memory of the emulated GPU against one in the host's: the same inputs to the bit,
 * the same expected values, the same gates. And the arenas that contents are copied to. */
#include "emulated.h"
#include "problem_rig.h"
#include "testing.h"

#include "base/fs.h"
#include "content/pool.h"
#include "gpu/gpu.h"
#include "measure/arenas.h"
#include "problem/problem.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CONTENTS 6
#define MEMORY ((int64_t)1 << 30)

static void *cuda, *cpu;
static struct ops_engine engine;

static int set_up(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    emulated_load(true);
    if (device_cuda.judge->open(0, &cuda, &err) < 0 || gpu_engine_open(cuda, &engine, &err) < 0 ||
        device_cpu.judge->open(0, &cpu, &err) < 0)
        fail_msg("%s", err.text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gpu_engine_close(&engine);
    device_cuda.judge->close(cuda);
    device_cpu.judge->close(cpu);
    return 0;
}

static struct pool_config config_of(const struct graph *g, bool on_gpu, int least_slots,
                                    int64_t memory)
{
    return (struct pool_config){.device = on_gpu ? &device_cuda : &device_cpu,
                                .ctx = on_gpu ? cuda : cpu,
                                .engine = on_gpu ? &engine : &ops_host,
                                .graph = g,
                                .seed = 7,
                                .contents = CONTENTS,
                                .least_slots = least_slots,
                                .memory_bytes = memory};
}

static void open_pool(const struct graph *g, bool on_gpu, int64_t memory, struct pool *ret)
{
    struct pool_config c = config_of(g, on_gpu, 1, memory);
    struct err err = ERR_INIT;

    must(pool_open(&c, ret, &err), &err);
}

static const struct pool_slot *get(struct pool *p, int content)
{
    const struct pool_slot *slot = NULL;
    struct err err = ERR_INIT;

    must(pool_get_expected(p, content, &slot, &err), &err);
    return slot;
}

static void *download(const struct mem *m, size_t bytes)
{
    struct err err = ERR_INIT;
    void *host = xmalloc(bytes);

    must(device_cuda.judge->download(cuda, m, 0, host, bytes, &err), &err);
    return host;
}

static void same_values(const struct pool *p, int k, int output, const void *got, const void *want)
{
    const struct tensor_slot *slot = &p->out.slots[output];
    int64_t n = shape_count(&slot->shape);
    const double *y = got, *host_y = want;

    if (!dtype_is_float(slot->dtype)) {
        assert_memory_equal(got, want, (size_t)n * 8);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(y[i] - host_y[i]) <= 1e-12 * fmax(1, fabs(host_y[i]))))
            fail_msg("%s, content %d, element %ld: %.17g, on the host %.17g",
                     p->graph->outputs[output].name, k, (long)i, y[i], host_y[i]);
}

static void same_content(struct pool *host, struct pool *gpu, int k)
{
    const struct pool_slot *want = get(host, k), *have = get(gpu, k);
    AUTO(freep) void *data = download(&have->data, gpu->in.bytes);
    AUTO(freep) char *y = download(&have->y, gpu->y_bytes);

    assert_memory_equal(data, want->data.host, host->in.bytes);
    for (int o = 0; o < gpu->graph->n_outputs; o++)
        same_values(gpu, k, o, y + gpu->y_offset[o],
                    (const char *)want->y.host + host->y_offset[o]);
}

/* The first ones; where laws are for checks alone, also those that leave them out. */
static void same_contents(struct pool *host, struct pool *gpu)
{
    int scored = gpu->graph->n_laws;

    for (int k = 0; k < CONTENTS; k++)
        same_content(host, gpu, k);
    for (int k = scored; k < scored + 2; k++) {
        assert_true(graph_law_scored(gpu->graph, pool_law(gpu, k)));
        same_content(host, gpu, k);
    }
}

/* Of outputs that are exact the errors are 0, on both sides. */
static bool near(double a, double b, double part)
{
    return fabs(a - b) <= part * fabs(b);
}

static void same_gates(const struct pool *host, const struct pool *gpu)
{
    for (int i = 0; i < host->graph->n_laws * host->graph->n_outputs; i++) {
        const struct law_gate *want = &host->gates[i], *have = &gpu->gates[i];

        assert_int_equal(have->scale.row_len, want->scale.row_len);
        assert_true(near(have->scale.pooled_rms, want->scale.pooled_rms, 1e-9));
        if (gpu->large) /* as many honest runs as there was time for */
            continue;
        assert_true(near(have->gate.honest_rms, want->gate.honest_rms, 1e-6));
        assert_true(near(have->gate.honest_max, want->gate.honest_max, 1e-6));
    }
}

/* The expected values, rounded to the output's dtype, pass as an answer; others do not. */
static void compares(struct pool *host, struct pool *gpu)
{
    const struct device_judge_ops *ops = device_cuda.judge;
    const struct tensor_slot *slot = &gpu->out.slots[0];
    int64_t n = shape_count(&slot->shape);
    AUTO(freep) char *got = xcalloc(1, gpu->out.bytes);
    struct mem out = MEM_INIT;
    struct compare_stats right, other;
    struct err err = ERR_INIT;

    dtype_from_f64(slot->dtype, get(host, 1)->y.host, got + slot->offset, n);
    assert_int_equal(ops->mem_alloc(cuda, MEM_PRIVATE, gpu->out.bytes, &out, &err), 0);
    assert_int_equal(ops->upload(cuda, &out, 0, got, gpu->out.bytes, &err), 0);
    assert_int_equal(pool_compare(gpu, 1, 0, &out, slot->offset, &right, &err), 0);
    assert_int_equal(pool_compare(gpu, 2, 0, &out, slot->offset, &other, &err), 0);
    assert_true(right.max < 16 * dtype_roundoff(slot->dtype));
    assert_true(other.max > MAX(0x1p-10, 64 * dtype_roundoff(slot->dtype)));
    ops->mem_free(cuda, &out);
}

static void one_pool(const char *name, int64_t memory)
{
    AUTO(problem_freep) struct problem *p = load_shipped(name);
    struct pool host, gpu;

    open_pool(p->sizes[SIZES_SMALL][0].graph, false, MEMORY, &host);
    open_pool(p->sizes[SIZES_SMALL][0].graph, true, memory, &gpu);
    same_contents(&host, &gpu);
    if (pool_keeps(&gpu, CONTENTS)) /* else the gates rest on fewer contents */
        same_gates(&host, &gpu);
    compares(&host, &gpu);
    pool_close(&host);
    pool_close(&gpu);
}

static void pools_are_equal(void **state)
{
    static const char *const names[] = {
        "level1/001_square_matrix_multiplication",
        "level1/023_softmax",
        "level1/040_layer_norm",
        "level1/095_cross_entropy_loss",
        "level2/022_matmul_scale_residual_clamp_logsumexp_mish",
        "hard/01_fp8_gemm",
        "hard/02_kda_cutlass",
        "hard/03_paged_attention",
        "hard/04_kahan_softmax",
        "hard/05_topk_bitonic",
        "hard/06_sonic_moe_swiglu",
        "hard/07_w4a16_gemm",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        one_pool(names[i], MEMORY);
}

/* So little memory that contents are made again and again. */
static void contents_come_back(void **state)
{
    (void)state;
    one_pool("level1/023_softmax", 2 << 20);
}

/* With the least memory that two contents side by side take. */
static void open_narrow(const struct graph *g, bool on_gpu, struct pool *ret)
{
    struct err err = ERR_INIT;
    int rc = -1;

    for (int64_t memory = 1 << 18; rc < 0 && memory < MEMORY; memory += memory / 8) {
        struct pool_config c = config_of(g, on_gpu, 2, memory);

        rc = pool_open(&c, ret, &err);
    }
    assert_int_equal(rc, 0);
    assert_true(ret->cap_slots < CONTENTS);
}

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

/* What tells that a runner wrote to its input: one byte, wherever it is. */
static void inputs_are_compared(void **state)
{
    static const size_t places[] = {0, 1, 4095, 65537, 69999}; /* the last word is not whole */
    const struct device_judge_ops *ops = device_cuda.judge;
    size_t bytes = 70000;
    struct mem a = MEM_INIT, b = MEM_INIT;
    struct err err = ERR_INIT;
    int64_t at = 0;

    (void)state;
    assert_int_equal(ops->mem_alloc(cuda, MEM_PRIVATE, bytes, &a, &err), 0);
    assert_int_equal(ops->mem_alloc(cuda, MEM_PRIVATE, bytes, &b, &err), 0);
    assert_int_equal(ops->poison(cuda, &a, 0, bytes, 7, &err), 0);
    assert_int_equal(ops->copy(cuda, &b, 0, &a, 0, bytes, &err), 0);
    assert_int_equal(ops->differ(cuda, &a, &b, bytes, &at, &err), 0);
    assert_int_equal(at, -1);
    for (size_t i = ARRAY_SIZE(places); i-- > 0;) { /* each before the one that is off already */
        unsigned char byte;

        assert_int_equal(ops->download(cuda, &b, places[i], &byte, 1, &err), 0);
        byte ^= 0x80;
        assert_int_equal(ops->upload(cuda, &b, places[i], &byte, 1, &err), 0);
        assert_int_equal(ops->differ(cuda, &a, &b, bytes, &at, &err), 0);
        assert_int_equal(at, (int64_t)places[i]);
    }
    assert_int_equal(ops->differ(cuda, &a, &b, bytes + 1, &at, &err), -1);
    ops->mem_free(cuda, &a);
    ops->mem_free(cuda, &b);
}

/* What tells that an output changes behind "done": as many words of a small one as of a large one,
 * in as many spans as there can be. */
static void every_span_is_peeked_at(void **state)
{
    enum { WORDS = 70000 };
    const struct device_judge_ops *ops = device_cuda.judge;
    struct peeks where = {.key = 7, .n = PEEK_SPANS, .spans = {{1024, 60000}}};
    AUTO(freep) uint32_t *words = xcalloc(WORDS, sizeof(*words));
    uint32_t seen[DEVICE_PEEKS];
    struct mem m = MEM_INIT;
    struct err err = ERR_INIT;

    (void)state;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = 3 * i;
    for (uint32_t i = 1; i < PEEK_SPANS; i++)
        where.spans[i] = (struct peek_span){62000 + 100 * i, i};
    assert_int_equal(ops->mem_alloc(cuda, MEM_PRIVATE, WORDS * sizeof(*words), &m, &err), 0);
    assert_int_equal(ops->upload(cuda, &m, 0, words, WORDS * sizeof(*words), &err), 0);
    assert_int_equal(ops->peek(cuda, &m, &where, seen, &err), 0);
    for (uint32_t i = 0; i < DEVICE_PEEKS; i++) {
        const struct peek_span *s = &where.spans[i % PEEK_SPANS];

        assert_int_equal(seen[i], words[peeks_place(&where, i)]);
        assert_in_range(seen[i] / 3, s->at, s->at + s->words - 1);
    }
    where.spans[PEEK_SPANS - 1].at = m.bytes / sizeof(*words);
    assert_int_equal(ops->peek(cuda, &m, &where, seen, &err), -1);
    ops->mem_free(cuda, &m);
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
        assert_int_equal(arenas_make(&a, &p, 3, &err), 0);
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

        assert_int_equal(arenas_make(&a, &p, 3, &err), 0);
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

/* --- answers with other bits than those that were compared --- */

/* No single pass, and so never compared in passing. */
static const char sums[] =
    "problem { 'P', level = 1, id = 1 }\n"
    "sizes { full = { M = 256, N = 320 }, small = { M = 256, N = 320 } }\n"
    "output('y', cumsum(input('x', f32, { M, N }, spread(), normal(), heavy()), { dim = 1 }))\n";

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

/* With the least memory that one content takes. */
static void open_for_one(const struct graph *g, struct pool *p)
{
    struct err err = ERR_INIT;
    int rc = -1;

    for (int64_t memory = 5 << 19; rc < 0 && memory < MEMORY; memory += memory / 8) {
        struct pool_config c = config_of(g, true, 1, memory);

        rc = pool_open(&c, p, &err);
    }
    assert_int_equal(rc, 0);
    assert_int_equal(p->cap_slots, 1);
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

static int compares_left;

static int compare_until(void *ctx, const struct device_compare *what, struct compare_stats *ret,
                         struct err *err)
{
    if (compares_left-- == 0)
        return fail(err, ERR_SYSTEM, "no more");
    return device_cuda.judge->compare(ctx, what, ret, err);
}

/* A law whose honest run failed is as good as new: whoever brings a content of it next measures it.
 */
static void a_law_that_was_not_measured_is_measured_later(void **state)
{
    AUTO(problem_freep) struct problem *problem = load(sums);
    struct device_judge_ops judge = *device_cuda.judge;
    struct device broken = device_cuda;
    const struct pool_slot *slot;
    struct compare_stats s;
    struct err err = ERR_INIT;
    struct pool p;

    (void)state;
    open_for_one(small(problem), &p);
    judge.compare = compare_until;
    broken.judge = &judge;
    p.device = &broken;
    compares_left = 0;
    assert_false(p.measured[1]);
    assert_int_equal(pool_get(&p, 1, &slot, &err), -1);
    assert_string_equal(err.text, "no more");
    compares_left = 0;
    assert_int_equal(pool_compare(&p, 1, 0, &p.slots[0].data, 0, &s, &err), -1);
    assert_string_equal(err.text, "no more");
    assert_false(p.measured[1]);
    compares_left = INT_MAX;
    assert_int_equal(pool_get(&p, 1, &slot, &err), 0);
    assert_true(p.measured[1]);
    assert_int_equal(pool_compare(&p, 1, 0, &slot->data, 0, &s, &err), 0);
    assert_true(p.gates[1].gate.honest_max > 0);
    pool_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_are_equal),
        cmocka_unit_test(contents_come_back),
        cmocka_unit_test(contents_come_back_to_the_bit),
        cmocka_unit_test(inputs_are_compared),
        cmocka_unit_test(every_span_is_peeked_at),
        cmocka_unit_test(arenas_hold_a_content_and_nothing_else),
        cmocka_unit_test(arenas_are_freed_beside_other_work),
        cmocka_unit_test(other_bits_are_compared_element_by_element),
        cmocka_unit_test(answers_are_told_apart),
        cmocka_unit_test(wrong_answers_are_found_among_right_ones),
        cmocka_unit_test(a_law_that_was_not_measured_is_measured_later),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
