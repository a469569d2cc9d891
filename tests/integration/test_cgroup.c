/* SPDX-License-Identifier: MIT */
/* covers: src/sandbox/thread_limit.c */
/*
 * Groups for runners. What needs no kernel's help is tried in a plain folder. A process is put into
 * a real group where this one is root and in the root of the hierarchy; limits are tried where
 * ASSAY_CGROUP names a group with the memory and pids controllers on:
 *     mkdir /sys/fs/cgroup/assay && cd /sys/fs/cgroup && echo +memory +pids >cgroup.subtree_control
 *     echo +memory +pids >assay/cgroup.subtree_control
 *     ASSAY_CGROUP=/sys/fs/cgroup/assay build/integration/test_cgroup
 */
#include "walls_rig.h"

#include "sandbox/cgroup.h"
#include "sandbox/sandbox.h"
#include "sandbox/spawn.h"
#include "sandbox/thread_limit.h"

#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define LIMIT_BYTES ((uint64_t)64 << 20)

static char given[4096]; /* ASSAY_CGROUP as it was; "" : none */

static char *in_work_dir(const char *name)
{
    char *path = fs_join(work_dir, name);

    assert_int_equal(mkdir(path, 0755), 0);
    return path;
}

static int dead_pid(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return (int)pid;
}

/* First, since a program sweeps once. The folder is no cgroup: nothing can be made in it, and
 * nothing of the attempt stays. */
static void test_sweeps_what_the_dead_left(void **state)
{
    AUTO(freep) char *dead_name = xasprintf("assay-%d-0", dead_pid());
    AUTO(freep) char *own_name = xasprintf("assay-%d-77", (int)getpid());
    AUTO(freep) char *parent = in_work_dir("parent");
    AUTO(freep) char *dead = fs_join(parent, dead_name), *own = fs_join(parent, own_name);
    AUTO(freep) char *other = fs_join(parent, "other");
    AUTO(freep) char *next = xasprintf("%s/assay-%d-0", parent, (int)getpid());

    (void)state;
    assert_true(mkdir(dead, 0755) == 0 && mkdir(own, 0755) == 0 && mkdir(other, 0755) == 0);
    setenv("ASSAY_CGROUP", parent, 1);
    assert_null(cgroup_make(LIMIT_BYTES, 10));
    assert_int_equal(errno, ENOENT);
    assert_false(fs_exists(next));
    assert_false(fs_exists(dead));
    assert_true(fs_exists(own) && fs_exists(other));
    rmdir(own);
    rmdir(other);
}

static void test_wanted_only_where_given(void **state)
{
    (void)state;
    unsetenv("ASSAY_CGROUP");
    assert_false(cgroup_given());
    assert_null(cgroup_make(LIMIT_BYTES, 10));
    assert_int_equal(sandbox_wanted() & SANDBOX_CGROUP, 0);
    setenv("ASSAY_CGROUP", "", 1);
    assert_false(cgroup_given());
    setenv("ASSAY_CGROUP", "/no/such/folder", 1);
    assert_true(cgroup_given());
    assert_null(cgroup_make(LIMIT_BYTES, 10));
    assert_int_equal(sandbox_wanted() & SANDBOX_CGROUP, SANDBOX_CGROUP);
}

static void test_reads_what_the_kernel_says(void **state)
{
    static const struct {
        const char *events;
        bool ran_out;
    } cases[] = {
        {"low 0\nhigh 0\nmax 9\noom 0\noom_kill 0\noom_group_kill 0\n", false},
        {"low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 0\n", true},
        {"", false},
    };
    AUTO(freep) char *group = in_work_dir("events");
    AUTO(freep) char *file = fs_join(group, "memory.events");
    struct err err = ERR_INIT;

    (void)state;
    assert_false(cgroup_ran_out(group));
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_int_equal(fs_write_atomic(file, cases[i].events, strlen(cases[i].events), &err), 0);
        assert_int_equal(cgroup_ran_out(group), cases[i].ran_out);
    }
}

/* --- real groups --- */

/* Starts `sleep` with its door open; its pid. */
static pid_t start_in(const char *group, bool namespaces, uint32_t *ret_layers)
{
    char *const argv[] = {(char[]){"sleep"}, (char[]){"20"}, NULL}, *const envp[] = {NULL};
    AUTO(fd_closep) int door = cgroup_door(group);
    struct spawn s = {.path = "/bin/sleep",
                      .argv = argv,
                      .envp = envp,
                      .out_fd = 2,
                      .namespaces = namespaces ? SPAWN_ALL_NAMESPACES : 0,
                      .ruleset_fd = -1,
                      .group_fd = door};
    struct err err = ERR_INIT;
    int pidfd = -1;
    pid_t pid;

    assert_true(door >= 0);
    must(spawn_process(&s, &pid, &pidfd, ret_layers, &err), &err);
    close(pidfd);
    return pid;
}

