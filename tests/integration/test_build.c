/* SPDX-License-Identifier: MIT */
/* long: 7 s */
/* covers: src/build/artifact_cache.c src/build/build_dir.c src/build/compiler.c */
/* covers: src/build/program.c src/build/recipe.c src/build/toolchain_c.c */
/* covers: src/build/toolchain_fake.c src/build/toolchain_python.c */
/* The builder: what it makes, what it keeps, and what a source cannot do to it. */
#include "build_rig.h"

#include "build/build.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY 65534

static const char hello[] = "#include \"assay.h\"\n#include \"problem.h\"\n"
                            "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out,\n"
                            "                 int n_out, void *stream)\n"
                            "{ return ANSWER; }\n";
static const char header[] = "typedef struct { int x; } DLTensor;\n"
                             "__attribute__((visibility(\"default\")))\n"
                             "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out,\n"
                             "                 int n_out, void *stream);\n";

static struct build_request request(const char *source)
{
    return (struct build_request){.device = &device_cpu,
                                  .file_name = "mine.c",
                                  .source = source,
                                  .source_len = strlen(source),
                                  .problem_h = "#define ANSWER 42\n",
                                  .include_dir = include,
                                  .cache_dir = cache,
                                  .timeout_ms = 60000};
}

/* How many plain files a folder has, in all its levels. */
static int count_files(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    int n = 0;

    while (dir && (entry = readdir(dir))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;

        AUTO(freep) char *name = fs_join(path, entry->d_name);

        n += entry->d_type == DT_DIR ? count_files(name) : 1;
    }
    if (dir)
        closedir(dir);
    return n;
}

static int count_in(const char *folder)
{
    AUTO(freep) char *path = fs_join(cache, folder);

    return count_files(path);
}

/* Private folders that are still there. */
static int count_leftovers(void)
{
    AUTO(freep) char *path = fs_join(cache, "tmp");
    DIR *dir = opendir(path);
    int n = dir ? -2 : 0; /* . and .. */

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

static void build(const struct build_request *req, struct build_result *ret)
{
    struct err err = ERR_INIT;

    must(build_artifact(req, ret, &err), &err);
}

static void test_builds_and_remembers(void **state)
{
    struct build_request req = request(hello);
    struct build_result first, second;

    (void)state;
    build(&req, &first);
    assert_int_equal(first.status, BUILD_OK);
    assert_false(first.cached);
    assert_string_equal(first.log, "");
    assert_non_null(strstr(first.toolchain, " -O3 -march=native "));
    assert_string_not_equal(first.walls, "");
    assert_int_equal(answer_of(first.artifact_fd), 42);
    assert_int_equal(write(first.artifact_fd, "x", 1), -1); /* sealed */

    build(&req, &second);
    assert_true(second.cached);
    assert_string_equal(second.walls, "");
    assert_string_equal(second.artifact_hash, first.artifact_hash);
    assert_string_equal(second.toolchain, first.toolchain);
    assert_int_equal(answer_of(second.artifact_fd), 42);
    assert_int_equal(count_leftovers(), 0);
    build_result_release(&first);
    build_result_release(&second);
}

/* Each of these goes into the key. */
static void test_what_makes_a_new_artifact(void **state)
{
    const struct build_request same = request(hello);
    struct build_request cases[] = {same, same, same};
    AUTO(freep) char *other = xasprintf("%s ", hello);
    struct build_result r;

    (void)state;
    build(&same, &r);
    build_result_release(&r);
    cases[0].source = other;
    cases[0].source_len++;
    cases[1].problem_h = "#define ANSWER 43\n";
    cases[2].file_name = "other.c";
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        build(&cases[i], &r);
        assert_false(r.cached);
        build_result_release(&r);
        build(&cases[i], &r);
        assert_true(r.cached);
        assert_int_equal(answer_of(r.artifact_fd), i == 1 ? 43 : 42);
        build_result_release(&r);
    }
}

static void test_no_cache(void **state)
{
    struct build_request req = request(hello);
    struct build_result r;

    (void)state;
    req.no_cache = true;
    for (int i = 0; i < 2; i++) {
        build(&req, &r);
        assert_false(r.cached);
        build_result_release(&r);
    }
    assert_int_equal(count_in("artifacts"), 0);
}

static void test_warnings_are_kept(void **state)
{
    AUTO(freep) char *source = xasprintf("#warning look here\n%s", hello);
    struct build_request req = request(source);
    struct build_result first, second;

    (void)state;
    build(&req, &first);
    build(&req, &second);
    assert_true(second.cached);
    assert_non_null(strstr(first.log, "mine.c:1:2: warning: #warning look here"));
    assert_string_equal(first.log, second.log);
    build_result_release(&first);
    build_result_release(&second);
}

