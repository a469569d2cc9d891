/* SPDX-License-Identifier: MIT */
/* covers: src/sandbox/landlock.c src/sandbox/lockdown.c src/sandbox/seccomp_filter.c */
/* covers: src/sandbox/child.c src/sandbox/spawn.c src/sandbox/thread_limit.c */
/* The walls, tried from inside: this program starts itself as a runner, locks itself in and then
 * does what a hostile candidate would. */
#include "walls_rig.h"

#include "base/buf.h"
#include "base/fs.h"
#include "sandbox/sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXIT_NO_LAYER 100 /* the helper's status when a wall is missing */
#define EXIT_NO_CASE 101

/* ---- what is tried inside; each returns 0 or an errno ---- */

static int errno_of(long rc)
{
    return rc < 0 ? errno : 0;
}

static int try_fork(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    return errno_of(pid);
}

static int try_fork_raw(void)
{
    return errno_of(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

static int try_exec(void)
{
    char *const argv[] = {(char[]){"true"}, NULL};

    return errno_of(execve("/bin/true", argv, NULL));
}

static int try_socket(void)
{
    return errno_of(socket(AF_INET, SOCK_STREAM, 0));
}

static int try_socketpair(void)
{
    int fds[2];

    return errno_of(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
}

static int try_kill_other(void)
{
    return errno_of(kill(getpid() + 1, 0));
}

static int try_kill_group(void)
{
    return errno_of(kill(0, SIGUSR1));
}

static int try_ptrace(void)
{
    return errno_of(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int try_bpf(void)
{
    return errno_of(syscall(SYS_bpf, 0, NULL, 0));
}

static int try_io_uring(void)
{
    return errno_of(syscall(SYS_io_uring_setup, 1, NULL));
}

static int try_unshare(void)
{
    return errno_of(unshare(CLONE_NEWUSER));
}

static int try_pidfd_open(void)
{
    return errno_of(syscall(SYS_pidfd_open, getpid(), 0));
}

static int try_send_elsewhere(void)
{
    return errno_of(send(4, "x", 1, 0));
}

/* The 32-bit entry has other numbers: 20 is getpid there, writev here. */
static int try_other_abi(void)
{
#if defined(__x86_64__)
    long rc = 20;

    __asm__ volatile("int $0x80" : "+a"(rc) : : "memory");
    return rc < 0;
#else
    kill(getpid(), SIGSYS);
    return 0;
#endif
}

static int try_clone3(void)
{
    return errno_of(syscall(SYS_clone3, NULL, 0));
}

static int try_passwd(void)
{
    return errno_of(open("/etc/passwd", O_RDONLY));
}

static int try_list_root(void)
{
    return errno_of(open("/", O_RDONLY | O_DIRECTORY));
}

static int try_write_tmp(void)
{
    return errno_of(open("/tmp/assay-test-escaped", O_WRONLY | O_CREAT, 0600));
}

static int try_memfd(void)
{
    return errno_of(memfd_create("x", 0));
}

static int try_pipe(void)
{
    int fds[2];

    return errno_of(pipe(fds));
}

static int try_outlive_judge(void)
{
    return errno_of(prctl(PR_SET_PDEATHSIG, 0));
}

static int try_raise_limit(void)
{
    return errno_of(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}));
}

static int try_read_limit(void)
{
    struct rlimit core, files, threads;

    if (getrlimit(RLIMIT_CORE, &core) < 0 || getrlimit(RLIMIT_NOFILE, &files) < 0 ||
        getrlimit(RLIMIT_NPROC, &threads) < 0)
        return errno;
    return core.rlim_max == 0 && files.rlim_max <= 256 && threads.rlim_max <= 4096 ? 0 : ERANGE;
}

static int try_move_to_judge_core(void)
{
    cpu_set_t all;

    memset(&all, 0xff, sizeof(all));
    return errno_of(sched_setaffinity(0, sizeof(all), &all));
}

static int try_regain_root(void)
{
    return errno_of(setresuid(0, 0, 0));
}

static void *thread_main(void *arg)
{
    *(int *)arg = 42;
    return NULL;
}

static int try_thread(void)
{
    int answer = 0;
    pthread_t thread;
    int rc = pthread_create(&thread, NULL, thread_main, &answer);

    if (rc == 0)
        rc = pthread_join(thread, NULL);
    return rc ? rc : answer == 42 ? 0 : ERANGE;
}

/* What a candidate's thread does is under the same filter. */
static void *thread_socket(void *arg)
{
    socket(AF_INET, SOCK_STREAM, 0);
    return arg;
}

static int try_thread_socket(void)
{
    pthread_t thread;
    int rc = pthread_create(&thread, NULL, thread_socket, NULL);

    return rc ? rc : pthread_join(thread, NULL);
}

static int try_dlopen(void)
{
    void *lib = dlopen("/proc/self/fd/4", RTLD_NOW | RTLD_LOCAL);
    int (*answer)(void) = lib ? (int (*)(void))dlsym(lib, "answer") : NULL;

    if (!answer)
        fprintf(stderr, "dlopen: %s\n", dlerror());
    return answer && answer() == 42 ? 0 : ENOEXEC;
}

static int try_judge_socket(void)
{
    return errno_of(write(3, "ok", 2));
}

/* Many that nobody receives kept every judge of the same user from handing over its own. */
static int try_send_descriptor(void)
{
    struct iovec part = {(char[]){"ok"}, 2};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &(int){1}, sizeof(int));
    return errno_of(sendmsg(3, &message, MSG_NOSIGNAL));
}

static volatile sig_atomic_t raised;

static void note_signal(int sig)
{
    raised = sig;
}

static int try_raise(void)
{
    signal(SIGUSR1, note_signal);
    raise(SIGUSR1);
    return raised == SIGUSR1 ? 0 : ERANGE;
}

static int try_crash(void)
{
    static int *volatile nowhere;

    *nowhere = 1;
    return 0;
}

static int try_abort(void)
{
    abort();
}

static int try_stdin_and_fds(void)
{
    struct stat in, null;

    if (fstat(0, &in) < 0 || stat("/dev/null", &null) < 0 || in.st_rdev != null.st_rdev)
        return EBADF;
    for (int fd = 0; fd < 5; fd++)
        if (fcntl(fd, F_GETFD) != 0) /* open, and without FD_CLOEXEC */
            return EBADF;
    for (int fd = 5; fd < 256; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            return EMFILE;
    return 0;
}

static int try_first_process(void)
{
    return getpid() == 1 ? 0 : ESRCH;
}

static int try_hang(void)
{
    if (write(1, "ready", 5) != 5)
        return errno;
    for (;;)
        pause();
}

/* Who is stopped would be woken by SIGCONT, and had it sent to itself: by the judge, which read
 * what it had printed. All that has a signal sent, later or by others, is refused; also with bits
 * that the kernel does not look at. */
static int try_be_woken(void)
{
    const long bits = 1L << 32;
    const struct {
        const char *name;
        long call, a, b, c;
    } ways[] = {
        {"F_SETOWN", SYS_fcntl, 1, F_SETOWN, getpid()},
        {"F_SETOWN and bits", SYS_fcntl, 1, F_SETOWN | bits, getpid()},
        {"F_SETOWN_EX", SYS_fcntl, 1, F_SETOWN_EX, 0},
        {"F_SETSIG", SYS_fcntl, 1, F_SETSIG, SIGCONT},
        {"F_SETLEASE", SYS_fcntl, 1, F_SETLEASE, F_UNLCK},
        {"F_NOTIFY", SYS_fcntl, 1, F_NOTIFY, 0},
        {"F_GETLK", SYS_fcntl, 1, F_GETLK, 0},
        {"F_SETLK", SYS_fcntl, 1, F_SETLK, 0},
        {"F_SETLKW", SYS_fcntl, 1, F_SETLKW, 0},
        {"F_OFD_GETLK", SYS_fcntl, 1, F_OFD_GETLK, 0},
        {"F_OFD_SETLK", SYS_fcntl, 1, F_OFD_SETLK, 0},
        {"F_OFD_SETLKW", SYS_fcntl, 1, F_OFD_SETLKW, 0},
        {"flock", SYS_flock, 1, 0, 0},
        {"O_ASYNC", SYS_fcntl, 1, F_SETFL, O_ASYNC | O_NONBLOCK},
        {"O_ASYNC and bits", SYS_fcntl, 1, F_SETFL, O_ASYNC | bits},
        {"FIOASYNC", SYS_ioctl, 3, FIOASYNC, 0},
        {"FIOASYNC and bits", SYS_ioctl, 3, FIOASYNC | bits, 0},
        {"FIOSETOWN", SYS_ioctl, 3, FIOSETOWN, 0},
        {"FIOSETOWN and bits", SYS_ioctl, 3, FIOSETOWN | bits, 0},
        {"SIOCSPGRP", SYS_ioctl, 3, SIOCSPGRP, 0},
        {"timer_create", SYS_timer_create, CLOCK_MONOTONIC, 0, 0},
        {"setitimer", SYS_setitimer, ITIMER_REAL, 0, 0},
        {"mq_open", SYS_mq_open, 0, 0, 0},
        {"mq_notify", SYS_mq_notify, 0, 0, 0},
        {"PR_SET_PDEATHSIG", SYS_prctl, PR_SET_PDEATHSIG, SIGCONT, 0},
        {"inotify_init1", SYS_inotify_init1, 0, 0, 0},
        {"signalfd4", SYS_signalfd4, -1, 0, 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
        long rc = syscall(ways[i].call, ways[i].a, ways[i].b, ways[i].c, 0);

        if (rc >= 0 || errno != EPERM) {
            fprintf(stderr, "%s: %ld, errno %d", ways[i].name, rc, errno);
            return rc >= 0 ? ECANCELED : errno;
        }
    }
    return EPERM;
}

static int try_fcntl(void)
{
    int fd = fcntl(1, F_DUPFD_CLOEXEC, 10), flags = fcntl(fd, F_GETFL);

    if (fd < 0 || flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
        fcntl(fd, F_SETFL, flags) < 0 || fcntl(fd, F_SETFD, 0) < 0 || fcntl(fd, F_GETFD) != 0)
        return errno;
    return errno_of(close(fd));
}

/* Large enough not to be kept in registers; touched so that it is really there. */
static int try_much_memory(void)
{
    size_t bytes = (size_t)2048 * MIB;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? errno : 0;
}

static int try_shared_memory(void)
{
    void *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? errno : 0;
}

static int try_shared_memory_and_bits(void)
{
    return errno_of(syscall(SYS_mmap, NULL, MIB, PROT_READ,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | 1L << 32, -1, 0));
}

/* /proc shows us, and of the first pids nobody else. ESRCH: not even us. */
static int try_own_proc(void)
{
    int seen = 0;

    for (int pid = 1; pid < 4096; pid++) {
        AUTO(freep) char *path = xasprintf("/proc/%d", pid);

        seen += pid != getpid() && access(path, F_OK) == 0;
    }
    if (access("/proc/self/fd", F_OK) < 0)
        return ESRCH;
    return getpid() == 1 && !seen ? ENOENT : 0;
}

static const struct attempt {
    const char *name;
    int (*fn)(void);
    int want_signal, want_errno;
} attempts[] = {
    {"fork", try_fork, SIGSYS, 0},
    {"clone without thread", try_fork_raw, SIGSYS, 0},
    {"exec", try_exec, SIGSYS, 0},
    {"socket", try_socket, SIGSYS, 0},
    {"socketpair", try_socketpair, SIGSYS, 0},
    {"kill another", try_kill_other, SIGSYS, 0},
    {"kill the group", try_kill_group, SIGSYS, 0},
    {"ptrace", try_ptrace, SIGSYS, 0},
    {"bpf", try_bpf, SIGSYS, 0},
    {"io_uring", try_io_uring, SIGSYS, 0},
    {"unshare", try_unshare, SIGSYS, 0},
    {"pidfd_open", try_pidfd_open, SIGSYS, 0},
    {"send on another descriptor", try_send_elsewhere, SIGSYS, 0},
    {"send a descriptor to the judge", try_send_descriptor, SIGSYS, 0},
    {"32-bit system call", try_other_abi, SIGSYS, 0},
    {"socket in a thread", try_thread_socket, SIGSYS, 0},
    {"crash", try_crash, SIGSEGV, 0},
    /* The first process of a namespace does not die of a signal it sends itself, so abort() goes on
     * to its last resort, an instruction that traps. */
    {"abort", try_abort, SIGSEGV, 0},
    {"clone3", try_clone3, 0, ENOSYS},
    {"read /etc/passwd", try_passwd, 0, EACCES},
    {"list /", try_list_root, 0, EACCES},
    {"write in /tmp", try_write_tmp, 0, EACCES},
    {"memfd", try_memfd, 0, EPERM},
    {"pipe", try_pipe, 0, EPERM},
    {"outlive the judge", try_outlive_judge, 0, EPERM},
    {"set a limit", try_raise_limit, 0, EPERM},
    {"change cores", try_move_to_judge_core, 0, EPERM},
    {"become root", try_regain_root, 0, EPERM},
    {"be woken", try_be_woken, 0, EPERM},
    {"fcntl", try_fcntl, 0, 0},
    {"much memory", try_much_memory, 0, HAS_ASAN ? 0 : ENOMEM},
    {"own /proc", try_own_proc, 0, ENOENT},
    {"shared memory", try_shared_memory, 0, EPERM},
    {"shared memory and bits", try_shared_memory_and_bits, 0, EPERM},
    {"read a limit", try_read_limit, 0, 0},
    {"thread", try_thread, 0, 0},
    {"dlopen of the artifact", try_dlopen, 0, 0},
    {"socket to the judge", try_judge_socket, 0, 0},
    {"raise", try_raise, 0, 0},
    {"descriptors", try_stdin_and_fds, 0, 0},
    {"first process", try_first_process, 0, 0},
};

/* The thread's name, by way of its number in our own namespace: what a CUDA driver insists on. */
static int try_thread_name(void)
{
    AUTO(freep) char *path = xasprintf("/proc/self/task/%d/comm", gettid());
    AUTO(fd_closep) int fd = open(path, O_WRONLY | O_CLOEXEC);

    return fd < 0 ? errno : errno_of((int)write(fd, "x", 1));
}

static int try_memfd_with_bytes(void)
{
    AUTO(fd_closep) int fd = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || ftruncate(fd, 65536) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) < 0)
        return errno;
    return fcntl(fd, F_GET_SEALS) == F_SEAL_SHRINK ? 0 : ERANGE;
}

static int try_ioctl(void)
{
    int n;

    return errno_of(ioctl(3, FIONREAD, &n));
}

/* A folder that is allowed, and a pattern's match in one that is not. */
static int try_allowed_paths(void)
{
    AUTO(fd_closep) int folder = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
    AUTO(fd_closep) int match = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);

    return folder < 0 || match < 0 ? errno : 0;
}

/* With the rights of a driver's runner. */
static const struct attempt driver_attempts[] = {
    {"driver: name a thread", try_thread_name, 0, 0},
    {"driver: memfd", try_memfd_with_bytes, 0, 0},
    {"driver: pipe", try_pipe, 0, 0},
    {"driver: ioctl", try_ioctl, 0, 0},
    {"driver: allowed paths", try_allowed_paths, 0, 0},
    {"driver: own /proc", try_own_proc, 0, ENOENT},
    {"driver: dlopen of the artifact", try_dlopen, 0, 0},
    {"driver: thread", try_thread, 0, 0},
    {"driver: much memory", try_much_memory, 0, 0},
    {"driver: shared memory", try_shared_memory, 0, 0},
    {"driver: be woken", try_be_woken, 0, EPERM},
    {"driver: fcntl", try_fcntl, 0, 0},
    {"driver: io_uring", try_io_uring, SIGSYS, 0},
    {"driver: clone without thread", try_fork_raw, SIGSYS, 0},
    {"driver: send a descriptor to the judge", try_send_descriptor, SIGSYS, 0},
    {"driver: kill another", try_kill_other, SIGSYS, 0},
    {"driver: fork", try_fork, SIGSYS, 0},
    {"driver: exec", try_exec, SIGSYS, 0},
    {"driver: socket", try_socket, SIGSYS, 0},
    {"driver: read /etc/passwd", try_passwd, 0, EACCES},
    {"driver: write in /tmp", try_write_tmp, 0, EACCES},
    {"driver: outlive the judge", try_outlive_judge, 0, EPERM},
};

/* A folder, a file in it that grows and moves, and nothing of that left. */
static int try_own_files(void)
{
    AUTO(freep) char *dir = xasprintf("/dev/shm/assay-test-%d", (int)getuid());
    AUTO(freep) char *file = fs_join(dir, "a"), *moved = fs_join(dir, "b");
    int fd, rc;

    rmdir(dir); /* left by a test that was killed */
    if (mkdir(dir, 0700) < 0)
        return errno;
    fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    rc = fd < 0 || write(fd, "1", 1) != 1 || ftruncate(fd, 4096) < 0 || rename(file, moved) < 0
             ? errno
             : 0;
    unlink(moved);
    unlink(file);
    return rmdir(dir) < 0 ? errno : rc;
}

/* Python marks descriptors by ioctl, and libraries change to their folder. */
static int try_close_on_exec(void)
{
    return errno_of(ioctl(STDOUT_FILENO, FIOCLEX));
}

static int try_chdir(void)
{
    return errno_of(chdir("/dev/shm"));
}

static int try_own_file_lock(void)
{
    return errno_of(flock(STDOUT_FILENO, LOCK_SH));
}

static int try_large_file(void)
{
    AUTO(freep) char *path = xasprintf("/dev/shm/assay-test-large-%d", (int)getuid());
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600), rc;

    signal(SIGXFSZ, SIG_IGN);
    rc = fd < 0 ? errno : errno_of(ftruncate(fd, (off_t)SANDBOX_SCRATCH_BYTES + 1));
    unlink(path);
    return rc;
}

