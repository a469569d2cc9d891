/* SPDX-License-Identifier: MIT */
/* The numbers of a law, a function of (law, seed, row length, element index) and of nothing else.
 * Plain C that CUDA compiles too, with the same bits: + - * / and sqrt in double are the same
 * everywhere, so log, exp and sincos are made of them here.
 *
 * Philox counters: c0 c1 count blocks of four elements or rows, c3 says what the draw is for. The
 * key is the seed. Element i is lane i % 4 of block i / 4; work is done a block at a time, with the
 * parameters of the current row kept in a struct law_row. A row is the last axis. */
#ifndef ASSAY_TENSOR_LAW_H
#define ASSAY_TENSOR_LAW_H

#include "tensor/lawkind.h"
#include "tensor/philox.h"

enum law_stream {
    LAW_STREAM_ELEMENT = 0,
    LAW_STREAM_ROW = 1,
    LAW_STREAM_SECOND = 2, /* a second number per element, where one does not do */
};

LAW_FN struct philox law_draw(uint64_t seed, int64_t at, enum law_stream stream)
{
    return philox4x32((uint32_t)at, (uint32_t)((uint64_t)at >> 32), 0, (uint32_t)stream,
                      (uint32_t)seed, (uint32_t)(seed >> 32));
}

/* SplitMix64's finaliser (Steele et al., OOPSLA'14): a bijection that leaves no pattern. */
LAW_FN uint64_t law_mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* Eight bytes of poison; mixed_key is law_mix(key). One multiplication: it runs at memory speed. */
LAW_FN uint64_t law_poison(uint64_t mixed_key, uint64_t word)
{
    uint64_t x = mixed_key + word * 0x9E3779B97F4A7C15u;

    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
    return x ^ (x >> 29);
}

/* Natural logarithm of a positive normal number. x = 2^e m with m in [sqrt(1/2), sqrt(2));
 * log m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| < 0.172: the next term is 1e-18 of the sum.
 */
LAW_FN double law_log(double x)
{
    uint64_t bits = bits_of_f64(x);
    int64_t e = (int64_t)(bits - 0x3FE6A09E667F3BCDu) >> 52;
    double m = f64_of_bits(bits - ((uint64_t)e << 52));
    double s = (m - 1) / (m + 1), q = s * s;
    double p = 1.0 / 21;

    p = p * q + 1.0 / 19;
    p = p * q + 1.0 / 17;
    p = p * q + 1.0 / 15;
    p = p * q + 1.0 / 13;
    p = p * q + 1.0 / 11;
    p = p * q + 1.0 / 9;
    p = p * q + 1.0 / 7;
    p = p * q + 1.0 / 5;
    p = p * q + 1.0 / 3;
    /* ln 2 in two parts; the first has 21 zero bits at its end, so that its product is exact. */
    return (double)(int32_t)e * 0x1.62e42feep-1 +
           (2 * s + (2 * s * (q * p) + (double)(int32_t)e * 0x1.a39ef35793c76p-33));
}

/* e^x for |x| < 700: 2^k e^r with |r| <= ln(2) / 2, Taylor to r^13. */
LAW_FN double law_exp(double x)
{
    int32_t k = (int32_t)(x * 0x1.71547652b82fep+0 + (x < 0 ? -0.5 : 0.5));
    double r = x - k * 0x1.62e42feep-1 - k * 0x1.a39ef35793c76p-33;
    double p = 1.0 / 6227020800;

    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1;
    p = p * r + 1;
    return p * f64_of_bits((uint64_t)(1023 + k) << 52);
}

/* cos and sin of 2 pi v / 2^32. The quadrant is taken off in integers, so nothing is lost; the rest
 * is within pi/4 of 0, Taylor to the 16th power. */
