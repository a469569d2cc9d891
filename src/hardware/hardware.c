/* SPDX-License-Identifier: MIT */
/* Hardware tables run in the same restricted Lua state as problem files, with one name in it: gpu.
 * Lua raises errors by longjmp, so every value that is read is put on the list at once. */
#include "hardware/hardware.h"

#include "base/fs.h"
#include "problem/trace.h"

#include <dirent.h>
#include <errno.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES ((size_t)64 << 10)
#define NAMES_MAX 16
#define ROWS_MAX 256

static void row_release(struct hardware *h)
{
    for (int i = 0; i < h->n_names; i++)
        free(h->names[i]);
    free(h->names);
    free(h->source);
    free(h->file);
}

void hardware_release(struct hardware_list *l)
{
    for (int i = 0; i < l->n; i++)
        row_release(&l->rows[i]);
    free(l->rows);
    *l = (struct hardware_list)HARDWARE_LIST_INIT;
}

const struct hardware *hardware_find(const struct hardware_list *l, const char *device_name)
{
    for (int i = 0; i < l->n; i++)
        for (int k = 0; k < l->rows[i].n_names; k++)
            if (!strcmp(l->rows[i].names[k], device_name))
                return &l->rows[i];
    return NULL;
}

/* ---- one gpu { ... } ---- */

static struct hardware *add_row(struct hardware_list *l, const char *file)
{
    l->rows = xrealloc(l->rows, (size_t)(l->n + 1) * sizeof(*l->rows));
    l->rows[l->n] = (struct hardware){.file = xstrdup(file)};
    return &l->rows[l->n++];
}

static void read_names(lua_State *L, const struct hardware_list *all, struct hardware *h)
{
    lua_Integer n = (lua_Integer)lua_rawlen(L, 1);

    if (n < 1)
        trace_raise(L, "gpu: the driver's name of the device is missing: gpu { \"NVIDIA H200\", "
                       "... }");
    h->names = xcalloc((size_t)n, sizeof(*h->names));
    for (lua_Integer i = 1; i <= n; i++) {
        if (lua_rawgeti(L, 1, i) != LUA_TSTRING || !*lua_tostring(L, -1))
            trace_raise(L, "gpu: name %d must be a string, as the driver spells it", (int)i);

        const struct hardware *twice = hardware_find(all, lua_tostring(L, -1));

        if (twice)
            trace_raise(L, "gpu: %s is described twice, also in %s: keep one", lua_tostring(L, -1),
                        twice->file);
        h->names[h->n_names++] = xstrdup(lua_tostring(L, -1));
        lua_pop(L, 1);
    }
}

/* Catches a figure in another unit: the bounds are far from those of any device. */
static double read_figure(lua_State *L, const char *key, const char *unit, double low, double high)
{
    double v = value_positive(L, 1, "gpu", key);

    if (v != 0 && (v < low || v > high))
        trace_raise(L, "gpu: %s = %g cannot be: it is in %s", key, v, unit);
    return v;
}

static void read_tflops(lua_State *L, struct hardware *h)
{
    if (lua_getfield(L, 1, "tflops") != LUA_TTABLE)
        trace_raise(L, "gpu: tflops is missing: tflops = { fp32 = ..., bf16 = ..., ... }, dense");

    int table = lua_gettop(L);

    value_keys(L, table, "tflops", arith_names, ARITH_COUNT, 0);
    for (int a = 0; a < ARITH_COUNT; a++) {
        double v = value_positive(L, table, "tflops", arith_names[a]);

        if (v > 1e6)
            trace_raise(L, "tflops: %s = %g cannot be: it is in TFLOP/s", arith_names[a], v);
        h->flops_s[a] = v * 1e12;
    }
    if (h->flops_s[ARITH_FP32] <= 0)
        trace_raise(L, "tflops: fp32 is missing");
}

static int l_gpu(lua_State *L)
{
    static const char *const keys[] = {"source", "bandwidth_gb_s", "memory_gb", "cache_mb",
                                       "tflops"};
    struct hardware_list *all = trace_of(L)->hardware;

    value_table(L, "gpu");
    value_keys(L, 1, "gpu", keys, ARRAY_SIZE(keys), NAMES_MAX);

    if (all->n == ROWS_MAX)
        return trace_raise(L, "gpu: more than %d devices: is a loop endless?", ROWS_MAX);

    struct hardware *h = add_row(all, trace_of(L)->path);

    read_names(L, all, h);
    value_text(L, 1, "gpu", "source", &h->source);
    if (!h->source || !*h->source)
        return trace_raise(L, "gpu: source is missing: the title of the datasheet");
    h->bytes_s = 1e9 * read_figure(L, "bandwidth_gb_s", "GB/s", 10, 1e6);
    if (h->bytes_s <= 0)
        return trace_raise(L, "gpu: bandwidth_gb_s is missing");
    h->memory_bytes = 1e9 * read_figure(L, "memory_gb", "GB", 1, 1e5);
    h->cache_bytes = 1e6 * read_figure(L, "cache_mb", "MB", 0.1, 1e5);
    read_tflops(L, h);
    return 0;
}

static void push_names(lua_State *L)
{
    lua_newtable(L);
    lua_pushcfunction(L, l_gpu);
    lua_setfield(L, -2, "gpu");
}

/* ---- files ---- */

static int load_file(const char *path, struct hardware_list *l, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct trace t = {.path = path, .call = -1, .names = push_names, .hardware = l};
    int before = l->n;

    if (fs_read(path, FILE_MAX_BYTES, &text, err) < 0 ||
        trace_run(&t, buf_str(&text), text.len, err) < 0)
        return -1;
    if (l->n == before)
        return fail(err, ERR_INPUT, "%s: gpu { ... } is missing: it describes no device", path);
    return 0;
}

static int wanted(const struct dirent *e)
{
    size_t len = strlen(e->d_name);

    return e->d_name[0] != '.' && len > 4 && !strcmp(e->d_name + len - 4, ".lua");
}

int hardware_load(const char *share_dir, struct hardware_list *ret, struct err *err)
{
    AUTO(freep) char *dir = fs_join(share_dir, "hardware");
    AUTO(hardware_release) struct hardware_list l = HARDWARE_LIST_INIT;
    struct dirent **files;
    int n = scandir(dir, &files, wanted, alphasort), rc = 0;

    if (n < 0)
        return fail(err, ERR_INPUT, "%s: %s: expected the hardware tables there (set ASSAY_SHARE)",
                    dir, strerror(errno));
    for (int i = 0; i < n; i++) {
        AUTO(freep) char *path = fs_join(dir, files[i]->d_name);

        if (rc == 0)
            rc = load_file(path, &l, err);
        free(files[i]);
    }
    free(files);
    if (rc < 0)
        return -1;
    *ret = l;
    l = (struct hardware_list)HARDWARE_LIST_INIT;
    return 0;
}
