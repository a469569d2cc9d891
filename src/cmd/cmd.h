/* SPDX-License-Identifier: MIT */
/* Commands. To add one: CONTRIBUTING.md, "A command". */
#ifndef ASSAY_CMD_CMD_H
#define ASSAY_CMD_CMD_H

#include "base/opt.h"
#include "base/places.h"

struct store;

struct app {
    struct places places; /* strings owned by the app */
    struct store *store;  /* opened by commands that keep records; closed by main */
    bool color;           /* stdout is a terminal */
};

struct cmd {
    const char *name, *args, *summary;
    const struct opt *options; /* ends with a NULL name */
    size_t options_size;       /* size of the struct that options fill, zeroed before parsing */
    const char *const *words;  /* all arguments that there are; NULL: others. For completions */
    const char *details;       /* more help, or NULL */
    /* Whether these words open a device that is slow to close (cmd/detach.h); NULL: never. */
    bool (*closes_slowly)(int argc, char **argv);
    /* argv: the words that are no options. Returns the exit status, or -1 with err. */
    int (*run)(struct app *app, const void *options, int argc, char **argv, struct err *err);
};

extern const struct cmd *const cmd_table[]; /* NULL-terminated */

#endif