LAW_FN void law_cos_sin(uint32_t v, double *ret_cos, double *ret_sin)
{
    uint32_t quadrant = (v + 0x20000000u) >> 30;
    double t = (double)(int32_t)(v - (quadrant << 30)) * 0x1.921fb54442d18p-30;
    double q = t * t;
    double s = -1.0 / 1307674368000, c = 1.0 / 20922789888000;

    s = s * q + 1.0 / 6227020800;
    s = s * q - 1.0 / 39916800;
    s = s * q + 1.0 / 362880;
    s = s * q - 1.0 / 5040;
    s = s * q + 1.0 / 120;
    s = s * q - 1.0 / 6;
    s = s * q * t + t;
    c = c * q - 1.0 / 87178291200;
    c = c * q + 1.0 / 479001600;
    c = c * q - 1.0 / 3628800;
    c = c * q + 1.0 / 40320;
    c = c * q - 1.0 / 720;
    c = c * q + 1.0 / 24;
    c = c * q - 0.5;
    c = c * q + 1;

    double x = quadrant & 1 ? s : c, y = quadrant & 1 ? c : s;

    *ret_cos = (quadrant + 1) & 2 ? -x : x;
    *ret_sin = quadrant & 2 ? -y : y;
}

/* 0 <= u < 1 */
LAW_FN double law_unit(uint32_t v)
{
    return (double)v * 0x1p-32;
}

/* 0 <= result < n, for n up to 2^32 */
LAW_FN int64_t law_below(uint32_t v, int64_t n)
{
    return (int64_t)(((uint64_t)v * (uint64_t)n) >> 32);
}

/* Two standard normals by Box and Muller; the largest possible is 6.8. */
LAW_FN void law_normal_pair(uint32_t v, uint32_t w, double out[2])
{
    double radius = sqrt(-2 * law_log(((double)v + 0.5) * 0x1p-32));

    law_cos_sin(w, &out[0], &out[1]);
    out[0] *= radius;
    out[1] *= radius;
}

LAW_FN void law_normals(uint64_t seed, int64_t block, enum law_stream stream, double out[4])
{
    struct philox r = law_draw(seed, block, stream);

    law_normal_pair(r.v[0], r.v[1], out);
    law_normal_pair(r.v[2], r.v[3], out + 2);
}

/* What all elements of a row share. */
struct law_row {
    int64_t row;
    int64_t len;
    struct philox draw;
    double location, deviation; /* spread; peaks: the height of the peaks */
    int64_t needle[2];          /* needle: the two random places; peaks, cluster: one */
    int bits;                   /* perm, lengths: the least with 2^bits >= len, at least 2 */
};

#define LAW_ROW_INIT                           \
    {                                          \
        -1, 0, {{0, 0, 0, 0}}, 0, 0, {0, 0}, 0 \
    } /* no row yet */

LAW_FN void law_row_spread(struct law_row *r)
{
    double z[2];

    law_normal_pair(r->draw.v[2], r->draw.v[3], z);
    r->deviation = law_exp((4 * law_unit(r->draw.v[0]) - 2) * 0x1.62e42fefa39efp-1);
    r->location = r->deviation * z[0];
}

/* Two different places that are neither the first nor the last. Row lengths go beyond 2^32, hence
 * double. */
LAW_FN void law_row_needle(struct law_row *r)
{
    int64_t inner = r->len - 2;

    if (inner < 2)
        return;

    int64_t p = (int64_t)(law_unit(r->draw.v[0]) * (double)inner);
    int64_t step = 1 + (int64_t)(law_unit(r->draw.v[1]) * (double)(inner - 1));

    r->needle[0] = 1 + p;
    r->needle[1] = 1 + (p + step) % inner;
}

/* Heights are multiples of 1/64: every float type above 8 bits holds them, so peaks are equal. */
LAW_FN void law_row_peaks(struct law_row *r)
{
    r->location = (double)law_below(r->draw.v[0], 1024) / 64 - 8;
    r->needle[0] = (int64_t)(law_unit(r->draw.v[1]) * (double)r->len);
}

LAW_FN void law_row_bits(struct law_row *r)
{
    r->bits = 2;
    while (((int64_t)1 << r->bits) < r->len)
        r->bits++;
}