/* With the rights of an interpreter's runner. */
static const struct attempt interpreter_attempts[] = {
    {"interpreter: fork", try_fork, 0, EPERM},
    {"interpreter: clone without thread", try_fork_raw, 0, EPERM},
    {"interpreter: exec", try_exec, 0, EPERM},
    {"interpreter: own files", try_own_files, 0, 0},
    {"interpreter: close on exec", try_close_on_exec, 0, 0},
    {"interpreter: change folder", try_chdir, 0, 0},
    {"interpreter: own file too large", try_large_file, 0, EFBIG},
    {"interpreter: lock", try_own_file_lock, 0, EPERM},
    {"interpreter: thread", try_thread, 0, 0},
    {"interpreter: clone3", try_clone3, 0, ENOSYS},
    {"interpreter: socket", try_socket, SIGSYS, 0},
    {"interpreter: kill another", try_kill_other, SIGSYS, 0},
    {"interpreter: ptrace", try_ptrace, SIGSYS, 0},
    {"interpreter: send a descriptor to the judge", try_send_descriptor, SIGSYS, 0},
    {"interpreter: be woken", try_be_woken, 0, EPERM},
    {"interpreter: outlive the judge", try_outlive_judge, 0, EPERM},
    {"interpreter: shared memory", try_shared_memory, 0, EPERM},
    {"interpreter: read /etc/passwd", try_passwd, 0, EACCES},
    {"interpreter: write in /tmp", try_write_tmp, 0, EACCES},
};

