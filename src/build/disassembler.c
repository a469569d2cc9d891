/* SPDX-License-Identifier: MIT */
/* nvdisasm reads machine code, and is one program without children or files of its own; we read
 * registers and memory ourselves (cubin.h). cuobjdump reads shared libraries, too, but starts
 * nvdisasm for that. It looks for nvdisasm in $PATH, so its own folder goes there. */
#include "build/disassembler.h"

#include "base/fs.h"
#include "build/build_dir.h"
#include "build/cubin.h"
#include "build/program.h"
#include "sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

#define FILE_NAME "artifact"
#define TIMEOUT_MS 60000
#define MEM_BYTES ((uint64_t)8 << 30)
#define FILE_BYTES ((uint64_t)256 << 20) /* cuobjdump writes the parts of a library to files */
#define MAX_OUTPUT ((size_t)128 << 20)   /* an instruction takes about 250 bytes of text */
#define ENV_WORDS 2                      /* words before the program; only cuobjdump needs them */
#define BLANKS " \t\r\n"
#define INSTALL "install nvdisasm (CUDA toolkit) or set ASSAY_DISASM"

/* ---- finding the tool ---- */

static char *find_in(const char *folder, const char *name)
{
    AUTO(freep) char *file = folder ? fs_join(folder, name) : NULL;

    return file ? program_find(file) : NULL;
}

/* Looks in $PATH, in the toolkit that $CUDA_HOME names, beside nvcc, and in the usual place. */
static char *look_for(const char *name)
{
    const char *home = getenv("CUDA_HOME"), *nvcc_word = getenv("ASSAY_NVCC");
    AUTO(freep) char *home_bin = home && *home ? fs_join(home, "bin") : NULL;
    AUTO(freep) char *nvcc = program_find(nvcc_word && *nvcc_word ? nvcc_word : "nvcc");
    AUTO(freep) char *nvcc_root = nvcc ? program_prefix(nvcc) : NULL;
    AUTO(freep) char *nvcc_bin = nvcc_root ? fs_join(nvcc_root, "bin") : NULL;
    const char *const folders[] = {home_bin, nvcc_bin, "/usr/local/cuda/bin"};
    char *found = program_find(name);

    for (size_t i = 0; i < ARRAY_SIZE(folders) && !found; i++)
        found = find_in(folders[i], name);
    return found;
}

static char *choose(struct err *err)
{
    static const char *const names[] = {"nvdisasm", "cuobjdump"};
    const char *chosen = getenv("ASSAY_DISASM");
    char *found = NULL;

    if (chosen && *chosen) {
        found = program_find(chosen);
        if (!found)
            fail(err, ERR_SYSTEM, "ASSAY_DISASM=%s: no such program", chosen);
        return found;
    }
    for (size_t i = 0; i < ARRAY_SIZE(names) && !found; i++)
        found = look_for(names[i]);
    if (!found)
        fail(err, ERR_SYSTEM, "no disassembler found: " INSTALL);
    return found;
}

static const char *base_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* Makes "cuobjdump 13.0.85" of "... release 13.0, V13.0.85". */
static char *short_name(const char *path, const char *version)
{
    const char *number = strstr(version, ", V");

    return number ? xasprintf("%s %.*s", base_of(path), (int)strcspn(number + 3, "\n"), number + 3)
                  : xstrdup(base_of(path));
}

/* nvdisasm counts as well, because cuobjdump has it do the work. */
static void identify(struct disassembler *d, const char *version)
{
    AUTO(freep) char *root = program_prefix(d->path);
    AUTO(freep) char *worker = fs_join(root, "bin/nvdisasm");
    struct hash h;

    hash_init(&h);
    hash_adds(&h, version);
    program_hash_file(&h, d->path);
    program_hash_file(&h, worker);
    hash_final(&h, d->identity);
}

int disassembler_find(const char *cache_dir, struct disassembler *ret, struct err *err)
{
    AUTO(disassembler_release) struct disassembler d = DISASSEMBLER_INIT;
    AUTO(buf_release) struct buf version = BUF_INIT;
    const char *const options[] = {"--version", NULL};

    d.path = choose(err);
    /* A tool that does not even tell its version does not work. */
    if (!d.path || program_ask(d.path, options, cache_dir, &version, err) < 0)
        return -1;
    d.name = short_name(d.path, buf_str(&version));
    d.bare = strncmp(base_of(d.path), "nvdisasm", strlen("nvdisasm")) == 0;
    identify(&d, buf_str(&version));
    *ret = d;
    d = (struct disassembler)DISASSEMBLER_INIT;
    return 0;
}

void disassembler_release(struct disassembler *d)
{
    freep(&d->path);
    freep(&d->name);
}

/* ---- running the tool ---- */

