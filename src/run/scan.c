/* SPDX-License-Identifier: MIT */
/* Finds candidates by their folder and their name. */
#include "base/fs.h"
#include "device/device.h"
#include "run/candidates.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SAMPLE_MAX 999999

/* --- names --- */

static const char *suffix_of(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot ? dot : "";
}

/* Why a file is not judged, or NULL. *ret_other: it is no candidate at all. */
static const char *unfit(const char *name, bool *ret_other)
{
    const char *suffix = suffix_of(name);
    static const char *const beside[] = {".txt", ".md", ".json", ".yaml", ".yml", ".log", ".out"};

    *ret_other = false;
    if (device_for_file(name))
        return NULL;
    for (size_t i = 0; i < ARRAY_SIZE(beside); i++)
        *ret_other = *ret_other || !strcmp(suffix, beside[i]);
    return "no device takes files of this kind; see `assay doctor`";
}

/* The number at *at, moving past it; -1 if it is no number that a sample could have. */
static int take_number(const char **at)
{
    size_t digits = strspn(*at, "0123456789");
    long v = digits && digits < 9 ? strtol(*at, NULL, 10) : -1;

    *at += digits;
    return v > SAMPLE_MAX ? -1 : (int)v;
}

static bool take_word(const char **at, const char *word)
{
    size_t len = strlen(word);

    if (strncmp(*at, word, len) != 0)
        return false;
    *at += len;
    return true;
}

/* "sample3.cu", "sample_3.cu" */
static int sample_of(const char *name)
{
    if (!take_word(&name, "sample"))
        return -1;
    take_word(&name, "_");

    int n = take_number(&name);

    return name == suffix_of(name) && *name ? n : -1;
}

/* --- folders --- */

/* A stranger may have filled the folder. A link in it could lead to files that the judge may read
 * and the stranger may not. So everything is opened beneath root_fd, and no link is followed. */
struct scan {
    struct candidates *c;
    int root_fd;
    size_t root_len; /* length of the folder that the user named, in every path */
};

enum entry_kind { ENTRY_FILE, ENTRY_FOLDER, ENTRY_LINK, ENTRY_SPECIAL, ENTRY_GONE };

static const char *const passed_over[] = {
    [ENTRY_LINK] = "it is a symbolic link, which is not followed",
    [ENTRY_SPECIAL] = "it is not a plain file",
    [ENTRY_GONE] = "it cannot be examined",
};

struct entry {
    char *name, *path;
    enum entry_kind kind;
};

struct entries {
    struct entry *items;
    int n;
};

static void entries_release(struct entries *e)
{
    for (int i = 0; i < e->n; i++) {
        free(e->items[i].name);
        free(e->items[i].path);
    }
    free(e->items);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static enum entry_kind kind_of(int dir_fd, const char *name)
{
    struct stat st;

    if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return ENTRY_GONE;
    return S_ISREG(st.st_mode)   ? ENTRY_FILE
           : S_ISDIR(st.st_mode) ? ENTRY_FOLDER
           : S_ISLNK(st.st_mode) ? ENTRY_LINK
                                 : ENTRY_SPECIAL;
}

static DIR *open_folder(const struct scan *s, const char *dir)
{
    const char *name = dir[s->root_len] ? dir + s->root_len + 1 : ".";
    AUTO(fd_closep) int fd = fs_open_beneath(s->root_fd, name, O_RDONLY | O_DIRECTORY);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);

    if (d)
        fd = -1;
    return d;
}

/* Lists a folder, sorted, without hidden entries. -1: it cannot be read; errno says why. */
static int list(const struct scan *s, const char *dir, struct entries *ret)
{
    DIR *d = open_folder(s, dir);
    struct dirent *e;

    if (!d)
        return -1;
    while ((e = readdir(d))) {
        if (e->d_name[0] == '.')
            continue;
        ret->items = xrealloc(ret->items, (size_t)(ret->n + 1) * sizeof(*ret->items));
        ret->items[ret->n++] = (struct entry){xstrdup(e->d_name), fs_join(dir, e->d_name),
                                              kind_of(dirfd(d), e->d_name)};
    }
    closedir(d);
    if (ret->n)
        qsort(ret->items, (size_t)ret->n, sizeof(*ret->items), by_name);
    return 0;
}

static void note_unreadable(const struct scan *s, const char *path)
{
    candidates_note(s->c, "%s: %s", path, strerror(errno));
}

/* Notes an entry with an unknown name, but only if it may be a candidate or the folder of many. */
static void note_stray(const struct scan *s, const struct entry *e, const char *expected)
{
    bool other;

    unfit(e->name, &other);
    if (e->kind != ENTRY_FILE && !other)
        candidates_note(s->c, "%s: %s", e->path, passed_over[e->kind]);
    else if (device_for_file(e->name))
        candidates_note(s->c, "%s: expected %s", e->path, expected);
}