static bool of_interpreter(const char *name)
{
    return strncmp(name, "interpreter: ", 13) == 0;
}

static bool of_driver(const char *name)
{
    return strncmp(name, "driver: ", 8) == 0;
}

static const struct attempt hang = {"hang", try_hang, SIGKILL, 0};

/* ---- the helper: a runner in small ---- */

static int helper_main(const char *name, uint32_t layers)
{
    static const char *const reads[] = {"/sys", "/et{c,x}/ld.so.c*", "/no/such", NULL};
    static const char *const writes[] = {"/proc/self/task", NULL};
    static const char *const owns[] = {"/dev/shm", NULL};
    bool driver = of_driver(name), interpreter = of_interpreter(name);
    struct sandbox_policy policy = {.uid = geteuid() == 0 ? NOBODY : 0,
                                    .mem_bytes = driver ? 0 : (uint64_t)1024 * MIB,
                                    .read_paths = driver ? reads : NULL,
                                    .write_paths = driver ? writes : NULL,
                                    .own_paths = interpreter ? owns : NULL,
                                    .needs = driver        ? SANDBOX_NEEDS_DRIVER
                                             : interpreter ? SANDBOX_NEEDS_INTERPRETER
                                                           : 0};
    const struct attempt *a = strcmp(name, hang.name) == 0 ? &hang : NULL;
    uint32_t wanted = sandbox_wanted();
    struct err err = ERR_INIT;

    for (size_t i = 0; i < ARRAY_SIZE(attempts) && !a; i++)
        if (strcmp(name, attempts[i].name) == 0)
            a = &attempts[i];
    for (size_t i = 0; i < ARRAY_SIZE(driver_attempts) && !a; i++)
        if (strcmp(name, driver_attempts[i].name) == 0)
            a = &driver_attempts[i];
    for (size_t i = 0; i < ARRAY_SIZE(interpreter_attempts) && !a; i++)
        if (strcmp(name, interpreter_attempts[i].name) == 0)
            a = &interpreter_attempts[i];
    if (!a)
        return EXIT_NO_CASE;
    if (sandbox_enter(&policy, &layers, &err) < 0 ||
        sandbox_seal(policy.needs, &layers, &err) < 0 || layers != wanted) {
        dprintf(2, "layers %x, wanted %x: %s\n", layers, wanted, err.text);
        return EXIT_NO_LAYER;
    }
    return a->fn();
}

