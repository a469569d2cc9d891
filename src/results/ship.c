/* SPDX-License-Identifier: MIT */
#include "results/ship.h"

#include "base/fs.h"
#include "measure/stats.h"
#include "results/results.h"
#include "results/shipped.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Six digits are more than any interval is worth, and read back they are written the same. */
#define NUMBERS (JSON_COMPACT | JSON_REAL_PRECISION(6))

/* Keys by which origins differ, in the order of sorting. */
static const char *const origin_keys[] = {"sizes",     "fingerprint", "driver",
                                          "toolchain", "assay",       "weights"};

static const char *string(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));

    return s ? s : "";
}

static json_t *list_of(const json_t *object, const char *key)
{
    return json_object_get(object, key);
}

/* --- clocks --- */

struct range {
    double lo, hi; /* NAN: nothing seen */
};

#define RANGE_INIT \
    {              \
        NAN, NAN   \
    }

static void widen(struct range *r, const json_t *value)
{
    if (!json_is_number(value))
        return;
    r->lo = fmin(r->lo, json_number_value(value)); /* fmin() ignores a NAN */
    r->hi = fmax(r->hi, json_number_value(value));
}

static void put_range(json_t *into, const char *key, const struct range *r)
{
    if (!isnan(r->lo))
        json_object_set_new(
            into, key, json_pack("[I, I]", (json_int_t)llround(r->lo), (json_int_t)llround(r->hi)));
}

/* Clocks around some timed calls, and why they were low. Devices without such figures have none. */
struct clocks {
    struct range sm, memory;
    json_t *throttled; /* an object whose keys are the reasons */
};

static void clocks_release(struct clocks *c)
{
    json_decref(c->throttled);
}

static void add_reasons(struct clocks *c, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            json_object_set_new(c->throttled, json_string_value(json_array_get(list, i)),
                                json_true());
}

static void put_clocks(json_t *into, const struct clocks *c)
{
    static const char *const keys[] = {"sm_mhz", "memory_mhz", "throttled"};
    json_t *reasons = json_array(), *value;
    const char *reason;

    json_object_foreach(c->throttled, reason, value)
        json_array_append_new(reasons, json_string(reason));
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        json_object_del(into, keys[i]);
    put_range(into, "sm_mhz", &c->sm);
    put_range(into, "memory_mhz", &c->memory);
    if (!isnan(c->sm.lo) || json_array_size(reasons))
        json_object_set(into, "throttled", reasons);
    json_decref(reasons);
}

/* --- a row --- */

static json_t *size_with(const json_t *record, const char *hash)
{
    json_t *sizes = list_of(record, "sizes");

    for (size_t i = 0; i < json_array_size(sizes); i++)
        if (!strcmp(string(json_array_get(sizes, i), "hash"), hash))
            return json_array_get(sizes, i);
    return NULL;
}

/* Positive figures of one size in all repeats; returns how many there are. */
static size_t figures_of(json_t *const *records, int n, const char *hash, const char *key,
                         double *ret)
{
    size_t found = 0;

    for (int i = 0; i < n; i++) {
        double v = json_number_value(json_object_get(size_with(records[i], hash), key));

        if (v > 0)
            ret[found++] = v;
    }
    return found;
}

static void put_median(json_t *into, const char *key, double *v, size_t n)
{
    json_object_set_new(into, key, n ? json_real(stats_median(v, n)) : json_null());
}

static json_t *reals(const double *v, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_real(v[i]));
    return list;
}

static double extreme(const double *v, size_t n, double (*of)(double, double))
{
    double best = v[0];

    for (size_t i = 1; i < n; i++)
        best = of(best, v[i]);
    return best;
}

static void put_states(json_t *into, json_t *const *records, int n, const char *hash)
{
    static const char *const when[] = {"state_before", "state_after"};
    AUTO(clocks_release) struct clocks c = {RANGE_INIT, RANGE_INIT, json_object()};

    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < ARRAY_SIZE(when); k++) {
            const json_t *state = json_object_get(size_with(records[i], hash), when[k]);

            widen(&c.sm, json_object_get(state, "sm_mhz"));
            widen(&c.memory, json_object_get(state, "memory_mhz"));
            add_reasons(&c, json_object_get(state, "throttled"));
        }
    put_clocks(into, &c);
}

