/* SPDX-License-Identifier: MIT */
/* Findings about this machine: devices, sandbox layers that a runner really had, tools. Nothing is
 * guessed: a runner is started and asked. */
#include "cmd/cmd.h"
#include "cmd/text.h"

#include "base/fs.h"
#include "base/version.h"
#include "build/build.h"
#include "device/device.h"
#include "judge/call_floor.h"
#include "process/zygote.h"
#include "sandbox/sandbox.h"
#include "store/store.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct doctor_options {
    bool json;
};

static const struct opt doctor_table[] = {
    {"json", 'j', OPT_FLAG, offsetof(struct doctor_options, json), NULL, "an array of objects",
     NULL, 0, 0},
    {0},
};

enum mark { MARK_NO, MARK_ABSENT, MARK_OK }; /* absent: optional, not found */

static const struct {
    const char *text;
    enum text_color color;
} marks[] = {[MARK_NO] = {"NO ", TEXT_RED},
             [MARK_ABSENT] = {"-  ", TEXT_DIM},
             [MARK_OK] = {"ok ", TEXT_GREEN}};

struct check {
    const char *what;
    enum mark mark;
    char text[512];
};

struct findings {
    struct check list[64];
    int n;
};

static void PRINTF_LIKE(4, 5)
    note(struct findings *f, const char *what, enum mark mark, const char *fmt, ...)
{
    struct check *x = &f->list[f->n];
    va_list ap;

    if (f->n == (int)ARRAY_SIZE(f->list))
        return;
    f->n++;
    x->what = what;
    x->mark = mark;
    va_start(ap, fmt);
    vsnprintf(x->text, sizeof(x->text), fmt, ap);
    va_end(ap);
}

static enum mark mark_of(bool ok)
{
    return ok ? MARK_OK : MARK_NO;
}

static void look_at_devices(struct findings *f)
{
    for (int i = 0; device_registry[i]; i++) {
        const struct device *d = device_registry[i];
        const char *why = "";
        int n = d->probe(&why);
        struct device_info info;
        struct err err = ERR_INIT;
        void *ctx = NULL;

        if (n <= 0) {
            note(f, d->name, MARK_ABSENT, "none: %s", why);
            continue;
        }
        if (d->judge->open(0, &ctx, &err) < 0 || d->judge->describe(ctx, &info, &err) < 0)
            note(f, d->name, MARK_NO, "%s", err.text);
        else
            note(f, d->name, MARK_OK, "%s, %d core%s for candidates, %.1f GiB (%s)", info.name,
                 info.cores, info.cores == 1 ? "" : "s", (double)info.memory_bytes / 0x1p30,
                 d->summary);
        d->judge->close(ctx);
    }
}

static void look_at_runner(struct findings *f, const struct app *app)
{
    struct cpus cpus;
    struct err err = ERR_INIT;
    uint32_t wanted = sandbox_wanted();
    struct calibration floor = {0};
    uint32_t layers = 0;

    cpus_split(&cpus);
    if (call_floor_measure(&app->places, &device_cpu, 0, &cpus, &floor, &layers, &err) < 0) {
        note(f, "runner", MARK_NO, "%s", err.text);
        return;
    }
    note(f, "runner", MARK_OK, "starts, loads, runs; an empty kernel takes %.2f us",
         floor.call_floor_ns / 1e3);
    note(f, "clock", mark_of(cpus.split), "%s%s",
         cpus.split ? "judge and runners on different cores"
                    : "judge and runners share one core: times are imprecise",
         cpus.smt_shared ? " (hyperthreads of one core)" : "");
    for (int b = 0; b < SANDBOX_LAYERS; b++) {
        bool on = layers & (1u << b);

        if (on || (wanted & (1u << b)))
            note(f, "sandbox", mark_of(on), "%s%s", sandbox_layer_names[b], on ? "" : ": missing");
    }
}

static void look_at_store(struct findings *f, const struct app *app)
{
    AUTO(store_closep) struct store *s = NULL;
    struct err err = ERR_INIT;
    int64_t n = 0;

    if (store_open(app->places.home, &s, &err) < 0 || store_count(s, &n, &err) < 0)
        note(f, "store", MARK_NO, "%s", err.text);
    else
        note(f, "store", MARK_OK, "%s/store.db, %lld record%s", app->places.home, (long long)n,
             n == 1 ? "" : "s");
}

