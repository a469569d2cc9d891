/* SPDX-License-Identifier: MIT */
/* What tests of the builder share: folders that every test has to itself, and a way to call what
 * was built. */
#ifndef ASSAY_TESTS_BUILD_RIG_H
#define ASSAY_TESTS_BUILD_RIG_H

#include "testing.h"

#include "base/fs.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char base[64]; /* everything of one test: BASE/cache, BASE/include */
static char *cache, *include;

/* For builders of another user, too. */
static inline int rig_open(const char *assay_h)
{
    struct err err = ERR_INIT;

    strcpy(base, "/tmp/assay-test-XXXXXX");
    if (!mkdtemp(base) || chmod(base, 0755) < 0)
        return -1;
    cache = fs_join(base, "cache");
    include = fs_join(base, "include");

    AUTO(freep) char *file = fs_join(include, "assay.h");

    return fs_mkdirs(include, &err) < 0 || chmod(include, 0755) < 0 ||
                   fs_write_atomic(file, assay_h, strlen(assay_h), &err) < 0 ||
                   chmod(file, 0644) < 0
               ? -1
               : 0;
}

static inline void rig_remove(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        AUTO(freep) char *name = fs_join(path, entry->d_name);

        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && unlink(name) < 0)
            rig_remove(name);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

static inline int rig_close(void)
{
    rig_remove(base);
    freep(&cache);
    freep(&include);
    return 0;
}

/* What the artifact's assay_kernel returns, without tensors; -1 when there is none. It stays open:
 * what a C++ runtime keeps for ever would be a leak without it. So every path is spelled anew, or
 * the loader would take one descriptor's artifact for another's. */
static inline int answer_of(int fd)
{
    static int opened;
    AUTO(buf_release) struct buf name = BUF_INIT;

    buf_adds(&name, "/proc/self/fd/");
    for (int i = 0; i < opened; i++)
        buf_adds(&name, "./");
    buf_addf(&name, "%d", fd);
    opened++;

    void *lib = dlopen(buf_str(&name), RTLD_NOW | RTLD_LOCAL);
    int (*kernel)(void *, int, void *, int, void *) =
        lib ? (int (*)(void *, int, void *, int, void *))dlsym(lib, "assay_kernel") : NULL;

    if (!kernel)
        print_error("%s\n", dlerror());
    return kernel ? kernel(NULL, 1, NULL, 0, NULL) : -1;
}

#endif
