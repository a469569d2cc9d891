/* SPDX-License-Identifier: MIT */
/* Comparing with a pass as it is made, on the emulated GPU: figures and fingerprint are those of
 * the stored way, to the bit, whatever the answer and wherever rows end; and which outputs are made
 * by one pass. */
#define RIG_ON_GPU
#include "ops_rig.h"

/* ---- passes from sources alone ---- */

/* exp(x - most[row]) / sum[row] */
static int softmax_of(struct rig *r, int64_t rows, int64_t length)
{
    int x = add_f32(r, SHAPE(rows, length)), most = add_f32(r, SHAPE(rows, 1));
    int sum = add_f32(r, SHAPE(rows, 1));
    int e = add_op(r, OP_EXP, NULL, NULL, 1, add_op(r, OP_SUB, NULL, NULL, 2, x, most));

    return add_op(r, OP_DIV, NULL, NULL, 2, e, sum);
}

/* Many rows to a chunk. */
static int softmax_short(struct rig *r)
{
    return softmax_of(r, 26, 340);
}

/* Rows that are longer than a chunk and end within its steps. */
static int softmax_long(struct rig *r)
{
    return softmax_of(r, 3, 5002);
}

/* The same, within a pair. */
static int softmax_odd(struct rig *r)
{
    return softmax_of(r, 5, 4111);
}

static int relu_of(struct rig *r, enum dtype t, int64_t n)
{
    AUTO(freep) double *v = xcalloc((size_t)n, sizeof(*v));
    int x;

    for (int64_t i = 0; i < n; i++)
        v[i] = i % 1000 == 7 ? NAN : i % 1000 == 9 ? INFINITY : i % 1000 == 11 ? -0.0 : noise();
    x = add_source(r, t, SHAPE(n), v);
    return add_op(
        r, OP_MAXIMUM, NULL, NULL, 2, x,
        add_op(r, OP_CONST, &(struct op_attrs){.value = 0}, &(struct node){.dtype = t}, 0));
}

/* Not all infinities and NaNs are wrong here; three elements are left over. */
static int relu(struct rig *r)
{
    return relu_of(r, DT_F32, 12291);
}

/* Whole chunks. */
static int relu_bf16(struct rig *r)
{
    return relu_of(r, DT_BF16, 16384);
}

static const struct pass {
    const char *name;
    int (*build)(struct rig *r);
    enum dtype type;
    int64_t row_len; /* 0: every element has the same scale */
} passes[] = {
    {"compare_softmax", softmax_short, DT_F32, 340},
    {"compare_softmax", softmax_short, DT_F32, 0},
    {"compare_softmax_long", softmax_long, DT_BF16, 5002},
    {"compare_softmax_odd", softmax_odd, DT_F32, 4111},
    {"compare_relu", relu, DT_F32, 0},
    {"compare_relu", relu, DT_F32, 12291},
    {"compare_relu", relu, DT_F32, 17},
    {"compare_relu_bf16", relu_bf16, DT_BF16, 4096},
};

/* ---- answers ---- */

static void right(enum dtype t, char *got, int64_t n)
{
    (void)t, (void)got, (void)n;
}

static void spoil(enum dtype t, char *got, int64_t at, double value)
{
    dtype_store(t, got + (size_t)at * dtype_size(t), value);
}

static void one_wrong(enum dtype t, char *got, int64_t n)
{
    spoil(t, got, n / 2 + 1, 3);
}

static void last_wrong(enum dtype t, char *got, int64_t n)
{
    spoil(t, got, n - 1, 1e30);
}

static void many_wrong(enum dtype t, char *got, int64_t n)
{
    for (int64_t i = 0; i < n; i += 1 + i % 5)
        spoil(t, got, i, dtype_load(t, got + (size_t)i * dtype_size(t)) * (1 + 0.01 * noise()));
}

static void not_finite(enum dtype t, char *got, int64_t n)
{
    spoil(t, got, 3, NAN);
    spoil(t, got, n / 3, INFINITY);
    spoil(t, got, n / 2, -INFINITY);
    spoil(t, got, n - 2, NAN);
}

static void (*const answers[])(enum dtype t, char *got, int64_t n) = {right, one_wrong, last_wrong,
                                                                      many_wrong, not_finite};