/* ---- sources that do not build ---- */

static const struct bad_source {
    const char *file_name, *source, *log;
    enum build_status status;
} bad_sources[] = {
    {"mine.c", "int x;\nint y\n= z;\n", "mine.c:3:3: error:", BUILD_FAILED},
    {"/some/where/my-kernel_2.c", "#error no\n", "my-kernel_2.c:1:2: error: #error no",
     BUILD_FAILED},
    {"two words;.c", "#error no\n", "candidate.c:1:2: error: #error no", BUILD_FAILED},
    {"-o.c", "#error no\n", "candidate.c:1:2: error: #error no", BUILD_FAILED},
    {"mine.c", "#include \"/etc/passwd\"\n", "error: ", BUILD_FAILED},
    {"mine.c", "#include \"/etc/shadow\"\n", "error: ", BUILD_FAILED},
    {"mine.c", "#include \"/dev/zero\"\n", "error: ", BUILD_FAILED},
    {"mine.c", "__asm__(\".incbin \\\"/etc/shadow\\\"\");\n", "/etc/shadow", BUILD_FAILED},
    {"mine.c", "int main(void) { return missing(); }\n__asm__(\".globl main\\nmain:\");\n", "main",
     BUILD_FAILED},
    {"mine.c", "char big[80 << 20] = {1};\n", "", BUILD_TOO_LARGE},
    {"mine.c", "char big[1 << 30] = {1};\n", "", BUILD_TOO_LARGE},
};

static void test_bad_sources(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad_sources); i++) {
        const struct bad_source *c = &bad_sources[i];
        struct build_request req = request(c->source);
        struct build_result r;

        req.file_name = c->file_name;
        build(&req, &r);
        if (r.status != c->status || !strstr(r.log, c->log) || strstr(r.log, cache))
            fail_msg("%s: status %d, log: %s", c->source, r.status, r.log);
        assert_int_equal(r.artifact_fd, -1);
        build_result_release(&r);
    }
    assert_int_equal(count_leftovers(), 0);
    assert_int_equal(count_in("artifacts"), 0);
}

/* Doubles with each line: 2^26 additions. */
static char *slow_source(void)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    buf_adds(&text, "#define X0 x+x\n");
    for (int i = 1; i < 26; i++)
        buf_addf(&text, "#define X%d X%d+X%d\n", i, i - 1, i - 1);
    buf_adds(&text, "int f(int x) { return X25; }\n");
    return buf_steal(&text);
}

static void test_time_limit(void **state)
{
    AUTO(freep) char *source = slow_source();
    struct build_request req = request(source);
    struct build_result r;

    (void)state;
    req.timeout_ms = 500;
    build(&req, &r);
    assert_int_equal(r.status, BUILD_TIMEOUT); /* it would take 30 s and more */
    assert_int_equal(count_leftovers(), 0);
    build_result_release(&r);
}

static void test_flood_of_errors(void **state)
{
    AUTO(buf_release) struct buf source = BUF_INIT;

    for (int i = 0; i < 5000; i++)
        buf_addf(&source, "#warning this is line %d of very many that nobody will ever read\n", i);

    struct build_request req = request(source.ptr);
    struct build_result r;

    (void)state;
    build(&req, &r);
    assert_true(strlen(r.log) < 65536);
    assert_non_null(strstr(r.log, "[the compiler said more]"));
    build_result_release(&r);
}

/* ---- damage, and many at once ---- */

static void change_entries(const char *path, void (*change)(const char *file))
{
    DIR *dir = opendir(path);
    struct dirent *entry;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        AUTO(freep) char *name = fs_join(path, entry->d_name);

        if (entry->d_name[0] == '.')
            continue;
        if (entry->d_type == DT_DIR)
            change_entries(name, change);
        else
            change(name);
    }
    closedir(dir);
}

static void truncate_it(const char *file)
{
    assert_int_equal(truncate(file, 5000), 0);
}

static void empty_it(const char *file)
{
    assert_int_equal(truncate(file, 0), 0);
}

static void flip_a_bit(const char *file)
{
    int fd = open(file, O_RDWR | O_CLOEXEC);
    char c;

    assert_int_equal(pread(fd, &c, 1, 4000), 1);
    c ^= 1;
    assert_int_equal(pwrite(fd, &c, 1, 4000), 1);
    close(fd);
}

