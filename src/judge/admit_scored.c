/* SPDX-License-Identifier: MIT */
/* Up to 64 pieces of about 256 elements of each content are downloaded, at places that the seed
 * chooses. A piece is a part of one row, or some whole rows that are shorter.
 *
 * Whether rows have a location and a scale of their own is read from medians and interquartile
 * ranges, which heavy tails do not move. The figures of a short row are noise, too. So each row is
 * cut into its even and its odd places. A property in which both halves agree, over many rows, is
 * the row's own. */
#include "judge/admit_scored.h"
#include "tensor/law.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECES 64
#define PIECE 256 /* elements */
#define ROWS_MIN 8
#define ROW_MIN 16
#define ZEROS_MAX 0.01
#define NEIGHBOURS_MAX 0.01
/* Two or three bits of fraction repeat by themselves: 1.5 % of neighbours under normal() in e4m3, 5
 * % under spread() in e5m2. */
#define NEIGHBOURS_MAX_8_BITS 0.1
#define CHANCE 3 /* deviations of a share that a sample may lie above its bound */
/* Least rank correlation of the two halves' figures. For eight rows of 16 in four contents, over
 * six seeds, it was -0.34 to 0.26 under normal(), 0.72 and more under spread(), 0.48 and more under
 * heavy(). Both figures have to reach it. */
#define ALIKE 0.35
#define LOCATIONS_MIN 0.25 /* medians, 10th to 90th percentile, in interquartile ranges */
#define SCALES_MIN 1.5     /* interquartile ranges, 90th by 10th percentile */

const char *const scored_rule_names[SCORED_COUNT] = {
    [SCORED_LAWS] = "scored_laws",
    [SCORED_ZEROS] = "scored_zeros",
    [SCORED_NEIGHBOURS] = "scored_neighbours",
    [SCORED_ROWS] = "scored_rows",
};

/* One figure of every row, from its even and from its odd places. */
struct halves {
    double *of[2];
};

/* Figures of one input under one of its laws. */
struct seen {
    int source, law; /* law: index among the source's laws */
    int64_t values, zeros, pairs, equal;
    int rows;
    struct halves location, scale;
};

struct survey {
    const struct admit_place *at; /* not owned */
    struct pool *pool;            /* not owned */
    struct seen *seen;
    int n_seen;
};

static const struct source *source_of(const struct survey *s, const struct seen *it)
{
    return &s->pool->graph->sources[it->source];
}

static int64_t row_length(const struct source *s)
{
    return s->shape.rank ? s->shape.dim[s->shape.rank - 1] : 1;
}

static bool is_float_input(const struct source *s)
{
    return s->kind == SOURCE_INPUT && dtype_is_float(s->dtype) && shape_count(&s->shape) > 0;
}

