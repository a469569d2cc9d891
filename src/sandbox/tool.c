/* SPDX-License-Identifier: MIT */
/*
 * A compiler reads text that a stranger wrote, so it runs behind walls too:
 *
 *   bubblewrap           a root file system made of nothing but what is named here. It says on a
 *                        descriptor of its own whether the tool was ever started, so that "it could
 *                        not build its walls" is never taken for "the tool failed".
 *   our own, otherwise   namespaces, and Landlock with the same list of paths.
 *
 * Everything the tool starts is in a pid namespace (or at least in one process group), which is
 * killed as a whole. The end of its output pipe tells that nobody is left.
 */
#include "base/clock.h"
#include "sandbox/hidden.h"
#include "sandbox/landlock.h"
#include "sandbox/sandbox.h"
#include "sandbox/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FLOOD_FACTOR 64    /* a tool is ended if it writes so many times what is kept */
#define LAST_WORDS_MS 2000 /* from the kill to the end of the output pipe */
#define CPU_GRACE_S 5      /* RLIMIT_CPU catches what escapes the clock */
#define TOOL_PATH "PATH=/usr/local/bin:/usr/bin:/bin"

/* All that a tool sees of the system: no /etc/passwd, no home, no /proc, of /dev only null. */
static const char *const system_paths[] = {
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    "/etc/alternatives",
    "/etc/ld.so.cache",
};

/* ---- a list of owned words ---- */

struct argv_words {
    char **v; /* NULL-terminated */
    size_t n;
};

static void words_release(struct argv_words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i]);
    free(w->v);
}

static void words_add(struct argv_words *w, const char *word)
{
    w->v = xrealloc(w->v, (w->n + 2) * sizeof(*w->v));
    w->v[w->n++] = xstrdup(word);
    w->v[w->n] = NULL;
}

static void words_add3(struct argv_words *w, const char *a, const char *b, const char *c)
{
    words_add(w, a);
    words_add(w, b);
    words_add(w, c);
}

/* ---- running to the end ---- */

struct tool_process {
    pid_t pid;
    int pidfd, out; /* out: read end of its stdout and stderr */
    size_t written; /* bytes that the tool wrote, kept or not */
};

static void tool_process_release(struct tool_process *j)
{
    fd_closep(&j->pidfd);
    fd_closep(&j->out);
}

/* Reads once from the pipe; at its end j->out is closed. */
static void take_output(struct tool_process *j, size_t keep, struct buf *output)
{
    char chunk[16384];
    ssize_t n = read(j->out, chunk, sizeof(chunk));

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        fd_closep(&j->out);
        return;
    }
    if (j->written < keep)
        buf_add(output, chunk, MIN((size_t)n, keep - j->written));
    j->written += (size_t)n;
}

enum ended { ENDED_ITSELF, ENDED_TIME, ENDED_FLOOD };

static enum ended watch(struct tool_process *j, const struct sandbox_tool *t, struct buf *output)
{
    uint64_t start = clock_ns();

    for (;;) {
        struct pollfd p[2] = {{.fd = j->out, .events = POLLIN}, {.fd = j->pidfd, .events = POLLIN}};
        double left_ms = t->timeout_ms - clock_ms_since(start);

        if (left_ms <= 0)
            return ENDED_TIME;
        if (poll(p, 2, (int)left_ms + 1) <= 0)
            continue;
        if (p[0].revents)
            take_output(j, t->max_output, output);
        else if (p[1].revents)
            return ENDED_ITSELF;
        if (j->written / FLOOD_FACTOR > t->max_output)
            return ENDED_FLOOD;
    }
}

/* Kills and reaps the tool and reads its last output. Nothing of it is left afterwards. */
static int end_job(struct tool_process *j, size_t keep, struct buf *output)
{
    uint64_t start = clock_ns();
    int status = 0;

    /* Killed before it is reaped: until then no other process can have its pid. */
    kill(-j->pid, SIGKILL);
    kill(j->pid, SIGKILL);
    while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
        ;
    while (j->out >= 0 && clock_ms_since(start) < LAST_WORDS_MS) {
        struct pollfd p = {.fd = j->out, .events = POLLIN};

        if (poll(&p, 1, 50) > 0)
            take_output(j, keep, output);
    }
    return status;
}

static enum ended run_job(struct tool_process *j, const struct sandbox_tool *t, struct buf *output,
                          struct sandbox_tool_result *ret)
{
    enum ended how = watch(j, t, output);
    int status = end_job(j, t->max_output, output);

    ret->timed_out = how == ENDED_TIME;
    ret->output_cut = j->written > t->max_output;
    ret->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ret->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return how;
}

/* ---- starting ---- */

/* Starts `what` with the tool's limits and environment; status_fd (-1: none) becomes descriptor 3.
 */
