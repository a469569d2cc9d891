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

    json_object_set_new(head, "files", files);
    json_object_set_new(head, "results_named", json_boolean(r->results_named));

    char *line = json_dumps(head, JSON_COMPACT);

    buf_addf(out, "%s\n", line);
    buf_add(out, text, len);
    free(line);
    json_decref(head);
}