/* ---- figures ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Quantile of n sorted numbers. */
static double quantile(const double *sorted, int n, double part)
{
    double at = part * (n - 1);
    int below = (int)at, above = MIN(below + 1, n - 1);

    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

/* Quantiles of n numbers, which stay as they are. */
static void quantiles(const double *x, int n, const double *parts, int n_parts, double *ret)
{
    AUTO(freep) double *sorted = xmalloc((size_t)n * sizeof(*sorted));

    memcpy(sorted, x, (size_t)n * sizeof(*sorted));
    qsort(sorted, (size_t)n, sizeof(*sorted), by_value);
    for (int i = 0; i < n_parts; i++)
        ret[i] = quantile(sorted, n, parts[i]);
}

struct ranked {
    double value;
    int at;
};

static int by_ranked(const void *a, const void *b)
{
    return by_value(&((const struct ranked *)a)->value, &((const struct ranked *)b)->value);
}

/* Ranks from -1/2 to 1/2; the caller frees them. */
static double *ranks(const double *x, int n)
{
    AUTO(freep) struct ranked *order = xmalloc((size_t)n * sizeof(*order));
    double *ret = xmalloc((size_t)n * sizeof(*ret));

    for (int i = 0; i < n; i++)
        order[i] = (struct ranked){x[i], i};
    qsort(order, (size_t)n, sizeof(*order), by_ranked);
    for (int i = 0; i < n; i++)
        ret[order[i].at] = (double)i / MAX(n - 1, 1) - 0.5;
    return ret;
}

static double rank_correlation(const struct halves *h, int n)
{
    AUTO(freep) double *a = ranks(h->of[0], n);
    AUTO(freep) double *b = ranks(h->of[1], n);
    double product = 0, square = 0;

    for (int i = 0; i < n; i++) {
        product += a[i] * b[i];
        square += a[i] * a[i];
    }
    return square > 0 ? product / square : 0;
}

/* ---- looking at contents ---- */

static void count_values(struct seen *it, const double *x, int64_t n, int64_t row)
{
    it->values += n;
    for (int64_t i = 0; i < n; i++) {
        it->zeros += x[i] == 0;
        if (i % row == 0)
            continue;
        it->pairs++;
        it->equal += x[i] == x[i - 1];
    }
}

/* n: at most PIECE. Rows that hold NaN (pages that nobody uses) are left out. */
static void add_row(struct seen *it, const double *x, int n)
{
    static const double parts[] = {0.25, 0.5, 0.75};
    double half[PIECE], q[3];

    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return;

    size_t bytes = (size_t)(it->rows + 1) * sizeof(*x);

    for (int h = 0; h < 2; h++) {
        int m = 0;

        for (int i = h; i < n; i += 2)
            half[m++] = x[i];
        quantiles(half, m, parts, 3, q);
        it->location.of[h] = xrealloc(it->location.of[h], bytes);
        it->scale.of[h] = xrealloc(it->scale.of[h], bytes);
        it->location.of[h][it->rows] = q[1];
        it->scale.of[h][it->rows] = q[2] - q[0];
    }
    it->rows++;
}

/* Elements from .. from + n - 1 of a source, as doubles. */
static int read_piece(const struct survey *s, const struct pool_slot *slot, int source,
                      int64_t from, int64_t n, double *ret, struct err *err)
{
    enum dtype t = s->pool->graph->sources[source].dtype;
    size_t size = dtype_size(t);
    char raw[PIECE * 8];

    if (s->at->device->judge->download(s->at->ctx, &slot->data,
                                       s->pool->in.slots[source].offset + (size_t)from * size, raw,
                                       (size_t)n * size, err) < 0)
        return -1;
    dtype_to_f64(t, raw, ret, n);
    return 0;
}

static int64_t below(uint64_t *random, int64_t n)
{
    *random = law_mix(*random);
    return (int64_t)(*random % (uint64_t)n);
}

/* Looks at parts of rows: at every row once, if there are no more rows than pieces, and then
 * again. */
static int look_at_long_rows(const struct survey *s, const struct pool_slot *slot, struct seen *it,
                             uint64_t random, struct err *err)
{
    int64_t len = row_length(source_of(s, it)), n = MIN(len, PIECE);
    int64_t rows = shape_count(&source_of(s, it)->shape) / len;
    double x[PIECE];

    for (int p = 0; p < PIECES; p++) {
        int64_t row = rows <= PIECES ? p % rows : below(&random, rows);
        int64_t from = row * len + below(&random, len - n + 1);

        if (read_piece(s, slot, it->source, from, n, x, err) < 0)
            return -1;
        count_values(it, x, n, n);
        if (p < rows && n >= ROW_MIN)
            add_row(it, x, (int)n);
    }
    return 0;
}

/* Looks at some whole rows in each piece: at each row once, if the pieces hold all rows. */
static int look_at_short_rows(const struct survey *s, const struct pool_slot *slot, struct seen *it,
                              uint64_t random, struct err *err)
{
    int64_t len = row_length(source_of(s, it));
    int64_t rows = shape_count(&source_of(s, it)->shape) / len, held = MIN(PIECE / len, rows);
    bool all = rows <= PIECES * held;
    double x[PIECE];

    for (int64_t p = 0; p < PIECES && (!all || p * held < rows); p++) {
        int64_t first = all ? p * held : below(&random, rows - held + 1);
        int64_t n = MIN(held, rows - first) * len;

        if (read_piece(s, slot, it->source, first * len, n, x, err) < 0)
            return -1;
        count_values(it, x, n, len);
        for (int64_t i = 0; len >= ROW_MIN && i < n; i += len)
            add_row(it, x + i, (int)len);
    }
    return 0;
}

static int look_at_content(struct survey *s, int content, struct err *err)
{
    int law = pool_law(s->pool, content);
    const struct pool_slot *slot;

    if (!graph_law_scored(s->pool->graph, law))
        return 0;
    if (pool_get(s->pool, content, &slot, err) < 0)
        return -1;
    for (int i = 0; i < s->n_seen; i++) {
        struct seen *it = &s->seen[i];
        const struct source *source = source_of(s, it);
        uint64_t random = fill_seed(s->pool->seed, (uint64_t)content, (uint64_t)it->source) + 1;

        if (law % source->n_laws != it->law)
            continue;
        if ((row_length(source) > PIECE ? look_at_long_rows : look_at_short_rows)(s, slot, it,
                                                                                  random, err) < 0)
            return -1;
    }
    return 0;
}

/* Lists every law of every float input. Laws that are not scored stay without figures. */
static void list_laws(struct survey *s)
{
    const struct graph *g = s->pool->graph;

    for (int i = 0; i < g->n_sources; i++) {
        if (!is_float_input(&g->sources[i]))
            continue;
        for (int l = 0; l < g->sources[i].n_laws; l++) {
            s->seen = xrealloc(s->seen, (size_t)(s->n_seen + 1) * sizeof(*s->seen));
            s->seen[s->n_seen++] = (struct seen){.source = i, .law = l};
        }
    }
}

static void survey_release(struct survey *s)
{
    for (int i = 0; i < s->n_seen; i++)
        for (int h = 0; h < 2; h++) {
            free(s->seen[i].location.of[h]);
            free(s->seen[i].scale.of[h]);
        }
    free(s->seen);
}

/* ---- the rules ---- */

static bool same_law(const struct law *a, const struct law *b)
{
    return a->kind == b->kind && a->a == b->a && a->b == b->b && a->scale == b->scale;
}

/* Whether two of the graph's laws draw all inputs alike. */
static bool same_contents(const struct graph *g, int i, int j)
{
    for (int s = 0; s < g->n_sources; s++) {
        const struct source *source = &g->sources[s];

        if (source->kind == SOURCE_INPUT &&
            !same_law(&source->laws[i % source->n_laws], &source->laws[j % source->n_laws]))
            return false;
    }
    return true;
}

static void judge_laws(const struct survey *s, struct admit_case *ret)
{
    const struct graph *g = s->pool->graph;
    int n = 0;

    for (int j = 0; j < g->n_laws; j++) {
        bool is_new = graph_law_scored(g, j);

        for (int i = 0; i < j && is_new; i++)
            is_new = !graph_law_scored(g, i) || !same_contents(g, i, j);
        n += is_new;
    }
    ret->outcome = n >= 2 ? ADMIT_KEPT : ADMIT_BROKEN;
    snprintf(ret->detail, sizeof(ret->detail), "%d scored, at least 2 are needed", n);
}

static const char *name_of_law(const struct survey *s, const struct seen *it)
{
    return law_name(source_of(s, it)->laws[it->law].kind);
}

/* Judges the input and law that come closest to the rule's bound, or go furthest beyond it. */
static void judge_share(const struct survey *s, enum scored_rule rule, struct admit_case *ret)
{
    double worst = -1;

    ret->outcome = ADMIT_NONE;
    snprintf(ret->detail, sizeof(ret->detail), "no float input has any");
    for (int i = 0; i < s->n_seen; i++) {
        const struct seen *it = &s->seen[i];
        bool zeros = rule == SCORED_ZEROS;
        int64_t of = zeros ? it->values : it->pairs;
        double bound = zeros                                      ? ZEROS_MAX
                       : dtype_size(source_of(s, it)->dtype) == 1 ? NEIGHBOURS_MAX_8_BITS
                                                                  : NEIGHBOURS_MAX;

        if (!of)
            continue;

        double share = (double)(zeros ? it->zeros : it->equal) / (double)of;
        double most = bound + CHANCE * sqrt(bound / (double)of);

        if (share / most <= worst)
            continue;
        worst = share / most;
        ret->outcome = share > most ? ADMIT_BROKEN : ADMIT_KEPT;
        snprintf(ret->detail, sizeof(ret->detail), "%.100s under %s: %.2f %% %s, at most %.0f %%",
                 source_of(s, it)->name, name_of_law(s, it), 100 * share,
                 zeros ? "are 0" : "of neighbours are equal", 100 * bound);
    }
}

static bool rows_differ(const struct seen *it)
{
    static const double parts[] = {0.1, 0.5, 0.9};
    double location[3], scale[3];

    if (it->rows < ROWS_MIN)
        return false;
    quantiles(it->location.of[0], it->rows, parts, 3, location);
    quantiles(it->scale.of[0], it->rows, parts, 3, scale);
    return location[2] - location[0] >= LOCATIONS_MIN * scale[1] &&
           scale[2] >= SCALES_MIN * scale[0] &&
           rank_correlation(&it->location, it->rows) >= ALIKE &&
           rank_correlation(&it->scale, it->rows) >= ALIKE;
}

static bool has_rows_to_judge(const struct source *s)
{
    int64_t len = row_length(s);

    return len >= ROW_MIN && shape_count(&s->shape) / len >= ROWS_MIN;
}

/* The first of a source's laws whose rows differ, or NULL. */
static const struct seen *law_with_rows(const struct survey *s, int source)
{
    for (int i = 0; i < s->n_seen; i++)
        if (s->seen[i].source == source && rows_differ(&s->seen[i]))
            return &s->seen[i];
    return NULL;
}

static void judge_rows(const struct survey *s, struct admit_case *ret)
{
    const struct graph *g = s->pool->graph;

    ret->outcome = ADMIT_NONE;
    snprintf(ret->detail, sizeof(ret->detail), "no float input has %d rows of %d", ROWS_MIN,
             ROW_MIN);
    for (int i = 0; i < g->n_sources && ret->outcome != ADMIT_BROKEN; i++) {
        if (!is_float_input(&g->sources[i]) || !has_rows_to_judge(&g->sources[i]))
            continue;

        const struct seen *it = law_with_rows(s, i);

        if (it && ret->outcome == ADMIT_NONE)
            snprintf(ret->detail, sizeof(ret->detail), "%.100s under %s: rows differ",
                     g->sources[i].name, name_of_law(s, it));
        if (!it)
            snprintf(ret->detail, sizeof(ret->detail),
                     "%.100s: its rows share location and scale under every scored law",
                     g->sources[i].name);
        ret->outcome = it ? ADMIT_KEPT : ADMIT_BROKEN;
    }
}

int admit_scored(const struct admit_place *at, struct pool *pool, int contents,
                 struct admit_case ret[SCORED_COUNT], struct err *err)
{
    AUTO(survey_release) struct survey s = {.at = at, .pool = pool};

    list_laws(&s);
    for (int k = 0; k < contents; k++)
        if (look_at_content(&s, k, err) < 0)
            return -1;
    for (int i = 0; i < SCORED_COUNT; i++)
        ret[i] = (struct admit_case){.name = scored_rule_names[i]};
    judge_laws(&s, &ret[SCORED_LAWS]);
    judge_share(&s, SCORED_ZEROS, &ret[SCORED_ZEROS]);
    judge_share(&s, SCORED_NEIGHBOURS, &ret[SCORED_NEIGHBOURS]);
    judge_rows(&s, &ret[SCORED_ROWS]);
    return 0;
}
