/* SPDX-License-Identifier: MIT */
/*
 *   assay ---- exec ----> python3 workers/torch_worker.py (imports torch, waits)
 *     ^                        | fork, fork
 *     +------ adopts ----- runner (a grandchild whose parent has gone)
 *
 * A judge stops, waits for and reaps its runners, which only a parent can. So this process declares
 * itself the reaper of orphaned descendants, and the worker orphans every runner it makes.
 */
#include "process/worker.h"

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
#define MESSAGE_MAX 256
#define TEXT_MAX 65536

struct worker {
    pid_t pid;
    int pidfd, sock;
    int text_fd;               /* a memfd with what Python printed */
    char version[MESSAGE_MAX]; /* version of torch */
};

void worker_describe(const struct worker *w, const struct baseline *spec, struct buf *out)
{
    buf_addf(out, "torch %s %s, tf32 %s", w->version, spec->mode, spec->tf32 ? "on" : "off");
}

/* ---- talking ---- */

/* Receives one message, NUL-terminated: 1, or 0 when the worker is gone or late. */
static int hear(const struct worker *w, int timeout_ms, char text[MESSAGE_MAX])
{
    struct pollfd p = {.fd = w->sock, .events = POLLIN};
    ssize_t n;

    while (poll(&p, 1, timeout_ms) < 0 && errno == EINTR)
        continue;
    n = recv(w->sock, text, MESSAGE_MAX - 1, MSG_DONTWAIT);
    text[MAX(n, 0)] = '\0';
    return n > 0;
}

static int say(const struct worker *w, const char *text, const int fds[2], struct err *err)
{
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec iov = {(char *)text, strlen(text)};
    struct msghdr h = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof(control.bytes)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&h);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(c), fds, 2 * sizeof(int));
    return sendmsg(w->sock, &h, MSG_NOSIGNAL) < 0 ? fail_errno(err, "the torch worker has exited")
                                                  : 0;
}

/* The last line that Python printed: the exception, if there was one. */
static void last_line(const struct worker *w, struct buf *out)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err ignored = ERR_INIT;

    lseek(w->text_fd, 0, SEEK_SET);
    fs_read_fd(w->text_fd, TEXT_MAX, &text, &ignored);
    while (text.len && text.ptr[text.len - 1] == '\n')
        text.ptr[--text.len] = '\0';

    const char *newline = text.len ? strrchr(text.ptr, '\n') : NULL;

    buf_adds(out, newline ? newline + 1 : text.len ? text.ptr : "it printed nothing");
}

/* ---- starting ---- */

/* Environment of the worker: the user's own, since Python finds its packages by it; a folder for
 * what torch.compile keeps; and what the device asks for. free_environment() frees the last
 * OWN_STRINGS. */
#define OWN_STRINGS 2
static char **make_environment(const struct worker_config *c)
{
    size_t n = 0, more = 0;
    char **envp;

    while (environ[n])
        n++;
    while (c->env && c->env[more])
        more++;
    envp = xcalloc(n + more + OWN_STRINGS + 1, sizeof(*envp));
    memcpy(envp, environ, n * sizeof(*envp));
    for (size_t i = 0; i < more; i++)
        envp[n + i] = (char *)c->env[i];
    envp[n + more] = xstrdup("PYTHONDONTWRITEBYTECODE=1");
    envp[n + more + 1] = xasprintf("TORCHINDUCTOR_CACHE_DIR=%s/inductor", c->cache);
    return envp;
}

static void free_environment(char **envp)
{
    size_t n = 0;

    while (envp[n])
        n++;
    for (size_t i = 1; i <= OWN_STRINGS; i++)
        free(envp[n - i]);
    free(envp);
}

static int start_python(struct worker *w, const struct worker_config *c, const char *python,
                        int sock, struct err *err)
{
    AUTO(freep) char *script = xasprintf("%s/workers/torch_worker.py", c->share);
    /* env finds Python in $PATH and leaves links alone: a virtual environment is known by its
     * link. */
    char *argv[] = {(char *)"env", (char *)python, script, NULL};
    char **envp = make_environment(c);
    struct sandbox_spawn s = {.path = "/usr/bin/env",
                              .argv = argv,
                              .envp = envp,
                              .fds = {sock},
                              .n_fds = 1,
                              .out_fd = w->text_fd,
                              .pin = c->cpus,
                              .trusted = true};
    uint32_t layers;

    if (c->cpus)
        s.cpus = *c->cpus;

    int rc = sandbox_start(&s, &w->pid, &w->pidfd, &layers, err);

    free_environment(envp);
    return rc;
}