static int start(const struct spawn *what, const struct sandbox_tool *t, int status_fd,
                 struct tool_process *ret, uint32_t *ret_layers, struct err *err)
{
    const struct spawn_limit limits[] = {
        {RLIMIT_AS, t->mem_bytes},
        {RLIMIT_FSIZE, t->file_bytes},
        {RLIMIT_CPU, (uint64_t)t->timeout_ms / 1000 + CPU_GRACE_S},
        {RLIMIT_CORE, 0},
    };
    AUTO(freep) char *tmpdir = xasprintf("TMPDIR=%s", t->rw_dir);
    char path[] = TOOL_PATH, locale[] = "LC_ALL=C";
    int pipe_fds[2];

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return fail_errno(err, "cannot make a pipe");

    AUTO(fd_closep) int out = pipe_fds[0];
    AUTO(fd_closep) int write_end = pipe_fds[1];

    char *const envp[] = {path, locale, tmpdir, NULL};
    struct spawn s = *what;

    s.envp = envp;
    s.goes_first = true;
    s.limits = limits;
    s.n_limits = ARRAY_SIZE(limits);
    s.out_fd = write_end;
    s.fds[0] = status_fd;
    s.n_fds = status_fd >= 0;
    if (spawn_process(&s, &ret->pid, &ret->pidfd, ret_layers, err) < 0)
        return -1;
    ret->out = fd_steal(&out);
    return 0;
}

/* ---- bubblewrap ---- */

/* Shows a system path as it is outside: a link stays a link (/lib64 -> usr/lib64), a missing path
 * stays missing. */
static void bwrap_system_path(struct argv_words *w, const char *path)
{
    char target[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof(target) - 1);

    if (n > 0) {
        target[n] = '\0';
        words_add3(w, "--symlink", target, path);
    } else if (access(path, F_OK) == 0) {
        words_add3(w, "--ro-bind", path, path);
    }
}

static void bwrap_bind_ro(struct argv_words *w, const struct sandbox_tool *t, bool in_hidden)
{
    for (const char *const *dir = t->ro_dirs; dir && *dir; dir++)
        if (hidden_covers(*dir) == in_hidden)
            words_add3(w, "--ro-bind", *dir, *dir);
}

/* True if the tool would see this path, which is hidden. */
static bool would_be_seen(const char *path, const struct sandbox_tool *t)
{
    for (size_t i = 0; i < ARRAY_SIZE(system_paths); i++)
        if (path_inside(path, system_paths[i]))
            return true;
    for (const char *const *dir = t->ro_dirs; dir && *dir; dir++)
        if (path_inside(path, *dir))
            return true;
    return false;
}

/* Covers folders by empty ones and files by /dev/null. Paths below that the tool is given lie on
 * top of the cover, which is read-only afterwards. */
static void bwrap_covers(struct argv_words *w, const struct sandbox_tool *t, bool close)
{
    for (const char *const *path = sandbox_hidden(); *path; path++) {
        struct stat st;

        if (!would_be_seen(*path, t) || stat(*path, &st) < 0)
            continue;
        if (S_ISDIR(st.st_mode)) {
            words_add(w, close ? "--remount-ro" : "--tmpfs");
            words_add(w, *path);
        } else if (!close) {
            words_add3(w, "--ro-bind", "/dev/null", *path);
        }
    }
}

static void bwrap_words(struct argv_words *w, const char *bwrap, const struct sandbox_tool *t)
{
    words_add(w, bwrap);
    words_add3(w, "--unshare-all", "--die-with-parent", "--new-session");
    words_add(w, "--cap-drop");
    words_add(w, "ALL");
    words_add(w, "--json-status-fd");
    words_add(w, "3");
    for (size_t i = 0; i < ARRAY_SIZE(system_paths); i++)
        bwrap_system_path(w, system_paths[i]);
    words_add3(w, "--dev-bind", "/dev/null", "/dev/null");
    bwrap_bind_ro(w, t, false);
    bwrap_covers(w, t, false);
    bwrap_bind_ro(w, t, true);
    words_add3(w, "--bind", t->rw_dir, t->rw_dir);
    bwrap_covers(w, t, true);
    words_add(w, "--remount-ro"); /* folders that bubblewrap made, on the way to a bind */
    words_add(w, "/");
    words_add3(w, "--chdir", t->rw_dir, "--");
    for (char *const *word = t->argv; *word; word++)
        words_add(w, *word);
}

/* bubblewrap writes "exit-code" only for a tool that it did start. */
static bool bwrap_started_it(int status_fd)
{
    char text[4096];
    size_t len = 0;
    ssize_t n;

    while (len < sizeof(text) - 1 && (n = read(status_fd, text + len, sizeof(text) - 1 - len)) > 0)
        len += (size_t)n;
    text[len] = '\0';
    return strstr(text, "\"exit-code\"") != NULL;
}

