/* SPDX-License-Identifier: MIT */
/* Inside src/build: finding a tool, and knowing exactly which one it is. */
#ifndef ASSAY_BUILD_PROGRAM_H
#define ASSAY_BUILD_PROGRAM_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

/* By name in $PATH, or by path: absolute, without links, the caller's; NULL when there is none. */
char *program_find(const char *word);

/* $variable where it is set, else the first of names[] (NULL-terminated) that is found; ERR_SYSTEM
 * with the advice `install` otherwise. */
char *program_choose(const char *variable, const char *const *names, const char *install,
                     struct err *err);

/* The folder above the program's own (/opt/gcc-14 for /opt/gcc-14/bin/gcc). */
char *program_prefix(const char *path);
/* The same, but NULL when a sandbox shows it anyway (/usr). */
char *program_outside(const char *path);

/* Path, size, time and inode: changes when the file does. A missing file is its path. */
void program_hash_file(struct hash *h, const char *path);

/* What the program prints when called with each of options[] (NULL-terminated; words, parted by
 * blanks), one after the other: the first 4 KiB of each. Starting a compiler costs more than a
 * cached build may, so the answer is kept in cache_dir/toolchains as long as the program's file is
 * the same. */
int program_ask(const char *path, const char *const *options, const char *cache_dir,
                struct buf *answer, struct err *err);

#endif
