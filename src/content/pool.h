/* SPDX-License-Identifier: MIT */
/* Contents: inputs, parameters and the expected outputs that belong to them, drawn from a secret
 * seed, and the error gates measured on them. They live in the judge's private memory; a content
 * reaches a runner only by being copied into a shared arena right before a call. */
#ifndef ASSAY_CONTENT_POOL_H
#define ASSAY_CONTENT_POOL_H

#include "content/digest.h"
#include "content/draw.h"
#include "content/gate.h"
#include "content/layout.h"
#include "content/recall.h"
#include "device/device.h"
#include "ops/ops.h"
#include "problem/problem.h"
#include "terms/phases.h"
#include "terms/progress.h"

/* Whether all contents of a size lie in memory side by side, or are made again when their turn
 * comes. struct call_policy (trial_call.h) says how calls differ between the two. */
enum residency { RESIDENT, STREAMED };
extern const char *const residency_names[];

/* Memory for one content. */
struct pool_slot {
    int content;     /* the content that lies here; -1: none */
    uint64_t used;   /* pool.clock at the last request: the longest unused content makes room */
    struct mem data; /* laid out like an input arena, guards included */
    struct mem y;    /* expected values, 8 bytes an element, outputs one after the other */
    bool has_y;      /* expected values lie in y */
};

/* Facts about a content, kept also while the content lies in no slot. */
struct pool_content {
    bool made;          /* the content was made at least once */
    bool appealed;      /* pool_include_honest() was done on this content */
    struct mem row_rms; /* RMS of each row of y; bytes 0: not computed yet, or by compare() */
    struct mem kept;    /* values that pool.digest names; bytes 0: not computed yet */
    struct recall_output *known; /* answers to each output; NULL: none is remembered */
};

/* Limits for the errors of one output under one law. */
struct law_gate {
    struct gate gate;
    struct compare_scale scale;
};

struct pool {
    const struct device *device;
    void *ctx;                       /* context of the device; not owned */
    const struct ops_engine *engine; /* evaluates in the device's memory; not owned */
    const struct drawer *drawer;     /* draws inputs; NULL: the graph's laws. Not owned */
    const struct graph *graph;
    const struct progress *progress; /* may be NULL; not owned */
    uint64_t seed;
    bool params_fixed; /* all contents have the parameters of content 0 */
    int law_rounds;    /* how often the first contents go through all laws (graph_law) */
    struct layout in, out;
    size_t *y_offset; /* offset of each output in pool_slot.y, in bytes */
    size_t y_bytes;
    size_t *rms_offset; /* offset of each output in pool_content.row_rms, in bytes */
    size_t rms_bytes;
    struct pool_slot *slots; /* memory for contents; if all is in use, one makes room */
    int n_slots, cap_slots;  /* slots in use; at most */
    enum residency residency;
    uint64_t clock;       /* counts requests, for pool_slot.used */
    struct digest digest; /* values kept of contents that make room; empty if all contents fit */
    bool keeps_digests;   /* row_rms and the digest's values stay when a content makes room */
    bool remembers;       /* answers are remembered by fingerprint, in pool_content.known */
    struct recall recall;
    struct pool_content *contents;
    int n_contents; /* contents that were asked for so far */
    bool large; /* made by several threads; small contents by one, which no busy machine delays */
    struct law_gate *gates;       /* [law * n_outputs + output] */
    bool *measured;               /* whether the gates of each law are measured */
    int honest_contents;          /* contents per law that the gates rest on from the start */
    int honest_rotations;         /* summation orders the honest run is made in */
    struct compare_stats *honest; /* figures of honest runs so far, indexed like gates[] */
    struct mem values;            /* output of an honest run, laid out like pool_slot.y; at times */
    struct phases *phases;        /* time of the pool is added here; NULL: to `own`. Not owned */
    struct phases own;            /* time that the pool took so far, if phases is NULL */
    double content_ms;            /* ms that one more content costs */
};

