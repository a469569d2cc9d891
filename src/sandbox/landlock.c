/* SPDX-License-Identifier: MIT */
#include "sandbox/landlock.h"

#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH 1

#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define FS_REMOVE_DIR (1ull << 4)
#define FS_REMOVE_FILE (1ull << 5)
#define FS_MAKE_DIR (1ull << 7)
#define FS_MAKE_REG (1ull << 8)
#define FS_MAKE_FIFO (1ull << 10)
#define FS_MAKE_SYM (1ull << 12)
#define FS_REFER (1ull << 13)
#define FS_TRUNCATE (1ull << 14)
#define FS_IOCTL_DEV (1ull << 15)

/* Rights that exist for something that is not a folder; the kernel refuses the others there. */
#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

#define NET_BIND_TCP (1ull << 0)
#define NET_CONNECT_TCP (1ull << 1)
#define SCOPE_ABSTRACT_SOCKET (1ull << 0)
#define SCOPE_SIGNAL (1ull << 1)

struct ruleset_attr {
    uint64_t fs, net, scoped;
};

struct __attribute__((packed)) path_rule {
    uint64_t allowed;
    int32_t parent_fd;
};

static const uint64_t use_rights[] = {
    [LANDLOCK_READ] = FS_READ_FILE | FS_READ_DIR,
    [LANDLOCK_EXECUTE] = FS_READ_FILE | FS_READ_DIR | FS_EXECUTE,
    [LANDLOCK_DEVICE] = FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
    [LANDLOCK_OWN] = FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE | FS_REFER |
                     FS_MAKE_REG | FS_MAKE_DIR | FS_MAKE_SYM | FS_MAKE_FIFO | FS_REMOVE_FILE |
                     FS_REMOVE_DIR,
};

int landlock_abi(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);

    return abi < 0 ? 0 : (int)abi;
}

/* Every file right this kernel can refuse. */
static uint64_t known_rights(int abi)
{
    uint64_t rights = FS_REFER - 1; /* ABI 1: bits 0 to 12 */

    if (abi >= 2)
        rights |= FS_REFER;
    if (abi >= 3)
        rights |= FS_TRUNCATE;
    if (abi >= 5)
        rights |= FS_IOCTL_DEV;
    return rights;
}

int landlock_new(void)
{
    int abi = landlock_abi();
    struct ruleset_attr attr = {.fs = known_rights(abi)};

    if (abi == 0) {
        errno = ENOSYS;
        return -1;
    }
    if (abi >= 4)
        attr.net = NET_BIND_TCP | NET_CONNECT_TCP;
    if (abi >= LANDLOCK_ABI_SCOPES)
        attr.scoped = SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL;
    /* An older kernel accepts the longer structure if the fields that it does not know are zero. */
    return (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
}

int landlock_allow(int ruleset_fd, const char *path, enum landlock_use use)
{
    AUTO(fd_closep) int fd = open(path, O_PATH | O_CLOEXEC);
    struct path_rule rule = {.allowed = use_rights[use] & known_rights(landlock_abi()),
                             .parent_fd = fd};
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
    if (!S_ISDIR(st.st_mode))
        rule.allowed &= FS_OF_FILES;
    return (int)syscall(SYS_landlock_add_rule, ruleset_fd, RULE_PATH_BENEATH, &rule, 0);
}

int landlock_enter(int ruleset_fd)
{
    return (int)syscall(SYS_landlock_restrict_self, ruleset_fd, 0);
}
