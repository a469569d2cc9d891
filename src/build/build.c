/* SPDX-License-Identifier: MIT */
/*
 *   request --> toolchain by device and suffix
 *                 fake   the text is the artifact
 *                 cpu    compiler identity, flags, CPU, sources --> key
 *                        in the cache? else: private folder, compiler in its sandbox, cache
 *
 * The candidate chooses no flags, and the compiler sees its text, problem.h and assay.h, no more.
 * To add a toolchain: a function like build_c() and a line in toolchains[].
 */
#include "build/build.h"

#include "base/clock.h"
#include "base/fs.h"
#include "build/artifact_cache.h"
#include "build/build_dir.h"
#include "build/compiler.h"
#include "sandbox/sandbox.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_VERSION "assay build 1" /* count up when the way of building changes */
#define DEFAULT_TIMEOUT_MS 60000
#define COMPILER_MEM_BYTES ((uint64_t)4 << 30)
/* More than an artifact may have: the assembler's text is several times as large. */
#define COMPILER_FILE_BYTES ((uint64_t)8 * ARTIFACT_MAX_BYTES)
#define HEADER_MAX_BYTES (1 << 20)
#define OUTPUT_NAME "artifact.so"

#define C_FLAGS \
    "-std=gnu17", "-O3", "-march=native", "-fopenmp", "-fPIC", "-shared", "-fvisibility=hidden"
#define C_LIBS "-lm"

static const char *const c_flags[] = {C_FLAGS, C_LIBS};

/* ---- names ---- */

/* The user's own file name, so that messages read as expected; but only one that means nothing to a
 * command line. */
static const char *source_name(const char *file_name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *slash = strrchr(file_name, '/'), *base = slash ? slash + 1 : file_name;
    size_t head = strspn(base, letters), len = strlen(base);

    for (const char *p = base + head; *p; p++)
        if (!strchr(letters, *p) && *p != '.' && *p != '-')
            return "candidate.c";
    return head == 0 || len > 200 ? "candidate.c" : base;
}

static char *toolchain_text(const struct compiler *c)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    buf_adds(&text, c->name);
    for (size_t i = 0; i < ARRAY_SIZE(c_flags); i++)
        buf_addf(&text, " %s", c_flags[i]);
    return buf_steal(&text);
}

static int cache_key(const struct build_request *req, const struct compiler *c, const char *name,
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
    hash_adds(&h, c->identity);
    for (size_t i = 0; i < ARRAY_SIZE(c_flags); i++)
        hash_adds(&h, c_flags[i]);
    compiler_hash_cpu(&h);
    hash_adds(&h, name); /* it stands in __FILE__ and in messages */
    hash_add_u64(&h, req->source_len);
    hash_add(&h, req->source, req->source_len);
    hash_adds(&h, req->problem_h);
    hash_adds(&h, buf_str(&assay_h));
    hash_final(&h, key);
    return 0;
}

/* ---- compiling ---- */

static int write_sources(const struct build_request *req, const char *dir, const char *name,
                         struct err *err)
{
    AUTO(freep) char *source = fs_join(dir, name);
    AUTO(freep) char *header = fs_join(dir, "problem.h");

    if (fs_write_atomic(source, req->source, req->source_len, err) < 0)
        return -1;
    return fs_write_atomic(header, req->problem_h, strlen(req->problem_h), err);
}

static int run_compiler(const struct build_request *req, const struct compiler *c, const char *dir,
                        const char *name, struct buf *log, struct sandbox_tool_result *ret,
                        struct err *err)
{
    AUTO(freep) char *include = realpath(req->include_dir, NULL);

    if (!include)
        return fail_errno(err, "%s", req->include_dir);

    const char *const argv[] = {c->path, C_FLAGS,     "-I", include, "-I.",
                                "-o",    OUTPUT_NAME, name, C_LIBS,  NULL};
    const char *const ro_dirs[] = {include, c->outside, NULL};
    const struct sandbox_tool tool = {.argv = (char *const *)argv,
                                      .ro_dirs = ro_dirs,
                                      .rw_dir = dir,
                                      .timeout_ms =
                                          req->timeout_ms ? req->timeout_ms : DEFAULT_TIMEOUT_MS,
                                      .mem_bytes = COMPILER_MEM_BYTES,
                                      .file_bytes = COMPILER_FILE_BYTES,
                                      .max_output = ARTIFACT_MAX_LOG / 2};

    return sandbox_run_tool(&tool, log, ret, err);
}

/* The linker names files by their full path; the user knows them by name. */
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

