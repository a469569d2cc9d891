/* SPDX-License-Identifier: MIT */
/* Finds problem files by name. Their paths are SHARE/problems/SUITE/NNN_name.lua. */
#include "problem/problem.h"

#include "base/fs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REFERENCE_DIGITS 12
#define REFERENCE_MAX ((size_t)4 << 20)

void problem_ref_release(struct problem_ref *r)
{
    free(r->name);
    free(r->path);
    free(r->level);
    *r = (struct problem_ref){0};
}

void problem_refs_free(struct problem_ref *refs, int n)
{
    for (int i = 0; i < n; i++)
        problem_ref_release(&refs[i]);
    free(refs);
}

struct refs {
    struct problem_ref *items;
    int n;
};

static void refs_release(struct refs *r)
{
    problem_refs_free(r->items, r->n);
}

static bool has_suffix(const char *s, const char *suffix)
{
    size_t len = strlen(s), end = strlen(suffix);

    return len > end && !strcmp(s + len - end, suffix);
}

/* The number at the beginning of a file's stem, or 0. */
static int stem_id(const char *stem)
{
    return isdigit((unsigned char)stem[0]) ? (int)strtol(stem, NULL, 10) : 0;
}

static void add_ref(struct refs *r, const char *dir, const char *suite, const char *file)
{
    AUTO(freep) char *stem = xstrndup(file, strlen(file) - strlen(".lua"));

    r->items = xrealloc(r->items, (size_t)(r->n + 1) * sizeof(*r->items));
    r->items[r->n++] = (struct problem_ref){
        .name = xasprintf("%s/%s", suite, stem),
        .path = xasprintf("%s/%s/%s", dir, suite, file),
        .level = xstrdup(suite),
        .id = stem_id(stem),
    };
}

static void dir_closep(DIR **d)
{
    if (*d)
        closedir(*d);
}

static void list_suite(const char *dir, const char *suite, struct refs *r)
{
    AUTO(freep) char *path = fs_join(dir, suite);
    AUTO(dir_closep) DIR *d = opendir(path);
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.' && has_suffix(e->d_name, ".lua"))
            add_ref(r, dir, suite, e->d_name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct problem_ref *)a)->name, ((const struct problem_ref *)b)->name);
}

/* Whether a word names a suite; "1" stands for level1. */
static bool suite_matches(const char *suite, const char *word)
{
    return !strcmp(suite, word) ||
           (!strncmp(suite, "level", 5) && !strcmp(suite + 5, word) && word[0]);
}

/* Whether a folder is a suite to list. lib holds no problems, but blocks that files share. */
static bool wanted(const char *suite, char *const *suites, int n_suites)
{
    if (suite[0] == '.' || !strcmp(suite, "lib"))
        return false;
    for (int i = 0; i < n_suites; i++)
        if (suite_matches(suite, suites[i]))
            return true;
    return n_suites == 0;
}

static int list_dir(const char *dir, char *const *suites, int n_suites, struct refs *r,
                    struct err *err)
{
    AUTO(dir_closep) DIR *d = opendir(dir);
    struct dirent *e;

    if (!d)
        return fail(err, ERR_INPUT, "%s: %s: expected the problems there (set ASSAY_SHARE)", dir,
                    strerror(errno));
    while ((e = readdir(d)))
        if (wanted(e->d_name, suites, n_suites))
            list_suite(dir, e->d_name, r);
    if (r->n)
        qsort(r->items, (size_t)r->n, sizeof(*r->items), by_name);
    return 0;
}

static bool any_in(const struct refs *r, const char *suite)
{
    for (int i = 0; i < r->n; i++)
        if (suite_matches(r->items[i].level, suite))
            return true;
    return false;
}

/* Fails for an unknown suite, with the names of those that exist. */
static int no_suite(const char *dir, const char *word, struct err *err)
{
    AUTO(refs_release) struct refs all = {0};
    AUTO(buf_release) struct buf names = BUF_INIT;

    if (list_dir(dir, NULL, 0, &all, err) < 0)
        return -1;
    for (int i = 0; i < all.n; i++)
        if (i == 0 || strcmp(all.items[i].level, all.items[i - 1].level) != 0)
            buf_addf(&names, "%s%s", names.len ? ", " : "", all.items[i].level);
    return fail(err, ERR_INPUT, "there is no suite '%s': there are %s", word, buf_str(&names));
}

int problem_list(const char *share_dir, char *const *suites, int n_suites, struct problem_ref **ret,
                 int *ret_n, struct err *err)
{
    AUTO(freep) char *dir = fs_join(share_dir, "problems");
    AUTO(refs_release) struct refs r = {0};

    if (list_dir(dir, suites, n_suites, &r, err) < 0)
        return -1;
    for (int i = 0; i < n_suites; i++)
        if (!any_in(&r, suites[i]))
            return no_suite(dir, suites[i], err);
    *ret = steal(&r.items);
    *ret_n = r.n;
    r.n = 0;
    return 0;
}

