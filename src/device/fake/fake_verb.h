/* SPDX-License-Identifier: MIT */
/* Between fake_parse.c and fake_program.c: the table of instructions. */
#ifndef ASSAY_DEVICE_FAKE_VERB_H
#define ASSAY_DEVICE_FAKE_VERB_H

#include "device/fake/fake_program.h"

/* The word that follows an instruction, and how it is read. */
enum fake_arg {
    ARG_NONE,
    ARG_OP,
    ARG_TIME,
    ARG_PERCENT,
    ARG_STATUS,
    ARG_SIGNAL,
    ARG_BYTES,
    ARG_PATH
};

struct fake_moment;

struct fake_verb {
    const char *name;
    enum fake_arg arg;
    /* A setting holds for the whole program; an action has its moments, before or after the op. */
    void (*set)(struct fake_program *p, double number);
    void (*act)(struct fake_moment *m, const struct fake_step *s);
    bool after_op;
    int moments; /* fake_when bits of the moments that make sense */
    uint64_t default_call;
};

extern const struct fake_verb fake_verbs[];
extern const size_t fake_n_verbs;

#endif
