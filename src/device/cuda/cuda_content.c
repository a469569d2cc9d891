/* SPDX-License-Identifier: MIT */
#include "device/cuda/cuda_ctx.h"

#include "base/hash.h"

#include "tensor/law.h"

#include <assert.h>

#define CUDA_ERROR_NOT_SUPPORTED 801
/* Values that the elements of a row share are made once, in a table, if that saves more than it
 * costs. */
#define ROW_TABLE_MIN 16 /* elements of a row */
#define ROW_TABLE_MAX ((size_t)1 << 30)
/* Poison of at most so many bytes, guards above all, is only queued: it is there sooner than one
 * could wait for it. With more, the next flush would seem to be slow. */
#define QUEUED_MAX ((size_t)8 << 20)

static bool has_rows(const struct law *law)
{
    switch (law->kind) {
    case LAW_SPREAD:
    case LAW_HEAVY:
    case LAW_NEEDLE:
    case LAW_PERM:
    case LAW_LENGTHS:
    case LAW_PEAKS:
    case LAW_CLUSTER:
    case LAW_SORTED:
    case LAW_TIES:
    case LAW_BANDS:
        return true;
    case LAW_PAGED:
        return law->b != 0;
    default:
        return false;
    }
}

/* Gives the fill a table of its rows, if one pays. */
static int make_rows(struct cuda_ctx *c, struct law_fill *f, int64_t n, struct err *err)
{
    int64_t n_rows = n / f->row_len + 1; /* the last block may reach past the end */
    size_t bytes = (size_t)n_rows * sizeof(struct law_row);
    void *args[] = {f, &n_rows, &c->scratch.at};

    if (!has_rows(&f->law) || f->row_len < ROW_TABLE_MIN || bytes > ROW_TABLE_MAX)
        return 0;
    if (cuda_reserve(c, &c->scratch, bytes, err) < 0 ||
        cuda_launch(c, c->kernels[FILL_ROWS], cuda_blocks(c, n_rows), args, "fill", err) < 0)
        return -1;
    f->rows = (const struct law_row *)(uintptr_t)c->scratch.at;
    return 0;
}

static enum kernel fill_kernel(const struct law_fill *f, enum dtype t)
{
    if (!dtype_is_float(t))
        return FILL_INTEGERS;
    switch (f->law.kind) {
    case LAW_SPREAD:
        return f->rows ? FILL_SPREAD : FILL_REALS;
    case LAW_NEEDLE:
        return f->rows ? FILL_NEEDLE : FILL_REALS;
    case LAW_NORMAL:
        return FILL_NORMAL;
    case LAW_UNIFORM:
        return FILL_UNIFORM;
    case LAW_HEAVY:
        return f->rows ? FILL_HEAVY : FILL_REALS;
    default:
        return FILL_REALS;
    }
}

int cuda_fill(void *ctx, const struct device_fill *what, struct err *err)
{
    struct cuda_ctx *c = ctx;
    const struct shape *shape = what->shape;
    int64_t n = shape_count(shape);
    CUdeviceptr to = cuda_span_of(what->to, what->at, n, dtype_size(what->type), err);
    struct law_fill f =
        law_fill_of(what->law, what->seed, shape->rank ? shape->dim[shape->rank - 1] : 1);
    int type = what->type;
    void *args[] = {&f, &type, &to, &n};

    if (!to || cuda_enter(c, err) < 0)
        return -1;
    if (n == 0)
        return 0;
    if (make_rows(c, &f, n, err) < 0 ||
        cuda_launch(c, c->kernels[fill_kernel(&f, what->type)], cuda_blocks(c, (n + 3) / 4), args,
                    "fill", err) < 0)
        return -1;
    return cuda_finish(c, "fill", err);
}

int cuda_poison(void *ctx, struct mem *m, size_t at, size_t bytes, uint64_t key, struct err *err)
{
    struct cuda_ctx *c = ctx;
    CUdeviceptr to = cuda_span(m, at, bytes, err);
    uint64_t mixed = law_mix(key);
    int64_t n = (int64_t)bytes;
    void *args[] = {&mixed, &to, &n};

    if (!to || cuda_enter(c, err) < 0 ||
        cuda_launch(c, c->kernels[POISON], cuda_blocks(c, n / 16 + 1), args, "poison", err) < 0)
        return -1;
    return bytes <= QUEUED_MAX ? 0 : cuda_finish(c, "poison", err);
}

