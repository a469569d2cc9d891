/* SPDX-License-Identifier: MIT */
/*
 * Three answers to a system call of candidate code:
 *   done     what computing, threads and loading a library need (files are Landlock's business);
 *   refused  everything unnamed: EPERM, and an honest library goes on without it;
 *   killed   what no kernel for a device has any use for: new programs, the network, other
 *            processes, the kernel's own machinery. The judge reads SIGSYS as `rejected: sandbox`.
 * An interpreter is only refused new programs: its libraries try, and go on. A rehearsal, which
 * gets no content that anybody is judged on, may start compilers; to it the last kind is refused,
 * and the rest is done. To allow a call: a line in allowed[], or in of_drivers[] or
 * of_interpreters[] if only these need it. To allow it with certain arguments: a line in special[];
 * with all but some: one in unwanted[].
 *
 * Between calls a runner is stopped, and a process that stands still is woken by SIGCONT alone. It
 * cannot send that itself then, and nothing else may send it later: no timers with signals, no
 * children, no death signal, no queues, no io_uring; and no owner, signal, lease or lock of a
 * descriptor, which the judge itself would set off when it reads the runner's text.
 */
#include "sandbox/sandbox.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* By this command of NVIDIA's driver a process takes memory that another one exported. Runners in
 * Python export their results, and no candidate is to see another's. After the seal the driver does
 * without it (H200, driver 580). The number is that of NV_ESC_RM_DUP_OBJECT, of type 'F'. */
#define NVIDIA_DUP_OBJECT 0x4634

static const int allowed[] = {
    /* memory */
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mprotect),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(msync),
    SCMP_SYS(mincore),
    SCMP_SYS(membarrier),
    /* threads and signals within the process */
    SCMP_SYS(futex),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(getcpu),
    SCMP_SYS(arch_prctl),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigpending),
    SCMP_SYS(rt_sigsuspend),
    SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(pause),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    /* time */
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(times),
    SCMP_SYS(getrusage),
    /* files */
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(readv),
    SCMP_SYS(writev),
    SCMP_SYS(pread64),
    SCMP_SYS(pwrite64),
    SCMP_SYS(lseek),
    SCMP_SYS(close),
    SCMP_SYS(open),
    SCMP_SYS(openat),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(statfs),
    SCMP_SYS(fstatfs),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getcwd),
    SCMP_SYS(getdents64),
    SCMP_SYS(dup),
    SCMP_SYS(dup2),
    SCMP_SYS(dup3),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    /* questions about oneself */
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(getppid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(getrlimit),
    SCMP_SYS(getrandom),
    SCMP_SYS(sysinfo),
    SCMP_SYS(uname),
};

/* Calls by which a driver in this process allocates, loads code and waits. Which devices ioctl
 * reaches is Landlock's business. */
static const int of_drivers[] = {
    SCMP_SYS(ioctl),
    SCMP_SYS(mmap),
    SCMP_SYS(memfd_create),
    SCMP_SYS(ftruncate),
    SCMP_SYS(fallocate),
    SCMP_SYS(fadvise64),
    SCMP_SYS(getdents),
    SCMP_SYS(mlock),
    SCMP_SYS(mlock2),
    SCMP_SYS(munlock),
    SCMP_SYS(mbind),
    SCMP_SYS(get_mempolicy),
    SCMP_SYS(set_mempolicy),
    SCMP_SYS(pipe),
    SCMP_SYS(pipe2),
    SCMP_SYS(eventfd2),
    SCMP_SYS(select),
    SCMP_SYS(pselect6),
    SCMP_SYS(epoll_create1),
    SCMP_SYS(epoll_ctl),
    SCMP_SYS(epoll_wait),
    SCMP_SYS(epoll_pwait),
    SCMP_SYS(timerfd_create),
    SCMP_SYS(timerfd_settime),
    SCMP_SYS(timerfd_gettime),
    SCMP_SYS(sched_setaffinity),
    SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_get_priority_min),
    SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(capget),
    SCMP_SYS(getresuid),
    SCMP_SYS(getresgid),
    SCMP_SYS(getgroups),
    SCMP_SYS(getpriority),
};

/* Calls by which an interpreter's libraries keep files in a folder of their own. Which folder that
 * is, is Landlock's business. No locks: a lock on a descriptor that several runners hold would be a
 * channel between them. */
