/* SPDX-License-Identifier: MIT */
/* The options of a command are one table: parsing, --help and the manual come from it.
 * To add an option: a field in the command's struct and a line in its table. */
#ifndef ASSAY_BASE_OPT_H
#define ASSAY_BASE_OPT_H

#include "base/buf.h"
#include "base/err.h"

enum opt_type { OPT_FLAG, OPT_INT, OPT_DOUBLE, OPT_STRING, OPT_CHOICE, OPT_SEED };

/* The field of an OPT_SEED. Any 64 bits are a seed, so a flag says whether one was given. */
struct opt_seed {
    bool given;
    uint64_t value;
};

struct opt {
    const char *name; /* long name without dashes */
    char letter;      /* short name or 0 */
    enum opt_type type;
    size_t offset;    /* offset of the field: bool, int64_t, double, const char *, int (index of the
                         choice), struct opt_seed */
    const char *arg;  /* "N", "DEVICE"; NULL for flags */
    const char *help; /* one line */
    const char *const *choices; /* OPT_CHOICE: NULL-terminated */
    double min, max;            /* OPT_INT, OPT_DOUBLE: both 0 means any */
};

/* Fills the struct at `into` from argv[1..]. Words that are no options are moved to the front of
 * argv (in order, from argv[0] on) and counted in ret_n. "--" ends the options. Strings point into
 * argv. "-h" and "--help" set *ret_help; the caller prints. Anything else is ERR_USAGE. */
int opt_parse(const struct opt *table, void *into, int argc, char **argv, int *ret_n,
              bool *ret_help, struct err *err);
/* Adds the aligned list of options for --help. The table ends with a NULL name. */
void opt_help(const struct opt *table, struct buf *out);

#endif
