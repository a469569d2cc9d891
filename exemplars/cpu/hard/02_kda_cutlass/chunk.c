/* SPDX-License-Identifier: MIT */
/* The chunk form: 64 steps at a time as products of matrices, whose operands are rounded to bf16 as
 * for tensor cores; sums, the triangular inverse and the state between chunks are float. G is the
 * running sum of the log-decays within the chunk. */
#include "assay.h"
#include "problem.h"

#include <math.h>
#include <string.h>

static float from_bf16(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint16_t to_bf16(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* to nearest, ties to even */
}

#define C 64
#define D 128 /* the most keys and values */

static float bf16(float x)
{
    return from_bf16(to_bf16(x));
}

/* c (m x n) = a (m x k) b (k x n), or c += with `add`; rows of C or D floats. */
static void multiply(int m, int n, int k, const float *a, int a_row, const float *b, float *c,
                     int add)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = add ? c[i * D + j] : 0;

            for (int l = 0; l < k; l++)
                sum += bf16(a[i * a_row + l]) * bf16(b[l * D + j]);
            c[i * D + j] = sum;
        }
}

struct chunk {
    int keys, values;
    float q[C][D], k[C][D], v[C][D], g[C][D], beta[C];
    float a[C][C], weighted[C][D], w[C][D], u[C][D], scores[C][C], decayed[D][C];
};

/* Rows c of x against rows i < c (or <= c with `self`) of k, decayed from i to c. */
static void decayed_products(const struct chunk *s, const float (*x)[D], int self, float (*ret)[C])
{
    for (int c = 0; c < C; c++)
        for (int i = 0; i < C; i++) {
            float sum = 0;

            for (int d = 0; d < s->keys && i < c + self; d++)
                sum += x[c][d] * expf(s->g[c][d] - s->g[i][d]) * s->k[i][d];
            ret[c][i] = sum;
        }
}

/* a = (I + diag(beta) L)^-1 diag(beta), L strictly lower. */
static void invert(struct chunk *s)
{
    decayed_products(s, s->k, 0, s->a);
    for (int i = 0; i < C; i++)
        for (int j = 0; j < i; j++)
            s->a[i][j] *= -s->beta[i];
    for (int i = 1; i < C; i++) {
        float row[C];

        memcpy(row, s->a[i], sizeof(row));
        for (int m = 0; m < i; m++)
            for (int j = 0; j < m; j++)
                row[j] += s->a[i][m] * s->a[m][j];
        memcpy(s->a[i], row, sizeof(row));
    }
    for (int i = 0; i < C; i++) {
        s->a[i][i] = 1;
        for (int j = 0; j <= i; j++)
            s->a[i][j] *= s->beta[j];
    }
}

/* o and the state after the chunk. */
static void run(struct chunk *s, float (*state)[D], float (*o)[D])
{
    invert(s);
    for (int c = 0; c < C; c++)
        for (int d = 0; d < s->keys; d++)
            s->weighted[c][d] = expf(s->g[c][d]) * s->k[c][d];
    multiply(C, s->keys, C, s->a[0], C, s->weighted[0], s->w[0], 0);
    multiply(C, s->values, C, s->a[0], C, s->v[0], s->u[0], 0);
    for (int c = 0; c < C; c++)
        for (int d = 0; d < s->keys; d++)
            s->w[c][d] = -s->w[c][d];
    multiply(C, s->values, s->keys, s->w[0], D, state[0], s->u[0], 1);
    decayed_products(s, s->q, 1, s->scores);
    for (int c = 0; c < C; c++)
        for (int d = 0; d < s->keys; d++) {
            s->q[c][d] *= expf(s->g[c][d]);
            s->decayed[d][c] = expf(s->g[C - 1][d] - s->g[c][d]) * s->k[c][d];
        }
    multiply(C, s->values, s->keys, s->q[0], D, state[0], o[0], 0);
    multiply(C, s->values, C, s->scores[0], C, s->u[0], o[0], 1);
    for (int d = 0; d < s->keys; d++)
        for (int j = 0; j < s->values; j++)
            state[d][j] *= expf(s->g[C - 1][d]);
    multiply(s->keys, s->values, C, s->decayed[0], C, s->u[0], state[0], 1);
}

static void load(struct chunk *s, const DLTensor *in, int64_t at, int64_t row)
{
    for (int c = 0; c < C; c++, at += row) {
        s->beta[c] = from_bf16(((const uint16_t *)in[IN_BETA].data)[at]);
        for (int d = 0; d < s->keys; d++) {
            int64_t i = at * s->keys + d;

            s->q[c][d] = from_bf16(((const uint16_t *)in[IN_Q].data)[i]) / sqrtf((float)s->keys);
            s->k[c][d] = from_bf16(((const uint16_t *)in[IN_K].data)[i]);
            s->g[c][d] = ((const float *)in[IN_G].data)[i] + (c ? s->g[c - 1][d] : 0);
        }
        for (int d = 0; d < s->values; d++)
            s->v[c][d] = from_bf16(((const uint16_t *)in[IN_V].data)[at * s->values + d]);
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const int64_t *shape = in[IN_Q].shape;
    int64_t steps = shape[1], heads = shape[2];
    static struct chunk s;
    static float state[D][D], o[C][D];

    (void)n_in, (void)n_out, (void)stream;
    s.keys = (int)shape[3];
    s.values = (int)in[IN_V].shape[3];
    if (s.keys > D || s.values > D || steps % C)
        return 1;
    for (int64_t i = 0; i < shape[0] * heads; i++) {
        memset(state, 0, sizeof(state));
        for (int64_t t = 0; t < steps; t += C) {
            int64_t at = (i / heads * steps + t) * heads + i % heads;

            load(&s, in, at, heads);
            run(&s, state, o);
            for (int c = 0; c < C; c++)
                for (int j = 0; j < s.values; j++)
                    ((uint16_t *)out[OUT_O].data)[(at + c * heads) * s.values + j] =
                        to_bf16(o[c][j]);
        }
    }
    return 0;
}
