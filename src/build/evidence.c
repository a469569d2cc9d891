/* SPDX-License-Identifier: MIT */
/*
 * One JSON text per artifact and disassembler is cached (file_cache.h), so that a cached build
 * costs no disassembly. A file that a crash damaged is no JSON, and is made again.
 */
#include "build/evidence.h"

#include "base/clock.h"
#include "base/fs.h"
#include "build/artifact_cache.h"
#include "build/disassembler.h"
#include "build/elf_view.h"
#include "build/fatbin.h"
#include "build/host_refs.h"
#include "build/file_cache.h"
#include "device/cuda/cuda_launch.h"
#include "process/bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_VERSION "assay evidence 2" /* count up when reading the code changes */
#define KIND "evidence"
#define KEPT_MAX_BYTES ((size_t)16 << 20)

void evidence_release(struct evidence *e)
{
    freep(&e->why_not);
    freep(&e->tool);
    freep(&e->loads_code);
    sass_release(&e->sass);
}

/* ---- as JSON ---- */

static json_t *figure(int64_t v)
{
    return v < 0 ? json_null() : json_integer(v);
}

static json_t *classes_json(const struct sass_counts *c)
{
    json_t *j = json_array();

    for (int k = TENSOR_NONE + 1; k < TENSOR_CLASSES; k++)
        if (sass_count_class(c, (enum tensor_class)k))
            json_array_append_new(j, json_string(tensor_class_names[k]));
    return j;
}

static json_t *opcodes_json(const struct sass_counts *c)
{
    json_t *j = json_object();

    for (int i = 0; i < SASS_RULES; i++) {
        AUTO(freep) char *label = sass_rule_label(i);

        if (c->rule[i])
            json_object_set_new(j, label, json_integer((json_int_t)c->rule[i]));
    }
    return j;
}

static json_t *counts_json(const struct sass_counts *c)
{
    return json_pack("{s:o, s:I, s:o}", "tensor", classes_json(c), "instructions",
                     (json_int_t)c->instructions, "opcodes", opcodes_json(c));
}

static json_t *kernel_json(const struct sass_kernel *k)
{
    json_t *j = counts_json(&k->counts);

    json_object_set_new(j, "name", json_string(k->name));
    json_object_set_new(j, "registers", figure(k->registers));
    json_object_set_new(j, "stack_bytes", figure(k->stack_bytes));
    json_object_set_new(j, "local_bytes", figure(k->local_bytes));
    json_object_set_new(j, "shared_bytes", figure(k->shared_bytes));
    return j;
}

json_t *evidence_to_json(const struct evidence *e)
{
    json_t *kernels = json_array();
    json_t *j = counts_json(&e->sass.total);

    for (int i = 0; i < e->sass.n_kernels; i++)
        json_array_append_new(kernels, kernel_json(&e->sass.kernels[i]));
    json_object_set_new(j, "tool", e->tool ? json_string(e->tool) : json_null());
    json_object_set_new(j, "loads_code", e->loads_code ? json_string(e->loads_code) : json_null());
    json_object_set_new(j, "kernels", kernels);
    json_object_set_new(j, "kernels_left_out", json_integer(e->sass.left_out));
    return j;
}

static bool read_counts(const json_t *j, struct sass_counts *ret)
{
    const json_t *opcodes = json_object_get(j, "opcodes");

    if (!json_is_object(opcodes) || !json_is_integer(json_object_get(j, "instructions")))
        return false;
    ret->instructions = (uint64_t)json_integer_value(json_object_get(j, "instructions"));
    for (int i = 0; i < SASS_RULES; i++) {
        AUTO(freep) char *label = sass_rule_label(i);

        ret->rule[i] = (uint64_t)json_integer_value(json_object_get(opcodes, label));
    }
    return true;
}

static int64_t read_figure(const json_t *j, const char *key)
{
    const json_t *v = json_object_get(j, key);

    return json_is_integer(v) ? json_integer_value(v) : -1;
}

static bool read_kernel(const json_t *j, struct sass_kernel *ret)
{
    const char *name = json_string_value(json_object_get(j, "name"));
    struct sass_kernel k = {
        .registers = read_figure(j, "registers"),
        .stack_bytes = read_figure(j, "stack_bytes"),
        .local_bytes = read_figure(j, "local_bytes"),
        .shared_bytes = read_figure(j, "shared_bytes"),
    };

    if (!name || !read_counts(j, &k.counts))
        return false;
    k.name = xstrdup(name);
    *ret = k;
    return true;
}

static char *copy_or_null(const json_t *j, const char *key)
{
    const char *text = json_string_value(json_object_get(j, key));

    return text ? xstrdup(text) : NULL;
}

