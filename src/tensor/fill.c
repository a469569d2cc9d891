/* SPDX-License-Identifier: MIT */
/* Fills tensors. law.h makes four numbers at a time; fill.c makes a thousand into a buffer that
 * stays in the first-level cache, and converts them to the tensor's type from there. */
#include "tensor/fill.h"
#include "base/hash.h"
#include "base/util.h"
#include "tensor/law.h"

#include <assert.h>

#define PARALLEL_MIN 32768
#define CHUNK 1024 /* elements; a multiple of Philox's four */
#define POISON_PARALLEL_MIN (1 << 20)
#define POISON_CHUNK (1 << 16) /* bytes; a multiple of eight */
#define GROUPS_MAX 1024        /* groups of offsets(): each entry takes a pass over all groups */
#define EXACT 0x1p53           /* whole numbers up to this are exact in double */

static const char *const law_names[LAW_COUNT] = {
    [LAW_SPREAD] = "spread",       [LAW_NORMAL] = "normal",   [LAW_UNIFORM] = "uniform",
    [LAW_HEAVY] = "heavy",         [LAW_NEEDLE] = "needle",   [LAW_INTS] = "ints",
    [LAW_PERM] = "perm",           [LAW_LENGTHS] = "lengths", [LAW_CONSTANT] = "constant",
    [LAW_BERNOULLI] = "bernoulli", [LAW_SORTED] = "sorted",   [LAW_CLUSTER] = "cluster",
    [LAW_PEAKS] = "peaks",         [LAW_OFFSETS] = "offsets", [LAW_PAGES] = "pages",
    [LAW_PAGED] = "paged",         [LAW_TIES] = "ties",       [LAW_BANDS] = "bands",
};

const char *law_name(enum law_kind kind)
{
    assert((unsigned)kind < LAW_COUNT);
    return law_names[kind];
}

int law_version(enum law_kind kind)
{
    return kind == LAW_HEAVY || kind == LAW_SORTED || kind == LAW_CLUSTER;
}

bool law_is_for_checks(enum law_kind kind)
{
    switch (kind) {
    case LAW_NEEDLE:
    case LAW_INTS:
    case LAW_CONSTANT:
    case LAW_BERNOULLI:
    case LAW_SORTED:
    case LAW_CLUSTER:
    case LAW_TIES:
        return true;
    default:
        return false;
    }
}

static bool is_whole(double x)
{
    return fabs(x) <= EXACT && x == trunc(x);
}

/* Numbers are made in float, whatever type they are for. */
static bool is_finite(double x)
{
    return isfinite((float)x);
}

/* The range in which both the type and double hold every whole number. */
static void integer_range(enum dtype t, double *ret_low, double *ret_high)
{
    *ret_low = MAX(dtype_round(t, -EXACT), -EXACT);
    *ret_high = MIN(dtype_round(t, EXACT), EXACT);
    if (t == DT_BOOL)
        *ret_low = 0;
    if (dtype_is_float(t)) { /* the type, or f32, in which numbers are made, has gaps beyond this */
        *ret_high = MIN(0x1p24, 1 / dtype_roundoff(t));
        *ret_low = -*ret_high;
    }
}

static const char *why_not_real(const struct law *law, enum dtype t)
{
    if (!dtype_is_float(t))
        return "it draws fractions and wants a float type; use ints(lo, hi), perm() or "
               "bernoulli(p)";
    if (law->kind == LAW_NORMAL && !(is_finite(law->a) && is_finite(law->b) && law->b > 0))
        return "it wants a finite mean and a deviation above 0; use constant(v) for one value";
    if ((law->kind == LAW_UNIFORM || law->kind == LAW_BANDS) &&
        !(is_finite(law->a) && is_finite(law->b) && is_finite(law->b - law->a) && law->a < law->b))
        return "it wants finite bounds lo < hi; use constant(v) for one value";
    if (law->kind == LAW_SORTED && law->a != 1 && law->a != -1)
        return "it wants 1 for rising rows or -1 for falling ones";
    if (law->kind == LAW_CLUSTER && !(is_whole(law->a) && law->a >= 1 && is_finite(law->b)))
        return "it wants how many neighbours lie higher, and by how much";
    if (law->kind == LAW_PEAKS && !(law->a >= 1 && is_finite(law->a) && is_finite(law->b)))
        return "it wants one peak in how many places, and how far below the others lie";
    if (law->kind == LAW_PAGED && !(is_whole(law->a) && law->a >= 1))
        return "it wants the rows of a page, a whole number of at least 1";
    if (law->kind == LAW_PAGED && law->b != 0 && law->b != 1)
        return "it wants 0 for rows that are alike, 1 for rows of their own";
    return NULL;
}

