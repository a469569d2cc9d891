/* SPDX-License-Identifier: MIT */
/* Tools (compilers, disassemblers) behind their walls: bubblewrap's, and our own where there is
 * none. */
#include "walls_rig.h"

#include "base/buf.h"
#include "sandbox/sandbox.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

/* covers: src/sandbox/hidden.c src/sandbox/tool.c */

#define LIMIT_MS 60000 /* nothing here takes so long: then it hangs */

static const struct tool_case {
    const char *script; /* %s: the folder it may write in */
    int want_status, want_signal;
    bool timed_out, cut;
    const char *output; /* exactly, or NULL */
} tool_cases[] = {
    {"echo hi; echo there >&2", 0, 0, false, false, "hi\nthere\n"},
    {"exit 3", 3, 0, false, false, ""},
    {"sleep 1000 & sleep 1000", -1, SIGKILL, true, false, ""},
    {"setsid sleep 1000 & exit 0", 0, 0, false, false, ""},
    {"yes", -1, SIGKILL, false, true, NULL},
    {"head -c 5000 /dev/null; printf %01500d 7", 0, 0, false, true, NULL},
    {"cat /etc/passwd 2>/dev/null", 1, 0, false, false, ""},
    {"ls /root /home 2>/dev/null", 2, 0, false, false, ""},
    {"echo x 2>/dev/null > /tmp/assay-test-escaped", 2, 0, false, false, NULL},
    {"echo x 2>/dev/null > /usr/assay-test-escaped", 2, 0, false, false, NULL},
    {"pwd > here; cat here; rm here", 0, 0, false, false, NULL},
    {"echo $TMPDIR $LC_ALL $HOME$ASSAY_TEST", 0, 0, false, false, NULL},
    {"head -c 3000000 /usr/bin/gcc > big 2>/dev/null; head -c 3000000 /bin/bash > big", -1, 0,
     false, false, NULL},
};

#define FILE_CASE (ARRAY_SIZE(tool_cases) - 1)

static int run_script(int timeout_ms, const char *script, struct buf *out,
                      struct sandbox_tool_result *ret, struct err *err)
{
    AUTO(freep) char *text = xstrdup(script);
    char *const argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, text, NULL};
    const struct sandbox_tool t = {.argv = argv,
                                   .rw_dir = work_dir,
                                   .timeout_ms = timeout_ms,
                                   .mem_bytes = (uint64_t)512 * MIB,
                                   .file_bytes = 100000,
                                   .max_output = 1000};

    return sandbox_run_tool(&t, out, ret, err);
}

static int failed_tool_case(const struct tool_case *c, const char *walls)
{
    AUTO(buf_release) struct buf out = BUF_INIT;
    struct sandbox_tool_result r;
    struct err err = ERR_INIT;

    if (run_script(c->timed_out ? 400 : LIMIT_MS, c->script, &out, &r, &err) < 0) {
        print_error("%s: %s\n", c->script, err.text);
        return 1;
    }
    /* A file that grows too large: dash says 153, a signal is as good. */
    bool status_ok = c == &tool_cases[FILE_CASE]
                         ? r.exit_status != 0
                         : r.exit_status == c->want_status && r.signal == c->want_signal;

    if (status_ok && r.timed_out == c->timed_out && r.output_cut == c->cut &&
        strcmp(r.walls, walls) == 0 && out.len <= 1000 &&
        (!c->output || strcmp(c->output, buf_str(&out)) == 0))
        return 0;
    print_error("%s (%s, %s): status %d, signal %d, timed out %d, cut %d, output: %s\n", c->script,
                walls, r.walls, r.exit_status, r.signal, r.timed_out, r.output_cut, buf_str(&out));
    return 1;
}

static const char *expected_walls;

static int failed_tool_cases(void)
{
    int failed = 0;

    for (size_t i = 0; i < ARRAY_SIZE(tool_cases); i++)
        failed += failed_tool_case(&tool_cases[i], expected_walls);
    return failed;
}

static void check_tools(bool nobody)
{
    if (geteuid() != 0 && nobody)
        return;
    /* Without capabilities not even root writes in a stranger's folder. */
    if (geteuid() == 0)
        assert_int_equal(chown(work_dir, nobody ? NOBODY : 0, 0), 0);

    int rc = nobody ? as_nobody(failed_tool_cases) : failed_tool_cases();

    if (rc != 77)
        assert_int_equal(rc, 0);
    assert_int_equal(access("/tmp/assay-test-escaped", F_OK), -1);
    assert_int_equal(access("/usr/assay-test-escaped", F_OK), -1);
}

static void test_tools_in_bubblewrap(void **state)
{
    (void)state;
    if (!testing_bubblewrap())
        skip();
    expected_walls = "bubblewrap";
    check_tools(false);
    check_tools(true);
}

static void with_path(const char *path, void (*fn)(void))
{
    AUTO(freep) char *before = xstrdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");

    setenv("PATH", path, 1);
    fn();
    setenv("PATH", before, 1);
}

