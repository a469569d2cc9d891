/* SPDX-License-Identifier: MIT */
/* Layout of tensors in an arena: 256-byte offsets, a guard zone before, between and behind them. */
#ifndef ASSAY_CONTENT_LAYOUT_H
#define ASSAY_CONTENT_LAYOUT_H

#include "device/device.h"
#include "problem/graph.h"

/* Room for a whole stray page, and a row that runs over by a vector or two. */
#define GUARD_BYTES 4096

struct layout {
    struct tensor_slot *slots; /* owned */
    size_t *slot_bytes;        /* owned */
    int n;
    size_t bytes; /* size of the arena, guards included */
};

/* Lays out tensors of these types and shapes; their offsets are not read. */
void layout_tensors(const struct tensor_slot *tensors, int n, struct layout *ret);
void layout_inputs(const struct graph *g, struct layout *ret);
void layout_outputs(const struct graph *g, struct layout *ret);
void layout_release(struct layout *l);

/* Fills guard zones, and tensors unless guards_only, with poison that differs for every key. */
int layout_poison(const struct device_judge_ops *ops, void *ctx, const struct layout *l,
                  struct mem *m, bool guards_only, uint64_t key, struct err *err);
/* *ret_slot: the tensor next to the first damaged guard zone (-1: all guards are whole), and how
 * many bytes before its start (negative) or behind its end (positive) the first damage is. */
int layout_check_guards(const struct device_judge_ops *ops, void *ctx, const struct layout *l,
                        const struct mem *m, uint64_t key, int *ret_slot, int64_t *ret_distance,
                        struct err *err);
/* Words that a peek reads: equally many of every tensor, large or small, and no others. If there
 * are more than PEEK_SPANS tensors, the key also chooses among these. */
void layout_peeks(const struct layout *l, uint64_t key, struct peeks *ret);
/* Whether `bytes` bytes at `at` of tensor `slot` still hold the poison of this key; false if that
 * cannot be found out. */
bool layout_unwritten(const struct device_judge_ops *ops, void *ctx, const struct layout *l,
                      const struct mem *m, int slot, size_t at, size_t bytes, uint64_t key);

#endif
