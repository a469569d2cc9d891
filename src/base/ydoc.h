/* SPDX-License-Identifier: MIT */
/* YAML files that people write (plans, annotations), as a small tree that knows its lines. Scalars
 * are text; the reader gives them a meaning. Unknown and repeated keys are errors. */
#ifndef ASSAY_BASE_YDOC_H
#define ASSAY_BASE_YDOC_H

#include "base/err.h"

enum ynode_kind { YNODE_SCALAR, YNODE_LIST, YNODE_MAP };

struct ynode {
    enum ynode_kind kind;
    int line;            /* from 1 */
    char *text;          /* YNODE_SCALAR */
    struct ynode *items; /* YNODE_LIST; YNODE_MAP: the values */
    struct ynode_key {   /* YNODE_MAP: beside items */
        char *name;
        int line;
    } * keys;
    int n;
};

struct ydoc {
    char *path; /* for messages */
    struct ynode root;
};

/* Reads a YAML file. An empty file, a syntax error, or aliases that unfold to too many nodes are
 * ERR_INPUT with "PATH: line N: ...". */
int ydoc_load(const char *path, size_t max_bytes, struct ydoc **ret, struct err *err);
int ydoc_parse(const char *path, const char *text, size_t len, struct ydoc **ret, struct err *err);
void ydoc_free(struct ydoc *d);
void ydoc_freep(struct ydoc **d);

/* Sets an ERR_INPUT "PATH: line N: ..." and returns -1. */
int ydoc_fail(const struct ydoc *d, int line, struct err *err, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* Fails unless the node is a map and the NULL-terminated list holds all of its keys. */
int ydoc_check_keys(const struct ydoc *d, const struct ynode *map, const char *const *known,
                    struct err *err);
/* The value of a map's key, or NULL. */
const struct ynode *ynode_get(const struct ynode *map, const char *key);
/* Reads the value of a key. A missing key leaves *ret alone; a value of another kind is -1. */
int ydoc_string(const struct ydoc *d, const struct ynode *map, const char *key, const char **ret,
                struct err *err);
int ydoc_int(const struct ydoc *d, const struct ynode *map, const char *key, int64_t min,
             int64_t max, int64_t *ret, struct err *err);
int ydoc_bool(const struct ydoc *d, const struct ynode *map, const char *key, bool *ret,
              struct err *err);
/* Reads a list of scalars. A single scalar (YNODE_SCALAR) stands for a list of one. */
int ydoc_list(const struct ydoc *d, const struct ynode *map, const char *key,
              const struct ynode **ret, struct err *err);

#endif
