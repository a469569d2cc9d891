/* SPDX-License-Identifier: MIT */
/* Files: whole reads with a cap, atomic writes, and where our state lives. */
#ifndef ASSAY_BASE_FS_H
#define ASSAY_BASE_FS_H

#include "base/buf.h"
#include "base/err.h"

/* Appends the file's bytes to ret; more than max_bytes (of which ret then holds the first, and one
 * more at least), a directory or a special file is an ERR_INPUT that names the path. */
int fs_read(const char *path, size_t max_bytes, struct buf *ret, struct err *err);
/* The same for the file `name` beneath the folder `root`, for folders that a stranger filled: no
 * link is followed beneath root (which may be one itself); the error then says that it is one. */
int fs_read_beneath(const char *root, const char *name, size_t max_bytes, struct buf *ret,
                    struct err *err);
/* Opens a file or folder beneath the folder root_fd; "." is root_fd itself. -1 with errno: ELOOP
 * where the name or a part of it is a link, EXDEV where it would lead out of root_fd. */
int fs_open_beneath(int root_fd, const char *name, int flags);
/* Appends what fd still holds (a pipe, a procfs file), at most max_bytes. */
int fs_read_fd(int fd, size_t max_bytes, struct buf *ret, struct err *err);
/* -1 unless the file behind fd has this many bytes: touching a mapping behind its end is SIGBUS. */
int fs_holds(int fd, uint64_t bytes, struct err *err);
/* A reader sees the old file or the whole new one: temporary name beside it, then rename. */
int fs_write_atomic(const char *path, const void *data, size_t len, struct err *err);
/* All of it or -1 with errno; a short write is continued. */
int fs_write_all(int fd, const void *data, size_t len);
/* mkdir -p, mode 0700 for what is made. */
int fs_mkdirs(const char *path, struct err *err);
bool fs_exists(const char *path);
/* Removes the directory and the plain files in it (two levels at most); missing is fine. */
void fs_remove_tree(const char *path);

/* A sealed, read-only copy of data in a memfd (F_SEAL_WRITE|SHRINK|GROW|SEAL). */
int fs_sealed_memfd(const char *name, const void *data, size_t len, int *ret_fd, struct err *err);

/* Heap strings of the caller's. */
char *fs_join(const char *dir, const char *name);
char *fs_home_dir(void);  /* $ASSAY_HOME, else $XDG_DATA_HOME/assay, else ~/.local/share/assay */
char *fs_cache_dir(void); /* $ASSAY_CACHE, else $XDG_CACHE_HOME/assay, else ~/.cache/assay */
/* The folder that holds the running program, and the one that holds problems/ and include/. */
char *fs_program_dir(void);
char *fs_share_dir(void);

#endif
