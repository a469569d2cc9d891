/* SPDX-License-Identifier: MIT */
#include "device/device.h"

#include <string.h>

#define ADDRESS(name) &device_##name,
const struct device *const device_registry[] = {DEVICES(ADDRESS) NULL};

void device_names(struct buf *out)
{
    for (const struct device *const *d = device_registry; *d; d++)
        buf_addf(out, "%s%s", d == device_registry ? "" : ", ", (*d)->name);
}

static int unknown(const char *word, struct err *err)
{
    AUTO(buf_release) struct buf names = BUF_INIT;

    device_names(&names);
    return fail(err, ERR_USAGE, "no device '%.40s'; there are %s (or NAME:NUMBER)", word,
                buf_str(&names));
}

/* Number of a device: "" is 0, ":7" is 7; -1 for anything else. */
static int parse_index(const char *s)
{
    size_t digits = *s == ':' ? strspn(s + 1, "0123456789") : 0;
    int index = 0;

    if (!*s)
        return 0;
    if (digits < 1 || digits > 4 || s[1 + digits])
        return -1;
    for (size_t i = 1; i <= digits; i++)
        index = index * 10 + (s[i] - '0');
    return index;
}

int device_find(const char *word, const struct device **ret, int *ret_index, struct err *err)
{
    size_t len = strcspn(word, ":");
    int index = parse_index(word + len);

    for (const struct device *const *d = device_registry; *d && index >= 0; d++) {
        if (strlen((*d)->name) == len && !strncmp((*d)->name, word, len)) {
            *ret = *d;
            *ret_index = index;
            return 0;
        }
    }
    return unknown(word, err);
}

int device_fail_missing(const struct device *d, const char *word, const char *why, struct err *err)
{
    return fail(err, ERR_DEVICE, "%s: %s%s%s", word, why, d->remedy ? "; " : "",
                d->remedy ? d->remedy : "");
}

int device_check(const struct device *d, const char *word, struct err *err)
{
    const char *why = "none found";

    return d->probe(&why) > 0 ? 0 : device_fail_missing(d, word, why, err);
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n > m && !strcmp(s + n - m, end);
}

void device_suffixes(const struct device *d, struct buf *out)
{
    if (!*d->toolchains)
        buf_adds(out, "no");
    for (const struct toolchain *const *t = d->toolchains; *t; t++)
        buf_addf(out, "%s%s", t == d->toolchains ? "" : " and ", (*t)->suffix);
}

bool device_takes(const struct device *d, const char *path)
{
    for (const struct toolchain *const *t = d->toolchains; *t; t++)
        if (ends_with(path, (*t)->suffix))
            return true;
    return false;
}

const struct device *device_for_file(const char *path)
{
    for (const struct device *const *d = device_registry; *d; d++)
        if (device_takes(*d, path))
            return *d;
    return NULL;
}
