/* SPDX-License-Identifier: MIT */
/* How the parameters of a problem were bound to those of a candidate in Python, by the word of the
 * process that did it (workers/assay_python/binding.py). It is a hint for readers: the process has
 * candidate code in it, so only a text of the known form is taken. */
#ifndef ASSAY_PROCESS_BOUND_H
#define ASSAY_PROCESS_BOUND_H

#include <stdbool.h>

enum bound_rule {
    BOUND_NAME,       /* the module's own name of it */
    BOUND_ARGUMENT,   /* a function takes it as an argument */
    BOUND_NORMALISED, /* a name that differs in dots, case and habit only */
    BOUND_SHAPE,      /* the only one of its shape */
    BOUND_ORDER,      /* by order among equal shapes */
    BOUND_RULES,
};

extern const char *const bound_rule_names[BOUND_RULES];

#define BOUND_NAME_MAX 256 /* longest name of a candidate's parameter */

struct bound {
    int n; /* 0: not known, or there are no parameters */
    struct bound_parameter {
        enum bound_rule rule;
        char *name; /* the candidate's name of it; NULL with BOUND_NAME and BOUND_ARGUMENT */
    } * parameters; /* in the problem's order */
};

/* Reads a line for each of n parameters: "name", "argument", or a rule and the candidate's name, in
 * printable ASCII. False, and an empty *ret, if the text (NULL: none) has another form. */
bool bound_read(const char *text, int n, struct bound *ret);
void bound_release(struct bound *b);

/* Whether all were bound by one rule that needs no names. */
bool bound_is_plain(const struct bound *b);

#endif
