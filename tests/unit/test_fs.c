/* SPDX-License-Identifier: MIT */
/* covers: src/base/fault.c */
/* Files and folders: whole or not at all, and no link is followed. */
#include "testing.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *scratch_dir(void)
{
    char *dir = xstrdup("scratch-XXXXXX");

    assert_non_null(mkdtemp(dir));
    return dir;
}

static void read_refuses_what_is_no_plain_file(void **state)
{
    AUTO(freep) char *dir = scratch_dir();
    AUTO(freep) char *fifo = fs_join(dir, "fifo");
    AUTO(buf_release) struct buf b = BUF_INIT;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fs_read(dir, 100, &b, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "not a plain file"));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(fs_read(fifo, 100, &b, &err), -1);
    assert_int_equal(fs_read("no/such/file", 100, &b, &err), -1);
    assert_string_equal(err.text, "no/such/file: No such file or directory");
    fs_remove_tree(dir);
}

/* What a stranger's folder may hold. Runs in children too: no asserts. The number of cases that do
 * not end as the table says. */
static int failed_beneath(void)
{
    static const struct {
        const char *name;
        int flags, want_errno; /* 0: it opens */
    } cases[] = {
        {"file", O_RDONLY, 0},
        {"sub/file", O_RDONLY, 0},
        {"sub//file", O_RDONLY, 0},
        {".", O_RDONLY | O_DIRECTORY, 0},
        {"sub", O_RDONLY | O_DIRECTORY, 0},
        {"..file", O_RDONLY, 0},
        {"file", O_RDONLY | O_DIRECTORY, ENOTDIR},
        {"file/x", O_RDONLY, ENOTDIR},
        {"none", O_RDONLY, ENOENT},
        {"none/x", O_RDONLY, ENOENT},
        {"link", O_RDONLY, ELOOP},
        {"nowhere", O_RDONLY, ELOOP},
        {"out", O_RDONLY | O_DIRECTORY, ELOOP},
        {"out/file", O_RDONLY, ELOOP},
        {"inward", O_RDONLY | O_DIRECTORY, ELOOP},
        {"inward/file", O_RDONLY, ELOOP},
        {"self/exe", O_RDONLY, ELOOP},
        {"..", O_RDONLY, EXDEV},
        {"sub/../file", O_RDONLY, EXDEV},
        {"/etc/passwd", O_RDONLY, EXDEV},
        {"fifo", O_RDONLY | O_NONBLOCK, 0},
    };
    AUTO(fd_closep) int root = open("root", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int failed = 0;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(fd_closep) int fd = fs_open_beneath(root, cases[i].name, cases[i].flags);
        int got = fd < 0 ? errno : 0;

        if (got != cases[i].want_errno)
            print_error("%s: errno %d, wanted %d\n", cases[i].name, got, cases[i].want_errno);
        failed += got != cases[i].want_errno;
    }
    return failed;
}

/* In a child whose openat2() fails with this errno, as an older kernel's or a container's does. */
static int failed_beneath_without_openat2(int error)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

        if (!filter ||
            seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)error), SCMP_SYS(openat2), 0) < 0 ||
            seccomp_load(filter) < 0 || syscall(SYS_openat2, -1, "", NULL, 0) != -1 ||
            errno != error)
            _exit(100);
        _exit(failed_beneath());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

static void nothing_is_followed_beneath_a_folder(void **state)
{
    AUTO(freep) char *dir = scratch_dir();
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(chdir(dir), 0);
    assert_int_equal(mkdir("root", 0700) | mkdir("root/sub", 0700) | mkdir("secret", 0700), 0);
    assert_int_equal(fs_write_atomic("secret/file", "secret", 6, &err), 0);
    assert_int_equal(fs_write_atomic("root/file", "open", 4, &err), 0);
    assert_int_equal(fs_write_atomic("root/..file", "open", 4, &err), 0);
    assert_int_equal(fs_write_atomic("root/sub/file", "open", 4, &err), 0);
    assert_int_equal(symlink("../secret/file", "root/link"), 0);
    assert_int_equal(symlink("none", "root/nowhere"), 0);
    assert_int_equal(symlink("../secret", "root/out"), 0);
    assert_int_equal(symlink("sub", "root/inward"), 0);
    assert_int_equal(symlink("/proc/self", "root/self"), 0);
    assert_int_equal(mkfifo("root/fifo", 0600), 0);
    assert_int_equal(symlink("root", "named"), 0);

    assert_int_equal(failed_beneath(), 0);
    assert_int_equal(failed_beneath_without_openat2(ENOSYS), 0);
    assert_int_equal(failed_beneath_without_openat2(EPERM), 0);

    assert_int_equal(fs_read_beneath("named", "sub/file", 100, &text, &err), 0);
    assert_string_equal(buf_str(&text), "open");
    assert_int_equal(fs_read_beneath("named", "link", 100, &text, &err), -1);
    assert_string_equal(err.text,
                        "named/link: it is a symbolic link, or a folder on its path is one");
    assert_int_equal(err.kind, ERR_INPUT);
    assert_int_equal(fs_read_beneath("named", "fifo", 100, &text, &err), -1);
    assert_string_equal(err.text, "named/fifo: not a plain file");
    assert_int_equal(fs_read_beneath("none", "file", 100, &text, &err), -1);
    assert_int_equal(chdir(".."), 0);
    assert_string_equal(buf_str(&text), "open");
}

