/* SPDX-License-Identifier: MIT */
/* What the tests of walls share: a folder to work in, an ordinary user, nothing left behind. */
#ifndef TESTS_WALLS_RIG_H
#define TESTS_WALLS_RIG_H

#include "testing.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NOBODY 65534
#define MIB (1u << 20)

static char self_path[4096];
static char work_dir[64];

/* Runs fn as an ordinary user; 77 when this program lies where such a user cannot go, or such a
 * user gets no namespaces here. */
static int as_nobody(int (*fn)(void))
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
            setresuid(NOBODY, NOBODY, NOBODY) < 0)
            _exit(78);
        /* A change of uid makes a process undumpable, and its /proc files root's: not so for a
         * program that an ordinary user starts. */
        prctl(PR_SET_DUMPABLE, 1);
        if (access(self_path, X_OK) < 0 || !testing_user_namespaces())
            _exit(77);
        _exit(fn() ? 1 : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Reads until the other end is closed by everyone, for at most a minute. */
static bool closes(int fd)
{
    for (int i = 0; i < 600; i++) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        char text[64];

        if (poll(&p, 1, 100) > 0 && read(fd, text, sizeof(text)) <= 0)
            return true;
    }
    return false;
}

static int descriptors_before;

static int open_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void test_nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(open_descriptors(), descriptors_before);
}

static int walls_set_up(void)
{
    strcpy(work_dir, "/tmp/assay-test-XXXXXX");
    if (!mkdtemp(work_dir) || readlink("/proc/self/exe", self_path, sizeof(self_path) - 1) < 0)
        return -1;
    descriptors_before = open_descriptors();
    return 0;
}

static int walls_tear_down(void **state)
{
    (void)state;
    fs_remove_tree(work_dir);
    return 0;
}

#endif