/* Runs a kernel that looks for the first byte of some kind; the last of its arguments is the place,
 * in scratch memory. If there is none, all ones stay there: the largest unsigned number, or -1 as a
 * signed one. Reading the place waits for the kernel. */
static int find_first(struct cuda_ctx *c, enum kernel kernel, int64_t n, void **args,
                      const char *what, int64_t *ret_at, struct err *err)
{
    CUresult rc = c->cu->cuMemsetD32Async(c->scratch.at, UINT32_MAX, 2, c->stream);

    if (rc)
        return cuda_fail(c->cu, rc, err, "%s", what);
    if (cuda_launch(c, c->kernels[kernel], cuda_blocks(c, n / 8 + 1), args, what, err) < 0)
        return -1;
    rc = c->cu->cuMemcpyDtoH_v2(ret_at, c->scratch.at, sizeof(*ret_at));
    return rc ? cuda_fail(c->cu, rc, err, "%s", what) : 0;
}

int cuda_poison_check(void *ctx, const struct mem *m, size_t at, size_t bytes, uint64_t key,
                      int64_t *ret_at, struct err *err)
{
    struct cuda_ctx *c = ctx;
    CUdeviceptr from = cuda_span(m, at, bytes, err);
    uint64_t mixed = law_mix(key);
    int64_t n = (int64_t)bytes;
    void *args[] = {&mixed, &from, &n, &c->scratch.at};

    if (!from || cuda_enter(c, err) < 0 || cuda_reserve(c, &c->scratch, sizeof(n), err) < 0)
        return -1;
    return find_first(c, POISON_CHECK, n, args, "poison check", ret_at, err);
}

/* The time of a peek is measured, so it is a launch and a copy, however many spans there are. */
int cuda_peek(void *ctx, const struct mem *m, const struct peeks *where, uint32_t *ret_words,
              struct err *err)
{
    struct cuda_ctx *c = ctx;
    CUdeviceptr from = cuda_span(m, 0, m->bytes, err);
    size_t bytes = DEVICE_PEEKS * sizeof(*ret_words);
    void *args[] = {(void *)where, &from, &c->scratch.at};
    CUresult rc;

    assert(where->n > 0);
    for (uint32_t i = 0; from && i < where->n; i++) {
        const struct peek_span *s = &where->spans[i];

        if (!cuda_span(m, s->at * sizeof(*ret_words), s->words * sizeof(*ret_words), err))
            return -1;
    }
    if (!from || cuda_enter(c, err) < 0 || cuda_reserve(c, &c->scratch, bytes, err) < 0 ||
        cuda_launch(c, c->kernels[PEEK], DEVICE_PEEKS / CUDA_THREADS, args, "peek", err) < 0)
        return -1;
    rc = c->cu->cuMemcpyDtoH_v2(ret_words, c->scratch.at, bytes);
    return rc ? cuda_fail(c->cu, rc, err, "peek") : 0;
}

int cuda_differ(void *ctx, const struct mem *a, const struct mem *b, size_t bytes, int64_t *ret_at,
                struct err *err)
{
    struct cuda_ctx *c = ctx;
    CUdeviceptr one = cuda_span(a, 0, bytes, err), other = one ? cuda_span(b, 0, bytes, err) : 0;
    int64_t n = (int64_t)bytes;
    void *args[] = {&one, &other, &n, &c->scratch.at};

    if (!other || cuda_enter(c, err) < 0 || cuda_reserve(c, &c->scratch, sizeof(n), err) < 0)
        return -1;
    return find_first(c, DIFFER, n, args, "comparing inputs", ret_at, err);
}