/* ---- the judge's side ---- */

struct runner {
    pid_t pid;
    int pidfd, out, socket;
};

static void runner_release(struct runner *r)
{
    fd_closep(&r->pidfd);
    fd_closep(&r->out);
    fd_closep(&r->socket);
}

static int artifact_fd = -1;

#define NAMESPACES                                                                           \
    (SANDBOX_USER_NS | SANDBOX_PID_NS | SANDBOX_NET_NS | SANDBOX_IPC_NS | SANDBOX_MOUNT_NS | \
     SANDBOX_OWN_PROC)

static uint32_t layers_at_birth; /* of the last helper */

/* Its output goes to out_fd, or with -1 to a pipe of its own. Runs in children too: no asserts. */
static int start_helper(const char *name, int out_fd, struct runner *ret, struct err *err)
{
    uint32_t want = sandbox_wanted() & NAMESPACES, layers = 0;
    AUTO(freep) char *layers_word = xasprintf("%x", want);
    AUTO(freep) char *word = xstrdup(name);
    char *const argv[] = {self_path, (char[]){"--helper"}, word, layers_word, NULL};
    char *const envp[] = {(char[]){"ASAN_OPTIONS=detect_leaks=0"}, NULL};
    struct sandbox_spawn s = {
        .path = self_path, .argv = argv, .envp = envp, .n_fds = 2, .needs_proc = of_driver(name)};
    int sockets[2], out[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0 ||
        pipe2(out, O_CLOEXEC) < 0)
        return fail_errno(err, "socketpair and pipe");
    s.fds[0] = sockets[1];
    s.fds[1] = artifact_fd;
    s.out_fd = out_fd >= 0 ? out_fd : out[1];
    sched_getaffinity(0, sizeof(s.cpus), &s.cpus);
    s.pin = true;

    int rc = sandbox_start(&s, &ret->pid, &ret->pidfd, &layers, err);

    close(sockets[1]);
    close(out[1]);
    ret->socket = sockets[0];
    ret->out = out[0];
    layers_at_birth = layers;
    if (rc == 0 && layers != want)
        return (fail)(err, ERR_SYSTEM, "namespaces %x, wanted %x", layers, want);
    return rc;
}

