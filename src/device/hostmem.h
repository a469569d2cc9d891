/* SPDX-License-Identifier: MIT */
/* Devices whose memory is the host's (cpu, fake): both faces of it. The functions fill the slots of
 * struct device_judge_ops and device_runner_ops of the same names; none uses its ctx. */
#ifndef ASSAY_DEVICE_HOSTMEM_H
#define ASSAY_DEVICE_HOSTMEM_H

#include "device/device.h"

int hostmem_alloc(void *ctx, enum mem_kind kind, size_t bytes, struct mem *ret, struct err *err);
void hostmem_free(void *ctx, struct mem *m);
int hostmem_copy(void *ctx, struct mem *dst, size_t dst_at, const struct mem *src, size_t src_at,
                 size_t bytes, struct err *err);
int hostmem_upload(void *ctx, struct mem *dst, size_t at, const void *host, size_t bytes,
                   struct err *err);
int hostmem_download(void *ctx, const struct mem *src, size_t at, void *host, size_t bytes,
                     struct err *err);
int hostmem_fill(void *ctx, const struct device_fill *what, struct err *err);
int hostmem_poison(void *ctx, struct mem *m, size_t at, size_t bytes, uint64_t key,
                   struct err *err);
int hostmem_poison_check(void *ctx, const struct mem *m, size_t at, size_t bytes, uint64_t key,
                         int64_t *ret_at, struct err *err);
int hostmem_peek(void *ctx, const struct mem *m, const struct peeks *where, uint32_t *ret_words,
                 struct err *err);
int hostmem_differ(void *ctx, const struct mem *a, const struct mem *b, size_t bytes,
                   int64_t *ret_at, struct err *err);
int hostmem_store(void *ctx, const struct mem *values, size_t values_at, enum dtype t, int64_t n,
                  struct mem *dst, size_t at, struct err *err);
int hostmem_compare(void *ctx, const struct device_compare *what, struct compare_stats *ret,
                    struct err *err);
int hostmem_rms(void *ctx, const struct mem *y, size_t at, int64_t n, double *ret, struct err *err);

int hostmem_import(void *ctx, int fd, size_t bytes, bool read_only, void **ret_base,
                   struct err *err);
void hostmem_unimport(void *ctx, void *base, size_t bytes);

#endif
