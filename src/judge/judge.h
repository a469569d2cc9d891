/* SPDX-License-Identifier: MIT */
/* The judge, whoever drives it: a command, a lane of a run, a server. One candidate or baseline
 * after the other, on one device at a time. It keeps the device open from problem to problem, and
 * inputs and expected values while the problem and the plan stay the same. It judges again what
 * looks like a fault from outside, and reveals the seed of every pool that it leaves. It takes
 * texts, not paths: a server has none. */
#ifndef ASSAY_JUDGE_JUDGE_H
#define ASSAY_JUDGE_JUDGE_H

#include "judge/session.h"
#include "process/worker.h"

struct judge_config {
    const struct places *places;
    /* Infra is judged once more, a candidate or compiler that was killed a few times, with the
     * device opened anew. */
    bool tries_again;
    /* A pool that nobody is judged on any more: its seed is no secret. NULL: nobody wants to know.
     */
    int (*reveal)(void *arg, const char *pool, const char *seed, struct err *err);
    /* A device was measured, since there was no calibration of it. May be NULL. */
    void (*calibrated)(void *arg, const char *device);
    void *arg;
};

struct judge {
    struct judge_config config;
    struct station *station; /* of the device at hand; NULL before the first one */
    struct session *session; /* of the problem at hand; NULL between problems */
    struct plan plan;        /* of the session, as it was asked for */
    char pool[HASH_HEX];     /* the session's, to be revealed; "": nobody was judged on it yet */
    uint64_t seed;
    struct worker *worker; /* for PyTorch; opened at the first such baseline */
    struct err no_worker;  /* why there is none: asking again takes seconds */
};

/* What is to be judged, and how. */
struct judge_request {
    const struct problem *problem;  /* stays until judge_rest(), or until another one is judged */
    struct session_options options; /* candidates: from this one on, baselines not among them */
    struct source_text source;      /* a candidate; */
    struct prebuilt *built;         /* what a builder made of it, or NULL; its contents are taken */
    const char *baseline;           /* or, instead of both, the word for a baseline */
};

/* The source of a request from a file that the user named; *ret_text is the caller's to free.
 * ERR_INPUT: it cannot be read. */
int judge_read(const char *path, struct source_text *ret, char **ret_text, struct err *err);

struct judge *judge_new(const struct judge_config *config);
/* Does not reveal: judge_rest() says what goes wrong with that. */
void judge_free(struct judge *g);
void judge_freep(struct judge **g);

/* Opens the device, unless it is the one at hand. */
int judge_open_device(struct judge *g, const struct device *device, int index, struct err *err);
/* Opens the session that a request wants, unless it is the one at hand. judge_eval() does so by
 * itself. */
int judge_open(struct judge *g, const struct judge_request *r, struct err *err);
/* A finding, whatever it is, is 0. -1: there is nothing to record, or a seed was not revealed. */
int judge_eval(struct judge *g, const struct judge_request *r, struct evaluation *ret,
               struct err *err);
/* Reveals the seed of the session at hand: nobody is judged on its pool any more. */
int judge_reveal(struct judge *g, struct err *err);
/* The same, and ends the session. The device stays open. */
int judge_rest(struct judge *g, struct err *err);

/* The device for a candidate's file, or for the word of a baseline: `chosen`, where the user named
 * one, else by the suffix. PyTorch's is that of the candidate before it (or NULL), else the GPU
 * where there is one. *ret is NULL where no device takes such files. ERR_INPUT: the chosen one does
 * not. */
int judge_device_for(const char *file, const struct device *chosen, const struct device *before,
                     const struct device **ret, struct err *err);
/* The GPU, where there is one; else the CPU. */
const struct device *judge_torch_device(void);

#endif
