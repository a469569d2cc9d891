/* SPDX-License-Identifier: MIT */
/* Baseline: the problem itself, run by somebody else, for comparison with candidates. PyTorch runs
 * it in a worker (process/worker.h): "torch:eager", "torch:compile", "torch:max-autotune",
 * "torch:reduce-overhead", "torch:cudagraphs", each also with "+tf32"; "torch:vendor" calls a
 * vendor's library instead (workers/vendor/PROBLEM.py).
 * On the CPU our own loops run it in float (assay-plain): "cpu:naive" with one thread and no
 * library; "cpu:openblas" with all cores, and OpenBLAS for contractions. */
#ifndef ASSAY_TERMS_BASELINE_H
#define ASSAY_TERMS_BASELINE_H

#include "base/buf.h"
#include "base/err.h"

struct baseline {
    const char *mode; /* "eager", "naive", ...; static. NULL: no baseline */
    bool torch;
    bool tf32; /* torch may use TF32 for matmul and cuDNN; off unless asked for */
};

/* Whether the word starts like a baseline, and so cannot be a file or a problem. */
bool baseline_is(const char *word);
/* An unknown word is ERR_USAGE with the list of words. */
int baseline_parse(const char *word, struct baseline *ret, struct err *err);
bool baseline_is_vendor(const struct baseline *b);
/* Whether it is made of CUDA graphs, so that on a CPU it would be torch:compile by another name. */
bool baseline_needs_gpu(const struct baseline *b);
/* Whether OpenBLAS is there, if the baseline needs it. ERR_SYSTEM otherwise. */
int baseline_available(const struct baseline *b, struct err *err);
/* Writes the toolchain of a baseline that is not torch's, for the record. */
void baseline_describe(const struct baseline *b, struct buf *out);

#endif