static void stop(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Of a process in the hierarchy of version 2, from the line "0::PATH". */
static bool group_of(pid_t pid, char *ret, size_t size)
{
    AUTO(freep) char *path = xasprintf("/proc/%d/cgroup", (int)pid);
    FILE *f = fopen(path, "re");
    bool found = false;

    while (f && !found && fgets(ret, (int)size, f))
        found = strncmp(ret, "0::", 3) == 0;
    if (f)
        fclose(f);
    if (found) {
        memmove(ret, ret + 3, strlen(ret + 3) + 1);
        ret[strcspn(ret, "\n")] = '\0';
    }
    return found;
}

/* Where groups may be tried; NULL, with the reason said. */
static const char *hierarchy(void)
{
    static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    char own[4096];
    struct statfs fs;

    if (geteuid() != 0 || !group_of(getpid(), own, sizeof(own)) || strcmp(own, "/") != 0) {
        print_message("skipped: not root, or not in the root of the cgroup hierarchy\n");
        return NULL;
    }
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        if (statfs(places[i], &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC &&
            access(places[i], W_OK) == 0)
            return places[i];
    print_message("skipped: no cgroup hierarchy of version 2 that can be written\n");
    return NULL;
}

static void test_is_born_in_its_group(void **state)
{
    const char *top = hierarchy();

    (void)state;
    if (!top)
        skip();
    for (int namespaces = 0; namespaces < 2; namespaces++) {
        AUTO(freep) char *name = xasprintf("/assay-test-%d", (int)getpid());
        AUTO(freep) char *group = xasprintf("%s%s", top, name);
        uint32_t layers = 0;
        char seen[4096] = "";

        if (mkdir(group, 0755) < 0) {
            print_message("skipped: %s: %s\n", group, strerror(errno));
            skip();
        }

        pid_t pid = start_in(group, namespaces, &layers);

        assert_true(group_of(pid, seen, sizeof(seen)));
        stop(pid);
        cgroup_remove(&group);
        assert_null(group);
        assert_string_equal(seen, name);
        assert_int_equal(layers & SANDBOX_CGROUP, SANDBOX_CGROUP);
    }
}

static void test_without_a_door_there_is_no_layer(void **state)
{
    char *const argv[] = {(char[]){"sleep"}, (char[]){"20"}, NULL}, *const envp[] = {NULL};
    struct sandbox_spawn s = {
        .path = "/bin/sleep", .argv = argv, .envp = envp, .out_fd = 2, .group = "/no/such/group"};
    struct err err = ERR_INIT;
    uint32_t layers = 0;
    int pidfd = -1;
    pid_t pid;

    (void)state;
    assert_int_equal(sandbox_start(&s, &pid, &pidfd, &layers, &err), 0);
    close(pidfd);
    stop(pid);
    assert_int_equal(layers & SANDBOX_CGROUP, 0);
}

/* Takes four times its limit; ends by the kernel's hand. */
static void take_memory(const char *group)
{
    AUTO(fd_closep) int door = cgroup_door(group);
    size_t bytes = 4 * LIMIT_BYTES;

    if (write(door, "0", 1) != 1)
        _exit(2);

    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (size_t i = 0; p != MAP_FAILED && i < bytes; i += 4096)
        ((volatile char *)p)[i] = 1;
    _exit(0);
}

static void test_memory_is_limited(void **state)
{
    AUTO(cgroup_remove) char *group = NULL;
    int status = 0;

    (void)state;
    if (!*given) {
        print_message("skipped: ASSAY_CGROUP names no group\n");
        skip();
    }
    setenv("ASSAY_CGROUP", given, 1);
    group = cgroup_make(LIMIT_BYTES, 10);
    if (!group) {
        print_message("skipped: no group with limits in %s: %s\n", given, strerror(errno));
        skip();
    }

    AUTO(freep) char *path = xstrdup(group);
    pid_t pid = fork();

    if (pid == 0)
        take_memory(group);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_true(cgroup_ran_out(group));
    cgroup_remove(&group);
    assert_false(fs_exists(path));
}

/* A group with so many. */
static void limit_threads(const char *folder, const char *text)
{
    AUTO(freep) char *group = in_work_dir(folder);
    AUTO(freep) char *path = fs_join(group, "pids.max");
    struct err err = ERR_INIT;

    assert_int_equal(fs_write_atomic(path, text, strlen(text), &err), 0);
}

/* The least of all groups that we are in, in whichever version; what is not mounted limits nothing.
 */
static void test_finds_how_many_threads_there_may_be(void **state)
{
    static const struct {
        const char *groups;
        uint64_t limit;
    } cases[] = {
        {"", UINT64_MAX},
        {"no colon\n:\n1:x\n::", UINT64_MAX},
        {"0::/\n", UINT64_MAX},
        {"0::/pods\n", 4096},
        {"0::/pods/ours\n", 2048},
        {"0::/pods/ours/not/mounted\n", 2048},
        {"0::/pods/free\n", 4096},
        {"4:memory:/pods\n", UINT64_MAX},
        {"4:memory:/pods\n8:pids:/\n0::/\n", 1024},
        {"8:pids:/host/path\n0::/pods/ours", 1024},
    };

    (void)state;
    limit_threads("pods", "4096\n");
    limit_threads("pods/ours", "2048\n");
    limit_threads("pods/free", "max\n");
    limit_threads("pids", "1024\n");
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        if (thread_limit_of_groups(cases[i].groups, work_dir) != cases[i].limit)
            fail_msg("case %zu: %llu", i,
                     (unsigned long long)thread_limit_of_groups(cases[i].groups, work_dir));
}

static int set_up(void **state)
{
    const char *text = getenv("ASSAY_CGROUP");

    (void)state;
    snprintf(given, sizeof(given), "%s", text ? text : "");
    return walls_set_up();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps_what_the_dead_left),
        cmocka_unit_test(test_wanted_only_where_given),
        cmocka_unit_test(test_reads_what_the_kernel_says),
        cmocka_unit_test(test_finds_how_many_threads_there_may_be),
        cmocka_unit_test(test_is_born_in_its_group),
        cmocka_unit_test(test_without_a_door_there_is_no_layer),
        cmocka_unit_test(test_memory_is_limited),
        cmocka_unit_test(test_nothing_is_left),
    };

    (void)as_nobody, (void)closes;
    return cmocka_run_group_tests(tests, set_up, walls_tear_down);
}
