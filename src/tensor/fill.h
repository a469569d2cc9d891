/* SPDX-License-Identifier: MIT */
/* Input laws: the distributions that the numbers of a tensor are drawn from. A tensor's element i
 * depends only on (law, seed, shape, i), so any thread count and any device give the same bits. The
 * element functions live in law.h, which CUDA compiles too: Philox, log and sincos of our own, no
 * contracted multiply-add. Numbers of every float type are made as f32 and then rounded or widened.
 */
#ifndef ASSAY_TENSOR_FILL_H
#define ASSAY_TENSOR_FILL_H

#include "tensor/dtype.h"
#include "tensor/lawkind.h"
#include "tensor/shape.h"

const char *law_name(enum law_kind kind);

/* How often the numbers that a law of this name draws have changed. It is part of a problem's hash.
 */
int law_version(enum law_kind kind);
/* Whether a float input under this law serves checks only: it is sparse, sorted, or has many equal
 * numbers. Work on such values can be saved, so scored calls leave them out. */
bool law_is_for_checks(enum law_kind kind);

/* Whether the law can fill this dtype (perm wants integers, ...); if not, *ret_why says why, and
 * often what to use. */
bool law_fits(const struct law *law, enum dtype t, const char **ret_why);

/* Whether the law can fill this shape: some laws fix how long a row or the whole tensor is. If not,
 * *ret_why says why. */
bool law_fits_shape(const struct law *law, const struct shape *shape, const char **ret_why);

/* Fills n = shape_count elements of dtype t at data. */
void fill_tensor(const struct law *law, uint64_t seed, enum dtype t, const struct shape *shape,
                 void *data);
/* Fills unwritten outputs and guard zones with poison: bytes that look like no plausible answer,
 * different for each key. Byte i depends on (key, i) alone; eight bytes reveal the key. */
void fill_poison(uint64_t key, void *data, size_t bytes);
/* Offset of the first byte that differs from the poison, or -1. */
int64_t fill_poison_check(uint64_t key, const void *data, size_t bytes);
/* The `tensor` of fill_seed() for source number `source`: its own number, but laws that describe
 * the same sequences (lengths and their block tables) share one. */
uint64_t law_tensor(const struct law *law, int source);
/* The seed of tensor number `tensor` in content number `content` of a pool. One-way, because a
 * candidate can read poison in the guards, and poison is a bijection of its key. One key must lead
 * neither to the pool's seed nor to the keys of later contents. */
uint64_t fill_seed(uint64_t pool_seed, uint64_t content, uint64_t tensor);

#endif