static int reap(struct runner *r)
{
    int status = -1;

    assert_int_equal(waitpid(r->pid, &status, 0), r->pid);
    return status;
}

static int failed_of(const struct attempt *list, size_t n)
{
    int failed = 0;

    for (size_t i = 0; i < n; i++) {
        const struct attempt *a = &list[i];
        AUTO(runner_release) struct runner r = {.pidfd = -1, .out = -1, .socket = -1};
        AUTO(buf_release) struct buf text = BUF_INIT;
        struct err err = ERR_INIT;

        if (start_helper(a->name, -1, &r, &err) < 0) {
            print_error("%s: %s\n", a->name, err.text);
            return 1;
        }
        fs_read_fd(r.out, MIB, &text, &err);

        int status = reap(&r), sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

        if (HAS_ASAN && a->want_signal == SIGSEGV)
            continue; /* the sanitizer makes an exit status of it */
        if (sig != a->want_signal || code != a->want_errno) {
            print_error("%s: signal %d, status %d, wanted %d, %d; it says: %s\n", a->name, sig,
                        code, a->want_signal, a->want_errno, buf_str(&text));
            failed++;
        }
    }
    return failed;
}

/* Number of attempts that did not end as the table says. */
static int failed_attempts(void)
{
    return failed_of(attempts, ARRAY_SIZE(attempts));
}