/* The time is the median over repeats, the interval the widest of theirs. NULL if the size was not
 * timed. */
static json_t *size_row(json_t *const *records, int n, const json_t *size)
{
    AUTO(freep) double *v = xcalloc((size_t)n, sizeof(*v));
    const char *hash = string(size, "hash");
    json_t *j = json_pack("{s:O*, s:s}", "params", json_object_get(size, "params"), "hash", hash);
    size_t lows, highs, found = figures_of(records, n, hash, "cold_us", v);
    json_t *repeats = found > 1 ? reals(v, found) : NULL;

    put_median(j, "cold_us", v, found);
    lows = figures_of(records, n, hash, "cold_lo", v);
    json_object_set_new(j, "cold_lo", lows ? json_real(extreme(v, lows, fmin)) : NULL);
    highs = figures_of(records, n, hash, "cold_hi", v);
    json_object_set_new(j, "cold_hi", highs ? json_real(extreme(v, highs, fmax)) : NULL);
    put_median(j, "hot_us", v, figures_of(records, n, hash, "hot_us", v));
    if (repeats)
        json_object_set_new(j, "repeats_us", repeats);
    put_states(j, records, n, hash);
    if (found && lows && highs)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *row_of(json_t *const *records, int n, const json_t *shown)
{
    json_t *sizes = json_array(), *tried = list_of(shown, "sizes");

    for (size_t i = 0; i < json_array_size(tried); i++) {
        json_t *size = size_row(records, n, json_array_get(tried, i));

        if (size)
            json_array_append_new(sizes, size);
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:O?, s:i, s:o}", "problem",
                     string(shown, "problem"), "hash", string(shown, "problem_hash"), "kind",
                     string(json_object_get(shown, "candidate"), "file"), "created",
                     string(shown, "created"), "verdict", string(shown, "verdict"), "reason",
                     json_object_get(shown, "reason"), "repeats", n, "sizes", sizes);
}

/* --- origins --- */

/* "torch 2.11.0 eager, tf32 off" has the kind in it, which is the row's. */
static char *toolchain_of(const json_t *record)
{
    const char *text = string(json_object_get(record, "build"), "toolchain");
    const char *end = strncmp(text, "torch ", 6) == 0 ? strchr(text + 6, ' ') : NULL;

    return end ? xstrndup(text, (size_t)(end - text)) : xstrdup(text);
}

/* A new origin, without rows. */
static json_t *origin_of(const json_t *record, const char *weights)
{
    const json_t *info = json_object_get(record, "device_info");
    AUTO(freep) char *toolchain = toolchain_of(record);

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:[]}", "sizes",
                     string(json_object_get(record, "plan"), "sizes"), "fingerprint",
                     string(info, "fingerprint"), "driver", string(info, "driver"), "toolchain",
                     toolchain, "assay", string(record, "assay"), "weights", weights, "rows");
}

static int by_origin(const json_t *a, const json_t *b)
{
    int d = 0;

    for (size_t i = 0; d == 0 && i < ARRAY_SIZE(origin_keys); i++)
        d = strcmp(string(a, origin_keys[i]), string(b, origin_keys[i]));
    return d;
}

/* Returns the file's own one if it has an equal one. Takes over `origin`. */
static json_t *find_origin(json_t *file, json_t *origin)
{
    json_t *origins = list_of(file, "origins");

    for (size_t i = 0; i < json_array_size(origins); i++)
        if (by_origin(json_array_get(origins, i), origin) == 0) {
            json_decref(origin);
            return json_array_get(origins, i);
        }
    json_array_append_new(origins, origin);
    return origin;
}

static int by_row(const json_t *a, const json_t *b)
{
    int d = strcmp(string(a, "problem"), string(b, "problem"));

    return d ? d : strcmp(string(a, "kind"), string(b, "kind"));
}

/* Takes over `row`. */
static void put_row(json_t *origin, json_t *row, struct ship_counts *counts)
{
    json_t *rows = list_of(origin, "rows");

    counts->rows++;
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (by_row(json_array_get(rows, i), row) == 0) {
            json_array_set_new(rows, i, row);
            return;
        }
    counts->added++;
    json_array_append_new(rows, row);
}

