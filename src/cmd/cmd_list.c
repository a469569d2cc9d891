/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"
#include "cmd/text.h"
#include "judge/record.h"

#include <stdio.h>
#include <string.h>

struct list_options {
    bool json, names, ops, reasons, repaired, algebra, hardware;
    const char *op, *grep;
};

#define FIELD(name) offsetof(struct list_options, name)
static const struct opt list_table[] = {
    {"json", 'j', OPT_FLAG, FIELD(json), NULL, "an array of objects", NULL, 0, 0},
    {"op", 'o', OPT_STRING, FIELD(op), "OP", "only problems that use this op", NULL, 0, 0},
    {"grep", 'g', OPT_STRING, FIELD(grep), "TEXT", "only problems with this in name or title", NULL,
     0, 0},
    {"repaired", 'r', OPT_FLAG, FIELD(repaired), NULL, "only repaired ones, and what was changed",
     NULL, 0, 0},
    {"algebra", 'a', OPT_FLAG, FIELD(algebra), NULL, "only those whose work exact algebra removes",
     NULL, 0, 0},
    {"names", 'n', OPT_FLAG, FIELD(names), NULL, "only the names, at once, one a line", NULL, 0, 0},
    {"ops", 0, OPT_FLAG, FIELD(ops), NULL, "the op reference instead (Markdown)", NULL, 0, 0},
    {"reasons", 0, OPT_FLAG, FIELD(reasons), NULL, "the reasons of verdicts instead (Markdown)",
     NULL, 0, 0},
    {"hardware", 0, OPT_FLAG, FIELD(hardware), NULL, "the GPUs whose datasheets are known instead",
     NULL, 0, 0},
    {0},
};

/* --- ops of a problem --- */

#define MAX_OPS 64

struct op_names {
    const char *list[MAX_OPS]; /* not owned */
    int n;
};

static void add_name(struct op_names *names, const char *name)
{
    for (int i = 0; i < names->n; i++)
        if (!strcmp(names->list[i], name))
            return;
    if (names->n < MAX_OPS)
        names->list[names->n++] = name;
}

/* Names of ops as the file spells them: the outermost composite that a node belongs to, else the
 * core op. Ops that only move data are left out. */
static struct op_names ops_of(const struct graph *g)
{
    struct op_names names = {.n = 0};

    for (int i = 0; i < g->n_nodes; i++) {
        const struct node *node = &g->nodes[i];
        int call = node->call;

        while (call >= 0 && g->calls[call].parent >= 0)
            call = g->calls[call].parent;
        if (call >= 0)
            add_name(&names, g->calls[call].name);
        else if (op_table[node->op].class != OP_CLASS_SOURCE &&
                 op_table[node->op].class != OP_CLASS_MOVE)
            add_name(&names, op_table[node->op].name);
    }
    return names;
}

/* Whether the graph uses an op, also inside composites. */
static bool uses_op(const struct graph *g, const char *op)
{
    for (int i = 0; i < g->n_nodes; i++)
        if (!strcmp(op_table[g->nodes[i].op].name, op))
            return true;
    for (int i = 0; i < g->n_calls; i++)
        if (!strcmp(g->calls[i].name, op))
            return true;
    return false;
}

static bool wanted(const struct problem *p, const struct list_options *o)
{
    return (!o->grep || strcasestr(p->name, o->grep) || strcasestr(p->title, o->grep)) &&
           (!o->repaired || p->repaired) && (!o->algebra || p->algebra);
}

/* --- output --- */

static json_t *requires_json(const struct problem *p)
{
    json_t *j = json_object();

    if (p->requires_tensor)
        json_object_set_new(j, "tensor", json_string(p->requires_tensor));
    if (p->requires_memory)
        json_object_set_new(j, "memory", json_integer(p->requires_memory));
    return j;
}

static json_t *problem_row(const struct problem *p)
{
    const struct graph *g = p->sizes[SIZES_FULL][0].graph;
    struct op_names names = ops_of(g);
    struct cost cost;
    json_t *ops = json_array();
    json_t *j = json_pack("{s:s, s:s, s:i, s:s, s:s}", "name", p->name, "level", p->level, "id",
                          p->id, "title", p->title, "hash", p->hash);

    graph_cost(g, &cost);
    for (int i = 0; i < names.n; i++)
        json_array_append_new(ops, json_string(names.list[i]));
    json_object_set_new(j, "ops", ops);
    json_object_set_new(j, "nodes", json_integer(g->n_nodes));
    json_object_set_new(j, "flops", json_real(cost_contract_total(&cost)));
    json_object_set_new(j, "bytes", json_real(cost_bytes(&cost)));
    json_object_set_new(j, "repaired", p->repaired ? json_string(p->repaired) : json_null());
    json_object_set_new(j, "algebra", p->algebra ? json_string(p->algebra) : json_null());
    json_object_set_new(j, "foreign", p->foreign ? json_string(p->foreign) : json_null());
    json_object_set_new(j, "requires", requires_json(p));
    return j;
}

static void join_ops(const struct graph *g, struct buf *out)
{
    struct op_names names = ops_of(g);
    int shown = MIN(names.n, 6);

    for (int i = 0; i < shown; i++)
        buf_addf(out, "%s%s", i ? " " : "", names.list[i]);
    if (names.n > shown)
        buf_addf(out, " +%d", names.n - shown);
}

static void add_marks(const struct problem *p, struct buf *out)
{
    const char *const marks[] = {p->repaired ? "repaired" : NULL, p->algebra ? "algebra" : NULL,
                                 p->foreign ? "foreign" : NULL};

    for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
        if (marks[i])
            buf_addf(out, "%s%s", out->len ? " " : "", marks[i]);
}