/* ---- both ways ---- */

struct both {
    struct rig r;
    struct mem in[MAX_TENSORS], y, rms, got;
    const void *sources[MAX_TENSORS];
    const struct pass *pass;
    int64_t n;
    struct compare_scale scale;
};

static void open_both(struct both *b, const struct pass *pass)
{
    void *y;

    *b = (struct both){.pass = pass};
    rig_start(&b->r);
    finish(&b->r, pass->build(&b->r));
    b->n = result_count(&b->r, 0);
    b->scale = (struct compare_scale){pass->row_len, 0.4, 0x1p-20};
    for (int i = 0; i < b->r.n_sources; i++) {
        const struct source *s = &b->r.g->sources[i];

        b->in[i] = on_device(b->r.data[i], (size_t)shape_count(&s->shape) * dtype_size(s->dtype));
        b->sources[i] = (const void *)b->in[i].handle;
    }
    b->y = on_device(NULL, (size_t)b->n * 8);
    b->rms = on_device(NULL, (size_t)b->n * 8);
    b->got = on_device(NULL, (size_t)(b->n + 1) * 8);
    y = (void *)b->y.handle;
    must(engine.eval(engine.ctx, b->r.g, &in_double, b->sources, &y, &err), &err);
    if (pass->row_len)
        must(judge->row_rms(judge_ctx, &b->y, 0, b->n, pass->row_len, &b->rms, 0, &err), &err);
}

static void close_both(struct both *b)
{
    for (int i = 0; i < b->r.n_sources; i++)
        judge->mem_free(judge_ctx, &b->in[i]);
    judge->mem_free(judge_ctx, &b->y);
    judge->mem_free(judge_ctx, &b->rms);
    judge->mem_free(judge_ctx, &b->got);
    rig_end(&b->r);
}

/* What is expected, narrowed and then changed, `at` bytes into the memory. */
static void give_answer(struct both *b, size_t at,
                        void (*change)(enum dtype t, char *got, int64_t n))
{
    enum dtype t = b->pass->type;
    size_t bytes = (size_t)b->n * dtype_size(t);
    AUTO(freep) char *got = xmalloc(bytes);

    must(judge->store(judge_ctx, &b->y, 0, t, b->n, &b->got, 0, &err), &err);
    must(judge->download(judge_ctx, &b->got, 0, got, bytes, &err), &err);
    change(t, got, b->n);
    must(judge->upload(judge_ctx, &b->got, at, got, bytes, &err), &err);
}

static struct compare_stats hold_both(struct both *b, size_t at)
{
    struct fingerprint stored_print = {.key = 77}, print = {.key = 77};
    struct compare_stats stored, stats;
    struct ops_compare what = {.type = b->pass->type,
                               .got = (const char *)b->got.handle + at,
                               .scale = &b->scale,
                               .row_rms = (const double *)b->rms.handle,
                               .print = &print};

    must(judge->compare(judge_ctx,
                        &(struct device_compare){&b->y, 0, &b->got, at, b->pass->type, b->n,
                                                 &b->scale, &b->rms, 0, &stored_print},
                        &stored, &err),
         &err);
    must(engine.compare(engine.ctx, b->r.g, b->sources, &what, &stats, &err), &err);
    assert_memory_equal(&stats, &stored, sizeof(stats));
    assert_memory_equal(&print, &stored_print, sizeof(print));
    what.print = NULL;
    must(engine.compare(engine.ctx, b->r.g, b->sources, &what, &stats, &err), &err);
    assert_memory_equal(&stats, &stored, sizeof(stats));
    return stats;
}

static void expect_kernel(struct both *b)
{
    if (!engine.compares(engine.ctx, b->r.g, b->sources, 0, b->pass->type)) {
        const struct gpu *g = gpu();

        fail_msg("%s: not what tests/emu/special has:\n%s", b->pass->name,
                 g->specials[(g->n_specials + GPU_SPECIALS - 1) % GPU_SPECIALS].text);
    }
}

static void figures_are_those_of_the_stored_way(void **state)
{
    (void)state;
    gpu()->special_least = 1;
    for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
        struct both b;

        open_both(&b, &passes[i]);
        expect_kernel(&b);
        for (size_t k = 0; k < ARRAY_SIZE(answers); k++) {
            give_answer(&b, 0, answers[k]);
            hold_both(&b, 0);
            give_answer(&b, dtype_size(passes[i].type), answers[k]); /* pairs do not lie for it */
            hold_both(&b, dtype_size(passes[i].type));
        }
        close_both(&b);
    }
}

