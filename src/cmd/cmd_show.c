/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "problem/problem.h"

#include <stdio.h>

struct show_options {
    int as;
    int sizes;
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

static int show_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    const struct show_options *o = options;

    if (argc == 0)
        return fail(err, ERR_USAGE, "show: which problem? `assay list` names them");
    for (int i = 0; i < argc; i++) {
        struct problem_ref ref = {0};
        AUTO(problem_freep) struct problem *p = NULL;
        AUTO(buf_release) struct buf text = BUF_INIT;
        int rc = problem_find(app->places.share, argv[i], &ref, err);

        if (rc == 0)
            rc = problem_load(ref.path, ref.name, &p, err);
        if (rc == 0)
            rc = problem_need_sizes(p, (enum size_set)o->sizes, err);
        problem_ref_release(&ref);
        if (rc < 0)
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
    }
    return 0;
}

const struct cmd cmd_show = {
    .name = "show",
    .args = "PROBLEM...",
    .summary = "a problem: tensors, sizes, laws, work; or as a C header, a PyTorch module",
    .options = show_table,
    .options_size = sizeof(struct show_options),
    .run = show_main,
};
