/* SPDX-License-Identifier: MIT */
#include "problem/problem.h"

#include "base/fs.h"
#include "problem/trace.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES ((size_t)1 << 20)

const char *const size_set_names[] = {"small", "medium", "full", NULL};
const char *const size_choice_names[] = {"auto", "small", "medium", "full", NULL};

static void size_release(struct size *s)
{
    for (int i = 0; i < s->n_params; i++)
        free(s->params[i].name);
    free(s->params);
    graph_free(s->graph);
}

void problem_drop_sizes(struct problem *p, enum size_set set)
{
    for (int i = 0; i < p->n_sizes[set]; i++)
        size_release(&p->sizes[set][i]);
    free(p->sizes[set]);
    p->sizes[set] = NULL;
    p->n_sizes[set] = 0;
}

void problem_free(struct problem *p)
{
    if (!p)
        return;
    for (int set = 0; set < SIZES_COUNT; set++)
        problem_drop_sizes(p, (enum size_set)set);
    for (int i = 0; i < p->n_null_skips; i++) {
        free(p->null_skips[i].name);
        free(p->null_skips[i].why);
    }
    for (int i = 0; i < p->n_texts; i++) {
        free(p->texts[i].name);
        buf_release(&p->texts[i].text);
    }
    free(p->texts);
    free(p->null_skips);
    free(p->name);
    free(p->path);
    free(p->title);
    free(p->level);
    free(p->repaired);
    free(p->algebra);
    free(p->foreign);
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
    if (s->n_params == 0 && s->graph && s->graph->n_sources > 0)
        shape_print(&s->graph->sources[0].shape, out);
}

/* Reads level and id from a name such as "level1/019_relu": folder and leading digits. */
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

void problem_hash_size(struct size *s)
{
    struct hash h;

    hash_init(&h);
    hash_size(s, &h);
    hash_final(&h, s->hash);
}

int trace_size(struct problem *p, enum size_set set, int index, bool first, struct err *err)
{
    AUTO(graph_freep) struct graph *graph = graph_new();
    /* A copy of the struct: texts[] moves when a lib is added, its bytes stay where they are. */
    const struct buf text = p->texts[0].text;
    struct trace t = {
        .problem = p,
        .graph = graph,
        .path = p->path,
        .set = set,
        .index = index,
        .first = first,
        .call = -1,
    };

    if (trace_run(&t, buf_str(&text), text.len, err) < 0)
        return -1;
    if (t.stage != STAGE_SIZES)
        return fail(err, ERR_INPUT, "%s: %s { ... } is missing", p->path,
                    t.stage == STAGE_START ? "problem" : "sizes");
    if (graph_finish(graph, err) < 0)
        return wrap(err, "%s", p->path);

    struct size *s = &p->sizes[set][index];

    graph_free(s->graph);
    s->graph = steal(&graph);
    problem_hash_size(s);
    return 0;
}

static void hash_set(const struct problem *p, enum size_set set, struct hash *h)
{
    hash_add_u64(h, (uint64_t)p->n_sizes[set]);
    for (int i = 0; i < p->n_sizes[set]; i++)
        hash_adds(h, p->sizes[set][i].hash);
}

/* Hashes the graphs and everything else that changes the judgement. A medium set that follows from
 * small stays out, so that runs from before there was such a set can be resumed. */
static void hash_problem(struct problem *p)
{
    struct hash h;

    hash_init(&h);
    hash_set(p, SIZES_SMALL, &h);
    hash_set(p, SIZES_FULL, &h);
    if (p->medium_stated)
        hash_set(p, SIZES_MEDIUM, &h);
    hash_adds(&h, p->requires_tensor ? p->requires_tensor : "");
    hash_add_u64(&h, (uint64_t)p->requires_memory);
    hash_add_u64(&h, p->allow_libraries);
    hash_add_u64(&h, p->setup_params);
    hash_add_u64(&h, p->algebra != NULL);
    for (int i = 0; i < p->n_null_skips; i++)
        hash_adds(&h, p->null_skips[i].name);
    hash_final(&h, p->hash);
}

