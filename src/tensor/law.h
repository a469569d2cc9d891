/* SPDX-License-Identifier: MIT */
/* The numbers of a law, a function of (law, seed, row length, element index) and of nothing else.
 * Plain C that CUDA compiles, too, with the same bits: + - * and sqrt are the same everywhere, so
 * log, cos and sin are made of them here.
 *
 * Numbers are made in float, whatever type they end in: an f64 tensor holds floats. The number of
 * instructions limits a GPU here, and doubles issue at half the rate. Random numbers need not be
 * right to the last bit, so the polynomials are as exact as a float and no more.
 *
 * Philox counters: c0 c1 count blocks of four elements or rows, c3 says what the draw is for. The
 * key is the seed. Element i is lane i % 4 of block i / 4; work is done a block at a time, with the
 * parameters of the current row cached in a struct law_row. A row is the last axis. */
#ifndef ASSAY_TENSOR_LAW_H
#define ASSAY_TENSOR_LAW_H

#include "tensor/lawkind.h"
#include "tensor/philox.h"

enum law_stream {
    LAW_STREAM_ELEMENT = 0,
    LAW_STREAM_ROW = 1,
    LAW_STREAM_SECOND = 2, /* a second number per element, for laws that need two */
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

/* Eight bytes of poison; mixed_key is law_mix(key). With one multiplication for eight bytes it runs
 * at memory speed. */
LAW_FN uint64_t law_poison(uint64_t mixed_key, uint64_t word)
{
    uint64_t x = mixed_key + word * 0x9E3779B97F4A7C15u;

    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
    return x ^ (x >> 29);
}

/* A number 0 <= u < 1, a multiple of 2^-24. */
LAW_FN float law_unit(uint32_t v)
{
    return (float)(int32_t)(v >> 8) * 0x1p-24f;
}

/* The length of a vector of two standard normals, 3.4e-4 to 5.77: the square root of -2 log u, with
 * u = (k + 1/2) / 2^23, where k is the high bits of v. u = 2^e m with m in [sqrt(1/2), sqrt(2)), so
 * that nothing cancels if u is close to 1. A polynomial gives -2 log(1 + f) / f within 1.7e-7. */
LAW_FN float law_radius(uint32_t v)
{
    float u = f32_of_bits(0x3F800000u | v >> 9) - 0x1.fffffep-1f;
    uint32_t bits = bits_of_f32(u), e = (bits - 0x3F3504F3u) & 0xFF800000u;
    float f = f32_of_bits(bits - e) - 1, p = 0.202137916f;

    p = p * f - 0.324451619f;
    p = p * f + 0.345016596f;
    p = p * f - 0.398003308f;
    p = p * f + 0.499398181f;
    p = p * f - 0.666701179f;
    p = p * f + 1.00000730f;
    p = p * f - 1.99999989f;
    /* e is still in the bits of a float's exponent: its unit is 2^23. */
    return sqrtf((float)(int32_t)e * -0x1.62e43p-23f + p * f);
}

/* A direction in the plane, as cos and sin of pi/2 h. The high bits of w give h, an odd multiple of
 * 2^-22 with -1 < h < 1; the lowest bit of w flips the sign of cos. Neither is ever 0: sin(pi/2 h)
 * is h times a polynomial in h^2 (within 6e-9), cos(pi/2 h) is (1 - h^2) times one (within 2.1e-7).
 */
LAW_FN void law_direction(uint32_t w, float *ret_cos, float *ret_sin)
{
    float h = f32_of_bits(0x40000001u | w >> 9) - 3;
    float q = h * h;
    float s = 0.000151485131f, c = -0.000845649331f;

    s = s * q - 0.00467376661f;
    s = s * q + 0.0796896789f;
    s = s * q - 0.645963711f;
    s = s * q + 1.57079632f;
    c = c * q + 0.0199380698f;
    c = c * q - 0.233694212f;
    c = c * q + 0.999999792f;
    c = c * (1 - q);
    *ret_cos = f32_of_bits(bits_of_f32(c) ^ w << 31);
    *ret_sin = s * h;
}

/* 2^x for |x| < 126, within 2e-7: 2^k by its bits times 2^r with |r| <= 1/2. */
LAW_FN float law_exp2(float x)
{
    int32_t k = (int32_t)(x + (x < 0 ? -0.5f : 0.5f));
    float r = x - (float)k, p = 0.00132764719f;

    p = p * r + 0.00967554133f;
    p = p * r + 0.0555071327f;
    p = p * r + 0.240221197f;
    p = p * r + 0.693146967f;
    p = p * r + 1.00000007f;
    return p * f32_of_bits((uint32_t)(127 + k) << 23);
}

/* A whole number 0 <= x < n, for n up to 2^32. */
LAW_FN int64_t law_below(uint32_t v, int64_t n)
{
    return (int64_t)(((uint64_t)v * (uint64_t)n) >> 32);
}

/* A whole number 0 <= x < n, for any n that is exact in double. */
LAW_FN int64_t law_below_long(uint32_t v, int64_t n)
{
    return (int64_t)((double)v * 0x1p-32 * (double)n);
}

/* Two standard normals by Box and Muller. */
LAW_FN void law_normal_pair(uint32_t v, uint32_t w, float out[2])
{
    float radius = law_radius(v);

    law_direction(w, &out[0], &out[1]);
    out[0] *= radius;
    out[1] *= radius;
}

/* Four standard normals, from the draw of a block. */
LAW_FN void law_normals(struct philox r, float out[4])
{
    law_normal_pair(r.v[0], r.v[1], out);
    law_normal_pair(r.v[2], r.v[3], out + 2);
}

/* A random scale of n half octaves (2^k or 1.5 * 2^k), where n is the number of ones among 32
 * random bits less 16. Its logarithm is binomial with a deviation of 1.4 octaves: close to exp of a
 * normal, at a tenth of the cost. */
LAW_FN float law_heavy_scale(uint32_t v)
{
    return f32_of_bits(0x3F800000u + ((ones_of_bits(v) - 16u) << 22));
}

/* ---- rows ---- */

/* The parameters that all elements of a row share. */
struct law_row {
    int64_t row;
    int64_t len;
    struct philox draw;
    /* spread, heavy, paged: location and deviation, times the law's scale; bands: lower bound and
     * width, times the law's scale; peaks: location is the peaks' height; ties: the bound */
    float location, deviation;
    int bits; /* perm, lengths: the smallest number with 2^bits >= len, at least 2 */
    /* needle: two random places; peaks: one sure peak; cluster: its begin and the lone peaks;
     * sorted, ties: the exceptions. Places that a row does not have are -1, except for needle. */
    int64_t needle[3];
};

#define LAW_ROW_INIT                    \
    {                                   \
        -1, 0, {{0, 0, 0, 0}}, 0, 0, 0, \
        {                               \
            0, 0, 0                     \
        }                               \
    } /* row -1: nothing is cached yet */

LAW_FN float law_scale(const struct law *law)
{
    return law->scale == 0 ? 1 : (float)law->scale;
}

LAW_FN void law_row_spread(struct law_row *r, float scale)
{
    float z[2];

    law_normal_pair(r->draw.v[2], r->draw.v[3], z);
    r->deviation = law_exp2(4 * law_unit(r->draw.v[0]) - 2) * scale;
    r->location = r->deviation * z[0];
}

/* Chooses two different places that are neither the first nor the last. */
LAW_FN void law_row_needle(struct law_row *r)
{
    int64_t inner = r->len - 2;

    if (inner < 2)
        return;

    int64_t p = law_below_long(r->draw.v[0], inner);
    int64_t step = 1 + law_below_long(r->draw.v[1], inner - 1);

    r->needle[0] = 1 + p;
    r->needle[1] = 1 + (p + step) % inner;
}

/* Peaks' heights are multiples of 1/64: every float type above 8 bits holds them, so that a row's
 * peaks are equal. */
LAW_FN void law_row_peaks(struct law_row *r)
{
    r->location = (float)law_below(r->draw.v[0], 1024) * 0x1p-6f - 8;
    r->needle[0] = law_below_long(r->draw.v[1], r->len);
}

/* A row of at least this length has three exceptions, a shorter one has one. */
#define LAW_EXCEPTIONS_MIN 16

/* Chooses the exceptions of a row, at any place; two of them may be the same. */
LAW_FN void law_row_exceptions(struct law_row *r)
{
    for (int i = 0; i < 3; i++)
        r->needle[i] =
            i == 0 || r->len >= LAW_EXCEPTIONS_MIN ? law_below_long(r->draw.v[i], r->len) : -1;
}

LAW_FN int law_is_exception(const struct law_row *r, int64_t at)
{
    return at == r->needle[0] || at == r->needle[1] || at == r->needle[2];
}

/* Chooses where the cluster begins, and lone peaks outside it. A cluster may fill the whole row.
 */
LAW_FN void law_row_cluster(struct law_row *r, int64_t width)
{
    int64_t others = r->len - width;

    r->needle[0] = law_below_long(r->draw.v[1], r->len);
    if (r->needle[0] > others)
        r->needle[0] = others > 0 ? others : 0;
    for (int i = 1; i < 3; i++)
        r->needle[i] =
            others > 0 ? (r->needle[0] + width + law_below_long(r->draw.v[i + 1], others)) % r->len
                       : -1;
}

/* Chooses a row's exceptions and its bound: a whole number of the upper half of the law's range. */
LAW_FN void law_row_ties(struct law_row *r, const struct law *law)
{
    int64_t low = (int64_t)law->a, high = (int64_t)law->b, middle = low + (high - low) / 2;

    law_row_exceptions(r);
    r->location = (float)(middle + law_below(r->draw.v[3], high - middle));
}

/* Chooses a row's band: a quarter to all of the law's width, anywhere in the law's range. */
LAW_FN void law_row_bands(struct law_row *r, const struct law *law)
{
    float scale = law_scale(law), low = (float)law->a * scale, high = (float)law->b * scale;
    float part = 0.25f + 0.75f * law_unit(r->draw.v[0]);

    r->deviation = (high - low) * part;
    r->location = low + (high - low) * (1 - part) * law_unit(r->draw.v[1]);
}

LAW_FN void law_row_bits(struct law_row *r)
{
    r->bits = 2;
    while (((int64_t)1 << r->bits) < r->len)
        r->bits++;
}

LAW_RARE_FN struct law_row law_row_of(const struct law *law, uint64_t seed, int64_t len,
                                      int64_t row)
{
    struct law_row r = {row, len, law_draw(seed, row, LAW_STREAM_ROW), 0, 0, 0, {0, 0, 0}};

    switch (law->kind) {
    case LAW_SPREAD:
    case LAW_HEAVY:
    case LAW_PAGED:
        law_row_spread(&r, law_scale(law));
        break;
    case LAW_NEEDLE:
        law_row_needle(&r);
        break;
    case LAW_PEAKS:
        law_row_peaks(&r);
        break;
    case LAW_CLUSTER:
        law_row_cluster(&r, (int64_t)law->a);
        break;
    case LAW_SORTED:
        law_row_exceptions(&r);
        break;
    case LAW_TIES:
        law_row_ties(&r, law);
        break;
    case LAW_BANDS:
        law_row_bands(&r, law);
        break;
    default:
        law_row_bits(&r);
    }
    return r;
}

LAW_FN uint32_t law_feistel(uint32_t x, uint32_t key)
{
    x = (x ^ key) * 0x9E3779B1u;
    x = (x ^ (x >> 15)) * 0x85EBCA77u;
    return x ^ (x >> 13);
}

/* The place to which the row's permutation sends `at`. Six Feistel rounds over two parts of the
 * index permute 0..2^bits-1. A result outside the row is permuted again until it lies inside: the
 * cycle leads back. */
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

/* One length. Half of the places of a row, chosen by a permutation, take the edge cases in turn;
 * the others are random. */
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

/* The last of every LAW_PAGE_CYCLE pages is dead: its contents are NaN, and a table names it only
 * behind the end of a sequence. */
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
    struct law_row r = law_row_of(law, seed, n, 0);

