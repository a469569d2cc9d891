/* SPDX-License-Identifier: MIT */
/* The candidate chooses no flags. The tool sees the candidate's text, problem.h and the public
 * headers, and no more. */
#include "build/recipe.h"

#include "base/fs.h"
#include "build/artifact_cache.h"
#include "build/build_dir.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_VERSION "assay build 2" /* count up when the way of building changes */
#define DEFAULT_TIMEOUT_MS 60000
/* Larger than the limit of an artifact: the assembler's text is several times as large. */
#define TOOL_FILE_BYTES ((uint64_t)8 * ARTIFACT_MAX_BYTES)
#define HEADER_MAX_BYTES (1 << 20)
#define OUTPUT_NAME "artifact"

/* ---- names ---- */

char *recipe_source_name(const char *file_name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *slash = strrchr(file_name, '/'), *base = slash ? slash + 1 : file_name;
    const char *suffix = strrchr(base, '.');
    bool plain = strspn(base, letters) > 0 && strlen(base) <= 200;

    for (const char *p = base; *p; p++)
        plain = plain && (strchr(letters, *p) || *p == '.' || *p == '-');
    return plain ? xstrdup(base) : xasprintf("candidate%s", suffix ? suffix : "");
}

static char *toolchain_text(const struct recipe *r)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    buf_adds(&text, r->name);
    for (const char *const *word = r->flags; *word; word++)
        buf_addf(&text, " %s", *word);
    for (const char *const *word = r->libs; *word; word++)
        buf_addf(&text, " %s", *word);
    return buf_steal(&text);
}

static void hash_words(struct hash *h, const char *const *words)
{
    for (; *words; words++)
        hash_adds(h, *words);
    hash_add_u64(h, 0);
}

static int cache_key(const struct recipe *r, const struct build_request *req, const char *name,
                     char key[HASH_HEX], struct err *err)
{
    AUTO(freep) char *header = fs_join(req->include_dir, "assay.h");
    AUTO(buf_release) struct buf assay_h = BUF_INIT;
    struct hash h;

    if (fs_read(header, HEADER_MAX_BYTES, &assay_h, err) < 0) {
        err->kind = ERR_SYSTEM;
        return -1;
    }
    hash_init(&h);
    hash_adds(&h, KEY_VERSION);
    hash_adds(&h, r->identity);
    hash_words(&h, r->flags);
    hash_words(&h, r->libs);
    hash_adds(&h, name); /* the name stands in __FILE__ and in messages */
    hash_add_u64(&h, req->source_len);
    hash_add(&h, req->source, req->source_len);
    hash_adds(&h, req->problem_h);
    hash_adds(&h, buf_str(&assay_h));
    hash_final(&h, key);
    return 0;
}

/* ---- compiling ---- */

static int write_extra(const struct recipe *r, const char *dir, struct err *err)
{
    AUTO(freep) char *path = r->extra ? fs_join(dir, r->extra_name) : NULL;

    return path ? fs_write_atomic(path, r->extra->ptr, r->extra->len, err) : 0;
}

static int write_sources(const struct build_request *req, const char *dir, const char *name,
                         struct err *err)
{
    AUTO(freep) char *source = fs_join(dir, name);
    AUTO(freep) char *header = fs_join(dir, "problem.h");

    if (fs_write_atomic(source, req->source, req->source_len, err) < 0)
        return -1;
    return fs_write_atomic(header, req->problem_h, strlen(req->problem_h), err);
}

/* A NULL-terminated list of borrowed words; free the list alone. */
struct recipe_words {
    const char **v;
    size_t n;
};

static void add_word(struct recipe_words *w, const char *word)
{
    w->v = xrealloc(w->v, (w->n + 2) * sizeof(*w->v));
    w->v[w->n++] = word;
    w->v[w->n] = NULL;
}

static void add_words(struct recipe_words *w, const char *const *words)
{
    for (; *words; words++)
        add_word(w, *words);
}

static void words_release(struct recipe_words *w)
{
    free(w->v);
}

static void command_line(const struct recipe *r, const char *include, const char *name,
                         struct recipe_words *w)
{
    add_word(w, r->program);
    add_words(w, r->hidden);
    add_words(w, r->flags);
    add_words(w, (const char *const[]){"-I", include, "-I.", "-o", OUTPUT_NAME, name, NULL});
    add_words(w, r->libs);
}

static int run_tool(const struct recipe *r, const struct build_request *req, const char *dir,
                    const char *name, struct buf *log, struct sandbox_tool_result *ret,
                    struct err *err)
{
    AUTO(freep) char *include = realpath(req->include_dir, NULL);
    AUTO(words_release) struct recipe_words argv = {NULL, 0}, ro_dirs = {NULL, 0};

