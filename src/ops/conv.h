/* SPDX-License-Identifier: MIT */
/* Convolutions as products; a transposed one is several. Output places of a transposed convolution
 * that are equal modulo the stride form a phase: they see the same taps, and the phase is a plain
 * convolution of stride 1. So every output element is one sum over (channel, tap) in that order,
 * and nothing is scattered. */
#ifndef ASSAY_OPS_CONV_H
#define ASSAY_OPS_CONV_H

#include "ops/item_args.h"

struct conv_axis {
    int64_t places;              /* output places of the phase along this axis */
    int64_t start, out_step;     /* place i is output start + i * out_step */
    int64_t taps, tap, tap_step; /* tap j of the phase is tap + j * tap_step of the kernel */
    /* Tap j of place i reads input i * step + offset + j * offset_step. */
    int64_t step, offset, offset_step;
};

struct conv_phase {
    struct conv_axis axis[ITEM_SPACE];
    int64_t places, taps;
    int64_t terms;    /* taps * channels of a group */
    struct span span; /* the terms that are summed (truncation), and in which order (rotation) */
};

int64_t conv_phases(const struct conv_args *c);
void conv_phase(const struct conv_args *c, int64_t i, struct conv_phase *ret);

/* The flat number, in the whole kernel, of tap j of the phase. */
ITEM_FN int64_t conv_phase_tap(const struct conv_args *c, const struct conv_phase *p, int64_t j)
{
    int64_t tap = 0, scale = 1;

    ITEM_ROLLED
    for (int d = ITEM_SPACE - 1; d >= 0; d--) {
        const struct conv_axis *a = &p->axis[d];

        tap += (a->tap + j % a->taps * a->tap_step) * scale;
        scale *= c->k[d];
        j /= a->taps;
    }
    return tap;
}

/* Offset of the output row in which row `row` of the phase's places lies. */
ITEM_FN int64_t conv_phase_row(const struct conv_args *c, const struct conv_phase *p, int64_t row)
{
    int64_t y = row % p->axis[1].places, z = row / p->axis[1].places;

    z = p->axis[0].start + z * p->axis[0].out_step;
    y = p->axis[1].start + y * p->axis[1].out_step;
    return (z * c->out[1] + y) * c->out[2];
}

double conv_flops(const struct conv_args *c);

#endif