/* *ret_ran: false if bubblewrap could not build its walls here, so the tool did not run. */
static int run_in_bwrap(const char *bwrap, const struct sandbox_tool *t, struct buf *output,
                        bool *ret_ran, struct sandbox_tool_result *ret, struct err *err)
{
    AUTO(words_release) struct argv_words w = {NULL, 0};
    AUTO(tool_process_release) struct tool_process job = {.pidfd = -1, .out = -1};
    size_t output_before = output->len;
    uint32_t layers;
    int pipe_fds[2];

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return fail_errno(err, "cannot make a pipe");

    AUTO(fd_closep) int status_fd = pipe_fds[0];
    AUTO(fd_closep) int write_end = pipe_fds[1];

    bwrap_words(&w, bwrap, t);

    /* bubblewrap leaves its inner process to init, which in a container may never reap it. In a pid
     * namespace of its own the kernel does. */
    struct spawn s = {
        .path = bwrap, .argv = w.v, .namespaces = SANDBOX_PID_NS, .ruleset_fd = -1, .group_fd = -1};

    if (start(&s, t, write_end, &job, &layers, err) < 0)
        return -1;
    fd_closep(&write_end);
    if (run_job(&job, t, output, ret) == ENDED_ITSELF && !bwrap_started_it(status_fd)) {
        if (output->ptr)
            output->ptr[output_before] = '\0';
        output->len = output_before;
        *ret_ran = false;
        return 0;
    }
    if (ret->exit_status > 128 && ret->exit_status < 128 + NSIG) { /* a signal ended the tool */
        ret->signal = ret->exit_status - 128;
        ret->exit_status = -1;
    }
    ret->walls = "bubblewrap";
    *ret_ran = true;
    return 0;
}

/* ---- our own walls ---- */

static int tool_ruleset(const struct sandbox_tool *t, int *ret_fd, struct err *err)
{
    AUTO(fd_closep) int ruleset = landlock_new();

    if (ruleset < 0)
        return fail(err, ERR_SYSTEM,
                    "no sandbox for %s: this kernel has no Landlock and bwrap does not work; "
                    "install bubblewrap",
                    t->argv[0]);
    for (size_t i = 0; i < ARRAY_SIZE(system_paths); i++)
        if (hidden_allow(ruleset, system_paths[i], LANDLOCK_EXECUTE) < 0)
            return fail_errno(err, "cannot allow %s in the sandbox", system_paths[i]);
    for (const char *const *dir = t->ro_dirs; dir && *dir; dir++)
        if (hidden_allow(ruleset, *dir, LANDLOCK_EXECUTE) < 0)
            return fail_errno(err, "cannot allow %s in the sandbox", *dir);
    if (landlock_allow(ruleset, t->rw_dir, LANDLOCK_OWN) < 0 ||
        landlock_allow(ruleset, "/dev/null", LANDLOCK_DEVICE) < 0)
        return fail_errno(err, "cannot allow %s in the sandbox", t->rw_dir);
    *ret_fd = fd_steal(&ruleset);
    return 0;
}

static int run_in_landlock(const struct sandbox_tool *t, struct buf *output,
                           struct sandbox_tool_result *ret, struct err *err)
{
    AUTO(fd_closep) int ruleset = -1;
    AUTO(tool_process_release) struct tool_process job = {.pidfd = -1, .out = -1};
    uint32_t layers;

    if (tool_ruleset(t, &ruleset, err) < 0)
        return -1;

    struct spawn s = {.path = t->argv[0],
                      .argv = t->argv,
                      .cwd = t->rw_dir,
                      .namespaces = SPAWN_ALL_NAMESPACES,
                      .ruleset_fd = ruleset,
                      .group_fd = -1};

    if (start(&s, t, -1, &job, &layers, err) < 0)
        return -1;
    run_job(&job, t, output, ret);
    ret->walls = layers & SANDBOX_PID_NS ? "landlock+namespaces" : "landlock";
    return 0;
}

/* True if somebody else killed the tool: we kill it at its time limit, or if it wrote too much. */
bool sandbox_was_killed(const struct sandbox_tool_result *r)
{
    return r->signal == SIGKILL && !r->timed_out && !r->output_cut;
}

static char *find_bwrap(void)
{
    const char *path = getenv("PATH");

    for (const char *at = path ? path : ""; *at; at += strspn(at, ":")) {
        size_t len = strcspn(at, ":");
        AUTO(freep) char *file = xasprintf("%.*s/bwrap", (int)len, at);

        if (file[0] == '/' && access(file, X_OK) == 0)
            return steal(&file);
        at += len;
    }
    return NULL;
}

int sandbox_run_tool(const struct sandbox_tool *t, struct buf *output,
                     struct sandbox_tool_result *ret, struct err *err)
{
    AUTO(freep) char *bwrap = find_bwrap();
    bool ran = false;

    *ret = (struct sandbox_tool_result){.walls = ""};
    if (bwrap && run_in_bwrap(bwrap, t, output, &ran, ret, err) < 0)
        return -1;
    return ran ? 0 : run_in_landlock(t, output, ret, err);
}