/* --- adding --- */

json_t *ship_new(void)
{
    return json_pack("{s:s, s:s, s:s, s:[]}", "schema", SHIPPED_SCHEMA, "device", "", "name", "",
                     "origins");
}

/* A new file takes its device from the first record. */
static int check_device(json_t *file, const json_t *record, struct err *err)
{
    const char *device = string(record, "device");
    const char *name = string(json_object_get(record, "device_info"), "name");

    if (!*string(file, "device")) {
        json_object_set_new(file, "device", json_string(device));
        json_object_set_new(file, "name", json_string(name));
    }
    if (!strcmp(string(file, "device"), device) && !strcmp(string(file, "name"), name))
        return 0;
    return fail(err, ERR_INPUT,
                "a file holds baselines of one device: it has those of %s (%s), and these are of "
                "%s (%s)",
                string(file, "device"), string(file, "name"), device, name);
}

/* The verdict that is shown: the first that is no pass, if there is one. */
static const json_t *shown_of(json_t *const *records, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(string(records[i], "verdict"), verdict_names[VERDICT_PASS]) != 0)
            return records[i];
    return records[0];
}

int ship_add(json_t *file, json_t *const *records, int n, const char *weights,
             struct ship_counts *counts, struct err *err)
{
    const json_t *shown = shown_of(records, n);
    json_t *origin = origin_of(shown, weights);
    AUTO(freep) json_t **same = xcalloc((size_t)n, sizeof(json_t *));
    int n_same = 0;

    if (check_device(file, shown, err) < 0) {
        json_decref(origin);
        return -1;
    }
    for (int i = 0; i < n; i++) { /* repeats of another card or version are no repeats */
        json_t *other = origin_of(records[i], weights);

        if (by_origin(origin, other) == 0)
            same[n_same++] = records[i];
        json_decref(other);
    }
    put_row(find_origin(file, origin), row_of(same, n_same, shown), counts);
    return 0;
}

/* --- the text --- */

static int compare_origins(const void *a, const void *b)
{
    return by_origin(*(json_t *const *)a, *(json_t *const *)b);
}

static int compare_rows(const void *a, const void *b)
{
    return by_row(*(json_t *const *)a, *(json_t *const *)b);
}

static void sort(json_t *list, int (*order)(const void *, const void *))
{
    size_t n = json_array_size(list);
    AUTO(freep) json_t **items = xcalloc(MAX(n, 1), sizeof(json_t *));

    for (size_t i = 0; i < n; i++)
        items[i] = json_incref(json_array_get(list, i));
    qsort(items, n, sizeof(*items), order);
    for (size_t i = 0; i < n; i++)
        json_array_set_new(list, i, items[i]);
}

static void add_size_clocks(struct clocks *c, const json_t *size)
{
    for (size_t i = 0; i < 2; i++) {
        widen(&c->sm, json_array_get(json_object_get(size, "sm_mhz"), i));
        widen(&c->memory, json_array_get(json_object_get(size, "memory_mhz"), i));
    }
    add_reasons(c, json_object_get(size, "throttled"));
}

/* The dates and clocks of an origin are those of its rows. */
static void summarise(json_t *origin)
{
    AUTO(clocks_release) struct clocks c = {RANGE_INIT, RANGE_INIT, json_object()};
    const json_t *rows = list_of(origin, "rows");
    const char *first = NULL, *last = NULL;

    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i), *sizes = json_object_get(row, "sizes");
        const char *created = string(row, "created");

        first = !first || strcmp(created, first) < 0 ? created : first;
        last = !last || strcmp(created, last) > 0 ? created : last;
        for (size_t k = 0; k < json_array_size(sizes); k++)
            add_size_clocks(&c, json_array_get(sizes, k));
    }
    json_object_set_new(origin, "first", json_string(first ? first : ""));
    json_object_set_new(origin, "last", json_string(last ? last : ""));
    put_clocks(origin, &c);
}