static const int of_interpreters[] = {
    SCMP_SYS(mkdir),     SCMP_SYS(mkdirat), SCMP_SYS(rmdir),    SCMP_SYS(unlink),
    SCMP_SYS(unlinkat),  SCMP_SYS(rename),  SCMP_SYS(renameat), SCMP_SYS(renameat2),
    SCMP_SYS(ftruncate), SCMP_SYS(fsync),   SCMP_SYS(umask),    SCMP_SYS(getdents),
    SCMP_SYS(chdir),
};

/* Calls that change modes and times of files. Landlock does not cover them, and a runner of an
 * ordinary user could reach all files of that user. Libraries make them on files of their own and
 * take a refusal for a failure. So they succeed without effect. */
static const int pretended[] = {
    SCMP_SYS(chmod),     SCMP_SYS(fchmod), SCMP_SYS(fchmodat),
    SCMP_SYS(utimensat), SCMP_SYS(utimes), SCMP_SYS(utime),
};

/* Attributes and owners of files; a rehearsal has no use for them either. */
static const int refused_in_rehearsals[] = {
    SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr), SCMP_SYS(chown),
    SCMP_SYS(lchown),   SCMP_SYS(fchown),    SCMP_SYS(fchownat),
};

/* New programs: killed, but refused to an interpreter. */
static const int programs[] = {
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
};

/* Killed in a runner. Compilers and those who start them use these among themselves, so a rehearsal
 * may make them. */
static const int killed_in_runners[] = {
    SCMP_SYS(socketpair),
    /* Frames go to and from the judge by write() and read(). Descriptors that are sent and not yet
     * received count for a user as a whole: no judge of the same user could hand over any. */
    SCMP_SYS(sendto),
    SCMP_SYS(sendmsg),
    SCMP_SYS(sendmmsg),
    SCMP_SYS(recvfrom),
    SCMP_SYS(recvmsg),
    SCMP_SYS(recvmmsg),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(tkill),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(setsid),
    SCMP_SYS(setpgid),
};

/* Killed in a runner, refused in a rehearsal. */
static const int killed[] = {
    /* the network */
    SCMP_SYS(socket),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    /* other processes */
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kcmp),
    /* namespaces and mounts */
    SCMP_SYS(setns),
    SCMP_SYS(unshare),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsmount),
    SCMP_SYS(fsconfig),
    SCMP_SYS(fspick),
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(mount_setattr),
    SCMP_SYS(open_by_handle_at),
    /* the kernel's own machinery */
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(reboot),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(acct),
    SCMP_SYS(quotactl),
    SCMP_SYS(syslog),
    SCMP_SYS(iopl),
    SCMP_SYS(ioperm),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(clock_adjtime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname),
};

/* Calls that are allowed if one argument has one value; with `self` this value is our own pid. */
static const struct special {
    int call;
    unsigned arg;
    scmp_datum_t value;
    bool self, else_kill;
} special[] = {
    {SCMP_SYS(kill), 0, 0, .self = true, .else_kill = true},
    {SCMP_SYS(tgkill), 0, 0, .self = true, .else_kill = true}, /* raise() and abort() */
    {SCMP_SYS(prctl), 0, PR_SET_NAME, false, false},
    {SCMP_SYS(prctl), 0, PR_GET_NAME, false, false},
    {SCMP_SYS(prctl), 0, PR_SET_VMA, false, false}, /* malloc names its maps */
    {SCMP_SYS(prlimit64), 2, 0, false, false},      /* no new limit: it only asks */
    {SCMP_SYS(ioctl), 1, TCGETS, false, false},     /* isatty() */
    /* No owners, signals and locks: they wake a process that is stopped, and tell others.
     * add_setfl() allows F_SETFL. */
    {SCMP_SYS(fcntl), 1, F_DUPFD, false, false},
    {SCMP_SYS(fcntl), 1, F_DUPFD_CLOEXEC, false, false},
    {SCMP_SYS(fcntl), 1, F_GETFD, false, false},
    {SCMP_SYS(fcntl), 1, F_SETFD, false, false},
    {SCMP_SYS(fcntl), 1, F_GETFL, false, false},
};

static const struct special of_drivers_special[] = {
    {SCMP_SYS(fcntl), 1, F_GET_SEALS, false, false},
    {SCMP_SYS(fcntl), 1, F_ADD_SEALS, false, false},
    {SCMP_SYS(fcntl), 1, F_GETPIPE_SZ, false, false},
    {SCMP_SYS(fcntl), 1, F_SETPIPE_SZ, false, false},
};

