/* SPDX-License-Identifier: MIT */
#include "testing.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
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

static void err_is_one_line_with_its_context(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fail(&err, ERR_INPUT, "line %d: bad", 7), -1);
    assert_int_equal(wrap(&err, "%s", "a.yaml"), -1);
    assert_string_equal(err.text, "a.yaml: line 7: bad");
    assert_int_equal(err.kind, ERR_INPUT);
    errno = ENOSPC;
    fail_errno(&err, "cannot write %s", "x");
    assert_string_equal(err.text, "cannot write x: No space left on device");
    assert_int_equal(err.kind, ERR_SYSTEM);
}

static void wrap_survives_texts_of_any_length(void **state)
{
    struct err err = ERR_INIT;
    char big[4096];

    (void)state;
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    fail(&err, ERR_INPUT, "%s", big);
    for (int i = 0; i < 10; i++)
        wrap(&err, "%s", big);
    assert_true(strlen(err.text) < sizeof(err.text));
}

static void buf_words_are_one_word_to_a_shell(void **state)
{
    static const char *const words[] = {"relu.c", "",           "my relu.c", "it's",
                                        "a\nb",   "$HOME;`ls`", "\"\\"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        AUTO(buf_release) struct buf b = BUF_INIT;
        char got[64] = "";
        FILE *f;

        buf_adds(&b, "printf %s ");
        buf_add_word(&b, words[i]);
        f = popen(buf_str(&b), "r");
        assert_non_null(f);
        assert_int_equal(fread(got, 1, sizeof(got) - 1, f), strlen(words[i]));
        assert_int_equal(pclose(f), 0);
        assert_string_equal(got, words[i]);
    }
}

static void buf_grows_and_stays_terminated(void **state)
{
    AUTO(buf_release) struct buf b = BUF_INIT;

    (void)state;
    assert_string_equal(buf_str(&b), "");
    for (int i = 0; i < 1000; i++)
        buf_addf(&b, "%d,", i);
    assert_int_equal(b.len, strlen(buf_str(&b)));
    assert_memory_equal(buf_str(&b), "0,1,2,3,", 8);
    buf_reset(&b);
    buf_fill(&b, '-', 3);
    buf_fill(&b, '-', -5);
    assert_string_equal(buf_str(&b), "---");
}

static void nearest_word_or_none(void **state)
{
    static const char *const names[] = {"list", "show", "eval", "admit"};

    (void)state;
    assert_string_equal(nearest("evl", names, 4), "eval");
    assert_string_equal(nearest("amdit", names, 4), "admit");
    assert_null(nearest("frobnicate", names, 4));
}

/* --- options --- */

struct fields {
    bool json;
    int64_t calls;
    double budget;
    const char *device;
    int sizes;
    struct opt_seed seed;
};
static const char *const choices[] = {"small", "full", NULL};
static const struct opt table[] = {
    {"json", 'j', OPT_FLAG, offsetof(struct fields, json), NULL, "machine-readable", NULL, 0, 0},
    {"calls", 'c', OPT_INT, offsetof(struct fields, calls), "N", "how many", NULL, 1, 400},
    {"budget", 0, OPT_DOUBLE, offsetof(struct fields, budget), "S", "seconds", NULL, 0, 0},
    {"device", 'd', OPT_STRING, offsetof(struct fields, device), "DEVICE", "where", NULL, 0, 0},
    {"sizes", 's', OPT_CHOICE, offsetof(struct fields, sizes), "SET", "which", choices, 0, 0},
    {"seed", 0, OPT_SEED, offsetof(struct fields, seed), "N", "to repeat", NULL, 0, 0},
    {0},
};

