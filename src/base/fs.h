/* SPDX-License-Identifier: MIT */
/* Files: whole reads with a cap, atomic writes, and where our state lives. */
#ifndef ASSAY_BASE_FS_H
#define ASSAY_BASE_FS_H

#include "base/buf.h"
#include "base/err.h"

/* Appends the file's bytes to ret. A directory, a special file, or more than max_bytes is an
 * ERR_INPUT that names the path. After "more than max_bytes" ret holds at least one byte beyond
 * that limit. */
int fs_read(const char *path, size_t max_bytes, struct buf *ret, struct err *err);
/* fs_read() of the file `name` beneath the folder `root`, for folders that a stranger filled. No
 * link beneath root is followed (root may be a link itself); a link is an ERR_INPUT that says so.
 */
int fs_read_beneath(const char *root, const char *name, size_t max_bytes, struct buf *ret,
                    struct err *err);
/* Opens a file or folder beneath the folder root_fd; "." is root_fd itself. Returns -1 with errno:
 * ELOOP if the name or a part of it is a link, EXDEV if it leads out of root_fd. */
int fs_open_beneath(int root_fd, const char *name, int flags);
/* Appends the rest of fd (a pipe, a procfs file) to ret, at most max_bytes. */
int fs_read_fd(int fd, size_t max_bytes, struct buf *ret, struct err *err);
/* Fails unless the file of fd has at least this many bytes: touching a mapping beyond the end of
 * its file is SIGBUS. */
int fs_holds(int fd, uint64_t bytes, struct err *err);
/* Writes a file so that a reader sees the old one or the whole new one: an unnamed file or one with
 * a temporary name is written first, then gets its name. */
int fs_write_atomic(const char *path, const void *data, size_t len, struct err *err);
/* Makes a file readable for others, as far as the umask allows. Files of ours are for the user
 * alone, but some are made to be shown. */
int fs_publish(const char *path, struct err *err);
/* Writes all bytes, or returns -1 with errno; a short write is continued. */
int fs_write_all(int fd, const void *data, size_t len);
/* mkdir -p; new folders have mode 0700. */
int fs_mkdirs(const char *path, struct err *err);
bool fs_exists(const char *path);
/* Removes a folder with its files and two levels of folders below it. No such folder is fine. */
void fs_remove_tree(const char *path);

/* Makes a sealed, read-only copy of data in a memfd (F_SEAL_WRITE|SHRINK|GROW|SEAL). */
int fs_sealed_memfd(const char *name, const void *data, size_t len, int *ret_fd, struct err *err);

/* The caller owns the strings that these functions return. */
char *fs_join(const char *dir, const char *name);
char *fs_home_dir(void);  /* $ASSAY_HOME, else $XDG_DATA_HOME/assay, else ~/.local/share/assay */
char *fs_cache_dir(void); /* $ASSAY_CACHE, else $XDG_CACHE_HOME/assay, else ~/.cache/assay */
/* The folder that holds the running program, the one that holds assay-runner and its like, and the
 * one that holds problems/ and include/. An installed program has the latter two in libexec/assay
 * and share/assay beside its bin folder, so the whole tree may be moved. */
char *fs_program_dir(void);
char *fs_libexec_dir(void);
char *fs_share_dir(void);

#endif
