/* SPDX-License-Identifier: MIT */
/* Inside src/build: finding a tool, and knowing exactly which one it is. */
#ifndef ASSAY_BUILD_PROGRAM_H
#define ASSAY_BUILD_PROGRAM_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

/* Finds a program by name in $PATH, or by path. Returns its absolute path without links, which the
 * caller frees; NULL when there is none. */
char *program_find(const char *word);

/* The program that $variable names if it is set, else the first of names[] (NULL-terminated) that
 * is found; ERR_SYSTEM with the advice `install` otherwise. */
char *program_choose(const char *variable, const char *const *names, const char *install,
                     struct err *err);

/* The folder above the program's own (/opt/gcc-14 for /opt/gcc-14/bin/gcc). */
char *program_prefix(const char *path);
/* The folder above the program's own, or NULL when a sandbox shows it anyway (/usr). */
char *program_outside(const char *path);

/* Hashes path, size, time and inode, so that the hash changes when the file does. For a missing
 * file only its path counts. */
void program_hash_file(struct hash *h, const char *path);

/* Collects what the program prints when called with each of options[] (NULL-terminated; words,
 * parted by blanks), one after the other: the first 4 KiB of each. Starting a compiler costs more
 * than a cached build may, so the answer is cached in cache_dir/toolchains as long as the program's
 * file is the same. */
int program_ask(const char *path, const char *const *options, const char *cache_dir,
                struct buf *answer, struct err *err);

#endif