bool evidence_from_json(const json_t *j, struct evidence *ret)
{
    const json_t *kernels = json_object_get(j, "kernels");
    struct sass *s = &ret->sass;

    if (!json_is_array(kernels) || json_array_size(kernels) > SASS_MAX_KERNELS ||
        !json_is_string(json_object_get(j, "tool")) || !read_counts(j, &s->total))
        return false;
    s->kernels = xcalloc(json_array_size(kernels) + 1, sizeof(*s->kernels));
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        if (!read_kernel(json_array_get(kernels, i), &s->kernels[i]))
            return false;
        s->n_kernels++;
    }
    s->left_out = (int)json_integer_value(json_object_get(j, "kernels_left_out"));
    ret->tool = copy_or_null(j, "tool");
    ret->loads_code = copy_or_null(j, "loads_code");
    return true;
}

/* ---- cached evidence ---- */

/* Loads cached evidence. Leaves e empty when there is none, or when it is not whole. */
static bool load(const char *cache_dir, const char *key, struct evidence *e)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (!file_cache_load(cache_dir, KIND, key, KEPT_MAX_BYTES, &text))
        return false;

    json_t *j = json_loadb(buf_str(&text), text.len, 0, NULL);
    bool found = j && evidence_from_json(j, e);

    json_decref(j);
    if (!found)
        evidence_release(e);
    return found;
}

static int keep(const char *cache_dir, const char *key, const struct evidence *e, struct err *err)
{
    json_t *j = evidence_to_json(e);
    AUTO(freep) char *text = json_dumps(j, JSON_COMPACT);

    json_decref(j);
    return file_cache_store(cache_dir, KIND, key, text, strlen(text), err);
}

static void make_key(const struct evidence_request *req, const struct disassembler *d,
                     char key[HASH_HEX])
{
    struct hash h;

    hash_init(&h);
    hash_adds(&h, KEY_VERSION);
    hash_adds(&h, req->artifact_hash);
    hash_adds(&h, d->identity);
    hash_final(&h, key);
}

/* ---- inspecting ---- */

static int read_artifact(int fd, struct buf *ret, struct err *err)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd); /* leaves the descriptor's offset alone */
    return fs_read(path, ARTIFACT_MAX_BYTES, ret, err);
}

/* nvdisasm takes machine code alone, so the library is taken apart for it. */
static int read_fatbins(const struct evidence_request *req, const struct disassembler *d,
                        const struct buf *library, struct sass *ret, struct err *err)
{
    struct fatbin f;
    int rc = fatbin_read(library->ptr, library->len, &f, err);

    for (int i = 0; rc == 0 && i < f.n_cubins; i++)
        rc = disassembler_run(d, req->cache_dir, f.cubins[i].at, f.cubins[i].len, ret, err);
    if (rc == 0)
        ret->has_ptx |= f.has_ptx;
    return rc;
}

static int inspect_fatbins(const struct evidence_request *req, const struct disassembler *d,
                           const struct buf *library, struct sass *ret, struct err *err)
{
    int rc = read_fatbins(req, d, library, ret, err);

    if (rc)
        return rc;
    if (ret->total.instructions == 0 && !ret->has_ptx) {
        fail(err, ERR_SYSTEM, "the library holds no machine code");
        return 1;
    }
    return 0;
}

static int inspect_library(const struct evidence_request *req, const struct disassembler *d,
                           const struct buf *library, struct evidence *e, struct err *err)
{
    int rc = d->bare
                 ? inspect_fatbins(req, d, library, &e->sass, err)
                 : disassembler_run(d, req->cache_dir, library->ptr, library->len, &e->sass, err);
    const char *loader = e->sass.has_ptx ? "PTX" : NULL;

    if (rc == 0 && !loader)
        loader = host_refs_loader(library->ptr, library->len);
    e->loads_code = loader ? xstrdup(loader) : NULL;
    return rc;
}

/* ---- the folder of a candidate in Python ---- */

#define MAX_CODE_FILES 256 /* Triton leaves one for each configuration that it tried */

enum code_kind { CODE_NONE, CODE_CUBIN, CODE_LIBRARY };

/* By the file's first bytes: its name is the candidate's choice. */
static enum code_kind kind_of_file(const char *bytes, size_t len)
{
    Elf64_Ehdr head;

