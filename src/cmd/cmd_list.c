/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"
#include "cmd/text.h"

#include <jansson.h>
#include <stdio.h>

struct list_options {
    bool json;
};

static const struct opt list_table[] = {
    {"json", 'j', OPT_FLAG, offsetof(struct list_options, json), NULL, "an array of objects", NULL,
     0, 0},
    {0},
};

static json_t *problem_row(const struct problem *p)
{
    const struct graph *g = p->sizes[SIZES_FULL][0].graph;
    struct cost cost;
    json_t *j = json_pack("{s:s, s:s, s:i, s:s, s:s}", "name", p->name, "level", p->level, "id",
                          p->id, "title", p->title, "hash", p->hash);

    graph_cost(g, &cost);
    json_object_set_new(j, "nodes", json_integer(g->n_nodes));
    json_object_set_new(j, "flops", json_real(cost_contract_total(&cost)));
    json_object_set_new(j, "bytes", json_real(cost_bytes(&cost)));
    json_object_set_new(j, "repaired", p->repaired ? json_string(p->repaired) : json_null());
    json_object_set_new(j, "algebra", p->algebra ? json_string(p->algebra) : json_null());
    return j;
}

static void table_row(struct table *t, const struct problem *p)
{
    struct cost cost;
    AUTO(buf_release) struct buf flops = BUF_INIT;
    AUTO(buf_release) struct buf bytes = BUF_INIT;

    graph_cost(p->sizes[SIZES_FULL][0].graph, &cost);
    if (cost_contract_total(&cost) > 0) {
        text_count(cost_contract_total(&cost), &flops);
        buf_adds(&flops, "FLOP");
    }
    text_count(cost_bytes(&cost), &bytes);
    table_add(t, TEXT_PLAIN, "%s", p->name);
    table_add(t, TEXT_PLAIN, "%d", p->sizes[SIZES_FULL][0].graph->n_nodes);
    table_add(t, TEXT_PLAIN, "%s", buf_str(&flops));
    table_add(t, TEXT_PLAIN, "%sB", buf_str(&bytes));
    table_add(t, TEXT_YELLOW, "%s%s", p->repaired ? "repaired " : "", p->algebra ? "algebra" : "");
    table_add(t, TEXT_PLAIN, "%s", p->title);
}

static int list_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    static const char *const heads[] = {"problem", "nodes", "contractions",
                                        "bytes",   "marks", "title"};
    const struct list_options *o = options;
    struct problem_ref *refs = NULL;
    int n = 0, rc = 0;
    struct table table;
    json_t *array = json_array();
    AUTO(buf_release) struct buf text = BUF_INIT;

    table_init(&table, "lrrrll", heads);
    rc = problem_list(app->places.share, argv, argc, &refs, &n, err);
    for (int i = 0; i < n && rc == 0; i++) {
        AUTO(problem_freep) struct problem *p = NULL;

        rc = problem_load(refs[i].path, refs[i].name, &p, err);
        if (rc == 0 && o->json)
            json_array_append_new(array, problem_row(p));
        else if (rc == 0)
            table_row(&table, p);
    }
    if (rc == 0 && o->json) {
        json_dumpf(array, stdout, JSON_INDENT(1));
        putchar('\n');
    } else if (rc == 0) {
        table_print(&table, app->color, &text);
        fputs(buf_str(&text), stdout);
    }
    json_decref(array);
    table_release(&table);
    problem_refs_free(refs, n);
    return rc;
}

const struct cmd cmd_list = {
    .name = "list",
    .args = "[SUITE...]",
    .summary = "the problems, with the work of their full size",
    .options = list_table,
    .options_size = sizeof(struct list_options),
    .details = "Suites are folders of problems/: level1, level2, level3 (or 1, 2, 3).\n",
    .run = list_main,
};
