/* SPDX-License-Identifier: MIT */
#include "results/foreign.h"

#include "base/fs.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOREIGN_MAX_BYTES (16 << 20)

static void add_time(struct foreign *f, const char *level, const char *file, const json_t *entry)
{
    double ms = json_number_value(json_object_get(entry, "mean"));
    int id = (int)strtol(file, NULL, 10);

    if (!(ms > 0) || id <= 0)
        return;
    f->times = xrealloc(f->times, (size_t)(f->n + 1) * sizeof(*f->times));
    f->times[f->n++] = (struct foreign_time){xstrdup(level), id, 1e3 * ms};
}

static void add_levels(struct foreign *f, json_t *root)
{
    const char *level, *file;
    json_t *problems, *entry;

    json_object_foreach(root, level, problems) json_object_foreach(problems, file, entry)
        add_time(f, level, file, entry);
}

int foreign_load(const char *path, struct foreign *ret, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    AUTO(foreign_release) struct foreign f = {0};
    json_error_t where;

    if (fs_read(path, FOREIGN_MAX_BYTES, &text, err) < 0)
        return -1;

    json_t *root = json_loads(buf_str(&text), 0, &where);

    if (!root)
        return fail(err, ERR_INPUT, "%s: line %d: %s", path, where.line, where.text);
    add_levels(&f, root);
    json_decref(root);
    if (!f.n)
        return fail(err, ERR_INPUT,
                    "%s: no times in it: expected {\"level1\": {\"19_ReLU.py\": {\"mean\": ms}}}",
                    path);
    f.label = xasprintf("foreign: %s", path);
    *ret = f;
    f = (struct foreign){0};
    return 0;
}

void foreign_release(struct foreign *f)
{
    for (int i = 0; i < f->n; i++)
        free(f->times[i].level);
    free(f->times);
    free(f->label);
    *f = (struct foreign){0};
}

double foreign_cold_us(void *arg, const char *problem, const char *size_hash,
                       const char *fingerprint)
{
    const struct foreign *f = arg;
    const char *slash = strchr(problem, '/');
    int id = slash ? (int)strtol(slash + 1, NULL, 10) : 0;

    (void)size_hash, (void)fingerprint;
    for (int i = 0; i < f->n; i++)
        if (f->times[i].id == id && id > 0 &&
            !strncmp(problem, f->times[i].level, (size_t)(slash - problem)) &&
            strlen(f->times[i].level) == (size_t)(slash - problem))
            return f->times[i].us;
    return NAN;
}