static void add_rows(const json_t *rows, struct buf *out)
{
    buf_adds(out, "\"rows\": [");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        AUTO(freep) char *row = json_dumps(json_array_get(rows, i), NUMBERS);

        buf_addf(out, "%s\n%s", i ? "," : "", row);
    }
    buf_adds(out, "\n]}");
}

static void add_origin(const json_t *origin, struct buf *out)
{
    json_t *head = json_copy((json_t *)origin);

    json_object_del(head, "rows");

    AUTO(freep) char *text = json_dumps(head, NUMBERS);

    buf_addf(out, "%.*s,\n", (int)strlen(text) - 1, text); /* without its brace */
    json_decref(head);
    add_rows(list_of(origin, "rows"), out);
}

void ship_text(json_t *file, struct buf *out)
{
    json_t *origins = list_of(file, "origins"), *head = json_copy(file);

    sort(origins, compare_origins);
    json_object_del(head, "origins");

    AUTO(freep) char *text = json_dumps(head, NUMBERS);

    buf_addf(out, "%.*s,\n\"origins\": [", (int)strlen(text) - 1, text);
    json_decref(head);
    for (size_t i = 0; i < json_array_size(origins); i++) {
        json_t *origin = json_array_get(origins, i);

        sort(list_of(origin, "rows"), compare_rows);
        summarise(origin);
        buf_adds(out, i ? ",\n" : "\n");
        add_origin(origin, out);
    }
    buf_adds(out, "\n]}\n");
}

/* --- a run --- */

/* Adds the baseline whose repeats are cells[0..n). */
static int add_sample(json_t *file, struct store *s, const struct results *r,
                      const struct results_cell *cells, int n, struct ship_counts *counts,
                      struct err *err)
{
    AUTO(freep) json_t **records = xcalloc((size_t)n, sizeof(json_t *));
    int found = 0, rc = 0;

    for (int i = 0; i < n && rc == 0; i++)
        if (results_cell_counts(&cells[i]) && cells[i].is_baseline) {
            rc = results_record(s, cells[i].record, &records[found], err);
            found += rc == 0;
        }
    if (rc == 0 && found)
        rc = ship_add(file, records, found, r->weights, counts, err);
    for (int i = 0; i < found; i++)
        json_decref(records[i]);
    return rc;
}

static int add_run(json_t *file, struct store *s, const char *run, struct ship_counts *counts,
                   struct err *err)
{
    AUTO(results_freep) struct results *r = NULL;

    if (results_load(s, run, &r, err) < 0)
        return -1;
    for (int i = 0, end; i < r->n_cells; i = end) {
        end = results_sample_end(r, i);
        if (add_sample(file, s, r, &r->cells[i], end - i, counts, err) < 0)
            return -1;
    }
    return counts->rows ? 0
                        : fail(err, ERR_INPUT,
                               "run %s has no baselines: `assay baseline` measures them", run);
}

static int total_rows(const json_t *file)
{
    const json_t *origins = list_of(file, "origins");
    size_t n = 0;

    for (size_t i = 0; i < json_array_size(origins); i++)
        n += json_array_size(list_of(json_array_get(origins, i), "rows"));
    return (int)n;
}

int ship_check(const char *path, struct err *err)
{
    size_t len = strlen(path);
    json_t *file = NULL;

    if (len <= 5 || strcmp(path + len - 5, ".json") != 0)
        return fail(err, ERR_INPUT, "%s: a file of baselines ends with .json", path);
    if (!fs_exists(path))
        return 0;
    if (shipped_read(path, &file, err) < 0)
        return -1;
    json_decref(file);
    return 0;
}

int ship_run(struct store *s, const char *run, const char *path, struct ship_counts *ret,
             struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct ship_counts counts = {0};
    json_t *file = NULL;

    if (!fs_exists(path))
        file = ship_new();
    else if (shipped_read(path, &file, err) < 0)
        return -1;

    int rc = add_run(file, s, run, &counts, err);

    if (rc == 0) {
        ship_text(file, &text);
        counts.total = total_rows(file);
    }
    json_decref(file);
    if (rc < 0)
        return wrap(err, "%s", path);
    if (fs_write_atomic(path, buf_str(&text), text.len, err) < 0 || fs_publish(path, err) < 0)
        return -1;
    *ret = counts;
    return 0;
}
