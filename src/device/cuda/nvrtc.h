/* SPDX-License-Identifier: MIT */
/* The judge's own device code, compiled at run time by NVRTC (nvrtc_api.h). Only text that is part
 * of this program comes here: a candidate's text is compiled in the builder's sandbox. */
#ifndef ASSAY_DEVICE_NVRTC_H
#define ASSAY_DEVICE_NVRTC_H

#include "base/buf.h"
#include "base/err.h"

/* A file in memory. */
struct nvrtc_file {
    const char *name; /* as #include spells it */
    const char *text;
};

struct nvrtc_program {
    struct nvrtc_file source;
    const struct nvrtc_file *headers; /* all that #include finds */
    int n_headers;
    int sm;        /* 90 for sm_90 */
    bool is_small; /* compiles in a moment, so it is not announced */
};

/* False with *ret_why (static text) if there is no NVRTC. */
bool nvrtc_available(const char **ret_why);

/* Appends a cubin for this very architecture, without contracted multiply-adds: the same bits as
 * the CPU's. A text that does not compile is an ERR_SYSTEM with the compiler's log on one line.
 * cache_dir (NULL: no cache) is made if it is missing. An entry is named by everything that went
 * into it; a damaged one is made again. */
int nvrtc_compile(const struct nvrtc_program *p, const char *cache_dir, struct buf *ret_cubin,
                  struct err *err);
/* `say` is called before the first compilation of this process that takes seconds, because the
 * cache has no entry. To be set while there is one thread. */
void nvrtc_announce(void (*say)(void));

#endif