static void write_is_all_or_nothing(void **state)
{
    AUTO(freep) char *dir = scratch_dir();
    AUTO(freep) char *path = fs_join(dir, "file");
    AUTO(buf_release) struct buf b = BUF_INIT;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fs_write_atomic(path, "one", 3, &err), 0);
    assert_int_equal(fs_write_atomic(path, "three", 5, &err), 0); /* over a file that is there */
    assert_int_equal(fs_read(path, 100, &b, &err), 0);
    assert_string_equal(buf_str(&b), "three");
    assert_int_equal(fs_read(path, 4, &b, &err), -1);
    assert_non_null(strstr(err.text, "larger than the limit of 4 bytes"));
    fs_remove_tree(dir);
    assert_false(fs_exists(dir)); /* so there was nothing else in it */
}

static void full_disk_leaves_the_old_file(void **state)
{
    AUTO(freep) char *dir = scratch_dir();
    AUTO(freep) char *path = fs_join(dir, "file");
    AUTO(buf_release) struct buf b = BUF_INIT;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fs_write_atomic(path, "old", 3, &err), 0);
    setenv("ASSAY_FAULT", "write:1", 1);
    assert_int_equal(fs_write_atomic(path, "new", 3, &err), -1);
    unsetenv("ASSAY_FAULT");
    assert_non_null(strstr(err.text, "No space left on device"));
    assert_int_equal(fs_read(path, 100, &b, &err), 0);
    assert_string_equal(buf_str(&b), "old");
    fs_remove_tree(dir);
    assert_false(fs_exists(dir));
}

static int late_files; /* still to be made behind the back of who removes a folder */

/* In place of the C library's. */
int rmdir(const char *path)
{
    if (late_files > 0) {
        AUTO(freep) char *file = fs_join(path, "late");

        late_files--;
        close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    return (int)syscall(SYS_rmdir, path);
}

/* A compiler that dies with us goes on until it does: its folder stayed, with the file that it had
 * just made. */
static void a_folder_that_is_worked_in_is_removed(void **state)
{
    static const char *const deep[] = {"a", "a/b", "a/b/c", "a/b/c/d"};
    AUTO(freep) char *dir = scratch_dir();

    (void)state;
    late_files = 3;
    fs_remove_tree(dir);
    assert_int_equal(late_files, 0);
    assert_false(fs_exists(dir));

    assert_int_equal(mkdir(dir, 0700), 0);
    for (size_t i = 0; i < ARRAY_SIZE(deep); i++) {
        AUTO(freep) char *path = fs_join(dir, deep[i]);

        assert_int_equal(mkdir(path, 0700), 0);
    }
    fs_remove_tree(dir); /* comes back from what it cannot remove */
    assert_true(fs_exists(dir));
    for (size_t i = ARRAY_SIZE(deep); i-- > 0;) {
        AUTO(freep) char *path = fs_join(dir, deep[i]);

        rmdir(path);
    }
    assert_int_equal(rmdir(dir), 0);
}

static void sealed_copy_cannot_change(void **state)
{
    struct err err = ERR_INIT;
    int fd = -1;

    (void)state;
    assert_int_equal(fs_sealed_memfd("x", "abc", 3, &fd, &err), 0);
    assert_int_equal(write(fd, "z", 1), -1);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_ptr_equal(mmap(NULL, 3, PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_refuses_what_is_no_plain_file),
        cmocka_unit_test(nothing_is_followed_beneath_a_folder),
        cmocka_unit_test(write_is_all_or_nothing),
        cmocka_unit_test(full_disk_leaves_the_old_file),
        cmocka_unit_test(a_folder_that_is_worked_in_is_removed),
        cmocka_unit_test(sealed_copy_cannot_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