static void table_row(struct table *t, const struct problem *p, const struct list_options *o)
{
    const struct graph *g = p->sizes[SIZES_FULL][0].graph;
    struct cost cost;
    AUTO(buf_release) struct buf flops = BUF_INIT;
    AUTO(buf_release) struct buf bytes = BUF_INIT;
    AUTO(buf_release) struct buf last = BUF_INIT;
    AUTO(buf_release) struct buf marks = BUF_INIT;

    graph_cost(g, &cost);
    if (cost_contract_total(&cost) > 0) {
        text_count(cost_contract_total(&cost), &flops);
        buf_adds(&flops, "FLOP");
    }
    text_count(cost_bytes(&cost), &bytes);
    if (o->algebra)
        buf_adds(&last, p->algebra);
    else if (o->repaired)
        buf_adds(&last, p->repaired);
    else
        join_ops(g, &last);
    table_add(t, TEXT_PLAIN, "%s", p->name);
    table_add(t, TEXT_PLAIN, "%s", buf_str(&flops));
    table_add(t, TEXT_PLAIN, "%sB", buf_str(&bytes));
    add_marks(p, &marks);
    table_add(t, TEXT_YELLOW, "%s", buf_str(&marks));
    table_add(t, TEXT_PLAIN, "%s", buf_str(&last));
}

static int print_reference(struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (emit_reference(&text, err) < 0)
        return -1;
    fputs(buf_str(&text), stdout);
    return 0;
}

static int print_reasons(void)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    reasons_print(&text);
    fputs(buf_str(&text), stdout);
    return 0;
}

/* --- hardware --- */

static void hardware_row(struct table *t, const struct hardware *hw)
{
    for (int i = 0; i < hw->n_names; i++) {
        table_add(t, TEXT_PLAIN, "%s", hw->names[i]);
        table_add(t, TEXT_PLAIN, "%.4g", hw->memory_bytes / 1e9);
        table_add(t, TEXT_PLAIN, "%.4g", hw->bytes_s / 1e9);
        for (int a = 0; a < ARITH_COUNT; a++)
            if (hw->flops_s[a] > 0)
                table_add(t, TEXT_PLAIN, "%.5g", hw->flops_s[a] / 1e12);
            else
                table_add(t, TEXT_PLAIN, "-");
        table_add(t, TEXT_DIM, "%s", hw->source);
    }
}

static void print_hardware(const struct hardware_list *l, bool color)
{
    const char *heads[3 + ARITH_COUNT + 1] = {"device", "GB", "GB/s"};
    struct table table;
    AUTO(buf_release) struct buf text = BUF_INIT;

    for (int a = 0; a < ARITH_COUNT; a++)
        heads[3 + a] = arith_names[a];
    heads[3 + ARITH_COUNT] = "source";
    table_init(&table, "lrrrrrrrrrrrl", heads);
    for (int i = 0; i < l->n; i++)
        hardware_row(&table, &l->rows[i]);
    table_print(&table, color, &text);
    printf("%sTFLOP/s dense, without sparsity.\n", buf_str(&text));
    table_release(&table);
}

static int list_hardware(const struct app *app, bool json, struct err *err)
{
    AUTO(hardware_release) struct hardware_list l = HARDWARE_LIST_INIT;

    if (hardware_load(app->places.share, &l, err) < 0)
        return -1;
    if (!json) {
        print_hardware(&l, app->color);
        return 0;
    }

    json_t *array = json_array();

    for (int i = 0; i < l.n; i++)
        json_array_append_new(array, record_hardware(&l.rows[i]));
    json_dumpf(array, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(array);
    return 0;
}

/* No problem is traced, so that a shell can complete names while one types. */
static int list_names(const struct app *app, int argc, char **argv, struct err *err)
{
    struct problem_ref *refs = NULL;
    int n = 0;

    if (problem_list(app->places.share, argv, argc, &refs, &n, err) < 0)
        return -1;
    for (int i = 0; i < n; i++)
        puts(refs[i].name);
    problem_refs_free(refs, n);
    return 0;
}

static int list_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    const struct list_options *o = options;
    const char *const heads[] = {"problem", "contractions", "bytes", "marks",
                                 o->algebra    ? "algebra"
                                 : o->repaired ? "what was changed"
                                               : "ops"};
    struct problem_ref *refs = NULL;
    int n = 0, rc = 0;
    bool found = !o->op; /* some problem uses that op */
    struct table table;
    json_t *array;
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (o->ops)
        return print_reference(err);
    if (o->reasons)
        return print_reasons();
    if (o->hardware)
        return list_hardware(app, o->json, err);
    if (o->names && (o->json || o->op || o->grep || o->repaired || o->algebra))
        return fail(err, ERR_USAGE, "list: --names takes suites and no other option");
    if (o->names)
        return list_names(app, argc, argv, err);
    array = json_array();
    table_init(&table, "lrrll", heads);
    rc = problem_list(app->places.share, argv, argc, &refs, &n, err);
    for (int i = 0; i < n && rc == 0; i++) {
        AUTO(problem_freep) struct problem *p = NULL;

        rc = problem_load(refs[i].path, refs[i].name, &p, err);
        if (rc < 0 || (o->op && !uses_op(p->sizes[SIZES_FULL][0].graph, o->op)))
            continue;
        found = true;
        if (!wanted(p, o))
            continue;
        if (o->json)
            json_array_append_new(array, problem_row(p));
        else
            table_row(&table, p, o);
    }
    if (rc == 0 && !found)
        rc = fail(err, ERR_INPUT, "no problem uses an op '%s': assay list --ops names them all",
                  o->op);
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
    .details = "Suites are the folders of problems/. A number is a level: 1 is level1.\n",
    .run = list_main,
};