    return law_length(law, &r, i, law_draw(seed, i / 4, LAW_STREAM_ELEMENT).v[i % 4]);
}

/* Entry i of a block table with row_len pages to a sequence. Each live page comes at most once, in
 * an order that the seed decides; an entry behind the end of its sequence names a dead page. */
LAW_FN int64_t law_page_of(const struct law *law, uint64_t seed, int64_t row_len, int64_t i)
{
    int64_t live = (int64_t)law->a, sequence = i / row_len, at = i % row_len;
    struct law_row whole = law_row_of(law, seed, live, 1);

    if (law->scale > 0) {
        struct law lengths = {LAW_LENGTHS, law->scale, law->b, 0};
        int64_t n = live < row_len ? 1 : live / row_len;

        if (at * (int64_t)law->b >= law_length_of(&lengths, seed, n, sequence % n))
            return law_below(law_draw(seed, i, LAW_STREAM_SECOND).v[0],
                             live / (LAW_PAGE_CYCLE - 1) + 1) *
                       LAW_PAGE_CYCLE +
                   LAW_PAGE_CYCLE - 1;
    }
    return law_live_page(law_permute(&whole, i));
}

/* The weight of group i, to which its number of rows is proportional: 0 for one group in four, else
 * a power of two; one group has 256 more. */