int cuda_store(void *ctx, const struct mem *values, size_t values_at, enum dtype t, int64_t n,
               struct mem *dst, size_t at, struct err *err)
{
    struct cuda_ctx *c = ctx;
    CUdeviceptr from = cuda_span_of(values, values_at, n, 8, err);
    CUdeviceptr to = from ? cuda_span_of(dst, at, n, dtype_size(t), err) : 0;
    CUfunction kernel = c->kernels[dtype_is_float(t) ? STORE_REALS : STORE_INTEGERS];
    int type = t;
    void *args[] = {&from, &type, &to, &n};

    if (!to || cuda_enter(c, err) < 0)
        return -1;
    if (n == 0)
        return 0;
    if (cuda_launch(c, kernel, cuda_blocks(c, (n + 3) / 4), args, "store", err) < 0)
        return -1;
    return cuda_finish(c, "store", err);
}

/* ---- flush ---- */

/* Twice L2, since one pass over L2's size still leaves hits. */
static size_t sweep_bytes(const struct cuda_ctx *c)
{
    return cuda_aligned(2 * MAX(c->l2_bytes, (size_t)1 << 20));
}

/* Makes the sweep, and as much memory that is only read and holds zeros for good. */
static int make_sweep(struct cuda_ctx *c, struct err *err)
{
    size_t bytes = sweep_bytes(c);
    CUresult rc;

    if (c->sweep.mem.bytes >= bytes)
        return 0;
    cuda_mem_free(c, &c->sweep.mem);
    if (cuda_reserve(c, &c->unread, bytes, err) < 0 ||
        cuda_reserve(c, &c->sum, sizeof(c->sweep.sum), err) < 0)
        return -1;
    rc = c->cu->cuMemsetD32Async(c->unread.at, 0, bytes / 4, c->stream);
    if (rc)
        return cuda_fail(c->cu, rc, err, "flush");
    return cuda_mem_alloc(c, MEM_INPUT, bytes, &c->sweep.mem, err);
}

const struct device_sweep *cuda_sweep(void *ctx, struct err *err)
{
    struct cuda_ctx *c = ctx;

    return cuda_enter(c, err) < 0 || make_sweep(c, err) < 0 ? NULL : &c->sweep;
}

/* Writes fresh numbers to the sweep, which a runner's waiting kernel reads. */
static int write_sweep(struct cuda_ctx *c, struct err *err)
{
    int64_t words = (int64_t)(c->sweep.mem.bytes / 16); /* words of 16 bytes */
    uint64_t key = secret_u64();
    void *args[] = {&c->sweep.mem.handle, &words, &key, &c->sum.at};
    CUresult rc = c->cu->cuMemsetD32Async(c->sum.at, 0, 1, c->stream);

    if (rc)
        return cuda_fail(c->cu, rc, err, "flush");
    return cuda_launch(c, c->kernels[FLUSH_WRITE], cuda_blocks(c, words), args, "flush", err);
}

static int read_unread(struct cuda_ctx *c, struct err *err)
{
    int64_t words = (int64_t)(c->sweep.mem.bytes / 16);
    void *args[] = {&c->unread.at, &words, &c->sum.at};

    return cuda_launch(c, c->kernels[FLUSH_READ], cuda_blocks(c, words), args, "flush", err);
}

/* First the sweep is written, so that other lines leave the cache. Then as much other memory is
 * read, so that the lines which stay are clean and the candidate pays for nobody's write-back.
 * Lines marked persisting would outlive both, and are reset before. The copy of the sum waits for
 * all of it. */
int cuda_flush(void *ctx, struct mem *const *mems, int n, struct err *err)
{
    struct cuda_ctx *c = ctx;
    CUresult rc;

    (void)mems;
    (void)n;
    if (cuda_enter(c, err) < 0 || make_sweep(c, err) < 0)
        return -1;
    rc = c->cu->cuCtxResetPersistingL2Cache();
    if (rc && rc != CUDA_ERROR_NOT_SUPPORTED)
        return cuda_fail(c->cu, rc, err, "flush");
    if (write_sweep(c, err) < 0 || read_unread(c, err) < 0)
        return -1;
    rc = c->cu->cuMemcpyDtoH_v2(&c->sweep.sum, c->sum.at, sizeof(c->sweep.sum));
    return rc ? cuda_fail(c->cu, rc, err, "flush") : 0;
}
