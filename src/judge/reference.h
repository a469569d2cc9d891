/* SPDX-License-Identifier: MIT */
/* Reference: a PyTorch module in KernelBench's form (Model, get_inputs, get_init_inputs) that says
 * what is right, in place of a problem's graph.
 *
 * The file is a stranger's, so it runs in a process of its own behind a runner's walls. No
 * candidate is in that process, and it is gone, or stands still, while a candidate is called. The
 * judge asks it for three things: what its tensors are (reference_describe), the numbers of a
 * content under a seed (reference_drawer), and its answers to a content, in double or in the
 * declared types (reference_engine). Pool, arenas, comparison, timing and audit are those of any
 * problem. */
#ifndef ASSAY_JUDGE_REFERENCE_H
#define ASSAY_JUDGE_REFERENCE_H

#include "judge/admit.h"
#include "judge/station.h"
#include "process/zygote.h"
#include "terms/plan.h"

struct reference;

/* Takes the text of a file, which is not looked at yet. */
struct reference *reference_new(const char *file, const char *text, size_t len);
void reference_free(struct reference *r); /* NULL is fine */
void reference_freep(struct reference **r);

/* Lets the reference work on a station, which is ready, by processes of this zygote. Both stay the
 * caller's, and must stay until reference_leave(). */
void reference_join(struct reference *r, struct station *station, struct zygote *zygote,
                    const struct plan *plan);
/* Ends its process and frees its memory on the station. Problem and description stay. */
void reference_leave(struct reference *r);
/* Ends its process, so that nobody is timed beside it; the next request starts another one. */
void reference_rest(struct reference *r);

/* Has the module describe itself, once. ERR_INPUT, with the file's name: what is wrong with it. */
int reference_describe(struct reference *r, struct err *err);
/* Has torch.fx trace the module, and returns a draft of a problem file in JSON: `text`, and
 * `untranslated`, a list of lines. A stranger's process wrote it. Before reference_describe(). */
int reference_draft(struct reference *r, struct buf *ret, struct err *err);
/* Puts the null candidates to the reference, once; the joined station's lock is shared. */
int reference_admit(struct reference *r, struct err *err);

/* The problem "ref:HASH"; NULL before it is described. */
const struct problem *reference_problem(const struct reference *r);
const struct ops_engine *reference_engine(struct reference *r);
const struct drawer *reference_drawer(struct reference *r);

/* Facts for the record. */
const char *reference_file(const struct reference *r);
const char *reference_hash(const struct reference *r); /* hash of its text */
/* Whether expected values are in double. If not, the module fails there, and they are in the
 * declared types. */
bool reference_in_double(const struct reference *r);
/* The result of reference_admit(); NULL: nobody asked. */
const struct admit_result *reference_admission(const struct reference *r);
/* Says why it was not admitted, in words of its author's: "a copy of the first input passes". */
void reference_explain(const struct reference *r, struct buf *out);

#endif
