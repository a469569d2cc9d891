/* SPDX-License-Identifier: MIT */
#include "build/source_folder.h"

#include "base/fs.h"
#include "terms/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 256
#define DEPTH_MAX 4

/* Definitions by rank, as a line of an entry's file begins (workers/assay_python/entry.py). */
static const char *const entries[] = {"class ModelNew", "class Model", "def custom_kernel",
                                      "def run"};
#define NO_ENTRY ((int)ARRAY_SIZE(entries))

struct folder {
    const char *path;
    char *names[FILES_MAX]; /* relative to path, sorted; owned */
    int n;
};

static void folder_release(struct folder *f)
{
    for (int i = 0; i < f->n; i++)
        free(f->names[i]);
}

bool source_is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_left_out(const char *name)
{
    return name[0] == '.' || !strcmp(name, "__pycache__");
}

static int walk(struct folder *f, int root_fd, const char *dir, int depth, struct err *err);

static int take_entry(struct folder *f, int root_fd, int dir_fd, const char *dir, const char *name,
                      int depth, struct err *err)
{
    AUTO(freep) char *path = *dir ? fs_join(dir, name) : xstrdup(name);
    struct stat st;

    if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return fail(err, ERR_INPUT, "%s/%s: %s", f->path, path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return walk(f, root_fd, path, depth + 1, err);
    if (!S_ISREG(st.st_mode))
        return fail(err, ERR_INPUT, "%s/%s: a link or special file; a candidate's folder holds %s",
                    f->path, path, "plain files only");
    if (strpbrk(path, "\n\r") || f->n == FILES_MAX)
        return fail(err, ERR_INPUT, "%s: %s", f->path,
                    f->n == FILES_MAX ? "more than 256 files" : "a file name with a line break");
    f->names[f->n++] = steal(&path);
    return 0;
}

/* No link beneath the folder is followed: a stranger may have filled it. */
static int walk(struct folder *f, int root_fd, const char *dir, int depth, struct err *err)
{
    AUTO(fd_closep)
    int fd = fs_open_beneath(root_fd, *dir ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(dup(fd));
    int rc = 0;

    if (!d || depth > DEPTH_MAX)
        rc = fail(err, ERR_INPUT, "%s/%s: %s", f->path, dir,
                  d ? "folders in folders, more than 4 deep" : strerror(errno));
    for (struct dirent *e; rc == 0 && (e = readdir(d));)
        if (!is_left_out(e->d_name))
            rc = take_entry(f, root_fd, fd, dir, e->d_name, depth, err);
    if (d)
        closedir(d);
    return rc;
}

/* Whether some line of the text begins with these words, and the name ends there. */
static bool defines(const char *text, const char *words)
{
    size_t len = strlen(words);

    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL)
        if (!strncmp(line, words, len) && strchr("(: ", line[len]))
            return true;
    return false;
}

static int rank_of(const struct folder *f, const char *name)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err ignored = ERR_INIT;
    int rank = 0;

    if (fs_read_beneath(f->path, name, SOURCE_MAX, &text, &ignored) < 0)
        return NO_ENTRY;
    while (rank < NO_ENTRY && !defines(buf_str(&text), entries[rank]))
        rank++;
    return rank;
}

static bool is_python(const char *name)
{
    size_t len = strlen(name);

    return len > 3 && !strcmp(name + len - 3, ".py") && !strchr(name, '/');
}

static int choose_main(const struct folder *f, const char **ret, struct err *err)
{
    const char *best = NULL, *second = NULL;
    int best_rank = NO_ENTRY + 1, n = 0;

    for (int i = 0; i < f->n; i++) {
        int rank = is_python(f->names[i]) ? rank_of(f, f->names[i]) : NO_ENTRY + 1;

        n += is_python(f->names[i]);
        if (!strcmp(f->names[i], "solution.py")) {
            *ret = f->names[i];
            return 0;
        }
        second = rank < best_rank                       ? NULL
                 : rank == best_rank && rank < NO_ENTRY ? f->names[i]
                                                        : second;
        best = rank < best_rank ? f->names[i] : best;
        best_rank = MIN(rank, best_rank);
    }
    if (n == 0 || (n > 1 && best_rank == NO_ENTRY))
        return fail(err, ERR_INPUT,
                    "%s: no .py file in it defines an entry; see docs/candidates.md", f->path);
    if (second)
        return fail(err, ERR_INPUT,
                    "%s: %s and %s both define an entry of the same rank; name one %s", f->path,
                    best, second, "solution.py");
    *ret = best;
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Heads of all files first, then their bytes, the main one's before the others. */
static int pack(const struct folder *f, const char *main, struct buf *ret, struct err *err)
{
    AUTO(buf_release) struct buf bytes = BUF_INIT;

    buf_addf(ret, SOURCE_FOLDER_HEAD "%d\n", f->n);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < f->n; i++) {
            size_t before = bytes.len;

            if ((pass == 0) != (strcmp(f->names[i], main) == 0))
                continue;
            if (fs_read_beneath(f->path, f->names[i], SOURCE_MAX, &bytes, err) < 0)
                return -1;
            buf_addf(ret, "%zu %s\n", bytes.len - before, f->names[i]);
            if (bytes.len > SOURCE_MAX)
                return fail(err, ERR_INPUT, "%s: more than 4 MiB in its files", f->path);
        }
    buf_add(ret, bytes.ptr, bytes.len);
    return 0;
}

int source_folder_read(const char *path, struct buf *ret_text, char **ret_main, struct err *err)
{
    AUTO(fd_closep) int root_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(folder_release) struct folder f = {.path = path};
    const char *main = NULL;

    if (root_fd < 0)
        return fail(err, ERR_INPUT, "%s: %s", path, strerror(errno));
    if (walk(&f, root_fd, "", 0, err) < 0)
        return -1;
    if (f.n)
        qsort(f.names, (size_t)f.n, sizeof(f.names[0]), by_text);
    if (choose_main(&f, &main, err) < 0 || pack(&f, main, ret_text, err) < 0)
        return -1;
    *ret_main = fs_join(path, main);
    return 0;
}