    if (len < sizeof(head) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return CODE_NONE;
    memcpy(&head, bytes, sizeof(head));
    return head.e_machine == EM_CUDA     ? CODE_CUBIN
           : head.e_machine == EM_X86_64 ? CODE_LIBRARY
                                         : CODE_NONE;
}

/* Whether a library for the host has no code for the device. One that cannot be read may. */
static bool is_host_only(const struct buf *library)
{
    struct elf_view f;

    return elf_open(library->ptr, library->len, EM_X86_64, &f) && !elf_find(&f, FATBIN_SECTION);
}

struct folder_walk {
    const struct evidence_request *req;
    const struct disassembler *d; /* NULL: the files are only counted */
    struct evidence *e;
    struct err *err;
    int n; /* files with code for the device */
};

/* The candidate chose the name: other characters than these are not shown. */
static void name_file(const char *name, struct err *err)
{
    char shown[64];
    size_t n = 0;

    for (; name[n] && n < sizeof(shown) - 1; n++)
        shown[n] = name[n] > 0x20 && name[n] < 0x7f ? name[n] : '?';
    shown[n] = '\0';
    wrap(err, "%s", shown);
}

static int inspect_file(void *arg, const char *name, const char *bytes, size_t len)
{
    struct folder_walk *w = arg;
    enum code_kind kind = kind_of_file(bytes, len);
    AUTO(buf_release) struct buf file = BUF_INIT; /* aligned, as elf_open() needs it */
    int rc;

    if (kind == CODE_NONE)
        return 0;
    buf_add(&file, bytes, len);
    if (kind == CODE_LIBRARY && is_host_only(&file))
        return 0;
    w->n++;
    if (!w->d)
        return 0;
    if (kind == CODE_LIBRARY && w->d->bare)
        rc = read_fatbins(w->req, w->d, &file, &w->e->sass, w->err);
    else
        rc = disassembler_run(w->d, w->req->cache_dir, file.ptr, file.len, &w->e->sass, w->err);
    if (rc)
        name_file(name, w->err);
    return rc;
}

static int count_code_files(const struct buf *folder)
{
    struct folder_walk w = {.n = 0};

    bundle_each_frozen(folder, inspect_file, &w);
    return w.n;
}

/* A process with Python in it can always load code. So only PTX, which is the candidate's own code
 * in a form that is not read, counts as hidden. */
static int inspect_folder(const struct evidence_request *req, const struct disassembler *d,
                          struct evidence *e, struct err *err)
{
    struct folder_walk w = {.req = req, .d = d, .e = e, .err = err};
    int rc = bundle_each_frozen(req->folder, inspect_file, &w);

    if (rc == 0 && e->sass.has_ptx)
        e->loads_code = xstrdup("PTX");
    return rc;
}

/* ---- any of them ---- */

static int inspect(const struct evidence_request *req, const struct disassembler *d,
                   struct evidence *e, struct err *err)
{
    AUTO(buf_release) struct buf bytes = BUF_INIT;
    struct cuda_program program;

    if (req->folder)
        return inspect_folder(req, d, e, err);
    if (read_artifact(req->artifact_fd, &bytes, err) < 0)
        return -1;
    if (!cuda_program_is(bytes.ptr, bytes.len))
        return inspect_library(req, d, &bytes, e, err);
    if (cuda_program_split(bytes.ptr, bytes.len, &program, err) < 0)
        return 1;
    /* Machine code alone (the route by NVRTC) has no host code that could load any. */
    return disassembler_run(d, req->cache_dir, program.cubin.at, program.cubin.len, &e->sass, err);
}

/* Makes an obstacle part of the evidence, so that it is no error any more. */
static int not_checked(struct evidence *e, struct err *why)
{
    e->why_not = xstrdup(why->text);
    *why = (struct err)ERR_INIT;
    return 0;
}

/* A folder that has nothing to disassemble, or too much. */
static bool needs_no_tool(const struct buf *folder, struct evidence *e)
{
    int n = count_code_files(folder);

    e->own_code = true;
    e->checked = n == 0;
    if (n > MAX_CODE_FILES)
        e->why_not =
            xasprintf("%d files with machine code, at most %d are read", n, MAX_CODE_FILES);
    return n == 0 || n > MAX_CODE_FILES;
}

static int collect(const struct evidence_request *req, struct evidence *e, struct err *err)
{
    AUTO(disassembler_release) struct disassembler d = DISASSEMBLER_INIT;
    char key[HASH_HEX];

    if (req->folder && needs_no_tool(req->folder, e))
        return 0;
    if (disassembler_find(req->cache_dir, &d, err) < 0)
        return not_checked(e, err);
    make_key(req, &d, key);
    e->cached = e->checked = !req->no_cache && load(req->cache_dir, key, e);
    if (e->cached)
        return 0;
    e->tool = xstrdup(d.name);

    int rc = inspect(req, &d, e, err);

    if (rc)
        return rc < 0 ? -1 : not_checked(e, err);
    e->checked = true;
    return req->no_cache ? 0 : keep(req->cache_dir, key, e, err);
}

int evidence_collect(const struct evidence_request *req, struct evidence *ret, struct err *err)
{
    AUTO(evidence_release) struct evidence e = {0};
    uint64_t start = clock_ns();

    e.applies = req->device->shows_code;
    if (e.applies) {
        if (collect(req, &e, err) < 0)
            return wrap(err, "evidence");
        e.ms = clock_ms_since(start);
    }
    *ret = e;
    e = (struct evidence){0};
    return 0;
}
