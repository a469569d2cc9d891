/* SPDX-License-Identifier: MIT */
/*
 * Shared memory is a memfd, sealed before its descriptor leaves the judge:
 *
 *   input   FUTURE_WRITE, SHRINK, GROW, SEAL: the judge's mapping stays writable, no later one can
 *           be. (F_SEAL_WRITE is refused while a writable mapping exists; and without a seal even a
 *           read-only descriptor can be reopened for writing through /proc.)
 *   output  SHRINK, GROW, SEAL: a truncated file would kill the judge, which reads it, by SIGBUS.
 */
#include "device/hostmem.h"

#include "base/fault.h"
#include "base/fs.h"
#include "tensor/philox.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Below this the start of a parallel region costs more than it saves. */
#define PARALLEL_BYTES ((size_t)8 << 20)
#define CHUNK_BYTES ((size_t)4 << 20)

static const int seals_of[] = {
    [MEM_INPUT] = F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL,
    [MEM_OUTPUT] = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL,
};

static const char *const kind_names[] = {"private", "input", "output"};

static int out_of_memory(struct err *err, enum mem_kind kind, size_t bytes)
{
    return fail(err, ERR_SYSTEM, "no memory for a %s buffer of %.2f GiB: %s; use a smaller size",
                kind_names[kind], (double)bytes / (1 << 30), strerror(errno));
}

/* Makes all pages now, in parallel: out of memory is then an error here and no signal later, and no
 * timed call pays for a page fault. Kernels before 5.14 lack the call, and fault pages in later. */
static int populate(char *base, size_t bytes)
{
    int64_t n_chunks = (int64_t)((bytes + CHUNK_BYTES - 1) / CHUNK_BYTES);
    int failed = 0;

    if (bytes >= PARALLEL_BYTES)
        madvise(base, bytes, MADV_HUGEPAGE);
#pragma omp parallel for if (bytes > PARALLEL_BYTES) reduction(max : failed)
    for (int64_t i = 0; i < n_chunks; i++) {
        size_t at = (size_t)i * CHUNK_BYTES;

        if (madvise(base + at, MIN(CHUNK_BYTES, bytes - at), MADV_POPULATE_WRITE) < 0 &&
            errno != EINVAL)
            failed = errno;
    }
    errno = failed;
    return failed ? -1 : 0;
}

static void *map_pages(int fd, size_t bytes)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

    if (base == MAP_FAILED)
        return NULL;
    if (populate(base, bytes) < 0) {
        int saved = errno;

        munmap(base, bytes);
        errno = saved;
        return NULL;
    }
    return base;
}