LAW_FN int64_t law_group_weight(uint64_t seed, int64_t groups, int64_t i)
{
    uint32_t v = law_draw(seed, i, LAW_STREAM_ELEMENT).v[0];
    int64_t hot = law_below(law_draw(seed, 0, LAW_STREAM_ROW).v[0], groups);

    return (i == hot ? 256 : 0) + (v % 4 == 0 ? 0 : (int64_t)1 << (v >> 2) % 8);
}

/* The row at which group i of (row_len - 1) groups begins. */
LAW_FN int64_t law_offset(const struct law *law, uint64_t seed, int64_t row_len, int64_t i)
{
    int64_t groups = row_len - 1, total = (int64_t)law->a, before = 0, all = 0;

    if (groups < 1)
        return 0;
    if (law->b == 0) /* the first total % groups groups have one row more */
        return i * (total / groups) + (i < total % groups ? i : total % groups);
    for (int64_t k = 0; k < groups; k++) {
        int64_t weight = law_group_weight(seed, groups, k);

        before += k < i ? weight : 0;
        all += weight;
    }
    return (int64_t)((double)total * (double)before / (double)all);
}

/* ---- a tensor, block by block ---- */

/* The parameters that hold for a whole tensor. */
struct law_fill {
    struct law law;
    uint64_t seed;
    int64_t row_len;
    const struct law_row *rows; /* all rows and one more; NULL: made when needed. Not owned */
    struct philox_keys keys;    /* round keys of the seed */
    float scale;                /* law_scale(&law) */
};