/* Not only the same, but right. */
static void what_is_wrong_is_found(void **state)
{
    struct compare_stats s;
    struct both b;

    (void)state;
    gpu()->special_least = 1;
    open_both(&b, &passes[0]);
    give_answer(&b, 0, right);
    s = hold_both(&b, 0);
    assert_true(s.count == b.n && s.max < 1e-6 && s.n_nonfinite == 0);
    give_answer(&b, 0, one_wrong);
    s = hold_both(&b, 0);
    assert_int_equal(s.max_at, b.n / 2 + 1);
    assert_true(s.got == 3 && s.want != 3);
    give_answer(&b, 0, not_finite);
    s = hold_both(&b, 0);
    assert_int_equal(s.n_nonfinite, 4);
    assert_int_equal(s.first_nonfinite, 3);
    close_both(&b);
}

/* ---- which outputs ---- */

static int of_a_reduction(struct rig *r)
{
    struct op_attrs last = {.axes = 2, .keep = true};
    int x = add_f32(r, SHAPE(26, 340)), sum = add_op(r, OP_SUM, &last, NULL, 1, x);

    return add_op(r, OP_DIV, NULL, NULL, 2, x, sum);
}

static int of_two_passes(struct rig *r)
{
    int x = add_f32(r, SHAPE(26, 340)), e = add_op(r, OP_EXP, NULL, NULL, 1, x);

    return add_op(r, OP_ADD, NULL, NULL, 2, add_op(r, OP_NEG, NULL, NULL, 1, e),
                  add_op(r, OP_ABS, NULL, NULL, 1, e));
}

static int of_integers(struct rig *r)
{
    return add_op(r, OP_NEG, NULL, NULL, 1, add_source(r, DT_I32, SHAPE(8840), NULL));
}

static int of_nothing(struct rig *r)
{
    return add_f32(r, SHAPE(8840));
}

static bool compares(int (*build)(struct rig *r), int64_t least, enum dtype t)
{
    static double data[8840 + 4]; /* only its address counts */
    const void *at = (const void *)(((uintptr_t)data + 31) / 32 * 32);
    const void *sources[MAX_TENSORS];
    struct rig r;
    bool ret;

    for (int i = 0; i < MAX_TENSORS; i++)
        sources[i] = at;
    rig_start(&r);
    finish(&r, build(&r));
    gpu()->special_least = least;
    ret = engine.compares(engine.ctx, r.g, sources, 0, t);
    rig_end(&r);
    return ret;
}

static void one_pass_from_sources(void **state)
{
    int made;

    (void)state;
    assert_true(compares(softmax_short, 26 * 340, DT_F32));
    assert_false(compares(softmax_short, 26 * 340 + 1, DT_F32));
    assert_false(compares(softmax_short, 1, DT_F64)); /* which tests/emu has not */
    made = gpu()->n_specials;
    assert_false(compares(of_a_reduction, 1, DT_F32));
    assert_false(compares(of_two_passes, 1, DT_F32));
    assert_false(compares(of_integers, 1, DT_I32));
    assert_false(compares(of_nothing, 1, DT_F32));
    assert_int_equal(gpu()->n_specials, made); /* it was not even tried */
}

static void without_a_kernel_it_is_an_error(void **state)
{
    struct compare_stats stats = COMPARE_STATS_INIT;
    struct ops_compare what = {.type = DT_F32};
    struct both b;

    (void)state;
    gpu()->special_least = 1;
    open_both(&b, &passes[0]);
    gpu()->special_least = INT64_MAX;
    what.scale = &b.scale;
    assert_int_equal(engine.compare(engine.ctx, b.r.g, b.sources, &what, &stats, &err), -1);
    close_both(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_stored_way),
        cmocka_unit_test(what_is_wrong_is_found),
        cmocka_unit_test(one_pass_from_sources),
        cmocka_unit_test(without_a_kernel_it_is_an_error),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);

    gpu_engine_close(&engine);
    judge->close(judge_ctx);
    return rc;
}
