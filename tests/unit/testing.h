/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_TESTS_TESTING_H
#define ASSAY_TESTS_TESTING_H

/* cmocka wants these before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Ours is a function (base/err.h); cmocka's macro of the same name gives way. */
#undef fail
#undef fail_msg
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

#include "base/fs.h"

/* For a group of tests: a folder of its own, which becomes the current one. */
static char testing_folder[] = "/tmp/assay-test-XXXXXX";

static inline int testing_enter_folder(void **state)
{
    (void)state;
    return mkdtemp(testing_folder) && chdir(testing_folder) == 0 ? 0 : -1;
}

static inline int testing_leave_folder(void **state)
{
    (void)state;
    fs_remove_tree(testing_folder);
    return 0;
}

/* Whether this process may make a user namespace. Not so in a chroot, in some containers, and for
 * ordinary users where AppArmor forbids it: then some layers are missing, visibly, and tests of
 * them are skipped. */
static inline bool testing_user_namespaces(void)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0)
        _exit(unshare(CLONE_NEWUSER) < 0);
    return waitpid(pid, &status, 0) == pid && status == 0;
}

/* Root makes the others without one. */
static inline void testing_needs_namespaces(void)
{
    if (geteuid() != 0 && !testing_user_namespaces())
        skip();
}

/* Whether bubblewrap is there and can build its walls. */
static inline bool testing_bubblewrap(void)
{
    return system("bwrap --unshare-all --ro-bind / / true >/dev/null 2>&1") == 0;
}

#endif
