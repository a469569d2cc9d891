/* SPDX-License-Identifier: MIT */
#include "wire/wire.h"

#include "base/fs.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static int map(int fd, struct wire_page **ret_page, struct err *err)
{
    /* Populated: the first order must not pay for a page fault. */
    void *p = mmap(NULL, sizeof(struct wire_page), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_POPULATE, fd, 0);

    if (p == MAP_FAILED)
        return fail_errno(err, "cannot map the shared page");
    *ret_page = p;
    return 0;
}

int wire_page_create(struct wire_page **ret_page, int *ret_fd, struct err *err)
{
    AUTO(fd_closep) int fd = memfd_create("assay-page", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || ftruncate(fd, sizeof(struct wire_page)) < 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return fail_errno(err, "cannot make the shared page");
    if (map(fd, ret_page, err) < 0)
        return -1;
    *ret_fd = fd_steal(&fd);
    return 0;
}

int wire_page_map(int fd, uint64_t bytes, struct wire_page **ret_page, struct err *err)
{
    if (bytes != sizeof(struct wire_page))
        return fail(err, ERR_SYSTEM, "shared page of %llu bytes, wanted %zu",
                    (unsigned long long)bytes, sizeof(struct wire_page));
    return fs_holds(fd, bytes, err) < 0 ? -1 : map(fd, ret_page, err);
}

void wire_page_unmap(struct wire_page *page)
{
    if (page)
        munmap(page, sizeof(struct wire_page));
}
