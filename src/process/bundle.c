/* SPDX-License-Identifier: MIT */
#include "process/bundle.h"

#include "problem/construct.h"
#include "terms/source.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *shape_json(const struct shape *s)
{
    json_t *list = json_array();

    for (int i = 0; i < s->rank; i++)
        json_array_append_new(list, json_integer(s->dim[i]));
    return list;
}

static json_t *names_json(const struct graph *g)
{
    json_t *list = json_array();

    for (int i = 0; i < g->n_inputs; i++)
        json_array_append_new(list, json_string(g->sources[i].name));
    return list;
}

static json_t *params_json(const struct graph *g)
{
    json_t *list = json_array();

    for (int i = g->n_inputs; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];

        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o}", "name", s->name, "dtype",
                                        dtype_name(s->dtype), "shape", shape_json(&s->shape)));
    }
    return list;
}

static json_t *outputs_json(const struct graph *g)
{
    json_t *list = json_array();

    for (int i = 0; i < g->n_outputs; i++)
        json_array_append_new(list, json_string(g->outputs[i].name));
    return list;
}

/* The file's own name, if it can stand in any folder; tracebacks then show it. */
static const char *plain_name(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
            return "candidate.py";
    return *name && *name != '.' && strlen(name) < 128 ? name : "candidate.py";
}

static json_t *module_json(const struct problem *p, const struct graph *g)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    construct_json(p, g, &text);
    return json_loads(buf_str(&text), 0, NULL);
}

/* Takes the line "BYTES NAME" at *at; NULL: there is none. */
static json_t *take_head(const char **at, const char *end)
{
    const char *line = *at, *newline = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
    char *name = NULL;
    unsigned long long bytes = newline ? strtoull(line, &name, 10) : 0;

    if (!newline || name == line || *name != ' ' || name >= newline)
        return NULL;
    *at = newline + 1;
    return json_pack("[s#I]", name + 1, (int)(newline - name - 1), (json_int_t)bytes);
}

/* Files of a candidate that is a folder, by its heads; *text then begins with their bytes. NULL:
 * the text is a file itself, which may be anything. */
static json_t *folder_json(const char **text, size_t *len)
{
    static const char head[] = SOURCE_FOLDER_HEAD;
    const char *at = *text, *end = at + *len;
    const char *newline = memchr(at, '\n', *len);

    if (!newline || *len < strlen(head) || memcmp(at, head, strlen(head)) != 0)
        return NULL;

    json_t *files = json_array();
    long n = strtol(at + strlen(head), NULL, 10);

    at = newline + 1;
    for (long i = 0; i < n; i++) {
        json_t *file = take_head(&at, end);

        if (!file) {
            json_decref(files);
            return NULL;
        }
        json_array_append_new(files, file);
    }
    *len = (size_t)(end - at);
    *text = at;
    return files;
}

static json_t *file_json(const char *file, size_t len)
{
    return json_pack("[[sI]]", plain_name(file), (json_int_t)len);
}

/* The list of frozen files, and *rest its bytes; NULL: there is none. */
static json_t *frozen_json(const struct buf *frozen, const char **rest, size_t *rest_len)
{
    const char *newline = frozen->len ? memchr(frozen->ptr, '\n', frozen->len) : NULL;
    json_t *head =
        newline ? json_loadb(frozen->ptr, (size_t)(newline - frozen->ptr), 0, NULL) : NULL;
    json_t *files = json_incref(json_object_get(head, "files"));

    json_decref(head);
    if (!json_is_array(files)) {
        json_decref(files);
        return NULL;
    }
    *rest = newline + 1;
    *rest_len = frozen->len - (size_t)(newline + 1 - frozen->ptr);
    return files;
}

/* A name below the folder: no link can be among the files, so "a/b/c" leads nowhere else. */
static bool is_beneath(const char *name)
{
    if (!name || !*name || *name == '/' || strlen(name) > 512)
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (!strncmp(part, "../", 3) || !strcmp(part, "..") || *part == '/')
            return false;
    }
    return true;
}