LAW_FN struct law_fill law_fill_of(const struct law *law, uint64_t seed, int64_t row_len)
{
    struct philox_keys keys = philox_keys_of((uint32_t)seed, (uint32_t)(seed >> 32));
    struct law_fill f = {*law, seed, row_len, 0, keys, law_scale(law)};

    return f;
}

/* law_draw() with round keys that are made once for the tensor. */
LAW_FN struct philox law_draw_block(const struct law_fill *f, int64_t block, enum law_stream stream)
{
    return philox_draw((uint32_t)block, (uint32_t)((uint64_t)block >> 32), 0, (uint32_t)stream,
                       &f->keys);
}

/* The place of block number `block`: its first element is number `at` of row number `row`. */
struct law_place {
    int64_t block, row, at;
};

LAW_FN struct law_place law_place_of(int64_t row_len, int64_t block)
{
    struct law_place p = {block, 4 * block / row_len, 4 * block % row_len};

    return p;
}

/* Moves p forward by step->block blocks. Divisions of 64 bits would cost more than a block. */
LAW_FN void law_place_move(struct law_place *p, const struct law_place *step, int64_t row_len)
{
    p->block += step->block;
    p->row += step->row;
    p->at += step->at;
    if (p->at >= row_len) {
        p->at -= row_len;
        p->row++;
    }
}

/* Whether all elements of the block lie in one row. */
LAW_FN int law_in_one_row(const struct law_fill *f, const struct law_place *p)
{
    return p->at + 4 <= f->row_len;
}

/* Moves p forward by one element. */
LAW_FN void law_next(const struct law_fill *f, struct law_place *p)
{
    if (++p->at == f->row_len) {
        p->at = 0;
        p->row++;
    }
}