/* Makes r the given row of the tensor. */
LAW_FN void law_row_load(struct law_row *r, enum law_kind kind, uint64_t seed, int64_t len,
                         int64_t row)
{
    if (r->row == row)
        return;
    r->row = row;
    r->len = len;
    r->draw = law_draw(seed, row, LAW_STREAM_ROW);
    if (kind == LAW_SPREAD)
        law_row_spread(r);
    else if (kind == LAW_NEEDLE)
        law_row_needle(r);
    else if (kind == LAW_PEAKS || kind == LAW_CLUSTER)
        law_row_peaks(r);
    else
        law_row_bits(r);
}

LAW_FN uint32_t law_feistel(uint32_t x, uint32_t key)
{
    x = (x ^ key) * 0x9E3779B1u;
    x = (x ^ (x >> 15)) * 0x85EBCA77u;
    return x ^ (x >> 13);
}

/* Where the row's permutation sends at: six Feistel rounds over two parts of the index permute
 * 0..2^bits-1; outside the row we walk on along the cycle, which returns to it. */
LAW_FN int64_t law_permute(const struct law_row *r, int64_t at)
{
    int low_bits = r->bits / 2;
    uint32_t low_mask = ((uint32_t)1 << low_bits) - 1;
    uint32_t high_mask = ((uint32_t)1 << (r->bits - low_bits)) - 1;

    do {
        uint32_t low = (uint32_t)at & low_mask, high = (uint32_t)(at >> low_bits);

        for (uint32_t round = 0; round < 6; round += 2) {
            uint32_t tweak = round * 0x9E3779B9u;

            high ^= law_feistel(low, r->draw.v[round & 3] + tweak) & high_mask;
            low ^= law_feistel(high, r->draw.v[(round + 1) & 3] + tweak) & low_mask;
        }
        at = (int64_t)high << low_bits | low;
    } while (at >= r->len);
    return at;
}

/* Every second place of a shuffled row is an edge case, in turn; the others are anything. */
LAW_FN int64_t law_length(const struct law *law, const struct law_row *r, int64_t at, uint32_t v)
{
    int64_t max = (int64_t)law->a;
    int64_t page = law->b >= 1 ? (int64_t)law->b : (max + 1) / 2;
    int64_t turn = law_permute(r, at);
    int64_t multiple = page * (1 + law_below(v, max / page));
    int64_t edge[8] = {1, max, page - 1, page, page + 1, multiple - 1, multiple, multiple + 1};
    int64_t length = turn % 2 ? 1 + law_below(v, max) : edge[(turn / 2 + (r->draw.v[3] >> 16)) % 8];

    length = length < 1 ? 1 : length;
    return length > max ? max : length;
}

/* Of every LAW_PAGE_CYCLE pages the last is dead: no table names it, its contents are NaN. */
#define LAW_PAGE_CYCLE 9

LAW_FN int64_t law_live_page(int64_t nth)
{
    return nth + nth / (LAW_PAGE_CYCLE - 1);
}

LAW_FN int law_page_is_dead(int64_t page)
{
    return page % LAW_PAGE_CYCLE == LAW_PAGE_CYCLE - 1;
}

/* The length of sequence i of n as lengths(max, page) draws it from the same seed. */
LAW_FN int64_t law_length_of(const struct law *law, uint64_t seed, int64_t n, int64_t i)
{
    struct law_row r = LAW_ROW_INIT;

    law_row_load(&r, LAW_LENGTHS, seed, n, 0);
    return law_length(law, &r, i, law_draw(seed, i / 4, LAW_STREAM_ELEMENT).v[i % 4]);
}

/* Entry i of a block table with row_len pages to a sequence. Live pages come once each, in an order
 * of the seed's; an entry behind the end of its sequence names some dead page. */
