/* SPDX-License-Identifier: MIT */
/* Contents: inputs, parameters and the expected outputs that belong to them, drawn from a secret
 * seed, and the error gates measured on them. They live in the judge's private memory; a content
 * reaches a runner only by being copied into a shared arena right before a call. */
#ifndef ASSAY_CONTENT_POOL_H
#define ASSAY_CONTENT_POOL_H

#include "content/digest.h"
#include "content/gate.h"
#include "content/layout.h"
#include "content/recall.h"
#include "device/device.h"
#include "ops/ops.h"
#include "problem/problem.h"
#include "terms/phases.h"
#include "terms/progress.h"

/* Whether all contents of a size lie in memory side by side, or are made again when their turn
 * comes. What follows from it for calls is struct call_policy (trial_call.h). */
enum residency { RESIDENT, STREAMED };
extern const char *const residency_names[];

/* Memory for one content. */
struct pool_slot {
    int content;     /* which one lies here; -1: none */
    uint64_t used;   /* when it was last asked for: the longest unused one makes room */
    struct mem data; /* laid out like an input arena, guards included */
    struct mem y;    /* expected values, 8 bytes an element, outputs one after the other ... */
    bool has_y;      /* ... once they were made */
};

/* What is known of a content, also while it lies nowhere. */
struct pool_content {
    bool made;          /* once at least */
    bool appealed;      /* the honest run was made on it, in several orders */
    struct mem row_rms; /* of the rows of its y, once something was compared with it, where the
                           device makes that beforehand; no bytes: not there */
    struct mem kept;    /* what pool.digest says, likewise */
    struct recall_output *known; /* per output; NULL: nothing was remembered */
};

/* Per law and output. */
struct law_gate {
    struct gate gate;
    struct compare_scale scale;
};

struct pool {
    const struct device *device;
    void *ctx;                       /* the device's; not owned */
    const struct ops_engine *engine; /* evaluates in the device's memory; not owned */
    const struct graph *graph;
    const struct progress *progress; /* may be NULL; not owned */
    uint64_t seed;
    int law_rounds; /* the first contents go so often through all laws (graph_law) */
    struct layout in, out;
    size_t *y_offset; /* per output, in bytes into pool_slot.y */
    size_t y_bytes;
    size_t *rms_offset; /* per output, in bytes into pool_content.row_rms */
    size_t rms_bytes;
    struct pool_slot *slots; /* what memory allows; contents beyond that are made again */
    int n_slots, cap_slots;  /* in use, at most */
    enum residency residency;
    uint64_t clock;       /* of pool_slot.used */
    struct digest digest; /* of contents that do not all fit; empty where they do */
    bool keeps_digests;   /* and their row_rms, when they make room */
    bool remembers;       /* what was answered on them: `recall` counts */
    struct recall recall;
    struct pool_content *contents;
    int n_contents; /* asked for so far */
    bool large;     /* worth threads; small ones are made by one, which no busy machine delays */
    struct law_gate *gates;       /* [law * n_outputs + output] */
    bool *measured;               /* per law: its gates are */
    int honest_contents;          /* per law, that the gates rest on from the start */
    int honest_rotations;         /* summation orders the honest run is made in */
    struct compare_stats *honest; /* its figures so far, like gates[] */
    struct mem values;            /* of honest runs, like pool_slot.y; at times */
    struct phases *phases;        /* where its time goes; NULL: own. Not owned */
    struct phases own;            /* what it took so far */
    double content_ms;            /* what one more content costs */
};

struct pool_config {
    const struct device *device;
    void *ctx;
    const struct ops_engine *engine;
    const struct graph *graph;
    uint64_t seed;
    int contents;         /* made at once, as far as they fit */
    int law_rounds;       /* 0: one, which is all that judging needs */
    int least_slots;      /* so many at least must fit side by side */
    int arenas;           /* of either kind, beside the contents; 0: PLAN_MIN_ARENAS */
    int64_t memory_bytes; /* of the device */
    double room_bytes;    /* of it, for contents; 0: half */
    double
        scratch_bytes; /* what other evaluations than the pool's own may take; 0: there are none */
    const struct progress *progress;
    struct phases *phases; /* where its time goes, outlives it; NULL: pool.own. Not owned */
};