    if (!include)
        return fail_errno(err, "%s", req->include_dir);
    command_line(r, include, name, &argv);
    add_word(&ro_dirs, include);
    add_words(&ro_dirs, r->ro_dirs);

    const struct sandbox_tool tool = {.argv = (char *const *)argv.v,
                                      .ro_dirs = ro_dirs.v,
                                      .rw_dir = dir,
                                      .timeout_ms =
                                          req->timeout_ms ? req->timeout_ms : DEFAULT_TIMEOUT_MS,
                                      .mem_bytes = r->mem_bytes,
                                      .file_bytes = TOOL_FILE_BYTES,
                                      .max_output = ARTIFACT_MAX_LOG / 2};

    return sandbox_run_tool(&tool, log, ret, err);
}

/* Cuts folders out: the linker names files by their full path, but the user knows them by name. */
static void tidy_log(struct buf *log, const char *dir, const struct sandbox_tool_result *r)
{
    AUTO(buf_release) struct buf raw = *log;
    size_t dir_len = strlen(dir);

    *log = (struct buf)BUF_INIT;
    for (size_t i = 0; i < raw.len; i++) {
        if (raw.len - i > dir_len && raw.ptr[i + dir_len] == '/' &&
            memcmp(raw.ptr + i, dir, dir_len) == 0)
            i += dir_len;
        else
            buf_addch(log, raw.ptr[i] ? raw.ptr[i] : ' ');
    }
    if (r->output_cut)
        buf_adds(log, "\n[the compiler said more]\n");
    if (r->timed_out)
        buf_adds(log, "[ended at the time limit]\n");
    else if (r->signal && !r->output_cut)
        buf_addf(log, "[ended by signal %d]\n", r->signal);
}

/* True if the tool or a program that it started was killed: not the source's fault. A source can
 * print these words as well, so they bring no more than another attempt. */
static bool part_was_killed(const struct sandbox_tool_result *r, const struct buf *log)
{
    static const char *const words[] = {
        "Killed signal terminated program",  /* gcc, about cc1, as and collect2 */
        "terminated with signal 9",          /* collect2, about ld */
        "died due to signal 9",              /* nvcc */
        "unable to execute command: Killed", /* clang */
    };

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (r->exit_status > 0 && strstr(buf_str(log), words[i]))
            return true;
    return sandbox_was_killed(r);
}

static enum build_status status_of(const struct sandbox_tool_result *r, const struct buf *log)
{
    if (r->timed_out)
        return BUILD_TIMEOUT;
    if (r->exit_status == 0)
        return BUILD_OK;
    /* Words of gcc, as and ld for a file over TOOL_FILE_BYTES. */
    if (strstr(buf_str(log), "File size limit exceeded") || strstr(buf_str(log), "File too large"))
        return BUILD_TOO_LARGE;
    return BUILD_FAILED;
}

/* O_NOFOLLOW and a regular file: a compiler that its source has taken over can give us no bytes but
 * its own. A compiler that reports success and leaves no artifact was taken over: *ret_fd stays. */
static int open_artifact(const char *dir, int *ret_fd, struct stat *ret_st, struct err *err)
{
    AUTO(freep) char *path = fs_join(dir, OUTPUT_NAME);
    AUTO(fd_closep) int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0 && errno != ENOENT && errno != ELOOP && errno != EACCES && errno != ENXIO)
        return fail_errno(err, "the compiler's artifact");
    if (fd >= 0 && fstat(fd, ret_st) == 0 && S_ISREG(ret_st->st_mode))
        *ret_fd = fd_steal(&fd);
    return 0;
}

static int read_artifact(const char *dir, struct artifact_entry *e, enum build_status *status,
                         struct err *err)
{
    AUTO(fd_closep) int fd = -1;
    struct stat st;

    if (open_artifact(dir, &fd, &st, err) < 0)
        return -1;
    if (fd < 0) {
        buf_adds(&e->log, "[the compiler left no artifact]\n");
        *status = BUILD_FAILED;
        return 0;
    }
    if ((uint64_t)st.st_size > ARTIFACT_MAX_BYTES) {
        *status = BUILD_TOO_LARGE;
        return 0;
    }
    if (fs_read_fd(fd, ARTIFACT_MAX_BYTES, &e->artifact, err) < 0)
        return wrap(err, "the compiler's artifact");
    hash_of(e->artifact.ptr, e->artifact.len, e->hash);
    return 0;
}

