/* SPDX-License-Identifier: MIT */
#include "process/subject.h"

#include "base/fs.h"
#include "process/bundle.h"
#include "process/worker.h"
#include "sandbox/sandbox.h"
#include "terms/source.h"

#include <string.h>

#define WORKER_LIMIT_MS 900000 /* torch.compile with max-autotune takes minutes */

/* --- texts --- */

static int torch_source(const struct subject *s, const struct problem *p, enum size_set sizes,
                        const char *share, struct buf *text, struct buf *toolchain, struct err *err)
{
    (void)share, (void)err;
    emit_torch(p, sizes, text);
    worker_describe(s->worker, &s->baseline, toolchain);
    return 0;
}

static void torch_module(const struct subject *s, const struct problem *p, enum size_set sizes,
                         int size, const struct buf *text, struct buf *out)
{
    (void)s, (void)text;
    emit_torch_size(p, sizes, size, out);
}

static int vendor_source(const struct subject *s, const struct problem *p, enum size_set sizes,
                         const char *share, struct buf *text, struct buf *toolchain,
                         struct err *err)
{
    AUTO(freep) char *path = xasprintf("%s/workers/vendor/%s.py", share, p->name);

    (void)sizes;
    if (!fs_exists(path))
        return fail(err, ERR_INPUT, "no vendor's library is known for %s: there is no %s", p->name,
                    path);
    worker_describe(s->worker, &s->baseline, toolchain);
    return fs_read(path, SOURCE_MAX, text, err);
}

/* One module serves all sizes; it finds the dimensions of its size as globals. */
static void vendor_module(const struct subject *s, const struct problem *p, enum size_set sizes,
                          int size, const struct buf *text, struct buf *out)
{
    const struct size *at = &p->sizes[sizes][size];

    (void)s;
    for (int i = 0; i < at->n_params; i++)
        buf_addf(out, "%s = %.12g\n", at->params[i].name, at->params[i].value);
    buf_add(out, text->ptr, text->len);
}

/* The source of a plain baseline is the problem's own file. */
static int plain_source(const struct subject *s, const struct problem *p, enum size_set sizes,
                        const char *share, struct buf *text, struct buf *toolchain, struct err *err)
{
    (void)sizes, (void)share;
    if (baseline_available(&s->baseline, err) < 0)
        return -1;
    buf_add(text, p->texts[0].text.ptr, p->texts[0].text.len);
    baseline_describe(&s->baseline, toolchain);
    return 0;
}

/* The module of a plain baseline, in the form that plain/plain.h reads. */
static void plain_module(const struct subject *s, const struct problem *p, enum size_set sizes,
                         int size, const struct buf *text, struct buf *out)
{
    (void)text;
    buf_addf(out, "%s %s %d\n", s->baseline.mode, size_set_names[sizes], size);
    problem_pack(p, out);
}

/* The constructor's arguments and the shapes of parameters differ from size to size. */
static void python_module(const struct subject *s, const struct problem *p, enum size_set sizes,
                          int size, const struct buf *text, struct buf *out)
{
    const struct bundle_request r = {.problem = p,
                                     .size = &p->sizes[sizes][size],
                                     .file = s->file,
                                     .entry = s->entry,
                                     .results_named = s->results_read,
                                     .weights = s->weights,
                                     .frozen = s->frozen,
                                     .text = text};

    bundle_write(&r, out);
}

/* --- the table --- */

const struct subject_kind subject_native = {
    .name = "candidate",
    .launcher = LAUNCH_RUNNER,
    .sandboxed = true,
    .memory_counted = true,
    .takes_spares = true,
};

#define PYTHON                                                                              \
    .launcher = LAUNCH_ZYGOTE, .sandboxed = true, .group_killed = true, .born_large = true, \
    .has_scratch = true, .names_reasons = true, .built_by_start = true, .loads_late = true, \
    .reads_files = true, .holds_weights = true, .write_module = python_module

/* Walls, clock and memory are those of a candidate in C. */
const struct subject_kind subject_python = {PYTHON, .name = "python candidate",
                                            .params_apart = true, .memory_counted = true,
                                            .imported_first = true};

const struct subject_kind subject_rehearsal = {PYTHON, .name = "rehearsal", .starts_programs = true,
                                               .saves_folder = true};

const struct subject_kind subject_tuning = {PYTHON, .name = "tuning", .saves_folder = true};

const struct subject_kind subject_reference = {PYTHON, .name = "reference", .saves_folder = true};

/* PyTorch keeps memory that it was ever given, so counting it says nothing. Its own clock leaves
 * out a step that only Assay needs: the copy of its results into the output arena. */
static const struct subject_kind torch = {
    .name = "torch",
    .launcher = LAUNCH_WORKER,
    .is_baseline = true,
    .own_clock = true,
    .group_killed = true,
    .start_limit_ms = WORKER_LIMIT_MS,
    .write_source = torch_source,
    .write_module = torch_module,
};

/* A library's time is useful even if its answers are not exact enough. */
static const struct subject_kind vendor = {
    .name = "vendor",
    .launcher = LAUNCH_WORKER,
    .is_baseline = true,
    .own_clock = true,
    .wrong_excused = true,
    .group_killed = true,
    .start_limit_ms = WORKER_LIMIT_MS,
    .write_source = vendor_source,
    .write_module = vendor_module,
};

static const struct subject_kind plain = {
    .name = "plain",
    .launcher = LAUNCH_PLAIN,
    .is_baseline = true,
    .sandboxed = true,
    .memory_counted = true,
    .write_source = plain_source,
    .write_module = plain_module,
};

const struct subject_kind *subject_kind_of_file(const char *file)
{
    const char *dot = strrchr(file, '.');

    return dot && !strcmp(dot, ".py") ? &subject_python : &subject_native;
}

uint32_t subject_layers(const struct subject *s)
{
    return sandbox_wanted() | (s->kind->has_scratch ? SANDBOX_SCRATCH : 0);
}

static const struct subject_kind *kind_of(const struct baseline *b)
{
    if (!b->torch)
        return &plain;
    return baseline_is_vendor(b) ? &vendor : &torch;
}

bool subject_needs_worker(const struct baseline *b)
{
    return kind_of(b)->launcher == LAUNCH_WORKER;
}

struct subject subject_baseline(const struct baseline *b, struct worker *worker)
{
    return (struct subject){
        .kind = kind_of(b), .baseline = *b, .worker = subject_needs_worker(b) ? worker : NULL};
}

/* --- clocks --- */

enum device_clock subject_clock(const struct subject *s, const struct device *device)
{
    return s->kind->own_clock ? CLOCK_CLAIM : device->clock;
}

const char *subject_clock_name(const struct subject *s, const struct device *device)
{
    static const char *const names[] = {
        [CLOCK_JUDGE] = "judge", [CLOCK_CLAIM_AUDITED] = "claim, audited", [CLOCK_CLAIM] = "claim"};

    return s->kind->own_clock ? "worker" : names[device->clock];
}