static enum build_status status_of(const struct sandbox_tool_result *r, const struct buf *log)
{
    if (r->timed_out)
        return BUILD_TIMEOUT;
    if (r->exit_status == 0)
        return BUILD_OK;
    /* How gcc, as and ld tell of COMPILER_FILE_BYTES. */
    if (strstr(buf_str(log), "File size limit exceeded") || strstr(buf_str(log), "File too large"))
        return BUILD_TOO_LARGE;
    return BUILD_FAILED;
}

/* O_NOFOLLOW and a plain file: should the compiler have been turned, it gives us its own bytes. */
static int read_artifact(const char *dir, struct artifact_entry *e, enum build_status *status,
                         struct err *err)
{
    AUTO(freep) char *path = fs_join(dir, OUTPUT_NAME);
    AUTO(fd_closep) int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return fail_errno(err, "the compiler left no artifact");
    if (!S_ISREG(st.st_mode))
        return fail(err, ERR_SYSTEM, "the compiler's artifact is not a plain file");
    if ((uint64_t)st.st_size > ARTIFACT_MAX_BYTES) {
        *status = BUILD_TOO_LARGE;
        return 0;
    }
    if (fs_read_fd(fd, ARTIFACT_MAX_BYTES, &e->artifact, err) < 0)
        return wrap(err, "the compiler's artifact");
    hash_of(e->artifact.ptr, e->artifact.len, e->hash);
    return 0;
}

static int compile(const struct build_request *req, const struct compiler *c, const char *name,
                   struct artifact_entry *e, struct build_result *ret, struct err *err)
{
    AUTO(build_dir_close) struct build_dir dir = BUILD_DIR_INIT;
    struct sandbox_tool_result r;

    if (build_dir_open(req->cache_dir, &dir, err) < 0 ||
        write_sources(req, dir.path, name, err) < 0 ||
        run_compiler(req, c, dir.path, name, &e->log, &r, err) < 0)
        return -1;
    tidy_log(&e->log, dir.path, &r);
    ret->walls = r.walls;
    ret->status = status_of(&r, &e->log);
    return ret->status == BUILD_OK ? read_artifact(dir.path, e, &ret->status, err) : 0;
}

/* ---- toolchains ---- */

static int build_c(const struct build_request *req, struct build_result *ret, struct err *err)
{
    AUTO(compiler_release) struct compiler c = COMPILER_INIT;
    AUTO(artifact_entry_release) struct artifact_entry e = ARTIFACT_ENTRY_INIT;
    const char *name = source_name(req->file_name);
    char key[HASH_HEX];

    if (compiler_find(req->cache_dir, &c, err) < 0 || cache_key(req, &c, name, key, err) < 0)
        return -1;
    ret->cached = !req->no_cache && artifact_cache_load(req->cache_dir, key, &e);
    if (!ret->cached && compile(req, &c, name, &e, ret, err) < 0)
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
    ret->toolchain = toolchain_text(&c);
    return 0;
}

static int build_fake(const struct build_request *req, struct build_result *ret, struct err *err)
{
    if (fs_sealed_memfd("artifact", req->source, req->source_len, &ret->artifact_fd, err) < 0)
        return -1;
    hash_of(req->source, req->source_len, ret->artifact_hash);
    ret->log = xstrdup("");
    ret->toolchain = xstrdup("fake");
    return 0;
}

static const struct toolchain {
    const char *device, *suffix;
    int (*build)(const struct build_request *req, struct build_result *ret, struct err *err);
} toolchains[] = {
    {"cpu", ".c", build_c},
    {"fake", ".fake", build_fake},
};

static const struct toolchain *find_toolchain(const struct build_request *req, struct err *err)
{
    const char *dot = strrchr(req->file_name, '.'), *takes = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(toolchains); i++) {
        if (strcmp(toolchains[i].device, req->device) != 0)
            continue;
        takes = toolchains[i].suffix;
        if (dot && strcmp(dot, takes) == 0)
            return &toolchains[i];
    }
    fail(err, ERR_INPUT, "%s: the %s device takes %s files", req->file_name, req->device,
         takes ? takes : "no");
    return NULL;
}

int build_artifact(const struct build_request *req, struct build_result *ret, struct err *err)
{
    const struct toolchain *t = find_toolchain(req, err);
    struct build_result r = {.artifact_fd = -1, .walls = ""};
    uint64_t start = clock_ns();

    if (!t)
        return -1;
    if (t->build(req, &r, err) < 0) {
        build_result_release(&r);
        return -1;
    }
    r.ms = clock_ms_since(start);
    *ret = r;
    return 0;
}

/* A result of zeros was never filled, and 0 is not its descriptor. */
void build_result_release(struct build_result *r)
{
    if (r->artifact_fd > 0)
        close(r->artifact_fd);
    r->artifact_fd = -1;
    freep(&r->log);
    freep(&r->toolchain);
}
