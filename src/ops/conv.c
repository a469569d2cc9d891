/* SPDX-License-Identifier: MIT */
#include "ops/conv.h"

#include "base/util.h"

static struct conv_axis plain_axis(const struct conv_args *c, int d)
{
    struct conv_axis a = {.places = c->out[d],
                          .out_step = 1,
                          .taps = c->k[d],
                          .tap_step = 1,
                          .step = c->stride[d],
                          .offset = -c->pad[d],
                          .offset_step = c->dilation[d]};

    return a;
}

/* One axis of a phase. Output o takes tap k from input (o + pad - k * dilation) / stride if that is
 * whole, so the taps of a phase are evenly spaced. */
static struct conv_axis phase_axis(const struct conv_args *c, int d, int64_t start)
{
    int64_t stride = c->stride[d], k = 0, n = 0, step = 1;
    struct conv_axis a = {.start = start, .out_step = stride, .step = 1};

    a.places = c->out[d] > start ? (c->out[d] - start + stride - 1) / stride : 0;
    while (step * c->dilation[d] % stride != 0)
        step++;
    while (k < c->k[d] && (start + c->pad[d] - k * c->dilation[d]) % stride != 0)
        k++;
    if (k < c->k[d])
        n = (c->k[d] - 1 - k) / step + 1;
    a.taps = n;
    a.tap = k;
    a.tap_step = step;
    a.offset = n ? (start + c->pad[d] - k * c->dilation[d]) / stride : 0;
    a.offset_step = -(step * c->dilation[d] / stride);
    return a;
}

int64_t conv_phases(const struct conv_args *c)
{
    return c->transposed ? c->stride[0] * c->stride[1] * c->stride[2] : 1;
}

/* The number of the phase's terms before term `end` of the whole kernel. Both are in the same
 * order of (channel, tap). */
static int64_t terms_before(const struct conv_args *c, const struct conv_phase *p, int64_t end)
{
    int64_t taps = c->k[0] * c->k[1] * c->k[2];
    int64_t n = end / taps * p->taps;

    for (int64_t j = 0; j < p->taps; j++)
        n += conv_phase_tap(c, p, j) < end % taps;
    return n;
}

void conv_phase(const struct conv_args *c, int64_t i, struct conv_phase *ret)
{
    struct conv_phase p = {.places = 1, .taps = 1};

    for (int d = ITEM_SPACE - 1; d >= 0; d--) {
        p.axis[d] = c->transposed ? phase_axis(c, d, i % c->stride[d]) : plain_axis(c, d);
        i /= c->stride[d];
        p.places *= p.axis[d].places;
        p.taps *= p.axis[d].taps;
    }
    p.terms = p.taps * (c->c / c->groups);
    p.span.count = terms_before(c, &p, c->span.count);
    p.span.first = terms_before(c, &p, c->span.first);
    if (p.span.first == p.span.count)
        p.span.first = 0;
    *ret = p;
}

double conv_flops(const struct conv_args *c)
{
    double per_channel = c->transposed ? (double)(c->in[0] * c->in[1] * c->in[2])
                                       : (double)(c->out[0] * c->out[1] * c->out[2]);
    double pairs = (double)c->o * ((double)c->c / (double)c->groups);

    return 2 * (double)c->n * pairs * per_channel * (double)(c->k[0] * c->k[1] * c->k[2]);
}
