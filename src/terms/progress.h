/* SPDX-License-Identifier: MIT */
/* Progress: the judge reports where it is, the command decides whether to show it. */
#ifndef ASSAY_TERMS_PROGRESS_H
#define ASSAY_TERMS_PROGRESS_H

struct progress {
    /* `total` may grow as measuring goes on. NULL: nobody is interested. */
    void (*report)(void *arg, const char *phase, int done, int total);
    void *arg;
};

static inline void progress_report(const struct progress *p, const char *phase, int done, int total)
{
    if (p && p->report)
        p->report(p->arg, phase, done, total);
}

#endif
