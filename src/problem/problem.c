/* SPDX-License-Identifier: MIT */
#include "problem/problem.h"

#include "base/fs.h"
#include "problem/trace.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES ((size_t)1 << 20)

const char *const size_set_names[] = {"small", "full", NULL};

static void size_release(struct size *s)
{
    for (int i = 0; i < s->n_params; i++)
        free(s->params[i].name);
    free(s->params);
    graph_free(s->graph);
}

void problem_free(struct problem *p)
{
    if (!p)
        return;
    for (int set = 0; set < SIZES_COUNT; set++) {
        for (int i = 0; i < p->n_sizes[set]; i++)
            size_release(&p->sizes[set][i]);
        free(p->sizes[set]);
    }
    for (int i = 0; i < p->n_null_skips; i++) {
        free(p->null_skips[i].name);
        free(p->null_skips[i].why);
    }
    free(p->null_skips);
    free(p->name);
    free(p->path);
    free(p->title);
    free(p->level);
    free(p->repaired);
    free(p->algebra);
    free(p->requires_tensor);
    free(p);
}

void problem_freep(struct problem **p)
{
    problem_free(*p);
    *p = NULL;
}

void size_print(const struct size *s, struct buf *out)
{
    for (int i = 0; i < s->n_params; i++)
        buf_addf(out, "%s%s=%.12g", i ? " " : "", s->params[i].name, s->params[i].value);
}

/* "level1/019_relu": the folder is the level, leading digits are the id. */
static void read_name(struct problem *p, const char *name)
{
    const char *slash = strrchr(name, '/'), *stem = slash ? slash + 1 : name;

    p->name = xstrdup(name);
    if (slash)
        p->level = xstrndup(name, (size_t)(slash - name));
    if (isdigit((unsigned char)stem[0]))
        p->id = (int)strtol(stem, NULL, 10);
}

static void hash_size(const struct size *s, struct hash *h)
{
    hash_add_u64(h, (uint64_t)s->n_params);
    for (int i = 0; i < s->n_params; i++) {
        uint64_t bits;

        memcpy(&bits, &s->params[i].value, sizeof(bits));
        hash_adds(h, s->params[i].name);
        hash_add_u64(h, bits);
    }
    graph_hash(s->graph, h);
}

static int trace_size(struct problem *p, enum size_set set, int index, bool first,
                      const struct buf *text, struct err *err)
{
    AUTO(graph_freep) struct graph *graph = graph_new();
    struct trace t = {
        .problem = p,
        .graph = graph,
        .path = p->path,
        .set = set,
        .index = index,
        .first = first,
        .call = -1,
    };
    struct hash h;

    if (trace_run(&t, buf_str(text), text->len, err) < 0)
        return -1;
    if (t.stage != STAGE_SIZES)
        return fail(err, ERR_INPUT, "%s: %s { ... } is missing", p->path,
                    t.stage == STAGE_START ? "problem" : "sizes");
    if (graph_finish(graph, err) < 0)
        return wrap(err, "%s", p->path);

    struct size *s = &p->sizes[set][index];

    s->graph = steal(&graph);
    hash_init(&h);
    hash_size(s, &h);
    hash_final(&h, s->hash);
    return 0;
}

/* What changes the judgement beside the graphs goes in, too. */
static void hash_problem(struct problem *p)
{
    struct hash h;

    hash_init(&h);
    for (int set = 0; set < SIZES_COUNT; set++) {
        hash_add_u64(&h, (uint64_t)p->n_sizes[set]);
        for (int i = 0; i < p->n_sizes[set]; i++)
            hash_adds(&h, p->sizes[set][i].hash);
    }
    hash_adds(&h, p->requires_tensor ? p->requires_tensor : "");
    hash_add_u64(&h, (uint64_t)p->requires_memory);
    hash_add_u64(&h, p->allow_libraries);
    hash_add_u64(&h, p->setup_params);
    hash_add_u64(&h, p->algebra != NULL);
    for (int i = 0; i < p->n_null_skips; i++)
        hash_adds(&h, p->null_skips[i].name);
    hash_final(&h, p->hash);
}

int problem_load(const char *path, const char *name, struct problem **ret, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    AUTO(problem_freep) struct problem *p = xcalloc(1, sizeof(*p));
    bool first = true;

    p->path = xstrdup(path);
    read_name(p, name);
    if (fs_read(path, FILE_MAX_BYTES, &text, err) < 0)
        return -1;
    /* The first run finds out how many sizes there are; before it, there is one to try. */
    for (int set = 0; set < SIZES_COUNT; set++) {
        for (int i = 0; i < MAX(p->n_sizes[set], first); i++) {
            if (trace_size(p, (enum size_set)set, i, first, &text, err) < 0)
                return -1;
            first = false;
        }
    }
    if (!p->level)
        p->level = xstrdup("");
    hash_problem(p);
    *ret = steal(&p);
    return 0;
}
