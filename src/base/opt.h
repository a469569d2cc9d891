/* SPDX-License-Identifier: MIT */
/* One table per command: parsing, --help and the manual come from it.
 * To add an option: a field in the command's struct and a line in its table. */
#ifndef ASSAY_BASE_OPT_H
#define ASSAY_BASE_OPT_H

#include "base/buf.h"
#include "base/err.h"

enum opt_type { OPT_FLAG, OPT_INT, OPT_DOUBLE, OPT_STRING, OPT_CHOICE, OPT_SEED };

/* What OPT_SEED fills: any 64 bits are a seed, so whether one was given is said beside it. */
struct opt_seed {
    bool given;
    uint64_t value;
};

struct opt {
    const char *name; /* long name without dashes */
    char letter;      /* short name or 0 */
    enum opt_type type;
    size_t offset; /* of the field: bool, int64_t, double, const char *, int (index of the choice),
                      struct opt_seed */
    const char *arg;            /* "N", "DEVICE"; NULL for flags */
    const char *help;           /* one line */
    const char *const *choices; /* OPT_CHOICE: NULL-terminated */
    double min, max;            /* OPT_INT, OPT_DOUBLE: both 0 means any */
};

/* Fills the struct at `into` from argv[1..]; what is no option is moved to the front of argv (in
 * order, from argv[0] on) and counted in ret_n. "--" ends the options. Strings point into argv.
 * "-h"/"--help" sets *ret_help when the table ends; the caller prints. ERR_USAGE on anything else.
 */
int opt_parse(const struct opt *table, void *into, int argc, char **argv, int *ret_n,
              bool *ret_help, struct err *err);
/* The aligned list of options for --help. The table ends with a NULL name. */
void opt_help(const struct opt *table, struct buf *out);

#endif
