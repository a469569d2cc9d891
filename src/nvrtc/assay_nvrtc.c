/* SPDX-License-Identifier: MIT */
/*
 * assay-nvrtc compiles a candidate's kernels to machine code. The builder starts it in its sandbox.
 *
 *     assay-nvrtc --library=FILE [OPTION...] [-I DIR]... -o OUTPUT SOURCE
 *
 * OPTIONs go to NVRTC as they are. Errors of the source go to stderr as a compiler writes them
 * ("mine.cu(3): error: ..."), and the status is 1. Troubles of our own begin with "assay-nvrtc: ",
 * and the status is 4, which no source can cause.
 * OUTPUT holds the source's launch lines and the machine code (device/cuda/cuda_launch.h).
 */
#include "base/fs.h"
#include "device/cuda/cuda_launch.h"
#include "device/cuda/launch_lines.h"
#include "device/cuda/nvrtc_api.h"
#include "nvrtc/rtc_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BYTES ((size_t)64 << 20)
#define MAX_OPTIONS 32
#define TROUBLE NVRTC_TOOL ": "

struct compilation {
    const char *library, *output, *source;
    const char *options[MAX_OPTIONS];
    int n_options;
    struct buf text; /* the source's text */
    struct buf lines[CUDA_LAUNCH_MAX_LINES];
    int line_numbers[CUDA_LAUNCH_MAX_LINES];
    int n_lines;
};

static int usage(void)
{
    fputs(TROUBLE "started by assay, which compiles candidates with it; run assay eval\n", stderr);
    return NVRTC_TOOL_TROUBLE;
}

static bool parse_arguments(int argc, char **argv, struct compilation *j)
{
    static const char library[] = "--library=";

    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], library, sizeof(library) - 1))
            j->library = argv[i] + sizeof(library) - 1;
        else if (!strcmp(argv[i], "-o") && i + 1 < argc)
            j->output = argv[++i];
        else if (argv[i][0] != '-')
            j->source = argv[i];
        else if (j->n_options + 2 > MAX_OPTIONS || (!strcmp(argv[i], "-I") && i + 1 == argc))
            return false;
        else {
            j->options[j->n_options++] = argv[i];
            if (!strcmp(argv[i], "-I"))
                j->options[j->n_options++] = argv[++i];
        }
    }
    return j->library && j->output && j->source;
}

/* ---- launch lines ---- */

static int complain(const struct compilation *j, int line, const char *what, const char *text)
{
    fprintf(stderr, "%s(%d): error: %s\n%s%s\n", j->source, line, what, *text ? "  " : "", text);
    return 1;
}

/* The text of a line of the source. */
static char *text_of(const struct compilation *j, int line)
{
    const char *at = j->text.ptr, *end = at + j->text.len, *eol;

    for (; (eol = memchr(at, '\n', (size_t)(end - at))) && line > 1; line--)
        at = eol + 1;
    return xstrndup(at, (size_t)((eol ? eol : end) - at));
}

static int complain_at(const struct compilation *j, const struct cuda_place *where,
                       const char *what)
{
    AUTO(freep) char *text = text_of(j, where->line);
    AUTO(freep) char *placed = xasprintf("column %d: %s", where->column, what);

    return complain(j, where->line, placed, text);
}

/* Takes the launch lines of the source, complains about wrong ones, and returns their number. */
static int take_lines(struct compilation *j)
{
    struct launch_lines l = {j->text.ptr, j->text.ptr + j->text.len, 0};
    AUTO(buf_release) struct buf line = BUF_INIT;
    struct cuda_launch launch;
    struct cuda_place where;
    int number, bad = 0;

    while (launch_lines_next(&l, &line, &number)) {
        struct err err = ERR_INIT;

        if (j->n_lines == CUDA_LAUNCH_MAX_LINES)
            return complain(j, number, "too many launch lines", "");
        if (cuda_launch_check(line.ptr, line.len, &launch, &where, &err) < 0)
            bad += complain_at(j, &where, err.text);
        buf_add(&j->lines[j->n_lines], line.ptr, line.len);
        j->line_numbers[j->n_lines++] = number;
    }
    return bad;
}

/* Whether the cubin has a kernel of this name: its code is a section of its own. */
static bool has_kernel(const struct buf *cubin, const char *name)
{
    AUTO(freep) char *section = xasprintf(".text.%s", name);

    return memmem(cubin->ptr, cubin->len, section, strlen(section) + 1) != NULL;
}

