/* SPDX-License-Identifier: MIT */
#include "base/ydoc.h"

#include "base/fs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* A YAML alias repeats a node and may repeat an ancestor. Depth and node count are bounded, so that
 * no alias is followed for ever. */
#define MAX_DEPTH 16
#define MAX_NODES 200000

struct ydoc_reader {
    struct ydoc *doc;
    yaml_document_t *yaml;
    int n_nodes;
};

int ydoc_fail(const struct ydoc *d, int line, struct err *err, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return fail(err, ERR_INPUT, "%s: line %d: %s", d->path, line, text);
}

/* --- from libyaml's document --- */

static int read_node(struct ydoc_reader *r, int index, int depth, struct ynode *ret,
                     struct err *err);

static int line_of(const yaml_node_t *n)
{
    return (int)n->start_mark.line + 1;
}

/* True if the text holds a NUL: C would take "a\0b" for "a". */
static bool has_nul(const yaml_node_t *scalar)
{
    return memchr(scalar->data.scalar.value, '\0', scalar->data.scalar.length) != NULL;
}

static int read_list(struct ydoc_reader *r, const yaml_node_t *n, int depth, struct ynode *ret,
                     struct err *err)
{
    size_t count = (size_t)(n->data.sequence.items.top - n->data.sequence.items.start);

    ret->kind = YNODE_LIST;
    ret->items = xcalloc(MAX(count, 1), sizeof(*ret->items));
    for (size_t i = 0; i < count; i++) {
        ret->n++; /* counted before it is complete, so that freeing the list frees it, too */
        if (read_node(r, n->data.sequence.items.start[i], depth + 1, &ret->items[i], err) < 0)
            return -1;
    }
    return 0;
}

static int read_key(struct ydoc_reader *r, int index, struct ynode *map, struct err *err)
{
    const yaml_node_t *key = yaml_document_get_node(r->yaml, index);

    if (key->type != YAML_SCALAR_NODE || has_nul(key))
        return ydoc_fail(r->doc, line_of(key), err, "a key has to be a plain word");

    const char *name = (const char *)key->data.scalar.value;

    if (ynode_get(map, name))
        return ydoc_fail(r->doc, line_of(key), err, "'%s' is given twice", name);
    map->keys[map->n] = (struct ynode_key){xstrdup(name), line_of(key)};
    return 0;
}

static int read_map(struct ydoc_reader *r, const yaml_node_t *n, int depth, struct ynode *ret,
                    struct err *err)
{
    const yaml_node_pair_t *pairs = n->data.mapping.pairs.start;
    size_t count = (size_t)(n->data.mapping.pairs.top - pairs);

    ret->kind = YNODE_MAP;
    ret->items = xcalloc(MAX(count, 1), sizeof(*ret->items));
    ret->keys = xcalloc(MAX(count, 1), sizeof(*ret->keys));
    for (size_t i = 0; i < count; i++) {
        if (read_key(r, pairs[i].key, ret, err) < 0)
            return -1;
        ret->n++;
        if (read_node(r, pairs[i].value, depth + 1, &ret->items[i], err) < 0)
            return -1;
    }
    return 0;
}

static int read_node(struct ydoc_reader *r, int index, int depth, struct ynode *ret,
                     struct err *err)
{
    const yaml_node_t *n = yaml_document_get_node(r->yaml, index);

    ret->line = line_of(n);
    if (depth > MAX_DEPTH || ++r->n_nodes > MAX_NODES)
        return ydoc_fail(r->doc, ret->line, err, "nested too deeply, or too large");
    switch (n->type) {
    case YAML_SEQUENCE_NODE:
        return read_list(r, n, depth, ret, err);
    case YAML_MAPPING_NODE:
        return read_map(r, n, depth, ret, err);
    default:
        if (has_nul(n))
            return ydoc_fail(r->doc, ret->line, err, "a text with a NUL in it");
        ret->text = xstrndup((const char *)n->data.scalar.value, n->data.scalar.length);
        return 0;
    }
}

static int parse_failed(const struct ydoc *d, const yaml_parser_t *p, struct err *err)
{
    /* problem_mark is the place where the parser noticed the problem. */
    size_t line = p->problem_mark.line ? p->problem_mark.line : p->context_mark.line;

    return ydoc_fail(d, (int)line + 1, err, "%s", p->problem ? p->problem : "this is no YAML");
}

/* Refuses a second document behind '---': nobody would read it. */
static int check_end(const struct ydoc *d, yaml_parser_t *parser, struct err *err)
{
    yaml_document_t next;
    int rc = 0;

    if (!yaml_parser_load(parser, &next))
        return parse_failed(d, parser, err);

    const yaml_node_t *root = yaml_document_get_root_node(&next);

    if (root)
        rc = ydoc_fail(d, line_of(root), err, "a second YAML document: a file may hold only one");
    yaml_document_delete(&next);
    return rc;
}

