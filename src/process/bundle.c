/* SPDX-License-Identifier: MIT */
#include "process/bundle.h"

#include "problem/construct.h"

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

void bundle_write(const struct bundle_request *r, struct buf *out)
{
    const struct graph *g = r->size->graph;
    const char *name = plain_name(r->file);
    json_t *head = json_pack(
        "{s:[[sI]], s:s, s:s, s:o, s:o, s:o, s:o}", "files", name, (json_int_t)r->text->len, "main",
        name, "entry", r->entry ? r->entry : "", "module", module_json(r->problem, g), "inputs",
        names_json(g), "params", params_json(g), "outputs", outputs_json(g));
    char *line = json_dumps(head, JSON_COMPACT);

    buf_addf(out, "%s\n", line);
    buf_add(out, r->text->ptr, r->text->len);
    free(line);
    json_decref(head);
}
