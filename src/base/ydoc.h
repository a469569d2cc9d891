/* SPDX-License-Identifier: MIT */
/* YAML files that people write (plans, annotations), as a small tree that knows its lines. Scalars
 * are text; what they mean is the reader's to say. Unknown and repeated keys are errors. */
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

/* An empty file, a syntax error, an anchor's explosion: ERR_INPUT with "PATH: line N: ...". */
int ydoc_load(const char *path, size_t max_bytes, struct ydoc **ret, struct err *err);
int ydoc_parse(const char *path, const char *text, size_t len, struct ydoc **ret, struct err *err);
void ydoc_free(struct ydoc *d);
void ydoc_freep(struct ydoc **d);

/* ERR_INPUT, "PATH: line N: ..."; always -1. */
int ydoc_fail(const struct ydoc *d, int line, struct err *err, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* The node has to be a map whose keys are all in the NULL-terminated list. */
int ydoc_check_keys(const struct ydoc *d, const struct ynode *map, const char *const *known,
                    struct err *err);
/* The value of a map's key, or NULL. */
const struct ynode *ynode_get(const struct ynode *map, const char *key);
/* These leave *ret alone when the key is missing; -1 when it is there and of another kind. */
int ydoc_string(const struct ydoc *d, const struct ynode *map, const char *key, const char **ret,
                struct err *err);
int ydoc_int(const struct ydoc *d, const struct ynode *map, const char *key, int64_t min,
             int64_t max, int64_t *ret, struct err *err);
int ydoc_bool(const struct ydoc *d, const struct ynode *map, const char *key, bool *ret,
              struct err *err);
/* A list of scalars; one scalar stands for a list of one. */
int ydoc_list(const struct ydoc *d, const struct ynode *map, const char *key,
              const struct ynode **ret, struct err *err);

#endif