static void own_walls(void)
{
    expected_walls = "landlock+namespaces";
    check_tools(false);
    check_tools(true);
}

static void test_tools_in_own_walls(void **state)
{
    (void)state;
    testing_needs_namespaces();
    with_path("/nonexistent", own_walls);
}

/* A bubblewrap that cannot build its walls (user namespaces switched off, say). */
static void test_tools_without_working_bubblewrap(void **state)
{
    AUTO(freep) char *fake = xasprintf("%s/bwrap", work_dir);
    struct err err = ERR_INIT;
    static const char script[] = "#!/bin/sh\necho 'bwrap: no' >&2\nexit 1\n";

    (void)state;
    testing_needs_namespaces();
    assert_int_equal(fs_write_atomic(fake, script, strlen(script), &err), 0);
    assert_int_equal(chmod(fake, 0755), 0);
    with_path(work_dir, own_walls);
    unlink(fake);
}

/* What the tool's environment and folder look like, where the table cannot know the name. */
static void test_tool_surroundings(void **state)
{
    AUTO(buf_release) struct buf out = BUF_INIT;
    AUTO(freep) char *want = xasprintf("%s\n%s C\n", work_dir, work_dir);
    struct sandbox_tool_result r;
    struct err err = ERR_INIT;

    (void)state;
    if (geteuid() == 0)
        assert_int_equal(chown(work_dir, 0, 0), 0);
    setenv("ASSAY_TEST", "secret", 1);
    assert_int_equal(
        run_script(LIMIT_MS, "pwd -P; echo $TMPDIR $LC_ALL $HOME$ASSAY_TEST", &out, &r, &err), 0);
    unsetenv("ASSAY_TEST");
    assert_string_equal(buf_str(&out), want);
}

/* A fifo that the tool and all it starts hold open: it ends when they do. */
static void check_dies_with_caller(void)
{
    AUTO(freep) char *fifo = fs_join(work_dir, "fifo");
    char text[8];

    assert_int_equal(mkfifo(fifo, 0600), 0);

    AUTO(fd_closep) int fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    pid_t caller = fork();

    if (caller == 0) {
        struct buf out = BUF_INIT;
        struct sandbox_tool_result r;
        struct err err = ERR_INIT;

        run_script(LIMIT_MS, "exec 9>fifo; echo hi >&9; setsid sleep 1000 & sleep 1000", &out, &r,
                   &err);
        _exit(1);
    }
    assert_int_equal(poll(&p, 1, LIMIT_MS), 1);
    assert_int_equal(read(fd, text, sizeof(text)), 3);
    kill(caller, SIGKILL);
    assert_int_equal(waitpid(caller, NULL, 0), caller);
    assert_true(closes(fd));
    unlink(fifo);
}

static void test_tool_dies_with_caller(void **state)
{
    (void)state;
    testing_needs_namespaces();
    check_dies_with_caller();
    with_path("/nonexistent", check_dies_with_caller);
}

/* In our own walls /bin/sh would be the first process, which no signal of its own can end. */
static void test_tool_ended_by_signal(void **state)
{
    AUTO(buf_release) struct buf out = BUF_INIT;
    struct sandbox_tool_result r;
    struct err err = ERR_INIT;

    (void)state;
    if (!testing_bubblewrap())
        skip();
    assert_int_equal(run_script(LIMIT_MS, "kill -9 $$", &out, &r, &err), 0);
    assert_int_equal(r.exit_status, -1);
    assert_int_equal(r.signal, SIGKILL);
}

/* A source that makes its compiler large must not have the kernel end the judge instead, who holds
 * gigabytes. */
static void test_goes_first(void **state)
{
    char *const argv[] = {(char[]){"/bin/cat"}, (char[]){"/proc/self/oom_score_adj"}, NULL};
    const char *const ro_dirs[] = {"/proc", NULL};
    const struct sandbox_tool tool = {.argv = argv,
                                      .ro_dirs = ro_dirs,
                                      .rw_dir = work_dir,
                                      .timeout_ms = 20000,
                                      .mem_bytes = UINT64_MAX,
                                      .file_bytes = 1000,
                                      .max_output = 1000};
    AUTO(buf_release) struct buf out = BUF_INIT, before = BUF_INIT, after = BUF_INIT;
    struct sandbox_tool_result r;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fs_read(argv[1], 100, &before, &err), 0);
    must(sandbox_run_tool(&tool, &out, &r, &err), &err);
    assert_string_equal(buf_str(&out), "1000\n");
    assert_int_equal(fs_read(argv[1], 100, &after, &err), 0);
    assert_string_equal(buf_str(&after), buf_str(&before)); /* a child of vfork's has its own */
}

static void test_missing_tool(void **state)
{
    AUTO(buf_release) struct buf out = BUF_INIT;
    char *const argv[] = {(char[]){"/no/such/tool"}, NULL};
    const struct sandbox_tool t = {.argv = argv,
                                   .rw_dir = work_dir,
                                   .timeout_ms = LIMIT_MS,
                                   .mem_bytes = MIB,
                                   .file_bytes = MIB,
                                   .max_output = 100};
    struct sandbox_tool_result r;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(sandbox_run_tool(&t, &out, &r, &err), -1);
    assert_non_null(strstr(err.text, "/no/such/tool"));
    assert_int_equal(out.len, 0);
}