LAW_FN void law_row_get(const struct law_fill *f, int64_t row, struct law_row *r)
{
    if (r->row != row)
        *r = f->rows ? f->rows[row] : law_row_of(&f->law, f->seed, f->row_len, row);
}

LAW_FN void law_spreads(const struct law_fill *f, struct law_place p, struct law_row *r,
                        float out[4])
{
    law_row_get(f, p.row, r);
    if (law_in_one_row(f, &p)) {
        for (int k = 0; k < 4; k++)
            out[k] = r->location + r->deviation * out[k];
        return;
    }
    for (int k = 0; k < 4; k++) {
        law_row_get(f, p.row, r);
        out[k] = r->location + r->deviation * out[k];
        law_next(f, &p);
    }
}

LAW_FN int law_is_needle(const struct law_row *r, int64_t at)
{
    return r->len < 4 || at == 0 || at == r->len - 1 || at == r->needle[0] || at == r->needle[1];
}

/* A block of LAW_NEEDLE. Few blocks hold a needle; the others need no normals. */
LAW_FN void law_needles(const struct law_fill *f, struct law_place p, struct law_row *r,
                        float out[4])
{
    float z[4];
    int here[4];

    law_row_get(f, p.row, r);
    for (int k = 0; k < 4; k++)
        out[k] = 0;
    if (law_in_one_row(f, &p) && p.at != 0 && p.at + 4 != f->row_len &&
        (uint64_t)(r->needle[0] - p.at) >= 4 && (uint64_t)(r->needle[1] - p.at) >= 4)
        return;
    for (int k = 0; k < 4; k++) {
        law_row_get(f, p.row, r);
        here[k] = law_is_needle(r, p.at);
        law_next(f, &p);
    }
    law_normals(law_draw_block(f, p.block, LAW_STREAM_ELEMENT), z);
    for (int k = 0; k < 4; k++)
        out[k] = here[k] ? z[k] * f->scale : 0;
}

/* A block of LAW_HEAVY: rows have a location and a scale as in LAW_SPREAD. */
LAW_FN void law_heavies(const struct law_fill *f, const struct law_place *p, struct law_row *r,
                        float out[4])
{
    struct philox draw = law_draw_block(f, p->block, LAW_STREAM_SECOND);

    for (int k = 0; k < 4; k++)
        out[k] *= law_heavy_scale(draw.v[k]);
    law_spreads(f, *p, r, out);
}

LAW_FN void law_bands(const struct law_fill *f, struct law_place p, struct law_row *r, float out[4])
{
    struct philox draw = law_draw_block(f, p.block, LAW_STREAM_ELEMENT);

    for (int k = 0; k < 4; k++)
        out[k] = law_unit(draw.v[k]);
    law_spreads(f, p, r, out);
}

/* A block of LAW_SORTED, in double, because rows may be longer than floats can count. Spikes lie
 * above 4, by up to 4. */
LAW_FN void law_sorted(const struct law_fill *f, struct law_place p, struct law_row *r,
                       float out[4])
{
    struct philox draw = law_draw_block(f, p.block, LAW_STREAM_ELEMENT);

    for (int k = 0; k < 4; k++) {
        double part = ((double)p.at + (double)law_unit(draw.v[k])) / (double)f->row_len;

        law_row_get(f, p.row, r);
        out[k] = (float)(f->law.a * (8 * part - 4));
        if (law_is_exception(r, p.at))
            out[k] = 8 - 3.75f * law_unit(draw.v[k]);
        law_next(f, &p);
    }
}

/* A block of LAW_CLUSTER. Normals stay below 6, so a lone peak lies above all of a cluster. */
LAW_FN void law_clusters(const struct law_fill *f, struct law_place p, struct law_row *r,
                         float out[4])
{
    int64_t width = (int64_t)f->law.a;
    float height = (float)f->law.b, above = (height > 0 ? height : 0) + 6;

    for (int k = 0; k < 4; k++) {
        law_row_get(f, p.row, r);

        int64_t from = r->needle[0];

        if (p.at >= from && p.at < from + width) /* a row shorter than width is all cluster */
            out[k] += height;
        else if (p.at == r->needle[1] || p.at == r->needle[2])
            out[k] = above + (out[k] < 0 ? -out[k] : out[k]);
        law_next(f, &p);
    }
}