static const char *why_not_ints(const struct law *law, enum dtype t)
{
    double low, high;

    if (t == DT_BOOL)
        return "it draws whole numbers; use bernoulli(p) for bool";
    if (!is_whole(law->a) || !is_whole(law->b) || law->a >= law->b)
        return "it wants whole bounds lo < hi (hi itself is not drawn)";
    integer_range(t, &low, &high);
    if (law->a < low || law->b - 1 > high)
        return "its bounds do not fit the type; use a wider one";
    return NULL;
}

static const char *why_not_ties(const struct law *law, enum dtype t)
{
    if (!dtype_is_float(t))
        return "it draws whole numbers of a float type; use ints(lo, hi)";
    if (law->b - law->a < 2)
        return "it wants whole bounds lo < hi, with at least two numbers between them";
    return why_not_ints(law, t);
}

static const char *why_not_index(const struct law *law, enum dtype t)
{
    if (t != DT_I32 && t != DT_I64)
        return "it draws indices and wants i32 or i64";
    if (law->kind == LAW_PERM)
        return NULL;
    if (!is_whole(law->a) || law->a < 1 || law->a > (t == DT_I32 ? 0x1p31 - 1 : 0x1p32))
        return "it wants the largest length, a whole number of at least 1 that fits the type";
    if (law->kind == LAW_OFFSETS)
        return law->b == 0 || law->b == 1 ? NULL : "it wants 0 for even groups, 1 for skewed ones";
    if (law->kind == LAW_PAGES && (!is_whole(law->scale) || law->scale < 0 || law->b < 1))
        return "it wants how many live pages, the tokens of a page, and the longest sequence or 0";
    if (!is_whole(law->b) || law->b < 0 || law->b > 0x1p32)
        return "its page is a whole number, 0 when there are no pages";
    return NULL;
}

static const char *why_not_constant(const struct law *law, enum dtype t)
{
    double low, high;

    if (dtype_is_float(t))
        return !isfinite(law->a) || is_finite(law->a)
                   ? NULL
                   : "it is beyond f32's range, in which numbers are made";
    integer_range(t, &low, &high);
    if (!is_whole(law->a) || law->a < low || law->a > high)
        return "an integer or bool type wants a whole number that fits it";
    return NULL;
}

static const char *why_not(const struct law *law, enum dtype t)
{
    if (!is_finite(law->scale))
        return "its scale is not a finite number";
    if (!dtype_is_float(t) && law->kind != LAW_PAGES && law->scale != 0 && law->scale != 1)
        return "only float types take a scale";
    switch (law->kind) {
    case LAW_SPREAD:
    case LAW_NORMAL:
    case LAW_UNIFORM:
    case LAW_HEAVY:
    case LAW_NEEDLE:
    case LAW_SORTED:
    case LAW_CLUSTER:
    case LAW_PEAKS:
    case LAW_PAGED:
    case LAW_BANDS:
        return why_not_real(law, t);
    case LAW_TIES:
        return why_not_ties(law, t);
    case LAW_INTS:
        return why_not_ints(law, t);
    case LAW_PERM:
    case LAW_LENGTHS:
    case LAW_OFFSETS:
    case LAW_PAGES:
        return why_not_index(law, t);
    case LAW_CONSTANT:
        return why_not_constant(law, t);
    case LAW_BERNOULLI:
        return law->a >= 0 && law->a <= 1 ? NULL : "it wants a probability from 0 to 1";
    case LAW_COUNT:
        break;
    }
    return "there is no such law";
}

bool law_fits(const struct law *law, enum dtype t, const char **ret_why)
{
    const char *why = why_not(law, t);

    if (why)
        *ret_why = why;
    return !why;
}

bool law_fits_shape(const struct law *law, const struct shape *shape, const char **ret_why)
{
    int64_t row = shape->rank ? shape->dim[shape->rank - 1] : 1;
    const char *why = NULL;

    if (law->kind == LAW_PAGES && (double)shape_count(shape) != law->a)
        why = "the table must have as many entries as there are live pages";
    if (law->kind == LAW_PAGES && law->scale > (double)row * law->b)
        why = "the longest sequence must fit into a row of the table";
    if (law->kind == LAW_OFFSETS && (row < 2 || row > GROUPS_MAX + 1))
        why = "a row must have one entry more than there are groups, which are 1 to 1024";
    if (law->kind == LAW_CLUSTER && law->a > (double)row)
        why = "the cluster must fit into a row";
    if (why)
        *ret_why = why;
    return !why;
}

struct fill_job {
    struct law_fill fill;
    enum dtype dtype;
    char *data;
};