static const char *line_that_begins(const char *text, const char *begin)
{
    size_t len = strlen(begin);

    while (strncmp(text, begin, len) != 0) {
        text = strchr(text, '\n');
        if (!text++)
            return NULL;
    }
    return text;
}

static int compile_once(const struct recipe *recipe, const struct build_request *req,
                        const char *name, struct artifact_entry *e, struct build_result *ret,
                        struct sandbox_tool_result *r, struct err *err)
{
    AUTO(build_dir_close) struct build_dir dir = BUILD_DIR_INIT;

    if (build_dir_open(req->cache_dir, &dir, err) < 0 ||
        write_sources(req, dir.path, name, err) < 0 || write_extra(recipe, dir.path, err) < 0 ||
        run_tool(recipe, req, dir.path, name, &e->log, r, err) < 0)
        return -1;
    tidy_log(&e->log, dir.path, r);
    ret->walls = r->walls;
    ret->status = status_of(r, &e->log);
    return ret->status == BUILD_OK ? read_artifact(dir.path, e, &ret->status, err) : 0;
}

/* True if the tool has this trouble with an empty source, and so with any. */
static bool fails_at_nothing(const struct recipe *recipe, const struct build_request *req,
                             const char *name)
{
    AUTO(artifact_entry_release) struct artifact_entry e = ARTIFACT_ENTRY_INIT;
    struct build_request nothing = *req;
    struct build_result ignored = {.artifact_fd = -1};
    struct sandbox_tool_result r;
    struct err err = ERR_INIT;

    nothing.source = "";
    nothing.source_len = 0;
    return compile_once(recipe, &nothing, name, &e, &ignored, &r, &err) == 0 &&
           line_that_begins(buf_str(&e.log), recipe->own_trouble);
}

/* The line of the log that reports trouble of the tool and not of the source, or NULL. The line
 * alone proves nothing: a static_assert can print it. */
static const char *own_trouble(const struct recipe *recipe, const struct build_request *req,
                               const char *name, const struct sandbox_tool_result *r,
                               const struct buf *log)
{
    const char *line =
        recipe->own_trouble ? line_that_begins(buf_str(log), recipe->own_trouble) : NULL;

    if (!line)
        return NULL;
    if (recipe->own_trouble_status)
        return r->exit_status == recipe->own_trouble_status ? line : NULL;
    return fails_at_nothing(recipe, req, name) ? line : NULL;
}

static int compile(const struct recipe *recipe, const struct build_request *req, const char *name,
                   struct artifact_entry *e, struct build_result *ret, struct err *err)
{
    struct sandbox_tool_result r;
    const char *line;
    int attempt = 0;

    do {
        buf_release(&e->log);
        if (compile_once(recipe, req, name, e, ret, &r, err) < 0)
            return -1;
    } while (ret->status == BUILD_FAILED && part_was_killed(&r, &e->log) &&
             attempt++ < SANDBOX_KILLED_AGAIN);

    line = ret->status == BUILD_FAILED ? own_trouble(recipe, req, name, &r, &e->log) : NULL;
    return line ? fail(err, ERR_SYSTEM, "%.*s", (int)strcspn(line, "\n"), line) : 0;
}

int recipe_build(const struct recipe *r, const struct build_request *req, struct build_result *ret,
                 struct err *err)
{
    AUTO(artifact_entry_release) struct artifact_entry e = ARTIFACT_ENTRY_INIT;
    AUTO(freep) char *name = recipe_source_name(req->file_name);
    char key[HASH_HEX];

    if (cache_key(r, req, name, key, err) < 0)
        return -1;
    ret->cached = !req->no_cache && artifact_cache_load(req->cache_dir, key, &e);
    if (!ret->cached && compile(r, req, name, &e, ret, err) < 0)
        return -1;
    if (ret->status == BUILD_OK) {
        if (!ret->cached && !req->no_cache &&
            artifact_cache_store(req->cache_dir, key, &e, err) < 0)
            return -1;
        if (fs_sealed_memfd("artifact", e.artifact.ptr, e.artifact.len, &ret->artifact_fd, err) < 0)
            return -1;
        memcpy(ret->artifact_hash, e.hash, sizeof(e.hash));
    }
    ret->log = buf_steal(&e.log);
    ret->toolchain = toolchain_text(r);
    return 0;
}

int recipe_take_text(const char *name, const struct build_request *req, struct build_result *ret,
                     struct err *err)
{
    if (fs_sealed_memfd("artifact", req->source, req->source_len, &ret->artifact_fd, err) < 0)
        return -1;
    hash_of(req->source, req->source_len, ret->artifact_hash);
    ret->log = xstrdup("");
    ret->toolchain = xstrdup(name);
    return 0;
}