static int check_names(const struct compilation *j, const struct buf *cubin)
{
    struct cuda_launch launch;
    struct err ignored = ERR_INIT;
    int bad = 0;

    for (int i = 0; i < j->n_lines; i++)
        if (cuda_launch_parse(j->lines[i].ptr, j->lines[i].len, NULL, &launch, &ignored) == 0 &&
            !has_kernel(cubin, launch.name))
            bad += complain(j, j->line_numbers[i],
                            "no extern \"C\" __global__ function of this name", launch.name);
    return bad;
}

static void join(const struct compilation *j, const struct buf *cubin, struct buf *artifact)
{
    struct cuda_program p = {.n_lines = j->n_lines, .cubin = {cubin->ptr, cubin->len}};

    for (int i = 0; i < j->n_lines; i++)
        p.lines[i] = (struct cuda_text){j->lines[i].ptr, j->lines[i].len};
    cuda_program_join(&p, artifact);
}

/* ---- compiling ---- */

/* Prints NVRTC's log; after a success it holds warnings. */
static void print_log(const struct nvrtc_api *rtc, nvrtcProgram program)
{
    size_t bytes = 0;

    if (rtc->nvrtcGetProgramLogSize(program, &bytes) || bytes < 2 || bytes > MAX_BYTES)
        return;

    AUTO(freep) char *log = xcalloc(1, bytes + 1);

    if (rtc->nvrtcGetProgramLog(program, log) == 0)
        fputs(log, stderr);
}

static int trouble(const struct nvrtc_api *rtc, nvrtcResult rc)
{
    fprintf(stderr, TROUBLE "%s\n", rtc->nvrtcGetErrorString(rc));
    return NVRTC_TOOL_TROUBLE;
}

static int take_cubin(const struct nvrtc_api *rtc, nvrtcProgram program, struct buf *cubin)
{
    size_t bytes = 0;
    nvrtcResult rc = rtc->nvrtcGetCUBINSize(program, &bytes);

    if (rc)
        return trouble(rtc, rc);
    if (bytes == 0 || bytes > MAX_BYTES) {
        fprintf(stderr, "File too large: %zu bytes of machine code\n", bytes);
        return 1;
    }
    buf_reserve(cubin, bytes);
    rc = rtc->nvrtcGetCUBIN(program, cubin->ptr);
    cubin->len = bytes;
    return rc ? trouble(rtc, rc) : 0;
}

static int compile(const struct nvrtc_api *rtc, const struct compilation *j, struct buf *cubin)
{
    nvrtcProgram program = NULL;
    nvrtcResult rc = rtc->nvrtcCreateProgram(&program, j->text.ptr, j->source, rtc_n_headers,
                                             rtc_header_texts, rtc_header_names);
    int status = 0;

    if (rc)
        return trouble(rtc, rc);
    rc = rtc->nvrtcCompileProgram(program, j->n_options, j->options);
    /* We wrote the options, and the builtins belong to the installation. Every other error is the
     * source's. */
    if (rc == NVRTC_ERROR_INVALID_OPTION || rc == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
        status = trouble(rtc, rc);
    else if (rc)
        status = 1;
    print_log(rtc, program);
    if (rc && rc != NVRTC_ERROR_COMPILATION)
        fprintf(stderr, "%s: error: %s\n", j->source, rtc->nvrtcGetErrorString(rc));
    if (rc == 0)
        status = take_cubin(rtc, program, cubin);
    rtc->nvrtcDestroyProgram(&program);
    return status;
}

static int run(struct compilation *j)
{
    AUTO(buf_release) struct buf cubin = BUF_INIT, artifact = BUF_INIT;
    struct err err = ERR_INIT;
    const char *why = "";
    const struct nvrtc_api *rtc;
    int status;

    if (fs_read(j->source, MAX_BYTES, &j->text, &err) < 0) {
        fprintf(stderr, TROUBLE "%s\n", err.text);
        return NVRTC_TOOL_TROUBLE;
    }
    if (take_lines(j) > 0)
        return 1;
    rtc = nvrtc_api(j->library, &why);
    if (!rtc) {
        fprintf(stderr, TROUBLE "%s\n", why);
        return NVRTC_TOOL_TROUBLE;
    }
    status = compile(rtc, j, &cubin);
    if (status)
        return status;
    if (check_names(j, &cubin) > 0)
        return 1;
    join(j, &cubin, &artifact);
    if (fs_write_atomic(j->output, artifact.ptr, artifact.len, &err) < 0) {
        fprintf(stderr, TROUBLE "%s\n", err.text);
        return NVRTC_TOOL_TROUBLE;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct compilation j = {.text = BUF_INIT};

    /* _exit(): no memory is freed, and a library of 100 MB runs no destructors. */
    _exit(parse_arguments(argc, argv, &j) ? run(&j) : usage());
}
