/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/fs.h"
#include "base/interrupt.h"
#include "base/version.h"
#include "cmd/detach.h"
#include "device/cuda/nvrtc.h"
#include "device/device.h"
#include "judge/record.h"
#include "sandbox/sandbox.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_help(FILE *to)
{
    fputs(
        "usage: assay COMMAND [OPTIONS] [ARGUMENTS]\n\n"
        "Judges GPU kernels: right or wrong, how fast, how far from what the hardware allows.\n\n",
        to);
    for (int i = 0; cmd_table[i]; i++)
        fprintf(to, "  %-12s %s\n", cmd_table[i]->name, cmd_table[i]->summary);
    fputs("\n"
          "`assay COMMAND --help` tells more. Exit status: 0 all passed, 1 at least one "
          "candidate failed,\n"
          "2 wrong usage, 3 wrong input, 4 system error, 5 device error.\n",
          to);
}

static void add_devices(const struct opt *options, struct buf *out)
{
    for (const struct opt *o = options; o->name; o++)
        if (o->arg && !strcmp(o->arg, "DEVICE")) {
            buf_adds(out, "\nDEVICE is one of ");
            device_names(out);
            buf_adds(out,
                     ", or NAME:1 for the second of a kind; `assay doctor` shows what is here.\n");
        }
}

static void print_command_help(const struct cmd *cmd)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    buf_addf(&text, "usage: assay %s [OPTIONS]%s%s\n\n%s\n\n", cmd->name, *cmd->args ? " " : "",
             cmd->args, cmd->summary);
    opt_help(cmd->options, &text);
    add_devices(cmd->options, &text);
    if (cmd->details)
        buf_addf(&text, "\n%s", cmd->details);
    fputs(buf_str(&text), stdout);
}

static const struct cmd *find_command(const char *name, struct err *err)
{
    const char *names[32];
    size_t n = 0;

    for (int i = 0; cmd_table[i]; i++) {
        if (!strcmp(cmd_table[i]->name, name))
            return cmd_table[i];
        names[n++] = cmd_table[i]->name;
    }

    const char *near = nearest(name, names, n);

    if (near)
        fail(err, ERR_USAGE, "unknown command '%s'; did you mean '%s'?", name, near);
    else
        fail(err, ERR_USAGE, "unknown command '%s'; see assay --help", name);
    return NULL;
}

/* `assay help eval` is `assay eval --help`. Returns the exit status. */
static int help_main(const char *word)
{
    struct err err = ERR_INIT;
    const struct cmd *cmd = word ? find_command(word, &err) : NULL;

    if (cmd)
        print_command_help(cmd);
    else if (!word)
        print_help(stdout);
    else
        fprintf(stderr, "assay: %s\n", err.text);
    return (int)err.kind;
}

/* No candidate reads our files while it is built, wherever Assay is installed. The folders are also
 * named one by one: the share folder may be /usr/local, which cannot be hidden as a whole. */
static void hide_own(const struct places *p)
{
    static const char *const folders[] = {"problems", "hardware", "exemplars", "attacks", "workers",
                                          "docs",     "tests",    "bench",     "results"};
    static const char *const programs[] = {"assay-runner", "assay-plain", "assay-nvrtc",
                                           "libassay-runner.so", "../lib/libassay-runner.so"};
    AUTO(freep) char *libexec = fs_libexec_dir();
    AUTO(freep) char *dir = fs_program_dir();
    AUTO(freep) char *program = fs_join(dir, "assay");

    sandbox_hide((const char *const[]){p->share, p->home, p->cache, libexec, program, NULL});
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
        AUTO(freep) char *path = fs_join(p->share, folders[i]);

        sandbox_hide((const char *const[]){path, NULL});
    }
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
        AUTO(freep) char *path = fs_join(libexec, programs[i]);

        sandbox_hide((const char *const[]){path, NULL});
    }
}

static void app_init(struct app *app)
{
    AUTO(freep) char *dir = fs_libexec_dir();

    app->places = (struct places){
        .share = fs_share_dir(),
        .home = fs_home_dir(),
        .cache = fs_cache_dir(),
        .runner = fs_join(dir, "assay-runner"),
    };
    hide_own(&app->places);
    app->color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
}

static void app_release(struct app *app)
{
    store_close(app->store);
    free((char *)app->places.share);
    free((char *)app->places.home);
    free((char *)app->places.cache);
    free((char *)app->places.runner);
}

static int run_command(struct app *app, const struct cmd *cmd, int argc, char **argv,
                       struct err *err)
{
    AUTO(freep) void *options = xcalloc(1, cmd->options_size);
    bool help = false;
    int n = 0;

    if (opt_parse(cmd->options, options, argc, argv, &n, &help, err) < 0)
        return wrap(err, "%s", cmd->name);
    if (help) {
        print_command_help(cmd);
        return 0;
    }
    return cmd->run(app, options, n, argv, err);
}

static void tell_compiling(void)
{
    fputs("assay: compiling the judge's kernels for this GPU, once; it takes some seconds\n",
          stderr);
}

/* A full disk behind a redirected stdout is an error of ours. A reader that has seen enough (head)
 * is none. */
static int flush_stdout(struct err *err)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
        return 0;
    return fail_errno(err, "cannot write to stdout");
}

int main(int argc, char **argv)
{
    struct app app = {0};
    struct err err = ERR_INIT;

    if (argc < 2) {
        print_help(stderr);
        return ERR_USAGE;
    }
    if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))
        return help_main(argv[2]);
    if (!strcmp(argv[1], "--version")) {
        printf("assay %s\n", assay_version);
        return 0;
    }

    const struct cmd *cmd = find_command(argv[1], &err);
    int status = -1;

    if (cmd && cmd->closes_slowly && cmd->closes_slowly(argc - 2, argv + 2))
        detach_begin();
    interrupt_install();
    nvrtc_announce(tell_compiling);

    if (cmd) {
        app_init(&app);
        status = run_command(&app, cmd, argc - 1, argv + 1, &err);
        app_release(&app);
    }
    if (flush_stdout(&err) < 0)
        status = -1;
    if (status < 0) {
        fprintf(stderr, "assay: %s\n", err.text);
        status = err.kind;
    }
    return status;
}