/* Fills elements at .. at + n - 1 of a float tensor; n is at most CHUNK. */
static void fill_reals(const struct fill_job *job, int64_t at, int64_t n)
{
    const struct law_fill *f = &job->fill;
    struct law_place p = law_place_of(f->row_len, at / 4), step = law_place_of(f->row_len, 1);
    struct law_row row = LAW_ROW_INIT;
    float room[CHUNK];

    if (law_wants_normals(f->law.kind)) {
        for (int64_t i = 0; i < n; i += 4)
            law_normals(law_draw_block(f, (at + i) / 4, LAW_STREAM_ELEMENT), room + i);
    }
    for (int64_t i = 0; i < n; i += 4, law_place_move(&p, &step, f->row_len))
        law_shape(f, &p, &row, room + i);
    dtype_from_f32(job->dtype, room, job->data + at * (int64_t)dtype_size(job->dtype), n);
}

static void fill_integers(const struct fill_job *job, int64_t at, int64_t n)
{
    const struct law_fill *f = &job->fill;
    struct law_place p = law_place_of(f->row_len, at / 4), step = law_place_of(f->row_len, 1);
    struct law_row row = LAW_ROW_INIT;
    int64_t room[CHUNK];

    for (int64_t i = 0; i < n; i += 4, law_place_move(&p, &step, f->row_len))
        law_integers(f, &p, &row, room + i);
    dtype_from_i64(job->dtype, room, job->data + at * (int64_t)dtype_size(job->dtype), n);
}

static void fill_chunk(const struct fill_job *job, int64_t at, int64_t count)
{
    int64_t n = MIN(CHUNK, count - at);

    if (dtype_is_float(job->dtype))
        fill_reals(job, at, n);
    else
        fill_integers(job, at, n);
}

void fill_tensor(const struct law *law, uint64_t seed, enum dtype t, const struct shape *shape,
                 void *data)
{
    int64_t row_len = shape->rank ? shape->dim[shape->rank - 1] : 1;
    struct fill_job job = {law_fill_of(law, seed, row_len), t, data};
    int64_t count = shape_count(shape);

    assert(count >= 0 && !why_not(law, t));
    if (count < PARALLEL_MIN) {
        for (int64_t at = 0; at < count; at += CHUNK)
            fill_chunk(&job, at, count);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t at = 0; at < count; at += CHUNK)
        fill_chunk(&job, at, count);
}

/* Poisons bytes at .. at + n - 1; at is a multiple of eight. Words are written low byte first, as
 * they lie in memory on every machine that has our devices. */
static void poison_chunk(uint64_t mixed_key, char *data, size_t at, size_t n)
{
    size_t words = n / 8;
    uint64_t word;

    for (size_t i = 0; i < words; i++) {
        word = law_poison(mixed_key, at / 8 + i);
        memcpy(data + at + 8 * i, &word, 8);
    }
    word = law_poison(mixed_key, at / 8 + words);
    memcpy(data + at + 8 * words, &word, n % 8);
}

void fill_poison(uint64_t key, void *data, size_t bytes)
{
    uint64_t mixed = law_mix(key);

    if (bytes < POISON_PARALLEL_MIN) {
        poison_chunk(mixed, data, 0, bytes);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t at = 0; at < bytes; at += POISON_CHUNK)
        poison_chunk(mixed, data, at, MIN(POISON_CHUNK, bytes - at));
}

static int64_t first_byte_off(const char *data, size_t at, uint64_t want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)data[at + i] != (unsigned char)(want >> (8 * i)))
            return (int64_t)(at + i);
    }
    return INT64_MAX;
}

/* Offset of the first byte that differs from the poison, or INT64_MAX. */
static int64_t poison_check_chunk(uint64_t mixed_key, const char *data, size_t at, size_t n)
{
    size_t end = at + n;

    for (; at + 8 <= end; at += 8) {
        uint64_t want = law_poison(mixed_key, at / 8), word;

        memcpy(&word, data + at, 8);
        if (word != want)
            return first_byte_off(data, at, want, 8);
    }
    return first_byte_off(data, at, law_poison(mixed_key, at / 8), end - at);
}

int64_t fill_poison_check(uint64_t key, const void *data, size_t bytes)
{
    uint64_t mixed = law_mix(key);
    int64_t first = INT64_MAX;

    if (bytes < POISON_PARALLEL_MIN) {
        first = poison_check_chunk(mixed, data, 0, bytes);
    } else {
#pragma omp parallel for schedule(static) reduction(min : first)
        for (size_t at = 0; at < bytes; at += POISON_CHUNK) {
            int64_t here = poison_check_chunk(mixed, data, at, MIN(POISON_CHUNK, bytes - at));

            first = MIN(first, here);
        }
    }
    return first == INT64_MAX ? -1 : first;
}

uint64_t fill_seed(uint64_t pool_seed, uint64_t content, uint64_t tensor)
{
    return hash_key((uint64_t[]){pool_seed, content, tensor}, 3);
}

uint64_t law_tensor(const struct law *law, int source)
{
    return law->kind == LAW_LENGTHS || law->kind == LAW_PAGES ? UINT32_MAX - 1 : (uint64_t)source;
}