static int failed_driver_attempts(void)
{
    return failed_of(driver_attempts, ARRAY_SIZE(driver_attempts));
}

static void test_attempts(void **state)
{
    (void)state;
    testing_needs_namespaces();
    assert_int_equal(failed_attempts(), 0);
}

static void passes_as_user(int (*fn)(void))
{
    if (geteuid() != 0)
        skip();

    int rc = as_nobody(fn);

    if (rc == 77)
        skip();
    assert_int_equal(rc, 0);
}

static void test_attempts_as_user(void **state)
{
    (void)state;
    passes_as_user(failed_attempts);
}

static void test_driver_attempts(void **state)
{
    (void)state;
    testing_needs_namespaces();
    assert_int_equal(failed_driver_attempts(), 0);
}

static void test_driver_attempts_as_user(void **state)
{
    (void)state;
    passes_as_user(failed_driver_attempts);
}

static int failed_interpreter_attempts(void)
{
    return failed_of(interpreter_attempts, ARRAY_SIZE(interpreter_attempts));
}

static void test_interpreter_attempts(void **state)
{
    (void)state;
    testing_needs_namespaces();
    assert_int_equal(failed_interpreter_attempts(), 0);
}

static void test_interpreter_attempts_as_user(void **state)
{
    (void)state;
    passes_as_user(failed_interpreter_attempts);
}