LAW_FN int64_t law_page_of(const struct law *law, uint64_t seed, int64_t row_len, int64_t i)
{
    int64_t live = (int64_t)law->a, sequence = i / row_len, at = i % row_len;
    struct law_row whole = LAW_ROW_INIT;

    if (law->scale > 0) {
        struct law lengths = {LAW_LENGTHS, law->scale, law->b, 0};
        int64_t n = live < row_len ? 1 : live / row_len;

        if (at * (int64_t)law->b >= law_length_of(&lengths, seed, n, sequence % n))
            return law_below(law_draw(seed, i, LAW_STREAM_SECOND).v[0],
                             live / (LAW_PAGE_CYCLE - 1) + 1) *
                       LAW_PAGE_CYCLE +
                   LAW_PAGE_CYCLE - 1;
    }
    law_row_load(&whole, LAW_PERM, seed, live, 1);
    return law_live_page(law_permute(&whole, i));
}

/* Rows of group i: none in one of four, else a power of two; one group is far above the others. */
LAW_FN int64_t law_group_weight(uint64_t seed, int64_t groups, int64_t i)
{
    uint32_t v = law_draw(seed, i, LAW_STREAM_ELEMENT).v[0];
    int64_t hot = law_below(law_draw(seed, 0, LAW_STREAM_ROW).v[0], groups);

    return (i == hot ? 256 : 0) + (v % 4 == 0 ? 0 : (int64_t)1 << (v >> 2) % 8);
}

/* Where group i of row_len - 1 begins. */
LAW_FN int64_t law_offset(const struct law *law, uint64_t seed, int64_t row_len, int64_t i)
{
    int64_t groups = row_len - 1, total = (int64_t)law->a, before = 0, all = 0;

    if (groups < 1)
        return 0;
    if (law->b == 0) /* what is left over goes to the first ones */
        return i * (total / groups) + (i < total % groups ? i : total % groups);
    for (int64_t k = 0; k < groups; k++) {
        int64_t weight = law_group_weight(seed, groups, k);

        before += k < i ? weight : 0;
        all += weight;
    }
    return (int64_t)((double)total * (double)before / (double)all);
}

/* The row of elements 4 block + k, one after the other. */
LAW_FN void law_next(int64_t row_len, int64_t *row, int64_t *at)
{
    if (++*at == row_len) {
        *at = 0;
        ++*row;
    }
}

LAW_FN void law_spreads(uint64_t seed, int64_t row_len, int64_t block, struct law_row *r,
                        double out[4])
{
    int64_t row = 4 * block / row_len, at = 4 * block % row_len;

    law_normals(seed, block, LAW_STREAM_ELEMENT, out);
    for (int k = 0; k < 4; k++) {
        law_row_load(r, LAW_SPREAD, seed, row_len, row);
        out[k] = r->location + r->deviation * out[k];
        law_next(row_len, &row, &at);
    }
}

/* Few blocks hold a needle: the others need no normals. */
LAW_FN void law_needles(uint64_t seed, int64_t row_len, int64_t block, struct law_row *r,
                        double out[4])
{
    int64_t row = 4 * block / row_len, at = 4 * block % row_len;
    int here[4];

    for (int k = 0; k < 4; k++) {
        law_row_load(r, LAW_NEEDLE, seed, row_len, row);
        here[k] =
            row_len < 4 || at == 0 || at == row_len - 1 || at == r->needle[0] || at == r->needle[1];
        out[k] = 0;
        law_next(row_len, &row, &at);
    }
    if (!(here[0] | here[1] | here[2] | here[3]))
        return;

    double z[4];

    law_normals(seed, block, LAW_STREAM_ELEMENT, z);
    for (int k = 0; k < 4; k++)
        out[k] = here[k] ? z[k] : 0;
}

LAW_FN void law_sorted(const struct law *law, uint64_t seed, int64_t row_len, int64_t block,
                       double out[4])
{
    struct philox draw = law_draw(seed, block, LAW_STREAM_ELEMENT);
    int64_t row = 4 * block / row_len, at = 4 * block % row_len;

    for (int k = 0; k < 4; k++) {
        double part = ((double)at + law_unit(draw.v[k])) / (double)row_len;

        out[k] = law->a * (8 * part - 4);
        law_next(row_len, &row, &at);
    }
}

