/* SPDX-License-Identifier: MIT */
/* Inside src/build: a private folder for one build. */
#ifndef ASSAY_BUILD_BUILD_DIR_H
#define ASSAY_BUILD_BUILD_DIR_H

#include "base/err.h"

struct build_dir {
    char *path; /* absolute, without links */
    int lock_fd;
};

#define BUILD_DIR_INIT \
    {                  \
        NULL, -1       \
    }

/* Makes a folder under cache_dir/tmp, and removes folders there whose builders have died. */
int build_dir_open(const char *cache_dir, struct build_dir *ret, struct err *err);
void build_dir_close(struct build_dir *d); /* removes the folder with all that is in it */

#endif