/* A tool that may read a folder sees nothing of a hidden one in it, but folders and files that it
 * is given there. One may be a program, as assay-nvrtc is. */
static int failed_hidden_case(void)
{
    AUTO(freep) char *open_dir = fs_join(work_dir, "open");
    AUTO(freep) char *given = fs_join(work_dir, "open/ours/given");
    AUTO(freep) char *own_tool = fs_join(work_dir, "open/ours/tool");
    const char *const ro_dirs[] = {open_dir, given, own_tool, NULL};
    char *const argv[] = {
        (char[]){"/bin/sh"}, (char[]){"-c"},
        (char[]){"cat ../open/plain ../open/ours/given/header ../open/beside/file;"
                 " cat ../open/ours/secret ../open/program;"
                 " ../open/ours/tool; touch ../open/ours/new; exit 0"},
        NULL};
    AUTO(freep) char *rw_dir = fs_join(work_dir, "rw");
    const struct sandbox_tool t = {.argv = argv,
                                   .ro_dirs = ro_dirs,
                                   .rw_dir = rw_dir,
                                   .timeout_ms = LIMIT_MS,
                                   .mem_bytes = (uint64_t)512 * MIB,
                                   .file_bytes = 1000,
                                   .max_output = 4000};
    AUTO(buf_release) struct buf out = BUF_INIT;
    struct sandbox_tool_result r;
    struct err err = ERR_INIT;

    must(sandbox_run_tool(&t, &out, &r, &err), &err);
    if (strstr(buf_str(&out), "PLAIN") && strstr(buf_str(&out), "HEADER") &&
        strstr(buf_str(&out), "BESIDE") && strstr(buf_str(&out), "OWN TOOL") &&
        strstr(buf_str(&out), "touch: ") && !strstr(buf_str(&out), "SECRET") &&
        strcmp(r.walls, expected_walls) == 0)
        return 0;
    print_error("%s: %s\n", r.walls, buf_str(&out));
    return 1;
}

static void check_hidden(void)
{
    assert_int_equal(failed_hidden_case(), 0);
}

static void write_text(const char *name, const char *text)
{
    AUTO(freep) char *path = fs_join(work_dir, name);
    struct err err = ERR_INIT;

    must(fs_write_atomic(path, text, strlen(text), &err), &err);
    assert_int_equal(chmod(path, 0644), 0);
}

static void test_hidden_paths(void **state)
{
    static const char *const folders[] = {"rw", "open", "open/ours", "open/ours/given",
                                          "open/beside"};
    AUTO(freep) char *ours = fs_join(work_dir, "open/ours");
    AUTO(freep) char *own_tool = fs_join(work_dir, "open/ours/tool");
    AUTO(freep) char *program = fs_join(work_dir, "open/program");
    AUTO(freep) char *nothing = fs_join(work_dir, "open/nothing");

    (void)state;
    testing_needs_namespaces();
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
        AUTO(freep) char *path = fs_join(work_dir, folders[i]);

        assert_int_equal(mkdir(path, 0755), 0);
    }
    write_text("open/plain", "PLAIN\n");
    write_text("open/program", "SECRET PROGRAM\n");
    write_text("open/ours/secret", "SECRET\n");
    write_text("open/ours/given/header", "HEADER\n");
    write_text("open/beside/file", "BESIDE\n");
    write_text("open/ours/tool", "#!/bin/sh\necho OWN \"TOOL\"\n");
    assert_int_equal(chmod(own_tool, 0755), 0);
    /* The system's own folders are never hidden, or no tool would start. */
    sandbox_hide((const char *const[]){"/", "/usr", "/usr/bin", nothing, ours, program, NULL});
    assert_string_equal(sandbox_hidden()[0], ours);
    assert_string_equal(sandbox_hidden()[1], program);
    assert_null(sandbox_hidden()[2]);
    if (testing_bubblewrap()) {
        expected_walls = "bubblewrap";
        check_hidden();
    }
    expected_walls = "landlock+namespaces";
    with_path("/nonexistent", check_hidden);
}

static int set_up(void **state)
{
    (void)state;
    return walls_set_up();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tools_in_bubblewrap),
        cmocka_unit_test(test_tools_in_own_walls),
        cmocka_unit_test(test_tools_without_working_bubblewrap),
        cmocka_unit_test(test_tool_surroundings),
        cmocka_unit_test(test_tool_dies_with_caller),
        cmocka_unit_test(test_tool_ended_by_signal),
        cmocka_unit_test(test_goes_first),
        cmocka_unit_test(test_missing_tool),
        cmocka_unit_test(test_nothing_is_left),
        cmocka_unit_test(test_hidden_paths),
    };

    return cmocka_run_group_tests(tests, set_up, walls_tear_down);
}
