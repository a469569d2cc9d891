/* SPDX-License-Identifier: MIT */
/* Paged attention that takes every sequence for full: right in scored calls, wrong on ragged
 * lengths. problem: hard/3 expected: wrong: nonfinite */
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

#define MAX_WIDTH 128

struct sequence {
    const uint16_t *cache;
    const int32_t *pages;
    int64_t length, page, heads, width;
};

/* Head h of token t: its key, and its value behind it. */
static const uint16_t *token(const struct sequence *s, int64_t t, int64_t h)
{
    return s->cache +
           ((s->pages[t / s->page] * s->page + t % s->page) * s->heads + h) * 2 * s->width;
}

static float dot(const uint16_t *a, const uint16_t *b, int64_t n)
{
    float sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += from_bf16(a[i]) * from_bf16(b[i]);
    return sum;
}

/* Softmax in one pass: what was summed under a lower maximum is scaled down when a higher one
 * comes. */
static void attend(const struct sequence *s, const uint16_t *query, int64_t h, uint16_t *out)
{
    float sums[MAX_WIDTH] = {0}, top = -INFINITY, total = 0;

    for (int64_t t = 0; t < s->length; t++) {
        const uint16_t *key = token(s, t, h);
        float score = dot(query, key, s->width) / sqrtf((float)s->width);
        float higher = fmaxf(top, score), weight = expf(score - higher), keep = expf(top - higher);

        for (int64_t i = 0; i < s->width; i++)
            sums[i] = sums[i] * keep + weight * from_bf16(key[s->width + i]);
        total = total * keep + weight;
        top = higher;
    }
    for (int64_t i = 0; i < s->width; i++)
        out[i] = to_bf16(sums[i] / total);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const DLTensor *query = &in[IN_QUERY], *cache = &in[IN_KV_CACHE], *table = &in[IN_BLOCK_TABLE];
    int64_t heads = query->shape[1], width = query->shape[2];
    struct sequence s = {
        .cache = cache->data, .page = cache->shape[1], .heads = cache->shape[2], .width = width};

    int64_t full = 0;

    (void)n_in, (void)n_out, (void)stream;
    if (width > MAX_WIDTH)
        return 1;
    for (int64_t b = 0; b < query->shape[0]; b++)
        if (((const int32_t *)in[IN_SEQ_LENS].data)[b] > full)
            full = ((const int32_t *)in[IN_SEQ_LENS].data)[b];
    for (int64_t i = 0; i < query->shape[0] * heads; i++) {
        s.pages = (const int32_t *)table->data + i / heads * table->shape[1];
        s.length = full;
        attend(&s, (const uint16_t *)query->data + i * width, i % heads / (heads / s.heads),
               (uint16_t *)out[OUT_OUT].data + i * width);
    }
    return 0;
}
