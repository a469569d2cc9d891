/* SPDX-License-Identifier: MIT */
/* Input laws: what the numbers of a tensor are drawn from. A tensor's element i depends only on
 * (law, seed, shape, i): any thread count, any device, the same bits. The element functions live in
 * law.h, which CUDA compiles too: Philox, log and sincos of our own, no contracted multiply-add.
 * Whatever the float type, numbers are made as f32 and then rounded or widened to it. */
#ifndef ASSAY_TENSOR_FILL_H
#define ASSAY_TENSOR_FILL_H

#include "tensor/dtype.h"
#include "tensor/lawkind.h"
#include "tensor/shape.h"

const char *law_name(enum law_kind kind);

/* Counts how often what a law of this name draws has changed: a problem's hash tells. */
int law_version(enum law_kind kind);
/* Whether a float input under this law is for checks by itself: it is sparse, or has many equal
 * numbers, or an order. Work on such values can be saved, so scored calls leave them out. */
bool law_is_for_checks(enum law_kind kind);

/* Whether the law can fill this dtype (perm and ints want integers, ...); *ret_why says what to
 * use. */
bool law_fits(const struct law *law, enum dtype t, const char **ret_why);

/* The same for the shape: some laws know how long a row or the whole is. */
bool law_fits_shape(const struct law *law, const struct shape *shape, const char **ret_why);

/* Fills n = shape_count elements of dtype t at data. */
void fill_tensor(const struct law *law, uint64_t seed, enum dtype t, const struct shape *shape,
                 void *data);
/* Bytes that look like no plausible answer, different for each key: unwritten outputs and guard
 * zones. Byte i depends on (key, i) alone; eight of them tell the key. */
void fill_poison(uint64_t key, void *data, size_t bytes);
/* Offset of the first byte that is no longer the poison, or -1. */
int64_t fill_poison_check(uint64_t key, const void *data, size_t bytes);
/* The number that the seed of source number `source` is made with: its own, but laws that describe
 * the same sequences (lengths and their block tables) share one. */
uint64_t law_tensor(const struct law *law, int source);
/* The seed of tensor number `tensor` in content number `content` of a pool. One-way: poison is a
 * bijection of its key and lies in guards where a candidate reads it, and from one key it must come
 * neither to the pool's seed nor to the keys of contents to come. */
uint64_t fill_seed(uint64_t pool_seed, uint64_t content, uint64_t tensor);

#endif