static void test_damaged_entries_are_built_again(void **state)
{
    void (*const changes[])(const char *) = {truncate_it, empty_it, flip_a_bit};
    AUTO(freep) char *artifacts = fs_join(cache, "artifacts");
    AUTO(freep) char *toolchains = fs_join(cache, "toolchains");
    struct build_request req = request(hello);
    struct build_result r;

    (void)state;
    build(&req, &r);
    build_result_release(&r);
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        change_entries(artifacts, changes[i]);
        change_entries(toolchains, empty_it);
        build(&req, &r);
        assert_false(r.cached);
        assert_int_equal(answer_of(r.artifact_fd), 42);
        build_result_release(&r);
        build(&req, &r);
        assert_true(r.cached);
        build_result_release(&r);
    }
}

static pid_t build_in_child(const char *source)
{
    pid_t pid = fork();

    if (pid == 0) {
        struct build_request req = request(source);
        struct build_result r;
        struct err err = ERR_INIT;

        _exit(build_artifact(&req, &r, &err) < 0 ? 4 : (int)r.status);
    }
    return pid;
}

static int status_of_child(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void test_many_at_once(void **state)
{
    struct build_request req = request(hello);
    struct build_result r;
    pid_t pids[4];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
        pids[i] = build_in_child(hello);
    for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
        assert_int_equal(status_of_child(pids[i]), BUILD_OK);
    build(&req, &r);
    assert_true(r.cached);
    assert_int_equal(answer_of(r.artifact_fd), 42);
    build_result_release(&r);
    assert_int_equal(count_leftovers(), 0);
    assert_int_equal(count_in("artifacts"), 1);
}

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, (ms % 1000) * 1000000L}, NULL);
}

/* Builders whose compiler has begun: there is a file of its own beside theirs. */
static int count_compilers(void)
{
    AUTO(freep) char *pattern = fs_join(cache, "tmp/*/cc*.s");
    glob_t found = {0};
    int n = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;

    globfree(&found);
    return n;
}

/* kill -9 in the middle: the folder stays until the next build, which removes it and no other's. */
static void test_killed_builder(void **state)
{
    AUTO(freep) char *slow = slow_source();
    struct build_request req = request(hello);
    struct build_result r;

    (void)state;
    build(&req, &r); /* asks the compiler who it is, once, in a folder of its own */
    build_result_release(&r);
    req.no_cache = true;

    pid_t killed = build_in_child(slow), alive = build_in_child(slow);

    for (int i = 0; i < 6000 && count_compilers() < 2; i++)
        sleep_ms(10);
    assert_int_equal(count_leftovers(), 2);
    kill(killed, SIGKILL);
    assert_int_equal(status_of_child(killed), 128 + SIGKILL);
    assert_int_equal(count_leftovers(), 2);

    build(&req, &r);
    assert_int_equal(r.status, BUILD_OK);
    build_result_release(&r);
    assert_int_equal(count_leftovers(), 1); /* the living builder's */

    kill(alive, SIGKILL);
    assert_int_equal(status_of_child(alive), 128 + SIGKILL);
    build(&req, &r);
    build_result_release(&r);
    assert_int_equal(count_leftovers(), 0);
}

/* ---- tools that somebody kills ---- */

/* A compiler one of whose parts, before it works, reads a line from BASE/tools/words that says what
 * to do. Returns a descriptor of that fifo, which never is without a reader or a writer. */
static int make_compiler(const char *part)
{
    AUTO(freep) char *tools = fs_join(base, "tools");
    AUTO(freep) char *cc = fs_join(tools, "cc"), *tool = fs_join(tools, part);
    AUTO(freep) char *words = fs_join(tools, "words");
    AUTO(freep) char *cc_text = xasprintf("#!/bin/sh\nexec gcc -B %s/ \"$@\"\n", tools);
    AUTO(freep)
    char *tool_text = xasprintf("#!/bin/sh\nread -r word <%s\n"
                                "[ \"$word\" = kill ] && kill -9 $$\n"
                                "exec \"$(env -u COMPILER_PATH gcc -print-prog-name=%s)\" \"$@\"\n",
                                words, part);
    struct err err = ERR_INIT;

    assert_int_equal(fs_mkdirs(tools, &err), 0);
    assert_int_equal(fs_write_atomic(cc, cc_text, strlen(cc_text), &err), 0);
    assert_int_equal(fs_write_atomic(tool, tool_text, strlen(tool_text), &err), 0);
    assert_int_equal(chmod(cc, 0755) | chmod(tool, 0755) | chmod(tools, 0755), 0);
    assert_int_equal(mkfifo(words, 0644), 0);
    setenv("ASSAY_CC", cc, 1);

    int fd = open(words, O_RDWR | O_NONBLOCK | O_CLOEXEC);

    assert_true(fd >= 0);
    return fd;
}