int bundle_check_frozen(const struct buf *frozen, struct err *err)
{
    const char *rest = NULL;
    size_t left = 0, i;
    json_t *files = frozen_json(frozen, &rest, &left), *file;
    int rc = files ? 0 : fail(err, ERR_INPUT, "the list of its files cannot be read");

    if (rc == 0 && json_array_size(files) > BUNDLE_FROZEN_FILES)
        rc = fail(err, ERR_INPUT, "its folder has %zu files, at most %d are kept",
                  json_array_size(files), BUNDLE_FROZEN_FILES);
    if (rc == 0 && left > BUNDLE_FROZEN_BYTES)
        rc = fail(err, ERR_INPUT, "its folder has %.1f MB, at most %.1f MB are kept",
                  (double)left / 1e6, (double)BUNDLE_FROZEN_BYTES / 1e6);
    for (i = 0; rc == 0 && i < json_array_size(files); i++) {
        file = json_array_get(files, i);

        json_int_t bytes = json_integer_value(json_array_get(file, 1));

        if (!is_beneath(json_string_value(json_array_get(file, 0))) || bytes < 0 ||
            (size_t)bytes > left)
            rc = fail(err, ERR_INPUT, "the list of its files does not fit its files");
        else
            left -= (size_t)bytes;
    }
    if (rc == 0 && left)
        rc = fail(err, ERR_INPUT, "the list of its files does not fit its files");
    json_decref(files);
    return rc;
}

int bundle_each_frozen(const struct buf *frozen, bundle_visit *visit, void *arg)
{
    const char *rest = NULL;
    size_t rest_len = 0, i;
    json_t *files = frozen_json(frozen, &rest, &rest_len), *file;
    int rc = 0;

    for (i = 0; rc == 0 && i < json_array_size(files); i++) {
        file = json_array_get(files, i);

        size_t len = (size_t)json_integer_value(json_array_get(file, 1));

        rc = visit(arg, json_string_value(json_array_get(file, 0)), rest, len);
        rest += len;
    }
    json_decref(files);
    return rc;
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);

    return n >= m && !strcmp(name + n - m, suffix);
}

void bundle_drop_frozen(struct buf *frozen, const char *suffix)
{
    const char *rest = NULL;
    size_t rest_len = 0, i;
    json_t *files = frozen_json(frozen, &rest, &rest_len), *file, *kept = json_array();
    AUTO(buf_release) struct buf bytes = BUF_INIT;

    json_array_foreach(files, i, file)
    {
        size_t len = (size_t)json_integer_value(json_array_get(file, 1));

        if (!ends_with(json_string_value(json_array_get(file, 0)), suffix)) {
            json_array_append(kept, file);
            buf_add(&bytes, rest, len);
        }
        rest += len;
    }

    json_t *head = json_pack("{s:o}", "files", kept);
    char *line = json_dumps(head, JSON_COMPACT);

    buf_release(frozen);
    buf_addf(frozen, "%s\n", line);
    buf_add(frozen, bytes.ptr, bytes.len);
    free(line);
    json_decref(head);
    json_decref(files);
}

void bundle_write(const struct bundle_request *r, struct buf *out)
{
    const struct graph *g = r->size->graph;
    const char *text = r->text->ptr;
    size_t len = r->text->len;
    json_t *files = len ? folder_json(&text, &len) : NULL;

    if (!files)
        files = file_json(r->file, len);

    const char *main = json_string_value(json_array_get(json_array_get(files, 0), 0));
    json_t *head =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "main", main ? main : "", "entry",
                  r->entry ? r->entry : "", "module", module_json(r->problem, g), "inputs",
                  names_json(g), "params", params_json(g), "outputs", outputs_json(g));

    const char *rest = NULL;
    size_t rest_len = 0;

    json_object_set_new(head, "files", files);
    if (r->frozen && r->frozen->len)
        json_object_set_new(head, "frozen", frozen_json(r->frozen, &rest, &rest_len));
    json_object_set_new(head, "results_named", json_boolean(r->results_named));
    json_object_set_new(head, "weights", json_string(weights_names[r->weights]));

    char *line = json_dumps(head, JSON_COMPACT);

    buf_addf(out, "%s\n", line);
    buf_add(out, text, len);
    if (rest_len)
        buf_add(out, rest, rest_len);
    free(line);
    json_decref(head);
}

static json_t *sources_json(const struct bundle_reference *r)
{
    json_t *list = json_array();

    for (int i = 0; r->graph && i < r->graph->n_sources; i++) {
        const struct source *s = &r->graph->sources[i];

        json_array_append_new(list, json_pack("{s:s, s:o, s:I}", "dtype", dtype_name(s->dtype),
                                              "shape", shape_json(&s->shape), "offset",
                                              (json_int_t)r->in->slots[i].offset));
    }
    return list;
}

void bundle_write_reference(const struct bundle_reference *r, struct buf *out)
{
    json_t *head =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:b}", "role", "reference", "main",
                  plain_name(r->file), "entry", "Model", "files", file_json(r->file, r->text->len),
                  "sources", sources_json(r), "drafts", r->drafts);

    json_object_set_new(head, "weights", json_string(weights_names[r->weights]));

    char *line = json_dumps(head, JSON_COMPACT);

    buf_addf(out, "%s\n", line);
    buf_add(out, r->text->ptr, r->text->len);
    free(line);
    json_decref(head);
}
