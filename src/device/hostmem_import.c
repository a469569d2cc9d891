/* SPDX-License-Identifier: MIT */
/* The runner's side of host memory: apart, so that a runner links nothing of the judge's. */
#include "device/hostmem.h"

#include "base/fs.h"

#include <sys/mman.h>
#include <sys/stat.h>

int hostmem_import(void *ctx, int fd, size_t bytes, bool read_only, void **ret_base,
                   struct err *err)
{
    if (fs_holds(fd, bytes, err) < 0)
        return -1;

    /* Populated: which buffer a call gets is random, and none of them may be slower at first. */
    void *base = mmap(NULL, bytes, read_only ? PROT_READ : PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_POPULATE, fd, 0);

    (void)ctx;
    if (base == MAP_FAILED)
        return fail_errno(err, "cannot map a buffer of %.2f GiB", (double)bytes / (1 << 30));
    *ret_base = base;
    return 0;
}

void hostmem_unimport(void *ctx, void *base, size_t bytes)
{
    (void)ctx;
    if (base)
        munmap(base, bytes);
}