static bool born_with(const char *name, uint32_t lacking)
{
    AUTO(runner_release) struct runner r = {.pidfd = -1, .out = -1, .socket = -1};
    struct err err = ERR_INIT;

    start_helper(name, -1, &r, &err); /* an error: it lacks something */
    if (r.pid > 0)
        waitpid(r.pid, NULL, 0);
    return layers_at_birth == (sandbox_wanted() & NAMESPACES & ~lacking);
}

static int failed_without_proc(void)
{
    return !born_with("thread", SANDBOX_OWN_PROC) ||
           !born_with("driver: thread", SANDBOX_OWN_PROC | SANDBOX_PID_NS);
}

/* What a container does: part of /proc is hidden, so an ordinary user may mount no other one. */
static void test_proc_that_cannot_be_had(void **state)
{
    int status;

    (void)state;
    if (geteuid() != 0)
        skip();

    pid_t pid = fork();

    if (pid == 0) {
        if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
            mount("none", "/proc/sys", "tmpfs", 0, NULL) < 0)
            _exit(77);
        _exit(as_nobody(failed_without_proc));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A candidate's threads count for the user who judges it: it took all that he may have, and his own
 * OpenMP ended the judge. */
static int failed_share_of_threads(void)
{
    const struct rlimit few = {400, 400};
    unsigned cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);

    if (setrlimit(RLIMIT_NPROC, &few) < 0)
        return 1;
    return sandbox_max_threads() == MAX(50, 2 * cores + 8) ? 0 : 1;
}

static void test_threads_are_shared(void **state)
{
    (void)state;
    passes_as_user(failed_share_of_threads);
}

/* What is to become 4 is 3, which is where the socket has to go. */
static void test_crossed_descriptors(void **state)
{
    AUTO(runner_release) struct runner r = {.pidfd = -1, .out = -1, .socket = -1};
    struct err err = ERR_INIT;

    (void)state;
    testing_needs_namespaces();

    int saved = artifact_fd, was_3 = fcntl(3, F_DUPFD_CLOEXEC, 5); /* -1: nothing was there */

    artifact_fd = dup2(artifact_fd, 3);
    assert_int_equal(artifact_fd, 3);
    assert_int_equal(start_helper("dlopen of the artifact", -1, &r, &err), 0);
    assert_int_equal(reap(&r), 0);
    if (was_3 >= 0) /* the artifact, or what we were started with */
        dup2(was_3, 3);
    else
        close(3);
    fd_closep(&was_3);
    artifact_fd = saved;
}