LAW_FN void law_ties(const struct law_fill *f, struct law_place p, struct law_row *r, float out[4])
{
    struct philox draw = law_draw_block(f, p.block, LAW_STREAM_ELEMENT);
    int64_t low = (int64_t)f->law.a, high = (int64_t)f->law.b;

    for (int k = 0; k < 4; k++) {
        law_row_get(f, p.row, r);

        int64_t bound = (int64_t)r->location;

        out[k] = (float)(law_is_exception(r, p.at) ? bound + law_below(draw.v[k], high - bound)
                                                   : low + law_below(draw.v[k], bound - low));
        law_next(f, &p);
    }
}

LAW_FN void law_peaks(const struct law_fill *f, struct law_place p, struct law_row *r, float out[4])
{
    struct philox draw = law_draw_block(f, p.block, LAW_STREAM_ELEMENT);
    struct philox second = law_draw_block(f, p.block, LAW_STREAM_SECOND);
    float one_in = (float)f->law.a, below = (float)f->law.b;

    for (int k = 0; k < 4; k++) {
        law_row_get(f, p.row, r);

        int peak = p.at == r->needle[0] || law_unit(draw.v[k]) * one_in < 1;

        out[k] = r->location - (peak ? 0 : below + 0.2f * law_unit(second.v[k]));
        law_next(f, &p);
    }
}

/* A block of LAW_PAGED. NaN is set after scaling, because NaN times a number is another NaN on a
 * GPU than on a CPU. */
LAW_FN void law_paged(const struct law_fill *f, struct law_place p, struct law_row *r, float out[4])
{
    if (f->law.b != 0)
        law_spreads(f, p, r, out);
    for (int k = 0; k < 4; k++) {
        if (f->law.b == 0)
            out[k] *= f->scale;
        if (law_page_is_dead(p.row / (int64_t)f->law.a))
            out[k] = f32_of_bits(0x7FC00000u);
        law_next(f, &p);
    }
}

/* Four whole numbers a <= x < b. If b - a is above 2^32, a second draw adds the missing bits. */
LAW_FN void law_whole(const struct law_fill *f, int64_t block, int64_t out[4])
{
    struct philox draw = law_draw_block(f, block, LAW_STREAM_ELEMENT);
    int64_t low = (int64_t)f->law.a, n = (int64_t)f->law.b - low;

    if (n <= (int64_t)1 << 32) {
        for (int k = 0; k < 4; k++)
            out[k] = low + law_below(draw.v[k], n);
        return;
    }

    struct philox more = law_draw_block(f, block, LAW_STREAM_SECOND);

    for (int k = 0; k < 4; k++) {
        uint64_t bits = ((uint64_t)draw.v[k] << 32 | more.v[k]) >> 11;

        out[k] = low + (int64_t)((double)bits * 0x1p-53 * (double)n);
    }
}

LAW_FN int law_coin(const struct law_fill *f, uint32_t v)
{
    return law_unit(v) < (float)f->law.a;
}

/* Whether a law is made from standard normals, which law_shape() then wants in out. */
LAW_FN int law_wants_normals(enum law_kind kind)
{
    return kind == LAW_SPREAD || kind == LAW_NORMAL || kind == LAW_HEAVY || kind == LAW_CLUSTER ||
           kind == LAW_PAGED;
}

/* Elements 4 block .. 4 block + 3 of a float tensor, before rounding to its type. row is the
 * caller's cache, to be used with one law_fill only. If the law wants normals, the caller has put
 * them into out: a CPU makes many at a time. The laws of large tensors come first, and scale their
 * parameters instead of every number. */
