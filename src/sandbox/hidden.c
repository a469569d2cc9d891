/* SPDX-License-Identifier: MIT */
/*
 * An installed Assay lies in folders that every compiler may read: /usr/share/assay has exemplars,
 * which a candidate could include instead of doing the work. bubblewrap covers such folders
 * (tool.c). Landlock can only allow, so there a folder with a hidden one below it is allowed child
 * by child. The list is the whole process's, so that no tool can be started without it.
 */
#include "sandbox/hidden.h"

#include "base/fs.h"
#include "base/util.h"
#include "sandbox/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HIDDEN 64

/* Real paths, owned for as long as the process lives; NULL-terminated. */
static char *hidden[MAX_HIDDEN + 1];
static size_t n_hidden;

/* Folders in which tools and their libraries lie: none of them is hidden as a whole, whatever
 * variables say. */
static const char *const needed[] = {
    "/bin",
    "/lib",
    "/lib64",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib64",
    "/usr/include",
    "/usr/local/bin",
    "/usr/local/include",
    "/usr/local/lib",
    "/etc/alternatives",
};

bool path_inside(const char *path, const char *dir)
{
    size_t len = strlen(dir);

    while (len > 0 && dir[len - 1] == '/')
        len--;
    return strncmp(path, dir, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static bool is_needed(const char *path)
{
    for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
        if (path_inside(needed[i], path))
            return true;
    return false;
}

void sandbox_hide(const char *const *paths)
{
    for (; *paths && n_hidden < MAX_HIDDEN; paths++) {
        AUTO(freep) char *real = realpath(*paths, NULL);

        if (real && !is_needed(real) && !hidden_covers(real))
            hidden[n_hidden++] = steal(&real);
    }
}

const char *const *sandbox_hidden(void)
{
    return (const char *const *)hidden;
}

bool hidden_covers(const char *path)
{
    for (size_t i = 0; i < n_hidden; i++)
        if (path_inside(path, hidden[i]))
            return true;
    return false;
}

bool hidden_below(const char *path)
{
    for (size_t i = 0; i < n_hidden; i++)
        if (path_inside(hidden[i], path) && strcmp(hidden[i], path) != 0)
            return true;
    return false;
}

static bool is_hidden(const char *path)
{
    for (size_t i = 0; i < n_hidden; i++)
        if (strcmp(hidden[i], path) == 0)
            return true;
    return false;
}

/* Links are passed over: a link needs no permission, and its target is allowed by its own path. */
static int allow_children(int ruleset_fd, const char *path, enum landlock_use use)
{
    DIR *dir = opendir(path);
    int rc = 0;

    if (!dir)
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : -1;
    for (struct dirent *e; rc == 0 && (e = readdir(dir));) {
        AUTO(freep) char *child = fs_join(strcmp(path, "/") ? path : "", e->d_name);

        if (e->d_type == DT_LNK || !strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        rc = hidden_allow(ruleset_fd, child, use);
    }
    closedir(dir);
    return rc;
}

int hidden_allow(int ruleset_fd, const char *path, enum landlock_use use)
{
    AUTO(freep) char *real = realpath(path, NULL);

    if (!real || (!is_hidden(real) && !hidden_below(real)))
        return landlock_allow(ruleset_fd, path, use);
    return is_hidden(real) ? 0 : allow_children(ruleset_fd, real, use);
}
