/* SPDX-License-Identifier: MIT */
/* Ownership by scope, checked allocation, and the handful of macros used everywhere. */
#ifndef ASSAY_BASE_UTIL_H
#define ASSAY_BASE_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1 if this is a build with AddressSanitizer, whose shadow alone is 16 TiB of address space. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifndef HAS_ASAN
#define HAS_ASAN 0
#endif

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* AUTO(buf_release) struct buf b = BUF_INIT; runs buf_release(&b) when the scope ends. */
#define AUTO(fn) __attribute__((cleanup(fn)))

/* Takes the value out of an owning local, so that its AUTO has nothing left to do. */
#define steal(p)                            \
    (__extension__({                        \
        __typeof__(*(p)) steal_tmp_ = *(p); \
        *(p) = NULL;                        \
        steal_tmp_;                         \
    }))

/* Small allocations: they abort when memory is out. The caller first checks a size that came from
 * outside against a cap, or uses try_alloc(). */
void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t bytes);
void *xrealloc(void *ptr, size_t bytes);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);
char *xvasprintf(const char *fmt, va_list ap) PRINTF_LIKE(1, 0);

/* Zeroed memory for data whose size came from outside; NULL when there is too little memory (or
 * with ASSAY_FAULT=alloc:N). */
void *try_alloc(size_t bytes);

void freep(void *pp);    /* use: AUTO(freep) char *s */
void fd_closep(int *fd); /* use: AUTO(fd_closep) int fd = -1 */
int fd_steal(int *fd);   /* returns *fd and leaves -1 */

/* The name with the smallest edit distance to word, or NULL when none is near. */
const char *nearest(const char *word, const char *const *names, size_t n_names);

#endif