static void add(const struct scan *s, const char *model, const char *problem, int sample,
                const struct entry *e)
{
    bool other;
    const char *why = unfit(e->name, &other);

    if (!other)
        candidates_add(s->c, model, problem, sample, e->path,
                       e->kind == ENTRY_FILE ? why : passed_over[e->kind])
            ->root_len = s->root_len;
}

static void take_sample(const struct scan *s, const char *model, const char *problem,
                        const struct entry *e)
{
    int sample = sample_of(e->name);

    if (sample < 0)
        note_stray(s, e, "sampleN.EXT");
    else
        add(s, model, problem, sample, e);
}

static void scan_problem(const struct scan *s, const char *model, const char *problem,
                         const char *dir, bool deeper);

/* In level1/19 the first folder is the suite. */
static void scan_nested(const struct scan *s, const char *model, const char *problem,
                        const struct entry *e, bool deeper)
{
    AUTO(freep) char *word = xasprintf("%s/%s", problem, e->name);

    if (deeper)
        scan_problem(s, model, word, e->path, false);
    else
        candidates_note(s->c, "%s: folders are nested too deeply", e->path);
}

static void scan_problem(const struct scan *s, const char *model, const char *problem,
                         const char *dir, bool deeper)
{
    AUTO(entries_release) struct entries entries = {0};

    /* Only a plan may name a problem's file: a word that ends in .lua is looked up as a path. */
    if (!strcmp(suffix_of(problem), ".lua")) {
        candidates_note(s->c, "%s: a folder must have a problem's name, not that of a .lua file",
                        dir);
        return;
    }
    if (list(s, dir, &entries) < 0) {
        note_unreadable(s, dir);
        return;
    }
    for (int i = 0; i < entries.n; i++) {
        if (entries.items[i].kind == ENTRY_FOLDER)
            scan_nested(s, model, problem, &entries.items[i], deeper);
        else
            take_sample(s, model, problem, &entries.items[i]);
    }
}

static void scan_model(const struct scan *s, const struct entry *model)
{
    AUTO(entries_release) struct entries entries = {0};

    if (!candidates_printable(model->name)) {
        candidates_note(s->c, "%s: the folder's name is not plain text", model->path);
        return;
    }
    if (list(s, model->path, &entries) < 0) {
        note_unreadable(s, model->path);
        return;
    }
    for (int i = 0; i < entries.n; i++) {
        if (entries.items[i].kind == ENTRY_FOLDER)
            scan_problem(s, model->name, entries.items[i].name, entries.items[i].path, true);
        else
            note_stray(s, &entries.items[i], "MODEL/PROBLEM/sampleN.EXT");
    }
}

/* --- KernelBench --- */

/* "level_1_problem_19_sample_0_kernel.cu"; false for another name. */
static bool parse_kernelbench(const char *name, int *level, int *problem, int *sample)
{
    const char *at = name;

    return take_word(&at, "level_") && (*level = take_number(&at)) >= 0 &&
           take_word(&at, "_problem_") && (*problem = take_number(&at)) >= 0 &&
           take_word(&at, "_sample_") && (*sample = take_number(&at)) >= 0 &&
           take_word(&at, "_kernel") && at == suffix_of(name) && *at;
}

static void take_file(const struct scan *s, const char *model, const struct entry *e)
{
    int level, problem, sample;

    if (!parse_kernelbench(e->name, &level, &problem, &sample)) {
        note_stray(s, e, "MODEL/PROBLEM/sampleN.EXT or level_L_problem_P_sample_S_kernel.EXT");
        return;
    }

    AUTO(freep) char *word = xasprintf("level%d/%d", level, problem);

    add(s, model, word, sample, e);
}

/* The last part of the folder's real path. */
static char *folder_name(const char *dir)
{
    AUTO(freep) char *real = realpath(dir, NULL);
    const char *slash = real ? strrchr(real, '/') : NULL;

    return xstrdup(slash && slash[1] && candidates_printable(slash + 1) ? slash + 1 : "run");
}

int candidates_scan(const char *dir, struct candidates *ret, struct err *err)
{
    AUTO(entries_release) struct entries entries = {0};
    AUTO(freep) char *model = folder_name(dir);
    AUTO(fd_closep) int root_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const struct scan s = {ret, root_fd, strlen(dir)};

    if (root_fd < 0 || list(&s, dir, &entries) < 0) {
        fail_errno(err, "%s", dir);
        err->kind = ERR_INPUT;
        return -1;
    }
    for (int i = 0; i < entries.n; i++) {
        if (entries.items[i].kind == ENTRY_FOLDER)
            scan_model(&s, &entries.items[i]);
        else
            take_file(&s, model, &entries.items[i]);
    }
    return 0;
}
