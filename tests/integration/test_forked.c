/* SPDX-License-Identifier: MIT */
/* covers: src/sandbox/forked.c */
/* A runner that is forked and does not exec, from its birth to its end: as root and as an ordinary
 * user. */
#include "walls_rig.h"

#include "sandbox/sandbox.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define SCRATCH "/dev/shm"
#define MARK "assay-test-mark"

/* ---- what is found inside; each step has a bit ---- */

enum finding {
    FIRST_PROCESS = 1 << 0,
    OWN_PROC = 1 << 1,
    EMPTY_SCRATCH = 1 << 2,
    FILE_MADE = 1 << 3,
    NO_OTHER_DESCRIPTOR = 1 << 4,
    ALL_LAYERS = 1 << 5,
    LEADS_GROUP = 1 << 6,
};
#define ALL_FINDINGS ((1 << 7) - 1)

static bool is_empty(const char *path)
{
    DIR *d = opendir(path);
    bool empty = d != NULL;

    for (struct dirent *e; d && (e = readdir(d));)
        empty = empty && e->d_name[0] == '.';
    if (d)
        closedir(d);
    return empty;
}

static bool only_four_descriptors(void)
{
    for (int fd = 4; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            return false;
    return fcntl(3, F_GETFD) >= 0;
}

static int look_around(uint32_t layers)
{
    uint32_t want = sandbox_wanted() & (SANDBOX_USER_NS | SANDBOX_PID_NS | SANDBOX_NET_NS |
                                        SANDBOX_IPC_NS | SANDBOX_MOUNT_NS | SANDBOX_OWN_PROC);
    int found = 0;

    want |= SANDBOX_SCRATCH;
    found |= getpid() == 1 ? FIRST_PROCESS : 0;
    found |= access("/proc/2", F_OK) < 0 && access("/proc/1", F_OK) == 0 ? OWN_PROC : 0;
    found |= is_empty(SCRATCH) ? EMPTY_SCRATCH : 0;
    found |= only_four_descriptors() ? NO_OTHER_DESCRIPTOR : 0;
    found |= getpgid(0) == getpid() ? LEADS_GROUP : 0;
    found |= (layers & want) == want ? ALL_LAYERS : 0;
    close(open(SCRATCH "/" MARK, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    found |= access(MARK, F_OK) == 0 ? FILE_MADE : 0; /* it is the present folder, too */
    return found;
}

/* ---- the two forks ---- */

struct birth_rig {
    int out[2];
    int sock[2];
    bool stays; /* the runner does not end by itself */
};

static _Noreturn void be_runner(const struct birth_rig *rig, int between, uint32_t layers)
{
    const struct sandbox_birth b = {.between = between,
                                    .fds = {rig->sock[1]},
                                    .n_fds = 1,
                                    .out_fd = rig->out[1],
                                    .group_fd = -1,
                                    .scratch = SCRATCH};
    struct err err = ERR_INIT;

    if (sandbox_settle(&b, &layers, &err) < 0) {
        dprintf(rig->out[1], "%s", err.text);
        _exit(1);
    }

    int found = look_around(layers);

    if (write(STDOUT_FILENO, &found, sizeof(found)) < 0)
        _exit(1);
    while (rig->stays)
        pause();
    _exit(0);
}

static _Noreturn void be_between(const struct birth_rig *rig, int pid_fd)
{
    struct err err = ERR_INIT;
    uint32_t layers = 0;
    int self = (int)syscall(SYS_pidfd_open, getpid(), 0);

    if (sandbox_unshare(0, &layers, &err) != 0)
        _exit(1);

    pid_t pid = fork();

    if (pid == 0)
        be_runner(rig, self, layers);
    if (write(pid_fd, &pid, sizeof(pid)) != sizeof(pid))
        _exit(1);
    _exit(0);
}

/* Returns the runner's pid; it is a child of this process then. */
static pid_t give_birth(struct birth_rig *rig)
{
    int pids[2], status = 0;
    pid_t pid = -1;

    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || pipe2(rig->out, O_CLOEXEC) < 0 ||
        pipe2(pids, O_CLOEXEC) < 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, rig->sock) < 0)
        return -1;

    pid_t between = fork();

    if (between == 0)
        be_between(rig, pids[1]);
    close(pids[1]);
    if (read(pids[0], &pid, sizeof(pid)) != sizeof(pid))
        pid = -1;
    close(pids[0]);
    waitpid(between, &status, 0);
    close(rig->out[1]);
    close(rig->sock[1]);
    return pid;
}

static int findings(void)
{
    struct birth_rig rig = {.stays = false};
    pid_t pid = give_birth(&rig);
    int found = 0, status = 0;

    if (pid < 0 || read(rig.out[0], &found, sizeof(found)) != sizeof(found))
        found = 0;
    close(rig.out[0]);
    close(rig.sock[0]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || access(SCRATCH "/" MARK, F_OK) == 0)
        return -1;
    return found;
}

static int lacks_something(void)
{
    int found = findings();

    if (found != ALL_FINDINGS)
        fprintf(stderr, "found %x of %x\n", (unsigned)found, ALL_FINDINGS);
    return found != ALL_FINDINGS;
}

static void test_birth(void **state)
{
    (void)state;
    testing_needs_namespaces();
    assert_int_equal(lacks_something(), 0);
}

static void test_birth_as_user(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();

    int rc = as_nobody(lacks_something);

    if (rc == 77)
        skip();
    assert_int_equal(rc, 0);
}

/* A judge that is killed takes the runner that it adopted with it. */
static void test_dies_with_who_adopted_it(void **state)
{
    int held[2], found;

    (void)state;
    testing_needs_namespaces();
    assert_int_equal(pipe2(held, O_CLOEXEC), 0);

    pid_t judge = fork();

    if (judge == 0) {
        struct birth_rig rig = {.stays = true};

        if (give_birth(&rig) < 0 || read(rig.out[0], &found, sizeof(found)) != sizeof(found) ||
            write(held[1], &found, sizeof(found)) < 0)
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    close(held[1]);
    assert_int_equal(read(held[0], &found, sizeof(found)), sizeof(found));
    assert_int_equal(found, ALL_FINDINGS);
    assert_true(closes(held[0]));
    close(held[0]);
    waitpid(judge, NULL, 0);

    int status = 0;

    /* The test adopts orphans, so it gets the runner: dead, of the signal. */
    assert_true(waitpid(-1, &status, 0) > 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void test_no_such_attempt(void **state)
{
    struct err err = ERR_INIT;
    uint32_t layers = 0;

    (void)state;
    assert_int_equal(sandbox_unshare(99, &layers, &err), -1);
    assert_string_equal(err.text, "no attempt 99 at namespaces");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_birth),
        cmocka_unit_test(test_birth_as_user),
        cmocka_unit_test(test_dies_with_who_adopted_it),
        cmocka_unit_test(test_no_such_attempt),
        cmocka_unit_test(test_nothing_is_left),
    };

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return walls_set_up() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, walls_tear_down);
}
