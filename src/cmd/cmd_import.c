/* SPDX-License-Identifier: MIT */
/* The file is a stranger's: it is imported and traced behind a runner's walls, and what comes back
 * is a stranger's text. A draft reaches a terminal or a file only if it is plain ASCII. */
#include "cmd/cmd.h"

#include "base/fs.h"
#include "judge/judge.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct import_options {
    const char *output;
    int64_t build_timeout_ms;
};

static const struct opt import_table[] = {
    {"output", 'o', OPT_STRING, offsetof(struct import_options, output), "FILE",
     "write the draft there (default: stdout)", NULL, 0, 0},
    {"build-timeout", 0, OPT_INT, offsetof(struct import_options, build_timeout_ms), "MS",
     "limit of importing it, and of tracing it (default 60000)", NULL, 1, 3600000},
    {0},
};

/* --- what came back --- */

static bool is_plain(const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c != '\n' && (*c < ' ' || *c > '~'))
            return false;
    return true;
}

static const char *plain_string(const json_t *j)
{
    const char *text = json_string_value(j);

    return text && strlen(text) == json_string_length(j) && is_plain(text) ? text : NULL;
}

/* Whether every line about something that is missing can be printed. */
static bool lines_are_plain(const json_t *lines)
{
    const json_t *line;
    size_t i;

    json_array_foreach(lines, i, line)
    {
        if (!plain_string(line))
            return false;
    }
    return json_is_array(lines);
}

static int print_untranslated(const char *file, const json_t *lines)
{
    const json_t *line;
    size_t i;

    json_array_foreach(lines, i, line)
    {
        fprintf(stderr, "%s: not translated: %s\n", file, json_string_value(line));
    }
    return json_array_size(lines) ? 1 : 0;
}

/* --- the draft --- */

static int write_draft(const char *output, const char *text, struct err *err)
{
    if (output)
        return fs_write_atomic(output, text, strlen(text), err);
    if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
        return fail_errno(err, "cannot write to stdout");
    return 0;
}

/* 0: it loads. 1: it does not, and stderr says why; the draft is written all the same, since a
 * person goes on with it. */
static int try_to_load(const char *file, const char *name, const char *text, struct err *err)
{
    AUTO(fd_closep) int fd = -1;
    AUTO(problem_freep) struct problem *p = NULL;
    struct err why = ERR_INIT;

    if (fs_sealed_memfd("assay-draft", text, strlen(text), &fd, err) < 0)
        return -1;

    AUTO(freep) char *path = xasprintf("/proc/self/fd/%d", fd);

    if (problem_load(path, "draft", &p, &why) == 0)
        return 0;

    bool placed = !strncmp(why.text, path, strlen(path));

    fprintf(stderr, "%s: the draft does not load: %s%s\n", file, placed ? name : "",
            placed ? why.text + strlen(path) : why.text);
    return 1;
}

static int take_draft(const char *file, const struct import_options *o, const struct buf *json,
                      struct err *err)
{
    json_t *j = json_loadb(json->ptr, json->len, 0, NULL);
    const char *text = plain_string(json_object_get(j, "text"));
    const json_t *lines = json_object_get(j, "untranslated");
    int rc;

    if (!text || !lines_are_plain(lines)) {
        json_decref(j);
        return fail(err, ERR_INPUT, "%s: what its process returned is no draft", file);
    }
    rc = write_draft(o->output, text, err);
    if (rc == 0) {
        int partial = print_untranslated(file, lines);

        rc = try_to_load(file, o->output ? o->output : "draft", text, err);
        rc = rc < 0 ? -1 : rc | partial;
    }
    json_decref(j);
    return rc;
}

static int import_file(struct app *app, const struct import_options *o, const char *file,
                       struct buf *ret, struct err *err)
{
    const struct judge_config config = {.places = &app->places};
    struct session_options session = {.device = &device_cpu, .plan = PLAN_DEFAULT};
    AUTO(judge_freep) struct judge *judge = judge_new(&config);

    if (o->build_timeout_ms)
        session.plan.build_timeout_ms = (int)o->build_timeout_ms;
    return judge_draft(judge, file, &session, ret, err);
}

static int import_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    const struct import_options *o = options;
    AUTO(buf_release) struct buf json = BUF_INIT;

    if (argc != 1)
        return fail(err, ERR_USAGE,
                    "import: takes one file, as in: assay import model.py -o model.lua");
    if (import_file(app, o, argv[0], &json, err) < 0)
        return -1;
    return take_draft(argv[0], o, &json, err);
}

const struct cmd cmd_import = {
    .name = "import",
    .args = "FILE.py",
    .summary = "a draft of a problem file from a PyTorch module in KernelBench's form",
    .options = import_table,
    .options_size = sizeof(struct import_options),
    .details =
        "What cannot be translated is named on stderr, and the exit status is then 1: an input "
        "stands in its\nplace. `assay admit` decides whether the problem is one. "
        "docs/problems.md tells more.\n",
    .run = import_main,
};
