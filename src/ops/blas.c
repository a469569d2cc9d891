/* SPDX-License-Identifier: MIT */
/* OpenBLAS picks its kernels when it is loaded, from a list of CPUs that ends with its release. On
 * a newer CPU it falls back to slow kernels (45 against 240 GFLOP/s measured). So the environment
 * names a kernel set for the duration of dlopen. OpenBLAS has one thread, because our loops are
 * parallel already, and two thread pools would fight for the cores. */
#include "ops/blas.h"

#include "base/util.h"
#include "ops/ops.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least FLOPs of a job for OpenBLAS. Loading it takes some milliseconds, in which our own loop
 * finishes a smaller job. */
#define WORTH_FLOPS 2e7

/* The least rows and columns of a product for OpenBLAS. A thinner product only streams a matrix,
 * and dgemm would pack it first. */
#define THIN 4

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 }; /* values from cblas.h */

typedef void dgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                      const double *a, int lda, const double *b, int ldb, double beta, double *c,
                      int ldc);
typedef void sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                      const float *a, int lda, const float *b, int ldb, float beta, float *c,
                      int ldc);

static dgemm_fn *dgemm;
static sgemm_fn *sgemm;
static bool for_floats;
static char name[128] = "none";
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *core_type(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return NULL;
}

/* Sets a variable that the user has not set; returns whether the caller has to unset it. */
static bool lend_env(const char *key, const char *value)
{
    return value && !getenv(key) && setenv(key, value, 1) == 0;
}

static void *load_library(void)
{
    bool core = lend_env("OPENBLAS_CORETYPE", core_type());
    bool threads = lend_env("OPENBLAS_NUM_THREADS", "1");
    void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);

    if (core)
        unsetenv("OPENBLAS_CORETYPE");
    if (threads)
        unsetenv("OPENBLAS_NUM_THREADS");
    return lib;
}

/* Stores the object pointer that dlsym returns in a function pointer. */
#define SYMBOL(lib, fn, symbol) (*(void **)&(fn) = dlsym(lib, symbol))

static void load(void)
{
    void *lib = load_library();
    char *(*config)(void) = NULL, *(*core)(void) = NULL;
    void (*set_threads)(int) = NULL;

    if (!lib)
        return;
    SYMBOL(lib, set_threads, "openblas_set_num_threads");
    SYMBOL(lib, config, "openblas_get_config");
    SYMBOL(lib, core, "openblas_get_corename");
    SYMBOL(lib, dgemm, "cblas_dgemm");
    SYMBOL(lib, sgemm, "cblas_sgemm");
    if (!set_threads || !config || !core || !dgemm || !sgemm) {
        dgemm = NULL;
        dlclose(lib);
        return;
    }
    set_threads(1);

    /* config() is like "OpenBLAS 0.3.21 NO_LAPACKE ...": its first two words are kept. */
    const char *words = config();
    const char *end = strchr(words, ' ');

    end = end ? strchrnul(end + 1, ' ') : words;
    snprintf(name, sizeof(name), "%.*s %s", (int)(end - words), words, core());
}

static int64_t largest(const struct gemm *g)
{
    int64_t size = MAX(MAX(g->m, g->n), g->k.count);
    int64_t stride = MAX(MAX(g->a_row, g->a_col), MAX(g->b_row, g->b_col));

    return MAX(MAX(size, stride), g->c_row);
}

bool blas_wanted(const struct gemm *g, double flops)
{
    if (flops < WORTH_FLOPS || MIN(g->m, g->n) < THIN || largest(g) > INT_MAX)
        return false;
    return ops_blas_load();
}

bool blas_wanted_for_floats(const struct gemm *g)
{
    return for_floats && largest(g) <= INT_MAX;
}

bool ops_blas_load(void)
{
    pthread_once(&once, load);
    return dgemm != NULL;
}

bool ops_blas_for_floats(void)
{
    for_floats = ops_blas_load();
    return for_floats;
}

const char *ops_blas_name(void)
{
    return name;
}

struct gemm_call {
    int trans_a, trans_b, lda, ldb, ldc;
};

static struct gemm_call gemm_call(const struct gemm *g)
{
    bool ta = g->a_col != 1, tb = g->b_col != 1;
    int64_t lda = ta ? MAX(g->a_col, g->m) : MAX(g->a_row, g->k.count);
    int64_t ldb = tb ? MAX(g->b_col, g->k.count) : MAX(g->b_row, g->n);

    /* A product without terms gives zeros; lda and ldb still have to be at least 1. */
    return (struct gemm_call){ta ? TRANS : NO_TRANS, tb ? TRANS : NO_TRANS, (int)MAX(lda, 1),
                              (int)MAX(ldb, 1), (int)MAX(g->c_row, g->n)};
}

void blas_dgemm(const struct gemm *g, const double *a, const double *b, double *c)
{
    struct gemm_call x = gemm_call(g);

    dgemm(ROW_MAJOR, x.trans_a, x.trans_b, (int)g->m, (int)g->n, (int)g->k.count, 1, a, x.lda, b,
          x.ldb, 0, c, x.ldc);
}

void blas_sgemm(const struct gemm *g, const float *a, const float *b, float *c)
{
    struct gemm_call x = gemm_call(g);

    sgemm(ROW_MAJOR, x.trans_a, x.trans_b, (int)g->m, (int)g->n, (int)g->k.count, 1, a, x.lda, b,
          x.ldb, 0, c, x.ldc);
}
