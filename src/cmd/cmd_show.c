/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "problem/problem.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

struct show_options {
    int as;
    int sizes;
    bool json;
};

enum show_form { SHOW_TEXT, SHOW_C, SHOW_TORCH, SHOW_GRAPH };
static const char *const forms[] = {"text", "c", "torch", "graph", NULL};

static const struct opt show_table[] = {
    {"as", 'a', OPT_CHOICE, offsetof(struct show_options, as), "FORM",
     "text (default), c: the header a candidate includes, torch: a PyTorch module, graph: the "
     "nodes",
     forms, 0, 0},
    {"sizes", 's', OPT_CHOICE, offsetof(struct show_options, sizes), "SET",
     "small (default), medium or full", size_set_names, 0, 0},
    {"json", 'j', OPT_FLAG, offsetof(struct show_options, json), NULL,
     "an array of objects: tensors of every size, and how a published module is made", NULL, 0, 0},
    {0},
};

static void show_graphs(const struct problem *p, enum size_set set, struct buf *out)
{
    for (int i = 0; i < p->n_sizes[set]; i++) {
        buf_adds(out, "# ");
        size_print(&p->sizes[set][i], out);
        buf_addch(out, '\n');
        graph_print(p->sizes[set][i].graph, out);
    }
}

/* --- JSON --- */

static void append_tensor(json_t *list, const char *name, enum dtype dtype,
                          const struct shape *shape)
{
    json_t *dims = json_array();

    for (int i = 0; i < shape->rank; i++)
        json_array_append_new(dims, json_integer(shape->dim[i]));
    json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", name, "dtype",
                                          dtype_name(dtype), "shape", dims));
}

static json_t *tensors_json(const struct graph *g)
{
    json_t *inputs = json_array(), *params = json_array(), *outputs = json_array();

    for (int i = 0; i < g->n_sources; i++)
        append_tensor(i < g->n_inputs ? inputs : params, g->sources[i].name, g->sources[i].dtype,
                      &g->sources[i].shape);
    for (int i = 0; i < g->n_outputs; i++) {
        const struct node *n = &g->nodes[g->outputs[i].node];

        append_tensor(outputs, g->outputs[i].name, n->dtype, &n->shape);
    }
    return json_pack("{s:o, s:o, s:o}", "inputs", inputs, "params", params, "outputs", outputs);
}

static json_t *size_json(const struct problem *p, enum size_set set, const struct size *s)
{
    AUTO(buf_release) struct buf module = BUF_INIT;
    json_t *values = json_object(), *j = tensors_json(s->graph);

    for (int i = 0; i < s->n_params; i++) {
        double v = s->params[i].value;
        bool whole = v == floor(v) && fabs(v) < 0x1p53;

        json_object_set_new(values, s->params[i].name,
                            whole ? json_integer((json_int_t)v) : json_real(v));
    }
    construct_json(p, s->graph, &module);
    json_object_set_new(j, "set", json_string(size_set_names[set]));
    json_object_set_new(j, "size", values);
    json_object_set_new(j, "hash", json_string(s->hash));
    json_object_set_new(j, "module", json_loads(buf_str(&module), 0, NULL));
    return j;
}

static json_t *problem_json(const struct problem *p)
{
    json_t *sizes = json_array();
    json_t *j =
        json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?}", "name", p->name, "title", p->title, "hash",
                  p->hash, "repaired", p->repaired, "algebra", p->algebra, "foreign", p->foreign);

    for (int set = SIZES_COUNT - 1; set >= 0; set--)
        for (int i = 0; i < p->n_sizes[set]; i++)
            json_array_append_new(sizes, size_json(p, (enum size_set)set, &p->sizes[set][i]));
    json_object_set_new(j, "sizes", sizes);
    return j;
}

/* --- the command --- */

static int load(const struct app *app, const char *word, struct problem **ret, struct err *err)
{
    struct problem_ref ref = {0};
    int rc = problem_find(app->places.share, word, &ref, err);

    if (rc == 0)
        rc = problem_load(ref.path, ref.name, ret, err);
    problem_ref_release(&ref);
    return rc;
}

static int show_text(const struct problem *p, const struct show_options *o, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (problem_need_sizes(p, (enum size_set)o->sizes, err) < 0)
        return -1;
    if (o->as == SHOW_C)
        emit_c_header(p, (enum size_set)o->sizes, &text);
    else if (o->as == SHOW_TORCH)
        emit_torch(p, (enum size_set)o->sizes, &text);
    else if (o->as == SHOW_GRAPH)
        show_graphs(p, (enum size_set)o->sizes, &text);
    else
        emit_text(p, &text);
    fputs(buf_str(&text), stdout);
    return 0;
}

static int show_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    const struct show_options *o = options;
    json_t *array;
    int rc = 0;

    if (argc == 0)
        return fail(err, ERR_USAGE, "show: which problem? `assay list` names them");
    array = json_array();
    for (int i = 0; i < argc && rc == 0; i++) {
        AUTO(problem_freep) struct problem *p = NULL;

        rc = load(app, argv[i], &p, err);
        if (rc == 0 && o->json)
            json_array_append_new(array, problem_json(p));
        else if (rc == 0)
            rc = show_text(p, o, err);
    }
    if (rc == 0 && o->json) {
        json_dumpf(array, stdout, JSON_INDENT(1));
        putchar('\n');
    }
    json_decref(array);
    return rc;
}

const struct cmd cmd_show = {
    .name = "show",
    .args = "PROBLEM...",
    .summary = "a problem: tensors, sizes, laws, work; or as a C header, a PyTorch module",
    .options = show_table,
    .options_size = sizeof(struct show_options),
    .run = show_main,
};
