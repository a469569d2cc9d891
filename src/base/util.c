/* SPDX-License-Identifier: MIT */
#include "base/util.h"

#include "base/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *checked(void *p)
{
    if (!p) {
        fputs("assay: out of memory\n", stderr);
        abort();
    }
    return p;
}

void *xmalloc(size_t bytes)
{
    return checked(malloc(bytes ? bytes : 1));
}

void *xcalloc(size_t count, size_t bytes)
{
    return checked(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *xrealloc(void *ptr, size_t bytes)
{
    return checked(realloc(ptr, bytes ? bytes : 1));
}

char *xstrdup(const char *s)
{
    return checked(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
    return checked(strndup(s, n));
}

char *xvasprintf(const char *fmt, va_list ap)
{
    char *out = NULL;
    int n = vasprintf(&out, fmt, ap);

    return checked(n < 0 ? NULL : out);
}

char *xasprintf(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    char *out = xvasprintf(fmt, ap);
    va_end(ap);
    return out;
}

void *try_alloc(size_t bytes)
{
    if (fault("alloc"))
        return NULL;
    return calloc(1, bytes ? bytes : 1);
}

void freep(void *pp)
{
    free(*(void **)pp);
    *(void **)pp = NULL;
}

void fd_closep(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

int fd_steal(int *fd)
{
    int out = *fd;

    *fd = -1;
    return out;
}

#define WORD_MAX 64

static size_t distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b), row[WORD_MAX + 1];

    if (la > WORD_MAX || lb > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diag = row[0];

        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t change = diag + (a[i - 1] != b[j - 1]);

            diag = row[j];
            row[j] = MIN(change, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[lb];
}

const char *nearest(const char *word, const char *const *names, size_t n_names)
{
    const char *best = NULL;
    size_t best_distance = MAX(strlen(word) / 2, (size_t)2) + 1;

    for (size_t i = 0; i < n_names; i++) {
        size_t d = distance(word, names[i]);

        if (d < best_distance) {
            best_distance = d;
            best = names[i];
        }
    }
    return best;
}
