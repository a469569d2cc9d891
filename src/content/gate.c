/* SPDX-License-Identifier: MIT */
#include "content/gate.h"

#include <math.h>
#include <stdio.h>

void gate_factors(const struct graph *g, enum dtype t, struct gate *ret)
{
    bool narrow = dtype_size(t) <= 2;

    ret->rms_factor = narrow ? 4 : 8;
    ret->max_factor = narrow ? 8 : 16;
    if (!narrow && graph_winograd(g)) {
        ret->rms_factor = 32;
        ret->max_factor = 64;
    }
    if (g->tolerance.rms > 0)
        ret->rms_factor = g->tolerance.rms;
    if (g->tolerance.max > 0)
        ret->max_factor = g->tolerance.max;
}

double compare_rho(const struct compare_stats *s)
{
    return s->count ? sqrt(s->sum_sq / (double)s->count) : 0;
}

void gate_set_honest(struct gate *gate, enum dtype t, const struct compare_stats *honest)
{
    double u = dtype_roundoff(t);

    gate->honest_rms = fmax(compare_rho(honest), u / 2);
    gate->honest_max = fmax(honest->max, u);
}

static void print_index(const struct shape *shape, int64_t at, char *out, size_t size)
{
    struct buf text = BUF_INIT;
    int64_t strides[SHAPE_MAX_RANK];

    shape_strides(shape, strides);
    for (int i = 0; i < shape->rank; i++) {
        buf_addf(&text, "%s%lld", i ? ", " : "", (long long)(at / strides[i]));
        at %= strides[i];
    }
    snprintf(out, size, "[%s]", buf_str(&text));
    buf_release(&text);
}

int gate_call(const struct gate *gate, const char *output, const struct shape *shape, enum dtype t,
              const struct compare_stats *s, struct verdict *v)
{
    char where[160];

    if (!dtype_is_float(t)) {
        if (s->n_unequal == 0)
            return 0;
        print_index(shape, s->first_unequal, where, sizeof(where));
        return verdict_set(v, REASON_WRONG_UNEQUAL, "%s: %lld of %lld elements differ, first %s",
                           output, (long long)s->n_unequal, (long long)s->count, where);
    }
    if (s->n_nonfinite > 0) {
        print_index(shape, s->first_nonfinite, where, sizeof(where));
        return verdict_set(
            v, REASON_WRONG_NONFINITE,
            "%s: %lld elements are NaN or infinite where a number is expected, first %s", output,
            (long long)s->n_nonfinite, where);
    }
    /* !(<=), so that a NaN never passes. */
    if (!(s->max <= gate->max_factor * gate->honest_max)) {
        print_index(shape, s->max_at, where, sizeof(where));
        return verdict_set(v, REASON_WRONG_MAX,
                           "%s%s is %.9g, expected %.9g: error %.3g of the row's scale, %.3gx what "
                           "honest %s arithmetic makes (limit %gx)",
                           output, where, s->got, s->want, s->max, s->max / gate->honest_max,
                           dtype_name(t), gate->max_factor);
    }
    return 0;
}

int gate_pooled(const struct gate *gate, const char *output, enum dtype t,
                const struct compare_stats *pooled, struct verdict *v)
{
    double rho = compare_rho(pooled);

    if (!dtype_is_float(t) || rho <= gate->rms_factor * gate->honest_rms)
        return 0;
    return verdict_set(
        v, REASON_WRONG_RMS,
        "%s: RMS error %.3g of the rows' scale, %.3gx what honest %s arithmetic makes "
        "(limit %gx): reduced precision?",
        output, rho, rho / gate->honest_rms, dtype_name(t), gate->rms_factor);
}