LAW_FN void law_clusters(const struct law *law, uint64_t seed, int64_t row_len, int64_t block,
                         struct law_row *r, double out[4])
{
    int64_t row = 4 * block / row_len, at = 4 * block % row_len, width = (int64_t)law->a;

    law_normals(seed, block, LAW_STREAM_ELEMENT, out);
    for (int k = 0; k < 4; k++) {
        law_row_load(r, LAW_CLUSTER, seed, row_len, row);

        int64_t last = row_len - width, from = r->needle[0] < last ? r->needle[0] : last;

        out[k] += at >= from && at < from + width ? law->b : 0; /* all of a row that is shorter */
        law_next(row_len, &row, &at);
    }
}

LAW_FN void law_peaks(const struct law *law, uint64_t seed, int64_t row_len, int64_t block,
                      struct law_row *r, double out[4])
{
    struct philox draw = law_draw(seed, block, LAW_STREAM_ELEMENT);
    struct philox second = law_draw(seed, block, LAW_STREAM_SECOND);
    int64_t row = 4 * block / row_len, at = 4 * block % row_len;

    for (int k = 0; k < 4; k++) {
        law_row_load(r, LAW_PEAKS, seed, row_len, row);

        int peak = at == r->needle[0] || law_unit(draw.v[k]) * law->a < 1;

        out[k] = r->location - (peak ? 0 : law->b + 0.2 * law_unit(second.v[k]));
        law_next(row_len, &row, &at);
    }
}

LAW_FN void law_paged(const struct law *law, uint64_t seed, int64_t row_len, int64_t block,
                      double out[4])
{
    int64_t row = 4 * block / row_len, at = 4 * block % row_len;

    law_normals(seed, block, LAW_STREAM_ELEMENT, out);
    for (int k = 0; k < 4; k++) {
        if (law_page_is_dead(row / (int64_t)law->a))
            out[k] = f64_of_bits(0x7FF8000000000000u);
        law_next(row_len, &row, &at);
    }
}

/* Whole numbers a <= x < b; past 2^32 of them a second draw adds the bits that are missing. */
LAW_FN void law_whole(const struct law *law, uint64_t seed, int64_t block, int64_t out[4])
{
    struct philox draw = law_draw(seed, block, LAW_STREAM_ELEMENT);
    int64_t low = (int64_t)law->a, n = (int64_t)law->b - low;

    if (n <= (int64_t)1 << 32) {
        for (int k = 0; k < 4; k++)
            out[k] = low + law_below(draw.v[k], n);
        return;
    }

    struct philox more = law_draw(seed, block, LAW_STREAM_SECOND);

    for (int k = 0; k < 4; k++) {
        uint64_t bits = ((uint64_t)draw.v[k] << 32 | more.v[k]) >> 11;

        out[k] = low + (int64_t)((double)bits * 0x1p-53 * (double)n);
    }
}

/* Elements 4 block .. 4 block + 3 of a float tensor, before rounding to its type. row is the
 * caller's cache, to be used with one law, seed and row length only. */
LAW_FN void law_reals(const struct law *law, uint64_t seed, int64_t row_len, int64_t block,
                      struct law_row *row, double out[4])
{
    double second[4];
    int64_t whole[4];
    struct philox draw;

