/* SPDX-License-Identifier: MIT */
#include "hardware/calibration.h"

#include "base/fs.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 6 /* version of the file; an older calibration is measured anew */

static const struct {
    const char *key;
    size_t offset;
} numbers[] = {
    {"read_bytes_s", offsetof(struct calibration, read_bytes_s)},
    {"copy_bytes_s", offsetof(struct calibration, copy_bytes_s)},
    {"call_floor_ns", offsetof(struct calibration, call_floor_ns)},
    {"empty_order_ns", offsetof(struct calibration, empty_order_ns)},
    {"empty_order_max_ns", offsetof(struct calibration, empty_order_max_ns)},
    {"cold_floor_ns", offsetof(struct calibration, cold_floor_ns)},
    {"hot_floor_ns", offsetof(struct calibration, hot_floor_ns)},
    {"hold_low_ns", offsetof(struct calibration, hold_low_ns)},
    {"hold_max_ns", offsetof(struct calibration, hold_max_ns)},
    {"probe_max_ns", offsetof(struct calibration, probe_max_ns)},
    {"head_ns", offsetof(struct calibration, head_ns)},
    {"head_max_ns", offsetof(struct calibration, head_max_ns)},
};

double calibration_bytes_s(const struct calibration *c)
{
    return fmax(c->read_bytes_s, c->copy_bytes_s);
}

void calibration_merge(struct calibration *c, const struct calibration *other)
{
    c->read_bytes_s = fmax(c->read_bytes_s, other->read_bytes_s);
    c->copy_bytes_s = fmax(c->copy_bytes_s, other->copy_bytes_s);
    for (int a = 0; a < ARITH_COUNT; a++)
        c->flops_s[a] = fmax(c->flops_s[a], other->flops_s[a]);
    c->partial = c->partial && other->partial;
    c->call_floor_ns = fmin(c->call_floor_ns, other->call_floor_ns);
}

static char *path_of(const char *home, const char *fingerprint)
{
    return xasprintf("%s/calibration/%.16s.json", home, fingerprint);
}

/* A number that is absent is 0, which says not measured. */
static int number(const json_t *j, const char *key, double *ret)
{
    double v = json_number_value(json_object_get(j, key));

    if (!(v >= 0) || !isfinite(v))
        return -1;
    *ret = v;
    return 0;
}

static int from_json(const json_t *j, struct calibration *ret)
{
    const json_t *flops = json_object_get(j, "flops_s");
    const char *fingerprint = json_string_value(json_object_get(j, "fingerprint"));
    const char *device = json_string_value(json_object_get(j, "device"));
    const char *created = json_string_value(json_object_get(j, "created"));

    if (!fingerprint || !device || !created)
        return -1;
    snprintf(ret->fingerprint, sizeof(ret->fingerprint), "%s", fingerprint);
    snprintf(ret->device, sizeof(ret->device), "%s", device);
    snprintf(ret->created, sizeof(ret->created), "%s", created);
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        if (number(j, numbers[i].key, (double *)((char *)ret + numbers[i].offset)) < 0)
            return -1;
    for (int a = 0; a < ARITH_COUNT; a++)
        if (number(flops, arith_names[a], &ret->flops_s[a]) < 0)
            return -1;
    ret->partial = json_is_true(json_object_get(j, "partial"));
    return calibration_bytes_s(ret) > 0 ? 0 : -1;
}

int calibration_load(const char *home, const char *fingerprint, bool *ret_found,
                     struct calibration *ret, struct err *err)
{
    AUTO(freep) char *path = path_of(home, fingerprint);
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct calibration c = {0};

    if (!fs_exists(path)) {
        *ret_found = false;
        return 0;
    }
    if (fs_read(path, 65536, &text, err) < 0)
        return -1;

    json_t *j = json_loadb(text.ptr, text.len, 0, NULL);
    int rc = j ? from_json(j, &c) : -1;
    json_int_t version = json_integer_value(json_object_get(j, "version"));

    json_decref(j);
    if (rc < 0)
        return fail(err, ERR_INPUT, "%s: not a calibration: remove it or run `assay calibrate`",
                    path);
    *ret_found = strcmp(c.fingerprint, fingerprint) == 0 && version == VERSION;
    if (*ret_found)
        *ret = c;
    return 0;
}

int calibration_save(const char *home, const struct calibration *c, struct err *err)
{
    AUTO(freep) char *dir = fs_join(home, "calibration");
    AUTO(freep) char *path = path_of(home, c->fingerprint);
    json_t *flops = json_object();
    json_t *j = json_pack("{s:i, s:s, s:s, s:s, s:b, s:o}", "version", VERSION, "fingerprint",
                          c->fingerprint, "device", c->device, "created", c->created, "partial",
                          c->partial, "flops_s", flops);

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        json_object_set_new(j, numbers[i].key,
                            json_real(*(const double *)((const char *)c + numbers[i].offset)));
    for (int a = 0; a < ARITH_COUNT; a++)
        if (c->flops_s[a] > 0)
            json_object_set_new(flops, arith_names[a], json_real(c->flops_s[a]));

    AUTO(freep) char *text = json_dumps(j, JSON_INDENT(2));

    json_decref(j);
    if (fs_mkdirs(dir, err) < 0)
        return -1;
    return fs_write_atomic(path, text, strlen(text), err);
}
