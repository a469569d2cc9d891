/* SPDX-License-Identifier: MIT */
/* A candidate in Python that is a folder: its files as one text, which records keep and a runner
 * unpacks (process/bundle.h). */
#ifndef ASSAY_BUILD_SOURCE_FOLDER_H
#define ASSAY_BUILD_SOURCE_FOLDER_H

#include "base/buf.h"
#include "base/err.h"

bool source_is_folder(const char *path);

/* Packs the files of a folder. *ret_main: path of the one that is called, for the caller to free.
 * That is solution.py, else the only .py file, else the one that defines the entry of the highest
 * rank. Hidden files and __pycache__ are left out. ERR_INPUT: links, special files, too many or too
 * large files, two files of one rank, none at all. */
int source_folder_read(const char *path, struct buf *ret_text, char **ret_main, struct err *err);

#endif