static const struct {
    const char *line;  /* words split at spaces */
    const char *error; /* NULL: parses */
    int words;
} opt_cases[] = {
    {"eval a b", NULL, 2},
    {"eval a --json b", NULL, 2},
    {"eval --calls 30 --calls=31 -c32 -c 33", NULL, 0},
    {"eval -- --json", NULL, 1},
    {"eval --sizes full -d cpu", NULL, 0},
    {"eval --budget 0.5", NULL, 0},
    {"eval --seed 18446744073709551615 --seed 0x10", NULL, 0},
    {"eval -", NULL, 1},
    {"eval --jsn", "unknown option --jsn; did you mean --json?", 0},
    {"eval -x", "unknown option -x; see --help", 0},
    {"eval --calls", "--calls needs a value (N)", 0},
    {"eval --calls many", "--calls takes a number, not 'many'", 0},
    {"eval --calls 4x", "--calls takes a number, not '4x'", 0},
    {"eval --calls 401", "--calls takes 1 to 400, not '401'", 0},
    {"eval --calls 99999999999999999999", "--calls takes a number, not '99999999999999999999'", 0},
    {"eval --seed -1", "--seed takes a whole number from 0 to 2^64 - 1, not '-1'", 0},
    {"eval --seed=7s", "--seed takes a whole number from 0 to 2^64 - 1, not '7s'", 0},
    {"eval --seed 18446744073709551616",
     "--seed takes a whole number from 0 to 2^64 - 1, not '18446744073709551616'", 0},
    {"eval --json=1", "--json takes no value", 0},
    {"eval --sizes huge", "--sizes takes one of small, full, not 'huge'", 0},
};

static int split(char *line, char **argv)
{
    int n = 0;

    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        argv[n++] = word;
    return n;
}

static void options_parse_or_say_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(opt_cases); i++) {
        AUTO(freep) char *line = xstrdup(opt_cases[i].line);
        char *argv[16];
        int argc = split(line, argv), words = -1;
        struct fields f = {0};
        struct err err = ERR_INIT;
        bool help;
        int rc = opt_parse(table, &f, argc, argv, &words, &help, &err);

        if (opt_cases[i].error) {
            assert_int_equal(rc, -1);
            assert_string_equal(err.text, opt_cases[i].error);
            assert_int_equal(err.kind, ERR_USAGE);
        } else {
            assert_int_equal(rc, 0);
            assert_int_equal(words, opt_cases[i].words);
        }
    }
}

static void options_fill_their_fields(void **state)
{
    char line[] = "eval x --json --calls 42 --budget 0.25 --device cuda:1 --sizes full";
    char *argv[16];
    int argc = split(line, argv), words;
    struct fields f = {0};
    struct err err = ERR_INIT;
    bool help;

    (void)state;
    assert_int_equal(opt_parse(table, &f, argc, argv, &words, &help, &err), 0);
    assert_true(f.json);
    assert_int_equal(f.calls, 42);
    assert_true(f.budget == 0.25);
    assert_string_equal(f.device, "cuda:1");
    assert_int_equal(f.sizes, 1);
    assert_string_equal(argv[0], "x");
    assert_false(help);
}

/* --- files --- */

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
    assert_string_equal(err.text, "named/link: it is, or lies behind, a symbolic link");
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

static void hash_is_blake2b_and_fields_do_not_run_together(void **state)
{
    char a[HASH_HEX], b[HASH_HEX];
    struct hash h;

    (void)state;
    /* BLAKE2b-256 of "abc" */
    hash_of("abc", 3, a);
    assert_string_equal(a, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
    hash_init(&h);
    hash_adds(&h, "ab");
    hash_adds(&h, "c");
    hash_final(&h, a);
    hash_init(&h);
    hash_adds(&h, "a");
    hash_adds(&h, "bc");
    hash_final(&h, b);
    assert_string_not_equal(a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(err_is_one_line_with_its_context),
        cmocka_unit_test(wrap_survives_texts_of_any_length),
        cmocka_unit_test(buf_grows_and_stays_terminated),
        cmocka_unit_test(buf_words_are_one_word_to_a_shell),
        cmocka_unit_test(nearest_word_or_none),
        cmocka_unit_test(options_parse_or_say_what_is_wrong),
        cmocka_unit_test(options_fill_their_fields),
        cmocka_unit_test(read_refuses_what_is_no_plain_file),
        cmocka_unit_test(nothing_is_followed_beneath_a_folder),
        cmocka_unit_test(write_is_all_or_nothing),
        cmocka_unit_test(full_disk_leaves_the_old_file),
        cmocka_unit_test(a_folder_that_is_worked_in_is_removed),
        cmocka_unit_test(sealed_copy_cannot_change),
        cmocka_unit_test(hash_is_blake2b_and_fields_do_not_run_together),
    };

    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
