/* SPDX-License-Identifier: MIT */
/* A problem file, traced once per size. */
#ifndef ASSAY_PROBLEM_PROBLEM_H
#define ASSAY_PROBLEM_PROBLEM_H

#include "problem/graph.h"

/* small is for tests, medium for times on a CPU, full for times on a GPU. */
enum size_set { SIZES_SMALL, SIZES_MEDIUM, SIZES_FULL, SIZES_COUNT };
extern const char *const size_set_names[]; /* "small", "medium", "full", NULL */
/* Values of --sizes: "auto" and the names of the sets. Number 0 is auto, number n is set n - 1. */
extern const char *const size_choice_names[];

struct size_param {
    char *name;
    double value; /* usually a whole number */
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

/* A file as it was read: first the problem's own, then those that lib "NAME" took. */
struct problem_text {
    char *name; /* "" for the problem's own file */
    struct buf text;
};

/* Values of requires { tensor = }: "fp8", ..., NULL. The builder's evidence knows them all. */
extern const char *const requires_tensor_names[];

struct problem {
    char *name; /* "level1/019_relu" */
    char *path; /* path of the file; of a packed problem its name */
    char *title;
    char *level; /* the folder: "level1", "hard" */
    int id;
    char *repaired, *algebra; /* NULL when the file does not state them */
    char *foreign;            /* why published candidates do not apply, or NULL */
    bool eval_mode;        /* mode = "eval": modules are judged in eval mode, else in train mode */
    char *requires_tensor; /* "fp8" from requires { tensor = "fp8" }, or NULL */
    int64_t requires_memory; /* scratch budget in bytes at full size; 0: nothing stated */
    bool allow_libraries;
    bool setup_params; /* setup = "params": weights may be packed */
    struct null_skip *null_skips;
    int n_null_skips;
    struct size *sizes[SIZES_COUNT];
    int n_sizes[SIZES_COUNT];
    bool medium_stated;  /* the file states medium; else medium.c tries to make it */
    char hash[HASH_HEX]; /* over all sizes that the file states */
    struct problem_text *texts;
    int n_texts;
    bool packed; /* made by problem_unpack(): no further file can be read */
};

/* Loads one file; `name` is the problem's name in messages and records. */
int problem_load(const char *path, const char *name, struct problem **ret, struct err *err);
/* Puts all texts of a problem into one, and makes a problem of that alone: for a process that can
 * open no file. */
void problem_pack(const struct problem *p, struct buf *out);
int problem_unpack(const char *pack, size_t len, struct problem **ret, struct err *err);
/* Makes a problem without a graph of its own, of what a reference outside says about itself
 * (described.c has the form). All sizes are the one that it describes. The text is a stranger's.
 * ERR_INPUT says what is wrong with it. */
int problem_of_description(const char *text, size_t len, const char *name, struct problem **ret,
                           struct err *err);
void problem_free(struct problem *p);
void problem_freep(struct problem **p);
/* Fails if the problem has no sizes of this set. Only medium can be missing: ERR_INPUT, and the
 * message says what the file has to state. */
int problem_need_sizes(const struct problem *p, enum size_set set, struct err *err);
/* Whether parameter k is the same in every size of small and full, and therefore in medium. */
bool size_param_fixed(const struct problem *p, int k);
/* Every medium size has a floor of at least MEDIUM_FLOOR_US, and cpu:naive takes at most
 * MEDIUM_NAIVE_MS for one call of it. */
#define MEDIUM_FLOOR_US 100
#define MEDIUM_NAIVE_MS 20
/* Microseconds that one CPU core needs at least: compulsory bytes at 20 GB/s or the FLOPs of
 * contractions at 50 GFLOP/s, whichever takes longer. The rates are fixed, so that medium is the
 * same size on every machine. */
double graph_core_floor_us(const struct graph *g);
/* Prints the parameters of a size: "N=32 M=16"; the shape of its first tensor if it has none. */
void size_print(const struct size *s, struct buf *out);

/* A problem file found by a name such as level1/019_relu, level1/19, 1/19, hard/01, or by a path
 * that ends in .lua; both give the same name to a file of the share. A path that ends in .py is a
 * reference. An unknown name is ERR_INPUT with the nearest names. */
struct problem_ref {
    char *name, *path;
    char *level;
    int id;
};
int problem_find(const char *share_dir, const char *word, struct problem_ref *ret, struct err *err);
/* Lists all problems of the named suites ("level1", "hard", "1"; none: all suites), sorted. */
int problem_list(const char *share_dir, char *const *suites, int n_suites, struct problem_ref **ret,
                 int *ret_n, struct err *err);
/* Whether a path is that of a reference, a module in Python (judge/reference.h). */
bool problem_is_reference(const char *path);
/* "ref:0123456789ab", by the hash of the reference's text. The caller frees it. */
char *problem_reference_name(const char *hash);
void problem_ref_release(struct problem_ref *r);
void problem_refs_free(struct problem_ref *refs, int n);

/* Writes problem.h, the C header that a candidate of this problem includes. The set must have sizes
 * (problem_need_sizes()). */
void emit_c_header(const struct problem *p, enum size_set set, struct buf *out);
/* Writes a PyTorch module that computes the first size of the set: Model, get_inputs,
 * get_init_inputs. It runs in float32 and in float64 (f32 follows the inputs). The set must have
 * sizes (problem_need_sizes()). */
void emit_torch(const struct problem *p, enum size_set set, struct buf *out);
/* emit_torch() for size number `size` of the set. */
void emit_torch_size(const struct problem *p, enum size_set set, int size, struct buf *out);
/* Writes docs/ops.md: the ops that a problem file can use, from the prelude and the core table. */
int emit_reference(struct buf *out, struct err *err);
/* Writes law number `law` of each float tensor that has several laws: "a spread, b normal". */
void emit_law(const struct graph *g, int law, struct buf *out);
/* Writes the page for people: title, tensors, sizes, costs, what was repaired. */
void emit_text(const struct problem *p, struct buf *out);

#endif