/* Runs the tool on the file, with one option or two: `more` may be NULL. */
static int run(const struct disassembler *d, const char *dir, const char *option, const char *more,
               struct buf *output, struct sandbox_tool_result *ret, struct err *err)
{
    AUTO(freep) char *folder = xstrndup(d->path, (size_t)(base_of(d->path) - 1 - d->path));
    AUTO(freep) char *path = xasprintf("PATH=%s:/usr/bin:/bin", folder);
    AUTO(freep) char *outside = program_outside(d->path);
    const char *const ro_dirs[] = {outside, NULL};
    const char *const words[] = {
        "/usr/bin/env",          path, d->path, option, more ? more : FILE_NAME,
        more ? FILE_NAME : NULL, NULL,
    };
    char *const *argv = (char *const *)words + (d->bare ? ENV_WORDS : 0);
    const struct sandbox_tool tool = {.argv = argv,
                                      .ro_dirs = ro_dirs,
                                      .rw_dir = dir,
                                      .timeout_ms = TIMEOUT_MS,
                                      .mem_bytes = MEM_BYTES,
                                      .file_bytes = FILE_BYTES,
                                      .max_output = MAX_OUTPUT};

    return sandbox_run_tool(&tool, output, ret, err);
}

/* The line that tells why a tool failed: the first that speaks of an error, else the last that says
 * something. Messages and listing come through one pipe, in no certain order, and cuobjdump's
 * listing begins with an empty line. */
static char *telling_line(const char *text)
{
    const char *found = "it printed nothing";
    bool certain = false;

    for (const char *at = text + strspn(text, BLANKS); *at && !certain; at += strspn(at, BLANKS)) {
        size_t len = strcspn(at, "\n");

        found = at;
        certain = memmem(at, len, "fatal", 5) || memmem(at, len, "error", 5);
        at += len;
    }

    char *line = xstrndup(found, MIN(strcspn(found, "\n"), (size_t)300));

    for (char *p = line; *p; p++) /* a stranger's file may have put control characters there */
        if (*p < 0x20 || *p >= 0x7f)
            *p = ' ';
    return line;
}

static int describe_failure(const struct disassembler *d, const struct sandbox_tool_result *r,
                            const struct buf *output, struct err *err)
{
    AUTO(freep) char *line = telling_line(buf_str(output));

    if (r->signal)
        return fail(err, ERR_SYSTEM, "%s failed (signal %d in %s): %s", d->name, r->signal,
                    r->walls, line);
    return fail(err, ERR_SYSTEM, "%s failed (status %d in %s): %s", d->name, r->exit_status,
                r->walls, line);
}

/* Returns 0 if the tool ended well and all its output is there, else 1 with the reason in err. */
static int judge_run(const struct disassembler *d, const struct sandbox_tool_result *r,
                     const struct buf *output, struct err *err)
{
    if (r->exit_status == 0 && !r->output_cut)
        return 0;
    if (r->timed_out)
        fail(err, ERR_SYSTEM, "%s did not end within %d s", d->name, TIMEOUT_MS / 1000);
    else if (r->output_cut)
        fail(err, ERR_SYSTEM, "%s printed more than %zu MiB", d->name, MAX_OUTPUT >> 20);
    else
        describe_failure(d, r, output, err);
    return 1;
}

/* Runs the tool again if it was killed: code that cannot be read counts against the artifact. */
static int print_code(const struct disassembler *d, const char *dir, struct buf *output,
                      struct sandbox_tool_result *r, struct err *err)
{
    const char *option = d->bare ? "--print-code" : "--dump-sass";
    const char *more = d->bare ? "--no-dataflow" : NULL;
    int attempt = 0;

    do {
        buf_reset(output);
        if (run(d, dir, option, more, output, r, err) < 0)
            return -1;
    } while (sandbox_was_killed(r) && attempt++ < SANDBOX_KILLED_AGAIN);
    return 0;
}

/* Adds registers and memory. If the tool fails here, the record lacks only these figures. */
static int read_usage(const struct disassembler *d, const char *dir, const struct buf *code,
                      struct sass *ret, struct err *err)
{
    AUTO(buf_release) struct buf output = BUF_INIT;
    struct sandbox_tool_result r;

    if (d->bare) {
        cubin_read_usage(code->ptr, code->len, ret);
        return 0;
    }
    if (run(d, dir, "--dump-resource-usage", NULL, &output, &r, err) < 0)
        return -1;
    if (r.exit_status == 0)
        sass_read_usage(ret, buf_str(&output), output.len);
    return 0;
}

int disassembler_run(const struct disassembler *d, const char *cache_dir, const void *code,
                     size_t len, struct sass *ret, struct err *err)
{
    AUTO(build_dir_close) struct build_dir dir = BUILD_DIR_INIT;
    AUTO(buf_release) struct buf output = BUF_INIT, aligned = BUF_INIT;
    AUTO(sass_release) struct sass s = {0};
    struct sandbox_tool_result r;

    buf_add(&aligned, code, len);
    if (d->bare && !cubin_has_code(aligned.ptr, len))
        return 0;
    if (build_dir_open(cache_dir, &dir, err) < 0)
        return -1;

    AUTO(freep) char *file = fs_join(dir.path, FILE_NAME);

    if (fs_write_atomic(file, code, len, err) < 0 || print_code(d, dir.path, &output, &r, err) < 0)
        return -1;

    int rc = judge_run(d, &r, &output, err);

    if (rc)
        return rc;
    sass_read(&s, buf_str(&output), output.len);
    if (s.total.instructions == 0) { /* none, or in a form that we do not know yet */
        fail(err, ERR_SYSTEM, "%s shows no machine code", d->name);
        return 1;
    }
    if (read_usage(d, dir.path, &aligned, &s, err) < 0)
        return -1;
    sass_merge(ret, &s);
    return 0;
}