/* Only the C compiler is needed in every case. */
static void look_at_tools(struct findings *f, const struct app *app)
{
    struct build_tool tools[BUILD_TOOLS];

    build_tools(app->places.cache, tools);
    for (int i = 0; i < BUILD_TOOLS; i++)
        note(f, tools[i].what,
             tools[i].there ? MARK_OK
             : i > 0        ? MARK_ABSENT
                            : MARK_NO,
             "%s", tools[i].text);
}

static void look_at_libraries(struct findings *f)
{
    for (int i = 0; device_registry[i]; i++)
        for (const struct device_library *l = device_registry[i]->libraries; l && l->what; l++) {
            char text[sizeof(f->list[0].text)];
            bool there = l->look(text, sizeof(text));

            note(f, l->what, there ? MARK_OK : MARK_ABSENT, "%s", text);
        }
}

/* Imports PyTorch, which takes a second or more. */
static void look_at_torch(struct findings *f, const struct app *app)
{
    AUTO(zygote_closep) struct zygote *zygote = NULL;
    struct err err = ERR_INIT;

    if (zygote_open(&(struct zygote_config){.places = &app->places}, &zygote, &err) < 0)
        note(f, "torch", MARK_ABSENT, "%s", err.text);
    else
        note(f, "torch", MARK_OK, "%s: candidates in Python, PyTorch's baselines",
             zygote_version(zygote));
}

static void look_at_builder(struct findings *f)
{
    char *true_argv[] = {(char *)"/usr/bin/env", (char *)"true", NULL};
    AUTO(buf_release) struct buf output = BUF_INIT;
    const char *tmp = getenv("TMPDIR");
    AUTO(freep) char *dir = xasprintf("%s/assay-doctor-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    struct err err = ERR_INIT;
    struct sandbox_tool_result result;
    const char *none[] = {NULL};

    if (!mkdtemp(dir)) {
        note(f, "builder", MARK_NO, "no temporary folder");
        return;
    }

    struct sandbox_tool tool = {.argv = true_argv,
                                .ro_dirs = none,
                                .rw_dir = dir,
                                .timeout_ms = 5000,
                                .mem_bytes = (uint64_t)1 << 30,
                                .file_bytes = 1 << 20,
                                .max_output = 4096};

    if (sandbox_run_tool(&tool, &output, &result, &err) < 0)
        note(f, "builder", MARK_NO, "%s", err.text);
    else
        note(f, "builder", mark_of(result.exit_status == 0), "compilers run inside %s",
             result.walls);
    rmdir(dir);
}

static void look_at_share(struct findings *f, const char *share)
{
    AUTO(freep) char *problems = fs_join(share, "problems");
    AUTO(freep) char *header = fs_join(share, "include/assay.h");
    bool complete = fs_exists(problems) && fs_exists(header);

    note(f, "assay", mark_of(complete), "%s, %sproblems and headers in %s%s", assay_version,
         complete ? "" : "no ", share,
         complete ? "" : ": install the whole tree, or name its folder by ASSAY_SHARE");
}

static int doctor_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    const struct doctor_options *o = options;
    struct findings f = {.n = 0};
    bool well = true;
    json_t *array = json_array();

    if (argc > 0)
        return fail(err, ERR_USAGE, "doctor: unexpected argument '%s'", argv[0]);
    look_at_share(&f, app->places.share);
    look_at_devices(&f);
    look_at_tools(&f, app);
    look_at_libraries(&f);
    look_at_torch(&f, app);
    look_at_builder(&f);
    look_at_runner(&f, app);
    look_at_store(&f, app);
    for (int i = 0; i < f.n; i++) {
        const struct check *x = &f.list[i];
        AUTO(buf_release) struct buf line = BUF_INIT;

        well = well && x->mark != MARK_NO;
        json_array_append_new(array, json_pack("{s:s, s:b, s:b, s:s}", "what", x->what, "ok",
                                               x->mark != MARK_NO, "found", x->mark == MARK_OK,
                                               "text", x->text));
        text_colored(&line, app->color, marks[x->mark].color, "%s", marks[x->mark].text);
        if (!o->json)
            printf("%s %-8s %s\n", buf_str(&line), x->what, x->text);
    }
    if (o->json) {
        json_dumpf(array, stdout, JSON_INDENT(1));
        putchar('\n');
    }
    json_decref(array);
    return well ? 0 : 1;
}

const struct cmd cmd_doctor = {
    .name = "doctor",
    .args = "",
    .summary = "what was found here: devices, sandbox layers, tools, store",
    .options = doctor_table,
    .options_size = sizeof(struct doctor_options),
    .details =
        "ok: found. -: optional, not found. NO: missing, and every use needs it (exit status "
        "1).\n",
    .run = doctor_main,
};
