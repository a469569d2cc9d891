/* SPDX-License-Identifier: MIT */
/*
 * The walls around a runner and around a compiler. Order inside a runner (docs/design/trust.md):
 * new namespaces at birth; then, single-threaded, uid, no_new_privs, rlimits and Landlock; then the
 * driver and its context; then seccomp for all threads; only then candidate code.
 */
#ifndef ASSAY_SANDBOX_SANDBOX_H
#define ASSAY_SANDBOX_SANDBOX_H

#include "base/buf.h"
#include "base/err.h"

#include <sched.h>
#include <sys/types.h>

/* Layers of a sandbox, as bits; reported in every record and by `assay doctor`. */
enum sandbox_layer {
    SANDBOX_USER_NS = 1 << 0, /* only when started without root */
    SANDBOX_PID_NS = 1 << 1,
    SANDBOX_NET_NS = 1 << 2,
    SANDBOX_IPC_NS = 1 << 3,
    SANDBOX_MOUNT_NS = 1 << 4,
    SANDBOX_UID = 1 << 5, /* an unprivileged uid of its own (root only) */
    SANDBOX_NO_NEW_PRIVS = 1 << 6,
    SANDBOX_RLIMITS = 1 << 7,
    SANDBOX_LANDLOCK = 1 << 8,
    SANDBOX_LANDLOCK_SCOPES = 1 << 9, /* signals and abstract sockets */
    SANDBOX_SECCOMP = 1 << 10,
    SANDBOX_CGROUP = 1 << 11,   /* only if ASSAY_CGROUP names a folder for it */
    SANDBOX_OWN_PROC = 1 << 12, /* a /proc that shows no process of others */
    SANDBOX_SCRATCH = 1 << 13,  /* only for interpreters: a small folder of the process's own */
};
#define SANDBOX_LAYERS 14
extern const char *const sandbox_layer_names[SANDBOX_LAYERS]; /* "user_ns", ..., by bit */
/* Layers that a runner must have, on this machine and for this user, to be called complete. */
uint32_t sandbox_wanted(void);
/* Threads that one runner may have here: enough for OpenMP, and few enough to leave others some. */
unsigned sandbox_max_threads(void);

/* Starts a runner: a new process (vfork-like: the judge may own gigabytes) in new namespaces.
 * fds[i] becomes descriptor 3+i, out_fd its stdout and stderr, stdin is /dev/null; every other fd
 * is closed. It dies with the judge (PDEATHSIG). If namespaces are refused, it starts with fewer,
 * and *ret_layers shows that. */
struct sandbox_spawn {
    const char *path;
    char *const *argv, *const *envp;
    int fds[4];
    int n_fds;
    int out_fd;
    bool pin;
    cpu_set_t cpus; /* used if pin is set */
    /* A driver looks up its own pid in /proc. If no /proc of the new pid namespace can be mounted,
     * a process with needs_proc starts without such a namespace, and any other one starts with the
     * old /proc. */
    bool needs_proc;
    bool trusted;      /* a program of ours that runs no foreign code: no namespaces */
    const char *group; /* cgroup in which the process starts (cgroup.h); NULL: the caller's */
};
int sandbox_start(const struct sandbox_spawn *s, pid_t *ret_pid, int *ret_pidfd,
                  uint32_t *ret_layers, struct err *err);

#define SANDBOX_SCRATCH_BYTES ((uint64_t)64 << 20)
#define SANDBOX_BUILD_BYTES ((uint64_t)1 << 30)

/* A runner that is forked from a process which has much in memory, and does not exec:
 *
 *   parent --fork--> a process between: sandbox_unshare() --fork--> runner: sandbox_settle()
 *
 * A process enters a new pid namespace only by being born in it, hence the one between, which exits
 * at once. Its parent must be single-threaded or fork without touching what other threads hold. */

/* Leaves the namespaces of the parent. attempt: 0, 1, ...; later ones ask for fewer namespaces,
 * each in a fresh process. Returns 0 (*ret_layers: what was got), 1 if this attempt was refused and
 * another may not be, -1 when all were. */
int sandbox_unshare(int attempt, uint32_t *ret_layers, struct err *err);