int ydoc_parse(const char *path, const char *text, size_t len, struct ydoc **ret, struct err *err)
{
    AUTO(ydoc_freep) struct ydoc *d = xcalloc(1, sizeof(*d));
    yaml_document_t yaml;
    yaml_parser_t parser;
    int rc = -1;

    d->path = xstrdup(path);
    if (!yaml_parser_initialize(&parser))
        return fail(err, ERR_SYSTEM, "out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    if (!yaml_parser_load(&parser, &yaml)) {
        parse_failed(d, &parser, err);
    } else {
        struct ydoc_reader r = {.doc = d, .yaml = &yaml};

        rc = yaml_document_get_root_node(&yaml) ? read_node(&r, 1, 0, &d->root, err)
                                                : ydoc_fail(d, 1, err, "the file is empty");
        yaml_document_delete(&yaml);
        if (rc == 0)
            rc = check_end(d, &parser, err);
    }
    yaml_parser_delete(&parser);
    if (rc == 0)
        *ret = steal(&d);
    return rc;
}

int ydoc_load(const char *path, size_t max_bytes, struct ydoc **ret, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (fs_read(path, max_bytes, &text, err) < 0)
        return -1;
    return ydoc_parse(path, buf_str(&text), text.len, ret, err);
}

static void release_node(struct ynode *n)
{
    for (int i = 0; i < n->n; i++) {
        release_node(&n->items[i]);
        if (n->keys)
            free(n->keys[i].name);
    }
    free(n->items);
    free(n->keys);
    free(n->text);
}

void ydoc_free(struct ydoc *d)
{
    if (!d)
        return;
    release_node(&d->root);
    free(d->path);
    free(d);
}

void ydoc_freep(struct ydoc **d)
{
    ydoc_free(*d);
    *d = NULL;
}

/* --- reading the tree --- */

const struct ynode *ynode_get(const struct ynode *map, const char *key)
{
    for (int i = 0; map->kind == YNODE_MAP && i < map->n; i++)
        if (!strcmp(map->keys[i].name, key))
            return &map->items[i];
    return NULL;
}

static bool is_in(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(*list, word))
            return true;
    return false;
}

int ydoc_check_keys(const struct ydoc *d, const struct ynode *map, const char *const *known,
                    struct err *err)
{
    size_t n_known = 0;

    if (map->kind != YNODE_MAP)
        return ydoc_fail(d, map->line, err, "this has to be a map of keys and values");
    while (known[n_known])
        n_known++;
    for (int i = 0; i < map->n; i++) {
        const char *name = map->keys[i].name, *near = nearest(name, known, n_known);

        if (is_in(name, known))
            continue;
        return ydoc_fail(d, map->keys[i].line, err, "unknown key '%s'%s%s%s", name,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return 0;
}

int ydoc_string(const struct ydoc *d, const struct ynode *map, const char *key, const char **ret,
                struct err *err)
{
    const struct ynode *n = ynode_get(map, key);

    if (!n)
        return 0;
    if (n->kind != YNODE_SCALAR || !n->text[0])
        return ydoc_fail(d, n->line, err, "'%s' takes a text", key);
    *ret = n->text;
    return 0;
}

int ydoc_int(const struct ydoc *d, const struct ynode *map, const char *key, int64_t min,
             int64_t max, int64_t *ret, struct err *err)
{
    const struct ynode *n = ynode_get(map, key);
    char *end = NULL;

    if (!n)
        return 0;
    errno = 0;

    int64_t v = n->kind == YNODE_SCALAR ? strtoll(n->text, &end, 10) : 0;

    if (!end || end == n->text || *end || errno || v < min || v > max)
        return ydoc_fail(d, n->line, err, "'%s' takes a whole number from %lld to %lld", key,
                         (long long)min, (long long)max);
    *ret = v;
    return 0;
}

int ydoc_bool(const struct ydoc *d, const struct ynode *map, const char *key, bool *ret,
              struct err *err)
{
    const struct ynode *n = ynode_get(map, key);

    if (!n)
        return 0;
    if (n->kind != YNODE_SCALAR || (strcmp(n->text, "true") != 0 && strcmp(n->text, "false") != 0))
        return ydoc_fail(d, n->line, err, "'%s' takes true or false", key);
    *ret = n->text[0] == 't';
    return 0;
}

int ydoc_list(const struct ydoc *d, const struct ynode *map, const char *key,
              const struct ynode **ret, struct err *err)
{
    const struct ynode *n = ynode_get(map, key);

    if (!n)
        return 0;
    if (n->kind == YNODE_MAP || (n->kind == YNODE_SCALAR && !n->text[0]))
        return ydoc_fail(d, n->line, err, "'%s' takes a list of names", key);
    for (int i = 0; i < n->n; i++)
        if (n->items[i].kind != YNODE_SCALAR || !n->items[i].text[0])
            return ydoc_fail(d, n->items[i].line, err, "'%s' takes a list of names", key);
    *ret = n;
    return 0;
}
