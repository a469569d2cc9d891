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
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Ours is a function (base/err.h); cmocka's macro of the same name gives way. */
#undef fail
#undef fail_msg
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

#include "base/fs.h"

/* Ends the test with the error's text if rc is negative. */
#define must(rc, err) ((rc) < 0 ? fail_msg("%s", (err)->text) : (void)0)

/* Makes the folders on the way, too. */
static inline void write_file(const char *path, const char *text)
{
    AUTO(freep) char *folder = xstrdup(path);
    char *slash = strrchr(folder, '/');
    struct err err = ERR_INIT;

    if (slash) {
        *slash = '\0';
        must(fs_mkdirs(folder, &err), &err);
    }
    must(fs_write_atomic(path, text, strlen(text), &err), &err);
}

/* The program assay-runner: $ASSAY_RUNNER, or the one in the folder above this program's. */
static inline char *runner_path(void)
{
    const char *set = getenv("ASSAY_RUNNER");
    AUTO(freep) char *dir = fs_program_dir();

    return set ? xstrdup(set) : xasprintf("%s/../assay-runner", dir);
}

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
