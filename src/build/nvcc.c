/* SPDX-License-Identifier: MIT */
/* nvcc is a driver as gcc is: cicc and ptxas make the code, and the static runtime is linked in.
 * Any of them can be updated alone, so each counts. */
#include "build/nvcc.h"

#include "base/fs.h"
#include "build/program.h"

#include <string.h>

static const char *const names[] = {"nvcc", "/usr/local/cuda/bin/nvcc", NULL};
static const char install[] =
    "no nvcc found: install the CUDA toolkit or set ASSAY_NVCC; a .cu with launch lines instead of "
    "host code needs only NVRTC";

/* In the toolkit's folder. */
static const char *const parts[] = {
    "bin/cudafe++",
    "bin/fatbinary",
    "bin/nvlink",
    "bin/ptxas",
    "nvvm/bin/cicc",
    "nvvm/libdevice/libdevice.10.bc",
    "lib64/libcudart_static.a",
};
/* Where nvcc itself looks, and where a toolkit of one target may have it alone. */
static const char *const headers[] = {"targets/x86_64-linux/include/cuda.h", "include/cuda.h"};

/* The last one when there is none: the name that a message should have. */
static char *find_cuda_h(const char *root)
{
    char *file = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(headers) && (!file || !fs_exists(file)); i++) {
        freep(&file);
        file = fs_join(root, headers[i]);
    }
    return file;
}

/* "Cuda compilation tools, release 13.0, V13.0.88": "nvcc 13.0.88". */
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

    AUTO(freep) char *root = program_prefix(n.path);

    n.outside = program_outside(n.path);
    n.cuda_h = find_cuda_h(root);
    n.name = short_name(buf_str(&answer));
    hash_init(&h);
    hash_adds(&h, buf_str(&answer));
    program_hash_file(&h, n.path);
    program_hash_file(&h, n.cuda_h);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        AUTO(freep) char *file = fs_join(root, parts[i]);

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
    freep(&n->outside);
    freep(&n->cuda_h);
    freep(&n->name);
}
