/* SPDX-License-Identifier: MIT */
/* nvcc is a driver as gcc is: cicc and ptxas make the code, and the static runtime is linked in.
 * Any of them can be updated alone, so each counts. */
#include "build/nvcc.h"

#include "base/fs.h"
#include "build/program.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"nvcc", "/usr/local/cuda/bin/nvcc", NULL};
static const char install[] =
    "no nvcc found: install the CUDA toolkit or set ASSAY_NVCC; a .cu with launch lines instead of "
    "host code needs only NVRTC";

/* Files in the toolkit's folder that decide what a build gives. */
static const char *const parts[] = {
    "bin/cudafe++",
    "bin/fatbinary",
    "bin/nvcc",
    "bin/nvlink",
    "bin/ptxas",
    "nvvm/bin/cicc",
    "nvvm/libdevice/libdevice.10.bc",
    "lib64/libcudart_static.a",
};

/* cuda.h in a toolkit: where nvcc itself looks, and where a toolkit for one target may have it
 * alone. */
static const char *const headers[] = {"targets/x86_64-linux/include/cuda.h", "include/cuda.h"};

/* nvcc may be a script that calls the real one elsewhere, but it says where it is before it does
 * anything: "#$ TOP=/usr/local/cuda-13.0/bin/..". */
static char *find_root(const char *path, const char *cache_dir)
{
    static const char top[] = "#$ TOP=";
    AUTO(buf_release) struct buf answer = BUF_INIT;
    struct err ignored = ERR_INIT;
    const char *const options[] = {"--dryrun x.cu", NULL};
    const char *at = NULL;

    if (program_ask(path, options, cache_dir, &answer, &ignored) == 0)
        at = strstr(buf_str(&answer), top);
    if (!at)
        return program_prefix(path);
    at += strlen(top);

    AUTO(freep) char *said = xstrndup(at, strcspn(at, "\n"));
    char *root = realpath(said, NULL);

    return root ? root : program_prefix(path);
}

/* Looks for cuda.h in the toolkit, and beside nvcc's folder: a distribution may have spread the
 * toolkit over /usr. Without any, returns a name for the message. */
static char *find_cuda_h(const char *root, const char *path)
{
    AUTO(freep) char *prefix = program_prefix(path);
    const char *const roots[] = {root, prefix};

    for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
        for (size_t j = 0; j < ARRAY_SIZE(headers); j++) {
            AUTO(freep) char *file = fs_join(roots[i], headers[j]);

            if (fs_exists(file))
                return steal(&file);
        }
    return fs_join(root, "include/cuda.h");
}

/* Makes "nvcc 13.0.88" of "Cuda compilation tools, release 13.0, V13.0.88". */
static char *short_name(const char *version)
{
    const char *number = strstr(version, ", V");

    return number ? xasprintf("nvcc %.*s", (int)strcspn(number + 3, "\n"), number + 3)
                  : xstrdup("nvcc");
}

int nvcc_find(const char *cache_dir, struct nvcc *ret, struct err *err)
{
    AUTO(nvcc_release) struct nvcc n = NVCC_INIT;
    AUTO(buf_release) struct buf answer = BUF_INIT;
    const char *const options[] = {"--version", NULL};
    struct hash h;

    n.path = program_choose("ASSAY_NVCC", names, install, err);
    if (!n.path || program_ask(n.path, options, cache_dir, &answer, err) < 0)
        return -1;

    n.root = find_root(n.path, cache_dir);
    n.outside = program_outside(n.path);
    n.cuda_h = find_cuda_h(n.root, n.path);
    n.name = short_name(buf_str(&answer));
    hash_init(&h);
    hash_adds(&h, buf_str(&answer));
    program_hash_file(&h, n.path);
    program_hash_file(&h, n.cuda_h);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        AUTO(freep) char *file = fs_join(n.root, parts[i]);

        program_hash_file(&h, file);
    }
    hash_final(&h, n.identity);
    *ret = n;
    n = (struct nvcc)NVCC_INIT;
    return 0;
}

void nvcc_release(struct nvcc *n)
{
    freep(&n->path);
    freep(&n->root);
    freep(&n->outside);
    freep(&n->cuda_h);
    freep(&n->name);
}