static int trace_all(struct problem *p, struct err *err)
{
    bool first = true;

    /* The first run finds out how many sizes there are; until then one is tried. */
    for (int set = 0; set < SIZES_COUNT; set++) {
        for (int i = 0; i < MAX(p->n_sizes[set], first); i++) {
            if (trace_size(p, (enum size_set)set, i, first, err) < 0)
                return -1;
            first = false;
        }
    }
    if (!p->medium_stated && medium_make(p, err) < 0)
        return -1;
    if (!p->level)
        p->level = xstrdup("");
    hash_problem(p);
    return 0;
}

/* --- texts --- */

static struct buf *add_text(struct problem *p, const char *name)
{
    p->texts = xrealloc(p->texts, (size_t)(p->n_texts + 1) * sizeof(*p->texts));
    p->texts[p->n_texts] = (struct problem_text){xstrdup(name), BUF_INIT};
    return &p->texts[p->n_texts++].text;
}

int problem_text(struct problem *p, const char *name, const char *path, size_t max_bytes,
                 const struct buf **ret, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    for (int i = 0; i < p->n_texts; i++)
        if (!strcmp(p->texts[i].name, name)) {
            *ret = &p->texts[i].text;
            return 0;
        }
    if (p->packed)
        return fail(err, ERR_INPUT, "%s is not among the texts", name);
    if (fs_read(path, max_bytes, &text, err) < 0)
        return -1;

    struct buf *kept = add_text(p, name);

    buf_add(kept, text.ptr, text.len);
    *ret = kept;
    return 0;
}

int problem_load(const char *path, const char *name, struct problem **ret, struct err *err)
{
    AUTO(problem_freep) struct problem *p = xcalloc(1, sizeof(*p));
    const struct buf *text;

    if (problem_is_reference(path))
        return fail(err, ERR_INPUT,
                    "%s: a module in Python is no problem file; judge against it with --ref, or "
                    "with ref: in a plan",
                    path);
    p->path = xstrdup(path);
    read_name(p, name);
    if (problem_text(p, "", path, FILE_MAX_BYTES, &text, err) < 0 || trace_all(p, err) < 0)
        return -1;
    *ret = steal(&p);
    return 0;
}

void problem_pack(const struct problem *p, struct buf *out)
{
    buf_addf(out, "%s\n%d\n", p->name, p->n_texts);
    for (int i = 0; i < p->n_texts; i++) {
        buf_addf(out, "%s\n%zu\n", p->texts[i].name, p->texts[i].text.len);
        buf_add(out, p->texts[i].text.ptr, p->texts[i].text.len);
    }
}

struct unpacker {
    const char *at;
    size_t left;
};

/* The next line without its newline, as a heap string that the caller owns; NULL: none is left. */
static char *take_line(struct unpacker *u)
{
    const char *end = memchr(u->at, '\n', u->left);
    char *line = end ? xasprintf("%.*s", (int)(end - u->at), u->at) : NULL;

    if (end) {
        u->left -= (size_t)(end + 1 - u->at);
        u->at = end + 1;
    }
    return line;
}

static bool take_text(struct unpacker *u, struct problem *p)
{
    AUTO(freep) char *name = take_line(u);
    AUTO(freep) char *size = name ? take_line(u) : NULL;
    size_t bytes = size ? strtoull(size, NULL, 10) : 0;

    if (!size || bytes > u->left)
        return false;
    buf_add(add_text(p, name), u->at, bytes);
    u->at += bytes;
    u->left -= bytes;
    return true;
}

int problem_unpack(const char *pack, size_t len, struct problem **ret, struct err *err)
{
    AUTO(problem_freep) struct problem *p = xcalloc(1, sizeof(*p));
    struct unpacker u = {pack, len};
    AUTO(freep) char *name = take_line(&u);
    AUTO(freep) char *count = name ? take_line(&u) : NULL;

    p->packed = true;
    for (long i = 0, n = count ? strtol(count, NULL, 10) : 0; i < n; i++)
        if (!take_text(&u, p))
            break;
    if (!count || p->n_texts < 1 || p->n_texts != strtol(count, NULL, 10))
        return fail(err, ERR_INPUT, "not a packed problem");
    p->path = xstrdup(name);
    read_name(p, name);
    if (trace_all(p, err) < 0)
        return -1;
    *ret = steal(&p);
    return 0;
}