struct pool_config {
    const struct device *device;
    void *ctx;
    const struct ops_engine *engine;
    const struct drawer *drawer;
    const struct graph *graph;
    uint64_t seed;
    bool params_fixed;    /* all contents have the parameters of content 0 */
    int contents;         /* number of contents; all are made at once if they fit */
    int law_rounds;       /* rounds through all laws; 0: one, which is all that judging needs */
    int least_slots;      /* number of contents that must fit side by side */
    int arenas;           /* input arenas, and as many output arenas; 0: PLAN_MIN_ARENAS */
    int64_t memory_bytes; /* memory of the device */
    double room_bytes;    /* memory for contents; 0: half of memory_bytes */
    double scratch_bytes; /* memory that evaluations outside the pool may take; 0: none */
    const struct progress *progress;
    struct phases *phases; /* time of the pool is added here; NULL: to pool.own. Not owned */
};

/* Draws the first contents and measures the gates. If contents do not all fit side by side, a law's
 * gates are measured when its first content is brought. ERR_INPUT when least_slots contents, the
 * arenas and one evaluation do not fit into 70 % of the device's memory. */
int pool_open(const struct pool_config *config, struct pool *ret, struct err *err);
/* Memory of the device that one content takes. */
double pool_content_bytes(const struct graph *g);
void pool_close(struct pool *p);

/* Brings a content into a slot, with the same bits every time. *ret is valid until another content
 * is asked for. A content that was made before gets only its inputs again. If the gates of its law
 * are not measured yet, they are measured on it. */
int pool_get(struct pool *p, int content, const struct pool_slot **ret, struct err *err);
/* The same as pool_get(), with the content's expected values. */
int pool_get_expected(struct pool *p, int content, const struct pool_slot **ret, struct err *err);
/* Brings the first contents, as many as fit side by side: a candidate is shown these first.
 * Expected values are made as well, if they are likely to be needed. */
int pool_bring_first(struct pool *p, struct err *err);
/* The content that was asked for last; -1: none lies in memory. */
int pool_latest(const struct pool *p);
/* Phases to which the time for making contents and measuring gates is added. */
struct phases *pool_phases(struct pool *p);
/* Whether so many contents fit side by side; if not, pool_get() makes them again and again. */
bool pool_keeps(const struct pool *p, int contents);

/* Makes the honest run on this content, in several summation orders, and widens the gates by it.
 * Some data is harder than other (a row of nothing but cancellation). So before a candidate is
 * called wrong, the unit is measured on the very content it failed on. Done once per content; after
 * -1 it may be tried again. */
int pool_include_honest(struct pool *p, int content, struct err *err);

static inline int pool_law(const struct pool *p, int content)
{
    return graph_law(p->graph, content, p->law_rounds);
}

/* Compares one output, which lies in `got` at `at`, with the content's expected values. shortcut.h
 * says how this is done. */
int pool_compare(struct pool *p, int content, int output, const struct mem *got, size_t at,
                 struct compare_stats *ret, struct err *err);

/* Another candidate's outputs are compared from now on. This changes the time that comparing takes,
 * and no figure. */
void pool_begin_candidate(struct pool *p);

/* Evaluates the graph on a content some other way (a null, another honest order) into 8-byte values
 * laid out like pool_slot.y, in the device's memory. */
int pool_evaluate(struct pool *p, int content, const struct ops_run *run, const struct mem *values,
                  struct err *err);
/* The same as pool_evaluate() with another graph over the same sources and outputs: one of
 * graph->nulls. */
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

/* The memory's address for the engine, which shares memory with the device. */
static inline char *pool_address(const struct mem *m)
{
    return m->host ? m->host : (char *)(uintptr_t)m->handle;
}

/* Addresses of a graph's sources. data: the inputs of a content; kept: the sources that the
 * problem's own graph does not have. The caller frees the array. */
const void **pool_sources(const struct pool *p, const struct graph *g, const struct mem *data,
                          const struct mem *kept);

/* Evaluates a graph on the content in the slot, into values that are laid out like pool_slot.y.
 * Sources and outputs that the problem's own graph does not have lie in pool_content.kept. */
int pool_evaluate_on(const struct pool *p, const struct graph *g, const struct pool_slot *slot,
                     const struct ops_run *run, const struct mem *values, struct err *err);

/* The content with its expected values; graph g makes these unless they lie there. Takes no
 * shortcut and measures no gates. */
int pool_make_expected(struct pool *p, int content, const struct graph *g,
                       const struct pool_slot **ret, struct err *err);

/* Makes room for content k in pool.contents, whether or not it was ever made. */
void pool_count_content(struct pool *p, int k);

#endif
