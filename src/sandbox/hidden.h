/* SPDX-License-Identifier: MIT */
/* Inside src/sandbox: the list of sandbox_hide(). */
#ifndef ASSAY_SANDBOX_HIDDEN_H
#define ASSAY_SANDBOX_HIDDEN_H

#include "sandbox/landlock.h"

#include <stdbool.h>

/* True for dir itself and for everything below it. */
bool path_inside(const char *path, const char *dir);
/* True if a hidden path is above this one or is this one. */
bool hidden_covers(const char *path);
/* True if this path has a hidden one somewhere below it. */
bool hidden_below(const char *path);
/* As landlock_allow(), but hidden paths below this one stay closed: what lies around them is
 * allowed one by one. */
int hidden_allow(int ruleset_fd, const char *path, enum landlock_use use);

#endif