/* Draws the first contents and measures the gates; where those do not lie side by side, a law's
 * gates are measured when the first content of it is brought. ERR_INPUT when least_slots
 * contents, the arenas and one evaluation do not fit into 70 % of the device's memory. */
int pool_open(const struct pool_config *config, struct pool *ret, struct err *err);
/* What a content takes of the device's memory. */
double pool_content_bytes(const struct graph *g);
void pool_close(struct pool *p);

/* The content, made now where it is not there (any more): the same bits every time. Valid until
 * another content is asked for. Of one that was there before only the inputs are made again. The
 * gates of its law are measured on it, if they are not yet. */
int pool_get(struct pool *p, int content, const struct pool_slot **ret, struct err *err);
/* The same, with its expected values. */
int pool_get_expected(struct pool *p, int content, const struct pool_slot **ret, struct err *err);
/* The first ones, as many as can lie side by side: what a candidate is shown first. With what is
 * expected of them, if that is likely to be needed. */
int pool_bring_first(struct pool *p, struct err *err);
/* The one that was asked for last; -1: none lies there. */
int pool_latest(const struct pool *p);
/* What making contents and measuring gates takes is added here. */
struct phases *pool_phases(struct pool *p);
/* Whether `contents` of them can lie side by side; otherwise pool_get makes them again and again.
 */
bool pool_keeps(const struct pool *p, int contents);

/* Makes the honest run on this content, in several summation orders, and widens the gates by it.
 * Some data is harder than other (a row of nothing but cancellation): before a candidate is called
 * wrong, the unit is measured on the very content it failed on. Once per content; after -1 it may
 * be tried again. */
int pool_include_honest(struct pool *p, int content, struct err *err);

static inline int pool_law(const struct pool *p, int content)
{
    return graph_law(p->graph, content, p->law_rounds);
}

/* Compares outputs that lie in `got` like in an output arena (at `at`) with content's expected
 * ones. shortcut.h says how this is done. */
int pool_compare(struct pool *p, int content, int output, const struct mem *got, size_t at,
                 struct compare_stats *ret, struct err *err);

/* From now on another candidate's outputs are compared: nothing depends on it but time. */
void pool_begin_candidate(struct pool *p);

/* Evaluates the graph on a content some other way (a null, another honest order) into 8-byte values
 * laid out like pool_slot.y, in the device's memory. */
int pool_evaluate(struct pool *p, int content, const struct ops_run *run, const struct mem *values,
                  struct err *err);
/* The same with another graph over the same sources and outputs: one of graph->nulls. */
int pool_evaluate_graph(struct pool *p, const struct graph *g, int content,
                        const struct ops_run *run, const struct mem *values, struct err *err);

/* ---- for the files of this folder ---- */

static inline const struct node *pool_output_node(const struct graph *g, int output)
{
    return &g->nodes[g->outputs[output].node];
}

static inline int64_t pool_output_count(const struct graph *g, int output)
{
    return shape_count(&pool_output_node(g, output)->shape);
}

/* Where the engine finds it: engine and device share their memory. */
static inline char *pool_address(const struct mem *m)
{
    return m->host ? m->host : (char *)(uintptr_t)m->handle;
}

/* Where the sources of a graph over these inputs lie; kept: those that the problem's graph has not.
 * The caller frees it. */
const void **pool_sources(const struct pool *p, const struct graph *g, const struct mem *data,
                          const struct mem *kept);

/* Evaluates a graph over the problem's sources, and what is kept of the content in the slot, into
 * values that are laid out like pool_slot.y. Outputs that the problem's graph has not are kept. */
int pool_evaluate_on(const struct pool *p, const struct graph *g, const struct pool_slot *slot,
                     const struct ops_run *run, const struct mem *values, struct err *err);

/* The content with its expected values, which g makes unless they lie there. It takes no shortcut,
 * and measures no gates. */
int pool_make_expected(struct pool *p, int content, const struct graph *g,
                       const struct pool_slot **ret, struct err *err);

/* There is such a content, whether or not it was ever made. */
void pool_count_content(struct pool *p, int k);

#endif