LAW_FN void law_shape(const struct law_fill *f, const struct law_place *p, struct law_row *row,
                      float out[4])
{
    float a = (float)f->law.a, b = (float)f->law.b, scale = f->scale;
    struct philox draw;
    int64_t whole[4];

    switch (f->law.kind) {
    case LAW_SPREAD:
        law_spreads(f, *p, row, out);
        return;
    case LAW_NEEDLE:
        law_needles(f, *p, row, out);
        return;
    case LAW_HEAVY:
        law_heavies(f, p, row, out);
        return;
    case LAW_NORMAL:
        for (int k = 0; k < 4; k++)
            out[k] = a * scale + b * scale * out[k];
        return;
    case LAW_UNIFORM:
        draw = law_draw_block(f, p->block, LAW_STREAM_ELEMENT);
        for (int k = 0; k < 4; k++)
            out[k] = a * scale + (b - a) * scale * law_unit(draw.v[k]);
        return;
    case LAW_BERNOULLI:
        draw = law_draw_block(f, p->block, LAW_STREAM_ELEMENT);
        for (int k = 0; k < 4; k++)
            out[k] = law_coin(f, draw.v[k]) ? 1 : 0;
        break;
    case LAW_INTS:
        law_whole(f, p->block, whole);
        for (int k = 0; k < 4; k++)
            out[k] = (float)whole[k];
        break;
    case LAW_SORTED:
        law_sorted(f, *p, row, out);
        break;
    case LAW_TIES:
        law_ties(f, *p, row, out);
        break;
    case LAW_BANDS:
        law_bands(f, *p, row, out);
        return;
    case LAW_CLUSTER:
        law_clusters(f, *p, row, out);
        break;
    case LAW_PEAKS:
        law_peaks(f, *p, row, out);
        break;
    case LAW_PAGED:
        law_paged(f, *p, row, out);
        return;
    default: /* LAW_CONSTANT; no other law is left that fits a float */
        for (int k = 0; k < 4; k++)
            out[k] = a;
    }
    for (int k = 0; k < 4; k++)
        out[k] *= scale;
}

LAW_FN void law_reals(const struct law_fill *f, const struct law_place *p, struct law_row *row,
                      float out[4])
{
    if (law_wants_normals(f->law.kind))
        law_normals(law_draw_block(f, p->block, LAW_STREAM_ELEMENT), out);
    law_shape(f, p, row, out);
}

LAW_FN void law_indices(const struct law_fill *f, struct law_place p, struct law_row *r,
                        int64_t out[4])
{
    struct philox draw = law_draw_block(f, p.block, LAW_STREAM_ELEMENT);

    for (int k = 0; k < 4; k++) {
        law_row_get(f, p.row, r);
        out[k] = f->law.kind == LAW_PERM ? law_permute(r, p.at)
                                         : law_length(&f->law, r, p.at, draw.v[k]);
        law_next(f, &p);
    }
}

/* Elements 4 block .. 4 block + 3 of an integer or bool tensor. */
LAW_FN void law_integers(const struct law_fill *f, const struct law_place *p, struct law_row *row,
                         int64_t out[4])
{
    int64_t first = 4 * p->block;
    struct philox draw;

    switch (f->law.kind) {
    case LAW_INTS:
        law_whole(f, p->block, out);
        break;
    case LAW_PERM:
    case LAW_LENGTHS:
        law_indices(f, *p, row, out);
        break;
    case LAW_BERNOULLI:
        draw = law_draw_block(f, p->block, LAW_STREAM_ELEMENT);
        for (int k = 0; k < 4; k++)
            out[k] = law_coin(f, draw.v[k]);
        break;
    case LAW_OFFSETS:
        for (int k = 0; k < 4; k++)
            out[k] = law_offset(&f->law, f->seed, f->row_len, (first + k) % f->row_len);
        break;
    case LAW_PAGES: /* the last block may reach past the end of the table; any page will do there */
        for (int k = 0; k < 4; k++)
            out[k] = law_page_of(&f->law, f->seed, f->row_len, (first + k) % (int64_t)f->law.a);
        break;
    default: /* LAW_CONSTANT; no other law is left that fits an integer */
        for (int k = 0; k < 4; k++)
            out[k] = (int64_t)f->law.a;
    }
}

/* One element of a float tensor, for a thread that makes no whole block. */
LAW_FN float law_real(const struct law_fill *f, int64_t i)
{
    struct law_place p = law_place_of(f->row_len, i / 4);
    struct law_row row = LAW_ROW_INIT;
    float out[4];

    law_reals(f, &p, &row, out);
    return out[i % 4];
}

LAW_FN int64_t law_integer(const struct law_fill *f, int64_t i)
{
    struct law_place p = law_place_of(f->row_len, i / 4);
    struct law_row row = LAW_ROW_INIT;
    int64_t out[4];

    law_integers(f, &p, &row, out);
    return out[i % 4];
}

#endif