static void say(int words, const char *word)
{
    assert_int_equal(write(words, word, strlen(word)), strlen(word));
}

/* How much of what was said nobody has read. */
static int unread(int words)
{
    int bytes = -1;

    assert_int_equal(ioctl(words, FIONREAD, &bytes), 0);
    return bytes;
}

/* The OOM killer takes whom it likes; the source is not to blame. */
static void test_killed_tools(void **state)
{
    static const char *const parts[] = {"cc1", "as", "collect2", "ld"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        struct build_request req = request(hello);
        struct build_result r;

        rig_close();
        assert_int_equal(rig_open(header), 0);
        req.include_dir = include;
        req.cache_dir = cache;

        AUTO(fd_closep) int words = make_compiler(parts[i]);

        say(words, "kill\nkill\nwork\n");
        build(&req, &r);
        unsetenv("ASSAY_CC");
        if (r.status != BUILD_OK)
            fail_msg("%s: status %d: %s", parts[i], (int)r.status, r.log);
        assert_int_equal(unread(words), 0); /* two were killed */
        assert_null(strstr(r.log, "Killed"));
        assert_int_equal(answer_of(r.artifact_fd), 42);
        assert_int_equal(count_leftovers(), 0);
        build_result_release(&r);
    }
}

/* Not for ever, and the log says why. */
static void test_killed_every_time(void **state)
{
    struct build_request req = request(hello);
    struct build_result r;

    (void)state;

    AUTO(fd_closep) int words = make_compiler("ld");

    for (int i = 0; i < 100; i++)
        say(words, "kill\n");
    build(&req, &r);
    unsetenv("ASSAY_CC");
    assert_true(unread(words) > 0);
    assert_int_equal(r.status, BUILD_FAILED);
    assert_non_null(strstr(r.log, "signal 9"));
    build_result_release(&r);
}

/* Where its source has turned the compiler: no artifact of whatever kind is no trouble of ours. */
static void test_turned_compilers(void **state)
{
    static const char *const instead[] = {
        "true",
        "mkdir artifact",
        "mkfifo artifact",
        "ln -s /etc/passwd artifact",
    };
    AUTO(freep) char *cc = fs_join(base, "cc");

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(instead); i++) {
        AUTO(freep)
        char *text = xasprintf("#!/bin/sh\n"
                               "case \"$*\" in *' artifact '*) %s; exit 0 ;; esac\n"
                               "exec gcc \"$@\"\n",
                               instead[i]);
        struct build_request req = request(hello);
        struct build_result r;
        struct err err = ERR_INIT;

        assert_int_equal(fs_write_atomic(cc, text, strlen(text), &err), 0);
        assert_int_equal(chmod(cc, 0755), 0);
        setenv("ASSAY_CC", cc, 1);
        build(&req, &r);
        unsetenv("ASSAY_CC");
        if (r.status != BUILD_FAILED || !strstr(r.log, "[the compiler left no artifact]"))
            fail_msg("%s: status %d: %s", instead[i], (int)r.status, r.log);
        assert_int_equal(count_leftovers(), 0);
        build_result_release(&r);
    }
}

/* The n-th write fails, for every n that there is: a clear error, and no trace of it. */
static void test_disk_full(void **state)
{
    struct build_request req = request(hello);
    struct build_result r;
    int n = 1, status = 4;

    (void)state;
    for (; status == 4 && n < 50; n++) {
        AUTO(freep) char *plan = xasprintf("write:%d", n);
        pid_t pid = fork();

        if (pid == 0) {
            struct err err = ERR_INIT;

            setenv("ASSAY_FAULT", plan, 1);
            req.no_cache = false;
            if (build_artifact(&req, &r, &err) < 0)
                _exit(err.kind == ERR_SYSTEM && strstr(err.text, "No space left") ? 4 : 5);
            _exit(r.status == BUILD_OK && answer_of(r.artifact_fd) == 42 ? 0 : 6);
        }
        status = status_of_child(pid);
        assert_int_equal(count_leftovers(), 0);
    }
    assert_int_equal(status, 0);
    /* version, source, header, entry, memfd: what was written before the fault is there for the
     * next */
    assert_true(n > 5);
    assert_int_equal(count_in("artifacts"), 1);
}

/* ---- requests that cannot be served ---- */

