/* SPDX-License-Identifier: MIT */
/* The judge, whoever drives it: a command, a lane of a run, a server. It judges one candidate or
 * baseline after the other, on one device at a time. It keeps the device open from problem to
 * problem, and keeps inputs and expected values while the problem and the plan stay the same. It
 * judges again if a fault seems to come from outside, and reveals the seed of every pool that it
 * leaves. It takes texts, not paths: a server has none. */
#ifndef ASSAY_JUDGE_JUDGE_H
#define ASSAY_JUDGE_JUDGE_H

#include "judge/session.h"
#include "process/worker.h"
#include "process/zygote.h"

struct judge_config {
    const struct places *places;
    /* Judge again: once after infra, a few times after a candidate was killed, with the device
     * opened anew. */
    bool tries_again;
    /* Called when nobody is judged on a pool any more, so that its seed is no secret. May be
     * NULL. */
    int (*reveal)(void *arg, const char *pool, const char *seed, struct err *err);
    /* Called when a device was measured, because there was no calibration of it. May be NULL. */
    void (*calibrated)(void *arg, const char *device);
    void *arg;
};

struct judge {
    struct judge_config config;
    struct station *station; /* the present device; NULL before the first one */
    struct session *session; /* the present problem; NULL between problems */
    struct plan plan;        /* plan of the session, as it was asked for */
    char pool[HASH_HEX]; /* the session's pool, to be revealed; "": nobody was judged on it yet */
    uint64_t seed;
    struct worker *worker; /* worker for PyTorch; opened at the first such baseline */
    struct err no_worker;  /* why there is no worker: asking again takes seconds */
    struct zygote *zygote; /* zygote for candidates in Python; opened at the first one */
    struct err no_zygote;
    struct reference *reference; /* joined to the station; NULL: none. Not owned */
};

/* Request: what is to be judged, and how. */
struct judge_request {
    const struct problem *problem;  /* must stay until judge_rest(), or until another is judged */
    struct session_options options; /* candidates: from this one on, baselines not counted */
    struct source_text source;      /* text of a candidate */
    const char *entry;              /* Python: the class or function to call; NULL: by rank */
    struct prebuilt *built; /* result of a builder for the text, or NULL; contents are taken */
    const char *baseline;   /* the word for a baseline, instead of source and built */
};

/* Reads the source of a request from a file that the user named. The caller frees *ret_text.
 * ERR_INPUT: the file cannot be read. */
int judge_read(const char *path, struct source_text *ret, char **ret_text, struct err *err);

struct judge *judge_new(const struct judge_config *config);
/* Does not reveal the seed: judge_rest() can say what goes wrong with that. */
void judge_free(struct judge *g);
void judge_freep(struct judge **g);

/* Opens the device, unless it is open already. */
int judge_open_device(struct judge *g, const struct device *device, int index, struct err *err);
/* Opens the device and takes a module in KernelBench's form as a reference there: it describes
 * itself, and null candidates are put to it. The caller frees *ret after the judge, or once another
 * problem is judged. ERR_INPUT: it is no reference, or is not admitted and `unadmitted` is false.
 */
int judge_open_reference(struct judge *g, const char *path, const struct session_options *o,
                         bool unadmitted, struct reference **ret, struct err *err);
/* Opens the device, and has torch.fx trace a module in KernelBench's form there
 * (reference_draft()). */
int judge_draft(struct judge *g, const char *path, const struct session_options *o, struct buf *ret,
                struct err *err);
/* Opens the session that a request wants, unless it is open already. judge_eval() does so by
 * itself. */
int judge_open(struct judge *g, const struct judge_request *r, struct err *err);
/* Judges a request. Returns 0 for every finding. -1: there is nothing to record, or a seed was not
 * revealed. */
int judge_eval(struct judge *g, const struct judge_request *r, struct evaluation *ret,
               struct err *err);
/* Reveals the seed of the present session: nobody is judged on its pool any more. */
int judge_reveal(struct judge *g, struct err *err);
/* Ends the session and reveals its seed. The device stays open. */
int judge_rest(struct judge *g, struct err *err);

/* The device for a candidate's file, or for the word of a baseline. It is `chosen` if the user
 * named one, otherwise the suffix decides. PyTorch takes the device of the candidate before it (or
 * NULL), otherwise the GPU if there is one. *ret is NULL if no device takes such files. ERR_INPUT:
 * the chosen device does not. */
int judge_device_for(const char *file, const struct device *chosen, const struct device *before,
                     const struct device **ret, struct err *err);
/* The GPU if there is one, otherwise the CPU. */
const struct device *judge_torch_device(void);

#endif
