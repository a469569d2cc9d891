/* SPDX-License-Identifier: MIT */
#include "terms/baseline.h"

#include "ops/ops.h"

#include <string.h>

#define TORCH "torch:"
#define CPU "cpu:"
#define TF32 "+tf32"
#define VENDOR "vendor"

#define REDUCE_OVERHEAD "reduce-overhead"
#define CUDAGRAPHS "cudagraphs"

static const char *const torch_modes[] = {
    "eager", "compile", "max-autotune", REDUCE_OVERHEAD, CUDAGRAPHS, VENDOR, NULL};
static const char *const cpu_modes[] = {"naive", "openblas", NULL};

static bool begins(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

bool baseline_is(const char *word)
{
    return begins(word, TORCH) || begins(word, CPU);
}

int baseline_parse(const char *word, struct baseline *ret, struct err *err)
{
    bool torch = begins(word, TORCH);
    const char *const *mode = torch ? torch_modes : cpu_modes;
    const char *rest = baseline_is(word) ? strchr(word, ':') + 1 : "";

    for (; *mode; mode++) {
        const char *end = begins(rest, *mode) ? rest + strlen(*mode) : NULL;
        bool tf32 = torch && end && !strcmp(end, TF32);

        if (!end || (*end && !tf32))
            continue;
        *ret = (struct baseline){*mode, torch, tf32};
        return 0;
    }
    return fail(
        err, ERR_USAGE,
        "'%s' is no baseline: torch:eager, torch:compile, torch:max-autotune, "
        "torch:reduce-overhead, torch:cudagraphs or torch:vendor, each also with +tf32; cpu:naive "
        "or cpu:openblas",
        word);
}

bool baseline_is_vendor(const struct baseline *b)
{
    return b->torch && !strcmp(b->mode, VENDOR);
}

bool baseline_needs_gpu(const struct baseline *b)
{
    return b->torch && (!strcmp(b->mode, REDUCE_OVERHEAD) || !strcmp(b->mode, CUDAGRAPHS));
}

static bool needs_blas(const struct baseline *b)
{
    return !b->torch && !strcmp(b->mode, "openblas");
}

int baseline_available(const struct baseline *b, struct err *err)
{
    return !needs_blas(b) || ops_blas_load()
               ? 0
               : fail(err, ERR_SYSTEM, "no OpenBLAS on this machine: install libopenblas0");
}

void baseline_describe(const struct baseline *b, struct buf *out)
{
    if (needs_blas(b))
        buf_addf(out, "the problem's graph in float, %s, loops on all cores", ops_blas_name());
    else
        buf_adds(out, "the problem's graph in float, loops on one core");
}
