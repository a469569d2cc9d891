/* SPDX-License-Identifier: MIT */
/*
 * The linker wants to see a libcuda; a machine that only builds has no driver, and many toolkits
 * come without lib64/stubs. All that a stub has to say is its soname and the names it defines, and
 * those are in cuda.h, which no toolkit that can build host code lacks. So we always make our own,
 * also where the toolkit has one: one way to test, and an artifact that does not depend on which of
 * the two it was linked against.
 *
 * A name too many does no harm: cuda.h has few words of this form that are not the driver's.
 */
#include "build/driver_stub.h"

#include "base/fs.h"
#include "build/artifact_cache.h"
#include "build/recipe.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY_VERSION "assay driver stub 1" /* count up when the source or the flags change */
#define CUDA_H_MAX_BYTES ((size_t)16 << 20)
#define STUB_MEM_BYTES ((uint64_t)2 << 30)

/* ---- from the header to a source ---- */

/* A candidate that asks for a default stream per thread links to names that cuda.h only pastes
 * together: #define cuMemcpy __CUDA_API_PTDS(cuMemcpy) */
static const struct pasted {
    const char *macro, *suffix;
} pasted[] = {{"__CUDA_API_PTDS", "_ptds"}, {"__CUDA_API_PTSZ", "_ptsz"}};

struct names {
    char **v;
    size_t n, cap;
};

static void names_release(struct names *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->v[i]);
    free(s->v);
}

static void names_add(struct names *s, char *name)
{
    if (s->n == s->cap) {
        s->cap = MAX(2 * s->cap, 256);
        s->v = xrealloc(s->v, s->cap * sizeof(*s->v));
    }
    s->v[s->n++] = name;
}

static size_t word_len(const char *p)
{
    size_t len = 0;

    while (isalnum((unsigned char)p[len]) || p[len] == '_')
        len++;
    return len;
}

/* Length of a comment, to be skipped: comments name functions too, and some that are long gone. */
static size_t comment_len(const char *p)
{
    if (strncmp(p, "//", 2) == 0)
        return strcspn(p, "\n");
    if (strncmp(p, "/*", 2) != 0)
        return 0;

    const char *end = strstr(p + 2, "*/");

    return end ? (size_t)(end + 2 - p) : strlen(p);
}

/* True for cuInit; false for CUresult, cuda and cuuint32_t. */
static bool is_function(const char *word, size_t len)
{
    return len > 2 && strncmp(word, "cu", 2) == 0 && isupper((unsigned char)word[2]);
}

static void add_function(struct names *s, const char *word, size_t len, const char *before,
                         size_t before_len)
{
    names_add(s, xstrndup(word, len));
    for (size_t i = 0; i < ARRAY_SIZE(pasted); i++)
        if (strlen(pasted[i].macro) == before_len &&
            strncmp(pasted[i].macro, before, before_len) == 0)
            names_add(s, xasprintf("%.*s%s", (int)len, word, pasted[i].suffix));
}

static void find_functions(const char *header, struct names *ret)
{
    const char *before = "";
    size_t before_len = 0;

    for (const char *p = header; *p;) {
        size_t len = word_len(p), comment = comment_len(p);

        if (is_function(p, len))
            add_function(ret, p, len, before, before_len);
        if (len) {
            before = p;
            before_len = len;
        }
        p += len ? len : MAX(comment, 1);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void driver_stub_source(const char *header, struct buf *ret)
{
    AUTO(names_release) struct names s = {NULL, 0, 0};

    find_functions(header, &s);
    if (s.n)
        qsort(s.v, s.n, sizeof(*s.v), by_name);
    for (size_t i = 0; i < s.n; i++)
        if (i == 0 || strcmp(s.v[i], s.v[i - 1]) != 0)
            buf_addf(ret, "extern \"C\" void %s() {}\n", s.v[i]);
}

/* ---- from the source to a library ---- */

static int read_header(const struct nvcc *n, struct buf *source, struct err *err)
{
    AUTO(buf_release) struct buf header = BUF_INIT;

    if (fs_read(n->cuda_h, CUDA_H_MAX_BYTES, &header, err) < 0) {
        err->kind = ERR_SYSTEM;
        return wrap(err, "the CUDA toolkit of %s is not complete, reinstall it or set ASSAY_NVCC",
                    n->path);
    }
    driver_stub_source(buf_str(&header), source);
    if (!strstr(buf_str(source), " cuInit()"))
        return fail(err, ERR_SYSTEM,
                    "%s does not declare cuInit: it is not the CUDA toolkit's; reinstall that or "
                    "set ASSAY_NVCC",
                    n->cuda_h);
    return 0;
}

static int compile(const struct compiler *host, const struct build_request *req,
                   const struct buf *source, struct build_result *ret, struct err *err)
{
    const char *const nothing[] = {NULL}, *const ro_dirs[] = {host->outside, NULL};
    const char *const flags[] = {
        "-O1", "-fPIC", "-shared", "-nostdlib", "-s", "-Wl,-soname,libcuda.so.1", NULL};
    const struct recipe r = {.program = host->path,
                             .name = host->name,
                             .hidden = nothing,
                             .flags = flags,
                             .libs = nothing,
                             .ro_dirs = ro_dirs,
                             .mem_bytes = STUB_MEM_BYTES};
    const struct build_request stub = {.file_name = "libcuda.cc",
                                       .source = source->ptr,
                                       .source_len = source->len,
                                       .problem_h = "",
                                       .include_dir = req->include_dir,
                                       .cache_dir = req->cache_dir,
                                       .no_cache = true}; /* driver_stub() caches it */

    return recipe_build(&r, &stub, ret, err);
}

static int make(const struct nvcc *n, const struct compiler *host, const struct build_request *req,
                struct artifact_entry *ret, struct err *err)
{
    AUTO(buf_release) struct buf source = BUF_INIT;
    AUTO(build_result_release) struct build_result r = {.artifact_fd = -1};

    if (read_header(n, &source, err) < 0 || compile(host, req, &source, &r, err) < 0)
        return -1;
    if (r.status != BUILD_OK)
        return fail(err, ERR_SYSTEM, "%s can not make a libcuda to link against: %.*s", host->path,
                    (int)strcspn(r.log, "\n"), r.log);
    if (lseek(r.artifact_fd, 0, SEEK_SET) < 0)
        return fail_errno(err, DRIVER_STUB_FILE);
    memcpy(ret->hash, r.artifact_hash, sizeof(ret->hash));
    return fs_read_fd(r.artifact_fd, ARTIFACT_MAX_BYTES, &ret->artifact, err);
}

int driver_stub(const struct nvcc *n, const struct compiler *host, const struct build_request *req,
                struct buf *ret, struct err *err)
{
    AUTO(artifact_entry_release) struct artifact_entry e = ARTIFACT_ENTRY_INIT;
    char key[HASH_HEX];
    struct hash h;

    hash_init(&h);
    hash_adds(&h, KEY_VERSION);
    hash_adds(&h, n->identity); /* includes cuda.h, which is read only when it has changed */
    hash_adds(&h, host->identity);
    hash_final(&h, key);
    if (!artifact_cache_load(req->cache_dir, key, &e) &&
        (make(n, host, req, &e, err) < 0 || artifact_cache_store(req->cache_dir, key, &e, err) < 0))
        return -1;
    buf_add(ret, e.artifact.ptr, e.artifact.len);
    return 0;
}