struct sandbox_birth {
    int between; /* pidfd of the process between: the runner waits for its end */
    int fds[2];  /* fds[i] becomes 3+i; every descriptor that is not named here is closed */
    int n_fds;
    int out_fd;          /* becomes stdout and stderr */
    int group_fd;        /* from cgroup_door(); -1: none */
    const char *scratch; /* a folder under which an empty one of the runner's own is mounted */
    bool builds;         /* a rehearsal: room for what compilers write */
};
/* Goes the steps of sandbox_start() inside the new process: it leads a process group, dies with
 * whoever adopted it, has its own /proc and scratch folder, limits and descriptors. layers: in, as
 * sandbox_unshare() gave them; out, with what was added. */
int sandbox_settle(const struct sandbox_birth *b, uint32_t *layers, struct err *err);

/* Needs of a runner beyond computing, as bits. */
enum sandbox_needs {
    /* The calls by which a device driver allocates, launches and waits (ioctl, memfd, ...), more
     * descriptors, and to be dumpable. */
    SANDBOX_NEEDS_DRIVER = 1 << 0,
    /* An interpreter's libraries try to start programs and go on without: that is refused instead
     * of killed. They keep files in a folder of their own. */
    SANDBOX_NEEDS_INTERPRETER = 1 << 1,
    /* A rehearsal starts compilers. Calls that concern other processes, the network, mounts and the
     * kernel's own machinery are refused, and no others. */
    SANDBOX_NEEDS_PROGRAMS = 1 << 2,
};

struct sandbox_policy {
    uid_t uid;          /* user to become if we are root; 0: stay as we are */
    uint64_t mem_bytes; /* RLIMIT_AS; 0: none (drivers reserve huge ranges) */
    /* For Landlock: files, folders with all that is in them, or patterns of glob() with {a,b};
     * NULL-terminated, NULL: none. Paths that do not exist are passed over. */
    const char *const *read_paths;
    const char *const *write_paths;   /* device nodes (ioctl too), /proc/self/task */
    const char *const *own_paths;     /* folders in which the runner may make files */
    const char *const *execute_paths; /* paths that it may read and start as programs */
    unsigned needs;                   /* SANDBOX_NEEDS_* */
};
/* Called in the runner, while it is single-threaded. *layers gains the bits that are on. A layer
 * that cannot be had is no error: its bit stays 0. */
int sandbox_enter(const struct sandbox_policy *p, uint32_t *layers, struct err *err);
/* Called in the runner, after the driver is open: seccomp for all threads, for good. Sockets can
 * still be read and written, but pass no more descriptors. needs: SANDBOX_NEEDS_*. */
int sandbox_seal(unsigned needs, uint32_t *layers, struct err *err);

/* Hides files and folders of ours from every tool and interpreter that starts later, wherever they
 * lie: problems, exemplars, programs, store. A path below a hidden one is seen if the sandbox is
 * given that very path (ro_dirs, rw_dir, read_paths). Folders that tools need are never hidden. For
 * the start of a program, before there are threads. NULL-terminated; links are followed. */
void sandbox_hide(const char *const *paths);
/* All hidden paths so far, without links; NULL-terminated. */
const char *const *sandbox_hidden(void);

/* Runs a compiler or another tool in a sandbox: bubblewrap if it works, else namespaces and
 * Landlock by system call. The tool sees system folders and `ro_dirs` read-only, and may write only
 * in `rw_dir` (also its cwd and $TMPDIR). It has no network. All its processes are killed at the
 * limit, or when the caller dies. */
struct sandbox_tool {
    char *const *argv;          /* argv[0] is absolute */
    const char *const *ro_dirs; /* NULL-terminated, absolute; files, too */
    const char *rw_dir;
    int timeout_ms;
    uint64_t mem_bytes;  /* per process */
    uint64_t file_bytes; /* largest file it may write */
    size_t max_output;   /* bytes of stdout and stderr that are kept */
};
struct sandbox_tool_result {
    int exit_status; /* -1 when ended by a signal */
    int signal;
    bool timed_out, output_cut;
    const char *walls; /* "bubblewrap", "landlock+namespaces", "landlock": for records */
};
int sandbox_run_tool(const struct sandbox_tool *t, struct buf *output,
                     struct sandbox_tool_result *ret, struct err *err);

/* Number of further attempts with a tool or a candidate that was killed from outside (by the OOM
 * killer, by somebody's hand), before the kill counts against the candidate. */
#define SANDBOX_KILLED_AGAIN 3
bool sandbox_was_killed(const struct sandbox_tool_result *r);

#endif