    switch (law->kind) {
    case LAW_SPREAD:
        law_spreads(seed, row_len, block, row, out);
        break;
    case LAW_NEEDLE:
        law_needles(seed, row_len, block, row, out);
        break;
    case LAW_NORMAL:
        law_normals(seed, block, LAW_STREAM_ELEMENT, out);
        for (int k = 0; k < 4; k++)
            out[k] = law->a + law->b * out[k];
        break;
    case LAW_UNIFORM:
        draw = law_draw(seed, block, LAW_STREAM_ELEMENT);
        for (int k = 0; k < 4; k++)
            out[k] = law->a + (law->b - law->a) * law_unit(draw.v[k]);
        break;
    case LAW_HEAVY:
        law_normals(seed, block, LAW_STREAM_ELEMENT, out);
        law_normals(seed, block, LAW_STREAM_SECOND, second);
        for (int k = 0; k < 4; k++)
            out[k] *= law_exp(second[k]);
        break;
    case LAW_BERNOULLI:
        draw = law_draw(seed, block, LAW_STREAM_ELEMENT);
        for (int k = 0; k < 4; k++)
            out[k] = law_unit(draw.v[k]) < law->a ? 1 : 0;
        break;
    case LAW_INTS:
        law_whole(law, seed, block, whole);
        for (int k = 0; k < 4; k++)
            out[k] = (double)whole[k];
        break;
    case LAW_SORTED:
        law_sorted(law, seed, row_len, block, out);
        break;
    case LAW_CLUSTER:
        law_clusters(law, seed, row_len, block, row, out);
        break;
    case LAW_PEAKS:
        law_peaks(law, seed, row_len, block, row, out);
        break;
    case LAW_PAGED:
        law_paged(law, seed, row_len, block, out);
        break;
    default: /* LAW_CONSTANT; the others do not fit a float */
        for (int k = 0; k < 4; k++)
            out[k] = law->a;
    }
    for (int k = 0; k < 4; k++)
        out[k] *= law->scale == 0 ? 1 : law->scale;
}

LAW_FN void law_indices(const struct law *law, uint64_t seed, int64_t row_len, int64_t block,
                        struct law_row *r, int64_t out[4])
{
    struct philox draw = law_draw(seed, block, LAW_STREAM_ELEMENT);
    int64_t row = 4 * block / row_len, at = 4 * block % row_len;

    for (int k = 0; k < 4; k++) {
        law_row_load(r, law->kind, seed, row_len, row);
        out[k] = law->kind == LAW_PERM ? law_permute(r, at) : law_length(law, r, at, draw.v[k]);
        law_next(row_len, &row, &at);
    }
}

/* The same for the elements of an integer or bool tensor. */
LAW_FN void law_integers(const struct law *law, uint64_t seed, int64_t row_len, int64_t block,
                         struct law_row *row, int64_t out[4])
{
    struct philox draw;

    switch (law->kind) {
    case LAW_INTS:
        law_whole(law, seed, block, out);
        break;
    case LAW_PERM:
    case LAW_LENGTHS:
        law_indices(law, seed, row_len, block, row, out);
        break;
    case LAW_BERNOULLI:
        draw = law_draw(seed, block, LAW_STREAM_ELEMENT);
        for (int k = 0; k < 4; k++)
            out[k] = law_unit(draw.v[k]) < law->a;
        break;
    case LAW_OFFSETS:
        for (int k = 0; k < 4; k++)
            out[k] = law_offset(law, seed, row_len, (4 * block + k) % row_len);
        break;
    case LAW_PAGES: /* the last block may reach past the table's end: any page will do there */
        for (int k = 0; k < 4; k++)
            out[k] = law_page_of(law, seed, row_len, (4 * block + k) % (int64_t)law->a);
        break;
    default: /* LAW_CONSTANT; the others do not fit an integer */
        for (int k = 0; k < 4; k++)
            out[k] = (int64_t)law->a;
    }
}

/* One element alone, for a thread that has no block to make. */
LAW_FN double law_real(const struct law *law, uint64_t seed, int64_t row_len, int64_t i)
{
    struct law_row row = LAW_ROW_INIT;
    double out[4];

    law_reals(law, seed, row_len, i / 4, &row, out);
    return out[i % 4];
}

LAW_FN int64_t law_integer(const struct law *law, uint64_t seed, int64_t row_len, int64_t i)
{
    struct law_row row = LAW_ROW_INIT;
    int64_t out[4];

    law_integers(law, seed, row_len, i / 4, &row, out);
    return out[i % 4];
}

#endif
