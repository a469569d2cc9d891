/* SPDX-License-Identifier: MIT */
/* What candidates are compared with: the problem itself, run by somebody else. By PyTorch, in a
 * worker (process/worker.h): "torch:eager", "torch:compile", "torch:max-autotune", each also with
 * "+tf32"; "torch:vendor" calls a vendor's library instead (workers/vendor/PROBLEM.py). On the CPU
 * by our own loops, in float (assay-plain): "cpu:naive", one thread and no library; "cpu:openblas",
 * all cores and OpenBLAS for what is contracted. */
#ifndef ASSAY_TERMS_BASELINE_H
#define ASSAY_TERMS_BASELINE_H

#include "base/buf.h"
#include "base/err.h"

struct baseline {
    const char *mode; /* "eager", "naive", ...; static. NULL: no baseline */
    bool torch;
    bool tf32; /* of torch: allowed for matmul and cuDNN; off unless asked for */
};

/* Whether the word starts like one and so cannot be a file or a problem. */
bool baseline_is(const char *word);
/* ERR_USAGE with the list of words. */
int baseline_parse(const char *word, struct baseline *ret, struct err *err);
bool baseline_is_vendor(const struct baseline *b);
/* Whether what it needs besides PyTorch is there: an OpenBLAS. ERR_SYSTEM otherwise. */
int baseline_available(const struct baseline *b, struct err *err);
/* The toolchain in the record of one that is not torch's. */
void baseline_describe(const struct baseline *b, struct buf *out);

#endif
