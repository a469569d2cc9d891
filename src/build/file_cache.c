/* SPDX-License-Identifier: MIT */
/*
 * cache_dir/KIND/ab/abcd...: one file for each entry, so that an entry is there as a whole or not
 * at all.
 *
 * Nothing is locked: two processes that make the same thing write the same bytes. Nothing is
 * counted either: keys are hashes, so all folders fill equally fast. Each store keeps its own
 * folder within a 256th of the limit for its kind. The time of a file is that of its last use.
 */
#include "build/file_cache.h"

#include "base/fs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_MB 8192
#define MAX_MB ((uint64_t)1 << 30)
#define FOLDERS 256

static char *folder_of(const char *cache_dir, const char *kind, const char *key)
{
    return xasprintf("%s/%s/%.2s", cache_dir, kind, key);
}

bool file_cache_load(const char *cache_dir, const char *kind, const char *key, size_t max_bytes,
                     struct buf *ret)
{
    AUTO(freep) char *folder = folder_of(cache_dir, kind, key);
    AUTO(freep) char *path = fs_join(folder, key);
    struct err ignored = ERR_INIT;

    if (fs_read(path, max_bytes, ret, &ignored) < 0)
        return false;
    utimensat(AT_FDCWD, path, NULL, 0);
    return true;
}

/* ---- making room ---- */

struct file {
    char *name;
    uint64_t bytes;
    struct timespec used;
};

struct files {
    struct file *v;
    size_t n;
    uint64_t bytes; /* sum over all files */
};

static void files_release(struct files *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->v[i].name);
    free(f->v);
}

static void files_add(struct files *f, const char *name, const struct stat *st)
{
    f->v = xrealloc(f->v, (f->n + 1) * sizeof(*f->v));
    f->v[f->n++] = (struct file){xstrdup(name), (uint64_t)st->st_size, st->st_mtim};
    f->bytes += (uint64_t)st->st_size;
}

/* Lists the files of a folder, without the one of this name. */
static void list_others(DIR *dir, const char *name, struct files *ret)
{
    struct dirent *entry;
    struct stat st;

    while ((entry = readdir(dir)))
        if (strcmp(entry->d_name, name) != 0 &&
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode))
            files_add(ret, entry->d_name, &st);
}

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct file *)a)->used,
                          *y = &((const struct file *)b)->used;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* Removes files down to three quarters of the limit, so that not every store has to do it again. */
static void make_room(const char *folder, const char *newest, uint64_t newest_bytes, uint64_t most)
{
    AUTO(files_release) struct files others = {NULL, 0, 0};
    DIR *dir = opendir(folder);

    if (!dir)
        return;
    list_others(dir, newest, &others);
    if (others.n > 0 && others.bytes + newest_bytes > most) {
        qsort(others.v, others.n, sizeof(*others.v), by_use);
        for (size_t i = 0; i < others.n && others.bytes + newest_bytes > most / 4 * 3; i++) {
            unlinkat(dirfd(dir), others.v[i].name, 0);
            others.bytes -= others.v[i].bytes;
        }
    }
    closedir(dir);
}

/* The most bytes that files of one kind may have together. */
static int find_limit(uint64_t *ret_bytes, struct err *err)
{
    const char *text = getenv("ASSAY_CACHE_MB");
    uint64_t mb = DEFAULT_MB;

    if (text && *text) {
        mb = strtoull(text, NULL, 10);
        if (strspn(text, "0123456789") != strlen(text) || mb == 0 || mb > MAX_MB)
            return fail(err, ERR_USAGE, "ASSAY_CACHE_MB=%s: not a number of megabytes", text);
    }
    *ret_bytes = mb << 20;
    return 0;
}

int file_cache_store(const char *cache_dir, const char *kind, const char *key, const void *data,
                     size_t len, struct err *err)
{
    AUTO(freep) char *folder = folder_of(cache_dir, kind, key);
    AUTO(freep) char *path = fs_join(folder, key);
    uint64_t limit = 0;

    if (find_limit(&limit, err) < 0 || fs_mkdirs(folder, err) < 0)
        return -1;
    make_room(folder, key, len, limit / FOLDERS);
    return fs_write_atomic(path, data, len, err);
}