/* Python marks a descriptor that came from a function of its own (tempfile's) by these, and takes
 * EPERM for a failure to open the file. */
static const struct special of_interpreters_special[] = {
    {SCMP_SYS(ioctl), 1, FIOCLEX, false, false},
    {SCMP_SYS(ioctl), 1, FIONCLEX, false, false},
};

/* Uses that not even a driver may make of a call that it may make otherwise. The kernel looks at 32
 * bits of a command, whatever stands above them. */
static const struct unwanted {
    int call;
    unsigned arg;
    scmp_datum_t mask, value;
} unwanted[] = {
    {SCMP_SYS(ioctl), 1, UINT32_MAX, FIOASYNC},
    {SCMP_SYS(ioctl), 1, 0xffff, NVIDIA_DUP_OBJECT},
    {SCMP_SYS(ioctl), 1, 0xff00, 0x8900}, /* all commands of sockets: FIOSETOWN, SIOCSPGRP */
};

static int add_rule(scmp_filter_ctx ctx, uint32_t action, int call, struct scmp_arg_cmp when)
{
    return seccomp_rule_add_array(ctx, action, call, 1, &when);
}

static int add_special(scmp_filter_ctx ctx, const struct special *list, size_t n)
{
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        const struct special *s = &list[i];
        scmp_datum_t value = s->self ? (scmp_datum_t)getpid() : s->value;
        struct scmp_arg_cmp same = {s->arg, SCMP_CMP_EQ, value, 0};
        struct scmp_arg_cmp other = {s->arg, SCMP_CMP_NE, value, 0};

        rc = add_rule(ctx, SCMP_ACT_ALLOW, s->call, same);
        if (rc == 0 && s->else_kill)
            rc = add_rule(ctx, SCMP_ACT_KILL_PROCESS, s->call, other);
    }
    return rc;
}

/* F_SETFL is allowed without O_ASYNC, which asks for a signal. */
static int add_setfl(scmp_filter_ctx ctx)
{
    struct scmp_arg_cmp when[] = {{1, SCMP_CMP_EQ, F_SETFL, 0},
                                  {2, SCMP_CMP_MASKED_EQ, O_ASYNC, 0}};

    return seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), ARRAY_SIZE(when), when);
}

/* Anonymous memory has to be private: shared memory without a file would count as an arena
 * (process/footprint.c). */
static int add_mmap(scmp_filter_ctx ctx)
{
    struct scmp_arg_cmp file = {3, SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, 0};
    struct scmp_arg_cmp own = {3, SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS | MAP_TYPE,
                               MAP_ANONYMOUS | MAP_PRIVATE};
    int rc = add_rule(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mmap), file);

    return rc == 0 ? add_rule(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mmap), own) : rc;
}

/* Allows new threads, but no new processes. The answer to one that is not killed is the filter's
 * default, EPERM. */
static int add_clone(scmp_filter_ctx ctx, unsigned needs)
{
    struct scmp_arg_cmp thread = {0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD};
    struct scmp_arg_cmp process = {0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0};
    int rc = add_rule(ctx, SCMP_ACT_ALLOW, SCMP_SYS(clone), thread);

    if (rc == 0 && !(needs & SANDBOX_NEEDS_INTERPRETER))
        rc = add_rule(ctx, SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), process);
    /* clone3 takes its flags by pointer, which no filter can follow. glibc goes back to clone()
     * when there is no clone3; EPERM would make it give up. */
    return rc == 0 ? seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) : rc;
}

static int add_list(scmp_filter_ctx ctx, uint32_t action, const int *calls, size_t n)
{
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++)
        rc = seccomp_rule_add(ctx, action, calls[i], 0);
    return rc;
}

static int set_up(scmp_filter_ctx ctx)
{
    int rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

    if (rc == 0)
        rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
    return rc == 0 ? seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2) : rc; /* a binary tree */
}

/* A second filter: one that refuses all calls that it does not name cannot say "all but". The
 * stricter answer of two filters counts. */