static int hear_ready(struct worker *w, const char *python, struct err *err)
{
    static const char ready[] = "ready ";
    AUTO(buf_release) struct buf line = BUF_INIT;
    char text[MESSAGE_MAX];

    if (hear(w, IMPORT_TIMEOUT_MS, text) && !strncmp(text, ready, strlen(ready))) {
        snprintf(w->version, sizeof(w->version), "%s", text + strlen(ready));
        return 0;
    }
    last_line(w, &line);
    return fail(err, ERR_SYSTEM,
                "no torch: %s: %.500s (install PyTorch, or name a Python that has it in "
                "ASSAY_PYTHON)",
                python, buf_str(&line));
}

static int open_with(const struct worker_config *c, const char *python, struct worker **ret,
                     struct err *err)
{
    AUTO(worker_closep) struct worker *w = xcalloc(1, sizeof(*w));
    int pair[2];

    w->pidfd = w->sock = -1;
    w->text_fd = memfd_create("assay-worker", MFD_CLOEXEC);
    if (w->text_fd < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return fail_errno(err, "cannot make a channel to the torch worker");
    w->sock = pair[0];

    int rc = start_python(w, c, python, pair[1], err);

    close(pair[1]);
    if (rc < 0 || hear_ready(w, python, err) < 0)
        return -1;
    *ret = steal(&w);
    return 0;
}

int worker_open(const struct worker_config *config, struct worker **ret, struct err *err)
{
    const char *chosen = getenv("ASSAY_PYTHON");
    struct err second = ERR_INIT;

    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return fail_errno(err, "cannot adopt the torch worker's runners");
    if (chosen && *chosen)
        return open_with(config, chosen, ret, err);
    if (open_with(config, "python3", ret, err) == 0)
        return 0;
    /* A Python of the user's own often hides the system's, for which distributions package torch.
     * If both fail the first failure is told: it is that of the Python that the user sees. */
    return open_with(config, "/usr/bin/python3", ret, &second);
}

void worker_close(struct worker *w)
{
    if (!w)
        return;
    if (w->pid > 0) {
        syscall(SYS_pidfd_send_signal, w->pidfd, SIGKILL, NULL, 0);
        waitpid(w->pid, NULL, 0);
    }
    if (w->pidfd >= 0)
        close(w->pidfd);
    if (w->sock >= 0)
        close(w->sock);
    if (w->text_fd >= 0)
        close(w->text_fd);
    free(w);
}

void worker_closep(struct worker **w)
{
    worker_close(*w);
    *w = NULL;
}

/* ---- runners ---- */

/* The worker only names a pid. It has to be a child of ours before anything is sent to it. */
static int adopt(long pid, pid_t *ret_pid, int *ret_pidfd, struct err *err)
{
    siginfo_t info;
    int fd;

    if (pid <= 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
        return fail(err, ERR_SYSTEM, "the torch worker's runner %ld is no child of this process",
                    pid);
    fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (fd < 0)
        return fail_errno(err, "pidfd_open");
    *ret_pid = (pid_t)pid;
    *ret_pidfd = fd;
    return 0;
}

int worker_start(struct worker *w, const struct baseline *spec, int sock, int out_fd,
                 pid_t *ret_pid, int *ret_pidfd, struct err *err)
{
    AUTO(freep) char *request = xasprintf("%s %d", spec->mode, spec->tf32);
    AUTO(buf_release) struct buf line = BUF_INIT;
    char text[MESSAGE_MAX];
    long pid = 0;

    if (say(w, request, (const int[]){sock, out_fd}, err) < 0)
        return -1;
    if (hear(w, FORK_TIMEOUT_MS, text) && sscanf(text, "pid %ld", &pid) == 1)
        return adopt(pid, ret_pid, ret_pidfd, err);
    last_line(w, &line);
    return fail(err, ERR_SYSTEM, "the torch worker made no runner: %.500s", buf_str(&line));
}