static void test_no_such_program(void **state)
{
    char *const argv[] = {(char[]){"x"}, NULL}, *const envp[] = {NULL};
    struct sandbox_spawn s = {.path = "/no/such/runner", .argv = argv, .envp = envp, .out_fd = 2};
    struct err err = ERR_INIT;
    uint32_t layers;
    pid_t pid;
    int pidfd;

    (void)state;
    assert_int_equal(sandbox_start(&s, &pid, &pidfd, &layers, &err), -1);
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_string_equal(err.text, "cannot start /no/such/runner: exec: No such file or directory");
}

/* After the change of uid too, which takes the death signal away. */
static void test_dies_with_judge(void **state)
{
    int out[2]; /* held by the judge and the runner: it closes when both are gone */
    char text[8];

    (void)state;
    testing_needs_namespaces();
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);

    pid_t judge = fork();

    if (judge == 0) {
        struct runner r;
        struct err err = ERR_INIT;

        if (start_helper(hang.name, out[1], &r, &err) == 0)
            pause();
        _exit(1);
    }
    close(out[1]);
    assert_int_equal(read(out[0], text, 5), 5); /* written behind the last wall */
    kill(judge, SIGKILL);
    assert_int_equal(waitpid(judge, NULL, 0), judge);
    assert_true(closes(out[0]));
    close(out[0]);
}

static void test_planned_failure(void **state)
{
    AUTO(runner_release) struct runner r = {.pidfd = -1, .out = -1, .socket = -1};
    struct err err = ERR_INIT;

    (void)state;
    setenv("ASSAY_FAULT", "fork:1", 1);
    assert_int_equal(start_helper("thread", -1, &r, &err), -1);
    unsetenv("ASSAY_FAULT");
    assert_non_null(strstr(err.text, "cannot start"));
}

/* The artifact is a library like a candidate's, compiled behind the walls. */
static int make_artifact(void)
{
    AUTO(freep) char *source = fs_join(work_dir, "a.c");
    AUTO(freep) char *library = fs_join(work_dir, "a.so");
    AUTO(buf_release) struct buf out = BUF_INIT, bytes = BUF_INIT;
    static const char text[] = "int answer(void);\nint answer(void) { return 42; }\n";
    char *const argv[] = {(char[]){"/usr/bin/gcc"},
                          (char[]){"-shared"},
                          (char[]){"-fPIC"},
                          (char[]){"-o"},
                          (char[]){"a.so"},
                          (char[]){"a.c"},
                          NULL};
    const struct sandbox_tool t = {.argv = argv,
                                   .rw_dir = work_dir,
                                   .timeout_ms = 20000,
                                   .mem_bytes = (uint64_t)1024 * MIB,
                                   .file_bytes = MIB,
                                   .max_output = 1000};
    struct sandbox_tool_result r;
    struct err err = ERR_INIT;

    if (fs_write_atomic(source, text, strlen(text), &err) < 0 ||
        sandbox_run_tool(&t, &out, &r, &err) < 0 || fs_read(library, MIB, &bytes, &err) < 0 ||
        fs_sealed_memfd("a", bytes.ptr, bytes.len, &artifact_fd, &err) < 0) {
        print_error("%s: %s\n", err.text, buf_str(&out));
        return -1;
    }
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    if (walls_set_up() < 0 || make_artifact() < 0)
        return -1;
    descriptors_before = open_descriptors();
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attempts),
        cmocka_unit_test(test_attempts_as_user),
        cmocka_unit_test(test_driver_attempts),
        cmocka_unit_test(test_driver_attempts_as_user),
        cmocka_unit_test(test_interpreter_attempts),
        cmocka_unit_test(test_interpreter_attempts_as_user),
        cmocka_unit_test(test_threads_are_shared),
        cmocka_unit_test(test_crossed_descriptors),
        cmocka_unit_test(test_no_such_program),
        cmocka_unit_test(test_dies_with_judge),
        cmocka_unit_test(test_planned_failure),
        cmocka_unit_test(test_proc_that_cannot_be_had),
        cmocka_unit_test(test_nothing_is_left),
    };

    if (argc == 4 && strcmp(argv[1], "--helper") == 0)
        _exit(helper_main(argv[2], (uint32_t)strtoul(argv[3], NULL, 16)));
    return cmocka_run_group_tests(tests, set_up, walls_tear_down);
}
