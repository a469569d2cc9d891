/* SPDX-License-Identifier: MIT */
/* cuBLAS stores matrices by columns, so it sees the transpose of our matrices, and c^T = b^T a^T.
 * So its first operand is b, and its second is a. */
#include "gpu/cublas.h"

#include "base/util.h"
#include "device/cuda/cuda_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct cublasContext *cublasHandle_t;

#define CUBLAS_OP_N 0
#define CUBLAS_OP_T 1

#define CUBLAS_FUNCTIONS(F)                                                                    \
    F(cublasCreate_v2, (cublasHandle_t * handle))                                              \
    F(cublasDestroy_v2, (cublasHandle_t handle))                                               \
    F(cublasGetVersion_v2, (cublasHandle_t handle, int *version))                              \
    F(cublasSetStream_v2, (cublasHandle_t handle, CUstream stream))                            \
    F(cublasDgemmStridedBatched_64,                                                            \
      (cublasHandle_t handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k,             \
       const double *alpha, const double *a, int64_t lda, long long stride_a, const double *b, \
       int64_t ldb, long long stride_b, const double *beta, double *c, int64_t ldc,            \
       long long stride_c, int64_t batch))

struct cublas_api {
#define CUBLAS_FIELD(name, args) int(*name) args;
    CUBLAS_FUNCTIONS(CUBLAS_FIELD)
#undef CUBLAS_FIELD
};

struct cublas {
    const struct cublas_api *api;
    cublasHandle_t handle;
    char name[32];
};

char *cublas_library(void)
{
    return cuda_library_find("ASSAY_CUBLAS", "libcublas");
}

static bool load(struct cublas_api *api)
{
    AUTO(freep) char *file = cublas_library();
    void *lib = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;

    if (!lib)
        return false;
#define CUBLAS_LOAD(name, args)               \
    *(void **)&api->name = dlsym(lib, #name); \
    if (!api->name)                           \
        return false;
    CUBLAS_FUNCTIONS(CUBLAS_LOAD)
#undef CUBLAS_LOAD
    return true;
}

/* The library's functions, loaded once per process; NULL: there is no cuBLAS. */
static const struct cublas_api *api(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct cublas_api table;
    static int state; /* 0: not tried, 1: loaded, -1: failed */

    pthread_mutex_lock(&lock);
    if (state == 0)
        state = load(&table) ? 1 : -1;
    pthread_mutex_unlock(&lock);
    return state > 0 ? &table : NULL;
}

struct cublas *cublas_open(CUstream stream)
{
    const struct cublas_api *blas = api();
    cublasHandle_t handle = NULL;
    int version = 0;

    if (!blas || blas->cublasCreate_v2(&handle))
        return NULL;

    struct cublas *b = xcalloc(1, sizeof(*b));

    b->api = blas;
    b->handle = handle;
    if (blas->cublasSetStream_v2(handle, stream) || blas->cublasGetVersion_v2(handle, &version)) {
        cublas_close(b);
        return NULL;
    }
    snprintf(b->name, sizeof(b->name), "cuBLAS %d.%d", version / 10000, version / 100 % 100);
    return b;
}

void cublas_close(struct cublas *b)
{
    if (b)
        b->api->cublasDestroy_v2(b->handle);
    free(b);
}

const char *cublas_name(const struct cublas *b)
{
    return b ? b->name : "none";
}

/* A matrix of rows x cols as cuBLAS describes it. */
struct blas_layout {
    int op;
    int64_t ld;
};

static bool layout(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride,
                   struct blas_layout *ret)
{
    if (col_stride == 1 && row_stride >= cols) {
        *ret = (struct blas_layout){CUBLAS_OP_N, row_stride};
        return true;
    }
    *ret = (struct blas_layout){CUBLAS_OP_T, col_stride};
    return row_stride == 1 && col_stride >= rows;
}

static bool layouts(const struct gemm *g, struct blas_layout *a, struct blas_layout *b)
{
    return layout(g->m, g->k.count, g->a_row, g->a_col, a) &&
           layout(g->k.count, g->n, g->b_row, g->b_col, b) && g->c_col == 1 && g->c_row >= g->n;
}

bool cublas_takes(const struct gpu_product *q)
{
    struct blas_layout a, b;

    return q->g.k.count > 0 && layouts(&q->g, &a, &b);
}

/* The number of neighbouring matrices of a batch that lie one stride apart. */
static int64_t even_run(const struct axes *x, int64_t batch)
{
    return x->rank <= 1 ? batch : x->dim[x->rank - 1];
}

static int64_t stride_of(const struct axes *x)
{
    return x->rank ? x->stride[x->rank - 1] : 0;
}

int cublas_product(struct cublas *h, const struct gpu_product *q, struct err *err)
{
    static const double one = 1, zero = 0;
    /* Both operands have the same batch, so the shorter run divides the longer one. */
    int64_t run = MIN(even_run(&q->batch_a, q->batch), even_run(&q->batch_b, q->batch));
    struct blas_layout a = {0, 0}, b = {0, 0};

    layouts(&q->g, &a, &b); /* succeeds, because cublas_takes() did */
    for (int64_t i = 0; i < q->batch; i += run) {
        int rc = h->api->cublasDgemmStridedBatched_64(
            h->handle, b.op, a.op, q->g.n, q->g.m, q->g.k.count, &one,
            (const double *)q->b + axes_offset(&q->batch_b, i), b.ld, stride_of(&q->batch_b),
            (const double *)q->a + axes_offset(&q->batch_a, i), a.ld, stride_of(&q->batch_a), &zero,
            (double *)q->c + i * q->batch_c, q->g.c_row, q->batch_c, run);

        if (rc)
            return fail(err, ERR_DEVICE, "cuBLAS: a product failed with status %d", rc);
    }
    return 0;
}
