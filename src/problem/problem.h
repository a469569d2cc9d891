/* SPDX-License-Identifier: MIT */
/* A problem file, traced once per size. */
#ifndef ASSAY_PROBLEM_PROBLEM_H
#define ASSAY_PROBLEM_PROBLEM_H

#include "problem/graph.h"

/* small is for tests, medium for times on a CPU, full for times on a GPU. */
enum size_set { SIZES_SMALL, SIZES_MEDIUM, SIZES_FULL, SIZES_COUNT };
extern const char *const size_set_names[]; /* "small", "medium", "full", NULL */
/* "auto" and the names: what --sizes can say. Number 0 is auto, number n is set n - 1. */
extern const char *const size_choice_names[];

struct size_param {
    char *name;
    double value; /* whole numbers unless the file says otherwise */
};

struct size {
    struct size_param *params;
    int n_params;
    struct graph *graph;
    char hash[HASH_HEX];
};

struct null_skip { /* nulls { skip = { mean = "why" } } */
    char *name, *why;
};

/* A file as it was read: the problem's own first, then what lib "NAME" took. */
struct problem_text {
    char *name; /* "" for the problem's own */
    struct buf text;
};

/* "fp8", ..., NULL: what requires { tensor = } can say. The builder's evidence knows them all. */
extern const char *const requires_tensor_names[];

struct problem {
    char *name; /* "level1/019_relu" */
    char *path; /* of the file */
    char *title;
    char *level; /* "level1", "hard": the folder */
    int id;
    char *repaired, *algebra; /* NULL when the file does not say */
    char *requires_tensor;    /* requires { tensor = "fp8" } */
    int64_t requires_memory;  /* scratch budget in bytes at full size, 0: the default */
    bool allow_libraries;
    bool setup_params; /* setup = "params": weights may be packed */
    struct null_skip *null_skips;
    int n_null_skips;
    struct size *sizes[SIZES_COUNT];
    int n_sizes[SIZES_COUNT];
    bool medium_stated;  /* by the file; else it follows from small (medium.c), if it can */
    char hash[HASH_HEX]; /* over all sizes that the file states */
    struct problem_text *texts;
    int n_texts;
    bool packed; /* there are no others to be had */
};

/* Loads one file; `name` is how it calls itself in messages and records. */
int problem_load(const char *path, const char *name, struct problem **ret, struct err *err);
/* All its texts in one, and a problem made of that alone: for a process that can open no file. */
void problem_pack(const struct problem *p, struct buf *out);
int problem_unpack(const char *pack, size_t len, struct problem **ret, struct err *err);
void problem_free(struct problem *p);
void problem_freep(struct problem **p);
/* Succeeds where the problem has sizes of this set. Only medium can be missing: ERR_INPUT, and the
 * message says what the file has to state. */
int problem_need_sizes(const struct problem *p, enum size_set set, struct err *err);
/* Whether parameter k is the same in every size of small and full, and so in medium. */
bool size_param_fixed(const struct problem *p, int k);
/* Every medium size has a floor of at least this many microseconds, and cpu:naive takes at most
 * MEDIUM_NAIVE_MS for one call of it. */
#define MEDIUM_FLOOR_US 100
#define MEDIUM_NAIVE_MS 20
/* Microseconds that one CPU core needs at least: compulsory bytes at 20 GB/s or the FLOPs of
 * contractions at 50 GFLOP/s, whichever takes longer. The rates are fixed, so that medium is the
 * same size on every machine. */
double graph_core_floor_us(const struct graph *g);
/* "small: N = 32, M = 16" without the set: "N=32 M=16" */
void size_print(const struct size *s, struct buf *out);

/* Finding files: names such as level1/019_relu, level1/19, 1/19, hard/01, or a path ending in .lua.
 * Unknown: ERR_INPUT with the nearest names. */
struct problem_ref {
    char *name, *path;
    char *level;
    int id;
};
int problem_find(const char *share_dir, const char *word, struct problem_ref *ret, struct err *err);
/* All files of the suites named ("level1", "hard", "1"; none: all), sorted. */
int problem_list(const char *share_dir, char *const *suites, int n_suites, struct problem_ref **ret,
                 int *ret_n, struct err *err);
void problem_ref_release(struct problem_ref *r);
void problem_refs_free(struct problem_ref *refs, int n);

/* The C header a candidate of this problem and size set includes: problem.h. Like emit_torch, for a
 * set that has sizes: problem_need_sizes(). */
void emit_c_header(const struct problem *p, enum size_set set, struct buf *out);
/* A PyTorch module that computes the first size of the set: Model, get_inputs, get_init_inputs. It
 * runs in float32 and in float64 (f32 follows the inputs). */
void emit_torch(const struct problem *p, enum size_set set, struct buf *out);
/* The same for any of the set's sizes. */
void emit_torch_size(const struct problem *p, enum size_set set, int size, struct buf *out);
/* The ops a problem file can use, from the prelude and the core table, as Markdown: docs/ops.md. */
int emit_reference(struct buf *out, struct err *err);
/* What law number `law` is for each float tensor that has several: "a spread, b normal". */
void emit_law(const struct graph *g, int law, struct buf *out);
/* For people: title, tensors, sizes, costs, what was repaired. */
void emit_text(const struct problem *p, struct buf *out);

#endif