static void expect_error(const struct build_request *req, enum err_kind kind, const char *text)
{
    struct build_result r;
    struct err err = ERR_INIT;

    assert_int_equal(build_artifact(req, &r, &err), -1);
    assert_int_equal(err.kind, kind);
    if (!strstr(err.text, text))
        fail_msg("%s", err.text);
}

static void test_wrong_requests(void **state)
{
    const struct build_request good = request(hello);
    static const struct toolchain *const none[] = {NULL};
    const struct device abacus = {.name = "abacus", .toolchains = none};
    struct build_request wrong_suffix = good, wrong_device = good, no_header = good,
                         no_cache = good;

    (void)state;
    wrong_suffix.file_name = "mine.cu";
    expect_error(&wrong_suffix, ERR_INPUT, "mine.cu: the cpu device takes .c");
    wrong_device.device = &abacus;
    expect_error(&wrong_device, ERR_INPUT, "mine.c: the abacus device takes no files");
    no_header.include_dir = "/no/such/folder";
    expect_error(&no_header, ERR_SYSTEM, "/no/such/folder/assay.h");
    no_cache.cache_dir = "/proc/no/cache";
    expect_error(&no_cache, ERR_SYSTEM, "cannot create folder");
}

static void test_no_compiler(void **state)
{
    const struct build_request req = request(hello);
    AUTO(freep) char *path = xstrdup(getenv("PATH"));

    (void)state;
    setenv("ASSAY_CC", "no-such-cc", 1);
    expect_error(&req, ERR_SYSTEM, "ASSAY_CC=no-such-cc: no such compiler");
    unsetenv("ASSAY_CC");
    setenv("PATH", "/nonexistent", 1);
    expect_error(&req, ERR_SYSTEM, "no C compiler found: install gcc");
    setenv("PATH", path, 1);
}

static void test_fake(void **state)
{
    struct build_request req = request("wrong 3\n");
    struct build_result r;
    char text[16];

    (void)state;
    req.device = &device_fake;
    req.file_name = "x.fake";
    build(&req, &r);
    assert_int_equal(r.status, BUILD_OK);
    assert_int_equal(pread(r.artifact_fd, text, sizeof(text), 0), 8);
    assert_memory_equal(text, "wrong 3\n", 8);
    build_result_release(&r);
}

/* An ordinary user, and without bubblewrap as well. */
static void test_as_user(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    for (int with_bwrap = 0; with_bwrap < 2; with_bwrap++) {
        pid_t pid = fork();

        if (pid == 0) {
            AUTO(freep) char *own = xasprintf("%s/cache%d", base, with_bwrap);

            if (mkdir(own, 0700) < 0 || chown(own, NOBODY, NOBODY) < 0 || setgroups(0, NULL) < 0 ||
                setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0)
                _exit(10);
            /* As in a process that was an ordinary user's from the start. */
            prctl(PR_SET_DUMPABLE, 1);
            if (!testing_user_namespaces() || (with_bwrap && !testing_bubblewrap()))
                _exit(77);
            if (!with_bwrap) {
                setenv("ASSAY_CC", "/usr/bin/gcc", 1);
                setenv("PATH", "/nonexistent", 1);
            }

            struct build_request req = request(hello);
            struct build_result r;
            struct err err = ERR_INIT;

            req.cache_dir = own;
            if (build_artifact(&req, &r, &err) < 0 || r.status != BUILD_OK) {
                print_error("%s\n", err.kind ? err.text : r.log);
                _exit(11);
            }
            if (strcmp(r.walls, with_bwrap ? "bubblewrap" : "landlock+namespaces") != 0)
                _exit(12);
            _exit(answer_of(r.artifact_fd) == 42 ? 0 : 13);
        }

        int status = status_of_child(pid);

        if (status == 77)
            skip();
        assert_int_equal(status, 0);
    }
}

static int set_up(void **state)
{
    (void)state;
    return rig_open(header);
}

static int tear_down(void **state)
{
    (void)state;
    return rig_close();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_builds_and_remembers),
        TEST(test_what_makes_a_new_artifact),
        TEST(test_no_cache),
        TEST(test_warnings_are_kept),
        TEST(test_bad_sources),
        TEST(test_time_limit),
        TEST(test_flood_of_errors),
        TEST(test_damaged_entries_are_built_again),
        TEST(test_many_at_once),
        TEST(test_killed_builder),
        TEST(test_killed_tools),
        TEST(test_killed_every_time),
        TEST(test_turned_compilers),
        TEST(test_disk_full),
        TEST(test_wrong_requests),
        TEST(test_no_compiler),
        TEST(test_fake),
        TEST(test_as_user),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
