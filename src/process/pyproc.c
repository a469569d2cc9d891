/* SPDX-License-Identifier: MIT */
/*
 *   assay ---- exec ----> python3 SCRIPT (imports torch, waits)
 *     ^                        | fork, fork
 *     +------ adopts ----- runner (a grandchild whose parent has gone)
 *
 * A judge stops, waits for and reaps its runners, which only a parent can. So this process declares
 * itself the reaper of orphaned descendants, and the script orphans every runner it makes.
 */
#include "process/pyproc.h"

#include "base/fs.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define IMPORT_TIMEOUT_MS 180000 /* importing torch from a cold disk */
#define FORK_TIMEOUT_MS 60000    /* the first compiled module imports more of torch */
#define TEXT_MAX 65536

/* ---- talking ---- */

/* Receives one message, NUL-terminated: 1, or 0 when the worker is gone or late. */
static int hear(const struct pyproc *p, int timeout_ms, char text[PYPROC_MESSAGE_MAX])
{
    struct pollfd ready = {.fd = p->sock, .events = POLLIN};
    ssize_t n;

    while (poll(&ready, 1, timeout_ms) < 0 && errno == EINTR)
        continue;
    n = recv(p->sock, text, PYPROC_MESSAGE_MAX - 1, MSG_DONTWAIT);
    text[MAX(n, 0)] = '\0';
    return n > 0;
}

static int say(const struct pyproc *p, const char *text, const int *fds, int n, struct err *err)
{
    union {
        char bytes[CMSG_SPACE(PYPROC_MAX_FDS * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    size_t bytes = (size_t)n * sizeof(int);
    struct iovec iov = {(char *)text, strlen(text)};
    struct msghdr h = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = CMSG_SPACE(bytes)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&h);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(bytes);
    memcpy(CMSG_DATA(c), fds, bytes);
    return sendmsg(p->sock, &h, MSG_NOSIGNAL) < 0 ? fail_errno(err, "the %s has exited", p->name)
                                                  : 0;
}

/* The last line that Python printed: the exception, if there was one. */
static void last_line(const struct pyproc *p, struct buf *out)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err ignored = ERR_INIT;

    lseek(p->text_fd, 0, SEEK_SET);
    fs_read_fd(p->text_fd, TEXT_MAX, &text, &ignored);
    while (text.len && text.ptr[text.len - 1] == '\n')
        text.ptr[--text.len] = '\0';

    const char *newline = text.len ? strrchr(text.ptr, '\n') : NULL;

    buf_adds(out, newline ? newline + 1 : text.len ? text.ptr : "it printed nothing");
}

/* ---- starting ---- */

static int start_python(struct pyproc *p, const struct pyproc_config *c, const char *python,
                        int sock, struct err *err)
{
    /* env finds Python in $PATH and leaves links alone: a virtual environment is known by its
     * link. */
    char *argv[PYPROC_MAX_ARGUMENTS + 4] = {(char *)"env", (char *)python, (char *)c->script};
    struct sandbox_spawn s = {.path = "/usr/bin/env",
                              .argv = argv,
                              .envp = c->envp,
                              .fds = {sock},
                              .n_fds = 1,
                              .out_fd = p->text_fd,
                              .pin = c->cpus,
                              .trusted = true};
    uint32_t layers;

    for (int i = 0; i < PYPROC_MAX_ARGUMENTS && c->arguments && c->arguments[i]; i++)
        argv[i + 3] = (char *)c->arguments[i];
    if (c->cpus)
        s.cpus = *c->cpus;
    return sandbox_start(&s, &p->pid, &p->pidfd, &layers, err);
}

static int hear_ready(struct pyproc *p, const char *python, struct err *err)
{
    static const char ready[] = "ready ";
    AUTO(buf_release) struct buf line = BUF_INIT;
    char text[PYPROC_MESSAGE_MAX];

    if (hear(p, IMPORT_TIMEOUT_MS, text) && !strncmp(text, ready, strlen(ready))) {
        snprintf(p->version, sizeof(p->version), "%s", text + strlen(ready));
        return 0;
    }
    last_line(p, &line);
    return fail(err, ERR_SYSTEM,
                "no torch: %s: %.500s (install PyTorch, or name a Python that has it in "
                "ASSAY_PYTHON)",
                python, buf_str(&line));
}

static int open_with(struct pyproc *p, const struct pyproc_config *c, const char *python,
                     struct err *err)
{
    int pair[2];

    p->text_fd = memfd_create("assay-python", MFD_CLOEXEC);
    if (p->text_fd < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return fail_errno(err, "cannot make a channel to the %s", p->name);
    p->sock = pair[0];

    int rc = start_python(p, c, python, pair[1], err);

    close(pair[1]);
    return rc < 0 ? -1 : hear_ready(p, python, err);
}

static int try_python(struct pyproc *ret, const struct pyproc_config *c, const char *python,
                      struct err *err)
{
    struct pyproc p = PYPROC_INIT;

    p.name = c->name;
    if (open_with(&p, c, python, err) < 0) {
        pyproc_close(&p);
        return -1;
    }
    *ret = p;
    return 0;
}

int pyproc_open(struct pyproc *ret, const struct pyproc_config *config, struct err *err)
{
    const char *chosen = getenv("ASSAY_PYTHON");
    struct err second = ERR_INIT;

    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return fail_errno(err, "cannot adopt the %s's runners", config->name);
    if (chosen && *chosen)
        return try_python(ret, config, chosen, err);
    if (try_python(ret, config, "python3", err) == 0)
        return 0;
    /* A Python of the user's own often hides the system's, for which distributions package torch.
     * If both fail the first failure is told: it is that of the Python that the user sees. */
    return try_python(ret, config, "/usr/bin/python3", &second);
}

void pyproc_close(struct pyproc *p)
{
    if (p->pid > 0) {
        syscall(SYS_pidfd_send_signal, p->pidfd, SIGKILL, NULL, 0);
        waitpid(p->pid, NULL, 0);
    }
    p->pid = 0;
    fd_closep(&p->pidfd);
    fd_closep(&p->sock);
    fd_closep(&p->text_fd);
}

/* ---- runners ---- */

/* Python only names a pid. It has to be a child of ours before anything is sent to it. */
static int adopt(const struct pyproc *p, long pid, pid_t *ret_pid, int *ret_pidfd, struct err *err)
{
    siginfo_t info;
    int fd;

    if (pid <= 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
        return fail(err, ERR_SYSTEM, "the %s's runner %ld is no child of this process", p->name,
                    pid);
    fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (fd < 0)
        return fail_errno(err, "pidfd_open");
    *ret_pid = (pid_t)pid;
    *ret_pidfd = fd;
    return 0;
}

int pyproc_start(const struct pyproc *p, const char *request, const int *fds, int n_fds,
                 pid_t *ret_pid, int *ret_pidfd, struct err *err)
{
    AUTO(buf_release) struct buf line = BUF_INIT;
    char text[PYPROC_MESSAGE_MAX];
    long pid = 0;

    if (say(p, request, fds, n_fds, err) < 0)
        return -1;
    if (hear(p, FORK_TIMEOUT_MS, text) && sscanf(text, "pid %ld", &pid) == 1)
        return adopt(p, pid, ret_pid, ret_pidfd, err);
    last_line(p, &line);
    return fail(err, ERR_SYSTEM, "the %s made no runner: %.500s", p->name, buf_str(&line));
}