int hostmem_alloc(void *ctx, enum mem_kind kind, size_t bytes, struct mem *ret, struct err *err)
{
    AUTO(fd_closep) int fd = -1;
    void *base;

    (void)ctx;
    if (fault("alloc")) {
        errno = ENOMEM;
        return out_of_memory(err, kind, bytes);
    }
    if (kind != MEM_PRIVATE) {
        fd = memfd_create(kind_names[kind], MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
            return out_of_memory(err, kind, bytes);
    }
    base = map_pages(fd, bytes);
    if (!base)
        return out_of_memory(err, kind, bytes);
    if (kind != MEM_PRIVATE && fcntl(fd, F_ADD_SEALS, seals_of[kind]) < 0) {
        fail_errno(err, "cannot seal a shared buffer (Linux 5.1 or newer is needed)");
        munmap(base, bytes);
        return -1;
    }
    *ret = (struct mem){kind, bytes, base, fd_steal(&fd), 0};
    return 0;
}

void hostmem_free(void *ctx, struct mem *m)
{
    (void)ctx;
    if (m->host)
        munmap(m->host, m->bytes);
    fd_closep(&m->fd);
    *m = (struct mem)MEM_INIT;
}

/* The host's address of [at, at + bytes), or NULL with an error when that leaves the memory. */
static char *span(const struct mem *m, size_t at, size_t bytes, struct err *err)
{
    if (at > m->bytes || bytes > m->bytes - at) {
        fail(err, ERR_SYSTEM, "%zu bytes at offset %zu do not fit into a buffer of %zu bytes",
             bytes, at, m->bytes);
        return NULL;
    }
    return (char *)m->host + at;
}

int hostmem_copy(void *ctx, struct mem *dst, size_t dst_at, const struct mem *src, size_t src_at,
                 size_t bytes, struct err *err)
{
    char *to = span(dst, dst_at, bytes, err);
    const char *from = to ? span(src, src_at, bytes, err) : NULL;
    int64_t n_chunks = (int64_t)((bytes + CHUNK_BYTES - 1) / CHUNK_BYTES);

    (void)ctx;
    if (!from)
        return -1;
#pragma omp parallel for if (bytes > PARALLEL_BYTES)
    for (int64_t i = 0; i < n_chunks; i++) {
        size_t at = (size_t)i * CHUNK_BYTES;

        memcpy(to + at, from + at, MIN(CHUNK_BYTES, bytes - at));
    }
    return 0;
}

int hostmem_upload(void *ctx, struct mem *dst, size_t at, const void *host, size_t bytes,
                   struct err *err)
{
    char *to = span(dst, at, bytes, err);

    (void)ctx;
    if (!to)
        return -1;
    memcpy(to, host, bytes);
    return 0;
}

int hostmem_download(void *ctx, const struct mem *src, size_t at, void *host, size_t bytes,
                     struct err *err)
{
    const char *from = span(src, at, bytes, err);

    (void)ctx;
    if (!from)
        return -1;
    memcpy(host, from, bytes);
    return 0;
}

/* Bytes of n elements; if n makes no sense, more than any memory has, so that span() refuses it. */
static size_t bytes_of(int64_t n, size_t element)
{
    return n < 0 || n > SHAPE_MAX_COUNT ? SIZE_MAX : (size_t)n * element;
}

int hostmem_fill(void *ctx, const struct device_fill *what, struct err *err)
{
    size_t bytes = bytes_of(shape_count(what->shape), dtype_size(what->type));
    char *to = span(what->to, what->at, bytes, err);

    (void)ctx;
    if (!to)
        return -1;
    fill_tensor(what->law, what->seed, what->type, what->shape, to);
    return 0;
}

int hostmem_poison(void *ctx, struct mem *m, size_t at, size_t bytes, uint64_t key, struct err *err)
{
    char *to = span(m, at, bytes, err);

    (void)ctx;
    if (!to)
        return -1;
    fill_poison(key, to, bytes);
    return 0;
}

int hostmem_poison_check(void *ctx, const struct mem *m, size_t at, size_t bytes, uint64_t key,
                         int64_t *ret_at, struct err *err)
{
    const char *from = span(m, at, bytes, err);

    (void)ctx;
    if (!from)
        return -1;
    *ret_at = fill_poison_check(key, from, bytes);
    return 0;
}

int hostmem_peek(void *ctx, const struct mem *m, const struct peeks *where, uint32_t *ret_words,
                 struct err *err)
{
    const volatile uint32_t *words = m->host;

    (void)ctx;
    assert(where->n > 0);
    for (uint32_t i = 0; i < where->n; i++) {
        const struct peek_span *s = &where->spans[i];

        if (!span(m, s->at * sizeof(*words), s->words * sizeof(*words), err))
            return -1;
    }
    for (uint32_t i = 0; i < DEVICE_PEEKS; i++)
        ret_words[i] = words[peeks_place(where, i)];
    return 0;
}

int hostmem_differ(void *ctx, const struct mem *a, const struct mem *b, size_t bytes,
                   int64_t *ret_at, struct err *err)
{
    const char *one = span(a, 0, bytes, err), *other = one ? span(b, 0, bytes, err) : NULL;
    size_t at = 0;

    (void)ctx;
    if (!other)
        return -1;
    *ret_at = -1;
    if (memcmp(one, other, bytes) == 0)
        return 0;
    while (one[at] == other[at])
        at++;
    *ret_at = (int64_t)at;
    return 0;
}

int hostmem_store(void *ctx, const struct mem *values, size_t values_at, enum dtype t, int64_t n,
                  struct mem *dst, size_t at, struct err *err)
{
    const char *from = span(values, values_at, bytes_of(n, 8), err);
    char *to = from ? span(dst, at, bytes_of(n, dtype_size(t)), err) : NULL;

    (void)ctx;
    if (!to)
        return -1;
    if (dtype_is_float(t))
        dtype_from_f64(t, (const double *)from, to, n);
    else
        dtype_from_i64(t, (const int64_t *)from, to, n);
    return 0;
}

int hostmem_compare(void *ctx, const struct device_compare *what, struct compare_stats *ret,
                    struct err *err)
{
    size_t bytes = bytes_of(what->n, dtype_size(what->type));
    const char *want = span(what->y, what->y_at, bytes_of(what->n, sizeof(double)), err);
    const char *have = want ? span(what->got, what->got_at, bytes, err) : NULL;

    (void)ctx; /* there is no row_rms() and no fingerprint() here */
    if (!have)
        return -1;
    compare_output(what->type, want, have, what->n, what->scale, ret);
    return 0;
}

int hostmem_rms(void *ctx, const struct mem *y, size_t at, int64_t n, double *ret, struct err *err)
{
    const char *from = span(y, at, bytes_of(n, sizeof(double)), err);

    (void)ctx;
    if (!from)
        return -1;
    *ret = compare_rms((const double *)from, n);
    return 0;
}
