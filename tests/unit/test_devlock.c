/* SPDX-License-Identifier: MIT */
/* ASSAY_LOCK_DIR: evaluations wait for each other under one folder of locks, not under two. */
#include "testing.h"

#include "judge/devlock.h"

#include <string.h>
#include <sys/stat.h>

static void use_folder(const char *dir)
{
    mkdir(dir, 0755);
    assert_int_equal(setenv("ASSAY_LOCK_DIR", dir, 1), 0);
}

static void one_folder_is_one_lock(void **state)
{
    struct err err = ERR_INIT;
    AUTO(fd_closep) int first = -1;
    AUTO(fd_closep) int second = -1;

    (void)state;
    use_folder("a");
    assert_int_equal(devlock_try("fake", 0, false, &first, &err), 0);
    assert_int_equal(devlock_try("fake", 0, false, &second, &err), 1);
    assert_int_equal(devlock_try("fake", 0, true, &second, &err), 1);
    assert_int_equal(access("a/assay-fake-0.lock", F_OK), 0);
}

static void two_folders_are_two_locks(void **state)
{
    struct err err = ERR_INIT;
    AUTO(fd_closep) int first = -1;
    AUTO(fd_closep) int second = -1;

    (void)state;
    use_folder("a");
    assert_int_equal(devlock_try("fake", 0, false, &first, &err), 0);
    use_folder("b");
    assert_int_equal(devlock_try("fake", 0, false, &second, &err), 0);
}

/* Falling back to /tmp would have two evaluations use two locks without a word. */
static void a_missing_folder_is_an_error(void **state)
{
    struct err err = ERR_INIT;
    int fd;

    (void)state;
    assert_int_equal(setenv("ASSAY_LOCK_DIR", "missing", 1), 0);
    assert_int_equal(devlock_try("fake", 0, false, &fd, &err), -1);
    assert_non_null(strstr(err.text, "ASSAY_LOCK_DIR=missing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_folder_is_one_lock),
        cmocka_unit_test(two_folders_are_two_locks),
        cmocka_unit_test(a_missing_folder_is_an_error),
    };

    return cmocka_run_group_tests(tests, testing_enter_folder, testing_leave_folder);
}