static int load_unwanted(scmp_filter_ctx ctx)
{
    int rc = set_up(ctx);

    for (size_t i = 0; i < ARRAY_SIZE(unwanted) && rc == 0; i++) {
        const struct unwanted *u = &unwanted[i];

        rc = add_rule(ctx, SCMP_ACT_ERRNO(EPERM), u->call,
                      (struct scmp_arg_cmp){u->arg, SCMP_CMP_MASKED_EQ, u->mask, u->value});
    }
    return rc == 0 ? seccomp_load(ctx) : rc;
}

static int add_interpreter(scmp_filter_ctx ctx)
{
    int rc = add_list(ctx, SCMP_ACT_ALLOW, of_interpreters, ARRAY_SIZE(of_interpreters));

    if (rc == 0)
        rc = add_list(ctx, SCMP_ACT_ERRNO(0), pretended, ARRAY_SIZE(pretended));
    return rc == 0 ? add_special(ctx, of_interpreters_special, ARRAY_SIZE(of_interpreters_special))
                   : rc;
}

/* Lists of calls that a runner with such needs may make, too. */
static int add_needs(scmp_filter_ctx ctx, unsigned needs)
{
    bool driver = needs & SANDBOX_NEEDS_DRIVER;
    int rc =
        driver ? add_list(ctx, SCMP_ACT_ALLOW, of_drivers, ARRAY_SIZE(of_drivers)) : add_mmap(ctx);

    if (rc == 0 && driver)
        rc = add_special(ctx, of_drivers_special, ARRAY_SIZE(of_drivers_special));
    if (rc == 0 && (needs & SANDBOX_NEEDS_INTERPRETER))
        rc = add_interpreter(ctx);
    if (rc == 0 && !(needs & SANDBOX_NEEDS_INTERPRETER))
        rc = add_list(ctx, SCMP_ACT_KILL_PROCESS, programs, ARRAY_SIZE(programs));
    return rc;
}

static int load_filter(scmp_filter_ctx ctx, unsigned needs)
{
    int rc = set_up(ctx);

    if (rc == 0)
        rc = add_list(ctx, SCMP_ACT_ALLOW, allowed, ARRAY_SIZE(allowed));
    if (rc == 0)
        rc = add_list(ctx, SCMP_ACT_KILL_PROCESS, killed, ARRAY_SIZE(killed));
    if (rc == 0)
        rc = add_list(ctx, SCMP_ACT_KILL_PROCESS, killed_in_runners, ARRAY_SIZE(killed_in_runners));
    if (rc == 0)
        rc = add_special(ctx, special, ARRAY_SIZE(special));
    if (rc == 0)
        rc = add_setfl(ctx);
    if (rc == 0)
        rc = add_clone(ctx, needs);
    if (rc == 0)
        rc = add_needs(ctx, needs);
    return rc == 0 ? seccomp_load(ctx) : rc;
}

/* The filter of a rehearsal: all but what concerns others. */
static int load_for_programs(scmp_filter_ctx ctx)
{
    int rc = set_up(ctx);

    if (rc == 0)
        rc = add_list(ctx, SCMP_ACT_ERRNO(EPERM), killed, ARRAY_SIZE(killed));
    if (rc == 0)
        rc = add_list(ctx, SCMP_ACT_ERRNO(EPERM), refused_in_rehearsals,
                      ARRAY_SIZE(refused_in_rehearsals));
    if (rc == 0)
        rc = add_list(ctx, SCMP_ACT_ERRNO(0), pretended, ARRAY_SIZE(pretended));
    return rc == 0 ? seccomp_load(ctx) : rc;
}

int sandbox_seal(unsigned needs, uint32_t *layers, struct err *err)
{
    if (prctl(PR_GET_SECCOMP) < 0)
        return 0; /* a kernel without seccomp */

    /* The main filter forbids loading another, so it comes last. */
    scmp_filter_ctx but = seccomp_init(SCMP_ACT_ALLOW);
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    bool rehearsal = needs & SANDBOX_NEEDS_PROGRAMS;
    int rc = but && ctx ? 0 : -ENOMEM;

    if (rc == 0 && rehearsal)
        rc = load_for_programs(but);
    if (rc == 0 && !rehearsal && (needs & SANDBOX_NEEDS_DRIVER))
        rc = load_unwanted(but);
    if (rc == 0 && !rehearsal)
        rc = load_filter(ctx, needs);
    seccomp_release(but);
    seccomp_release(ctx);
    if (rc < 0) {
        errno = -rc;
        return fail_errno(err, "cannot load the seccomp filter");
    }
    *layers |= SANDBOX_SECCOMP;
    return 0;
}