/* The name of the suite to which a file in the folder `dir` belongs, NULL if to none. Every folder
 * in the share's problems/ is a suite, and one called like a published suite wherever it lies. The
 * caller frees the name. */
static char *suite_of(const char *share_dir, const char *dir)
{
    AUTO(freep) char *problems = fs_join(share_dir, "problems");
    AUTO(freep) char *all = realpath(problems, NULL), *one = realpath(dir, NULL);
    const char *last = one ? strrchr(one, '/') : NULL, *folder = last ? last + 1 : "";

    if (all && last && !strncmp(one, all, strlen(all)) && last == one + strlen(all))
        return xstrdup(folder);
    if (!strcmp(folder, "hard") ||
        (!strncmp(folder, "level", 5) && isdigit((unsigned char)folder[5])))
        return xstrdup(folder);
    return NULL;
}

/* Finds a problem by its file's path. The name of its suite is part of the problem's name. */
static int find_path(const char *share_dir, const char *word, struct problem_ref *ret,
                     struct err *err)
{
    const char *slash = strrchr(word, '/'), *file = slash ? slash + 1 : word;
    AUTO(freep) char *stem = xstrndup(file, strlen(file) - strlen(".lua"));
    AUTO(freep) char *dir = slash ? xstrndup(word, (size_t)(slash + 1 - word)) : xstrdup(".");
    AUTO(freep) char *suite = suite_of(share_dir, dir);

    if (!fs_exists(word))
        return fail(err, ERR_INPUT, "%s: no such file", word);
    *ret = (struct problem_ref){
        .name = suite ? xasprintf("%s/%s", suite, stem) : xstrdup(stem),
        .path = xstrdup(word),
        .level = xstrdup(suite ? suite : ""),
        .id = stem_id(stem),
    };
    return 0;
}

static bool all_digits(const char *s)
{
    return s[0] && s[strspn(s, "0123456789")] == '\0';
}

/* Whether a word is SUITE/REST of this problem; REST is the file's stem or its number. */
static bool matches(const struct problem_ref *r, const char *word)
{
    const char *slash = strchr(word, '/');

    if (!slash)
        return false;

    AUTO(freep) char *suite = xstrndup(word, (size_t)(slash - word));
    const char *rest = slash + 1;

    if (!suite_matches(r->level, suite))
        return false;
    if (all_digits(rest))
        return r->id && strlen(rest) < 9 && atoi(rest) == r->id;
    return !strcmp(r->name + strlen(r->level) + 1, rest);
}

/* Fails, with up to three names that contain the word, else the nearest by edit distance. */
static int not_found(const struct refs *all, const char *word, struct err *err)
{
    AUTO(freep) const char **names = xcalloc((size_t)all->n, sizeof(*names));
    AUTO(buf_release) struct buf near = BUF_INIT;
    int n = 0;

    for (int i = 0; i < all->n; i++) {
        names[i] = all->items[i].name;
        if (word[0] && strstr(names[i], word) && n++ < 3)
            buf_addf(&near, "%s%s", near.len ? ", " : "", names[i]);
    }
    if (!n && nearest(word, names, (size_t)all->n))
        buf_adds(&near, nearest(word, names, (size_t)all->n));
    if (near.len)
        return fail(err, ERR_INPUT, "there is no problem '%s': did you mean %s?", word,
                    buf_str(&near));
    return fail(err, ERR_INPUT, "there is no problem '%s': `assay list` shows them", word);
}

bool problem_is_reference(const char *path)
{
    return has_suffix(path, ".py");
}

char *problem_reference_name(const char *hash)
{
    return xasprintf("ref:%.*s", REFERENCE_DIGITS, hash);
}

static int find_reference(const char *path, struct problem_ref *ret, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    char hash[HASH_HEX];

    if (fs_read(path, REFERENCE_MAX, &text, err) < 0) {
        err->kind = ERR_INPUT;
        return -1;
    }
    hash_of(text.ptr, text.len, hash);
    *ret = (struct problem_ref){
        .name = problem_reference_name(hash), .path = xstrdup(path), .level = xstrdup("ref")};
    return 0;
}

int problem_find(const char *share_dir, const char *word, struct problem_ref *ret, struct err *err)
{
    AUTO(refs_release) struct refs all = {0};

    if (has_suffix(word, ".lua"))
        return find_path(share_dir, word, ret, err);
    if (problem_is_reference(word))
        return find_reference(word, ret, err);
    if (problem_list(share_dir, NULL, 0, &all.items, &all.n, err) < 0)
        return -1;
    for (int i = 0; i < all.n; i++) {
        if (matches(&all.items[i], word)) {
            *ret = all.items[i];
            all.items[i] = (struct problem_ref){0};
            return 0;
        }
    }
    return not_found(&all, word, err);
}
