/* SPDX-License-Identifier: MIT */
/* The judge's end of one runner process: start it, hand it memory and an artifact, call, stop it
 * between calls, end it. Everything that the runner says is the candidate's word. Only its death,
 * the judge's clock and the output memory are facts. */
#ifndef ASSAY_PROCESS_RPROC_H
#define ASSAY_PROCESS_RPROC_H

#include "content/layout.h"
#include "device/device.h"
#include "process/devlock.h"
#include "process/subject.h"
#include "terms/verdict.h"
#include "wire/wire.h"

#include <sched.h>

struct rproc_config {
    /* Settings for the start, whatever the candidate. */
    const char *runner_path; /* the program, if the subject's launcher starts one */
    struct subject subject;
    const struct device *device;
    int device_index;
    uint64_t mem_bytes; /* limit of host memory */
    bool require_sandbox;
    bool pin;
    cpu_set_t runner_cpus;
    int start_timeout_ms; /* limit from spawn to OK, and of assay_setup */
    int call_timeout_ms;  /* limit of one call */
    /* Settings for handing over. Arenas are numbered inputs first. */
    const struct device_sweep *sweep; /* NULL: this device sweeps nothing. Not owned */
    const struct layout *in, *out;
    const struct mem *in_arenas;
    int n_in_arenas;
    const struct mem *out_arenas;
    int n_out_arenas;
    const struct mem *param_arena; /* parameters, if they lie apart; NULL: with inputs. Not owned */
    int n_inputs;                  /* number of sources before the parameters */
    bool setup_params; /* the problem says setup = "params": parameters lie in arena 0 */
    int artifact_fd;
    int save_fd; /* used with a subject that saves_folder */
};

#define RPROC_TEXT_MAX 65536
#define RPROC_GLIMPSES 32

/* A word of the output: in an arena, or in the runner's own memory. */
struct rproc_glimpse {
    const volatile uint32_t *word;
    uint64_t address; /* used if the runner named its results */
    uint32_t value;
};

/* Called again and again while the judge waits for a runner. */
struct rproc_watch {
    void (*check)(void *arg);
    void *arg;
};

struct rproc_order {
    enum wire_order what;
    int in_arena, out_arena, count;
    enum wire_hold hold;
};

struct rproc {
    const struct rproc_config *config; /* not owned; outlives the runner */
    pid_t pid;                         /* 0: none, or reaped */
    int pidfd, sock, out_fd;
    struct wire_page *page;
    unsigned seq, awake_seq;
    struct rproc_order order; /* the present order */
    uint64_t queue_ns;        /* time until the order was queued */
    bool overdue; /* the order was not queued in time: the candidate waits for the device */
    bool stopped, killed;
    /* Times of the last order: CPU time before it; the judge's clock from SIGCONT to awake (0: the
     * runner did not wake), from go to done, and for the stop after it. */
    uint64_t cpu_before_ns, wake_ns, call_ns, stop_ns;
    uint64_t glimpse_ns; /* the judge's first look at the output after "done" */
    struct rproc_glimpse glimpses[RPROC_GLIMPSES]; /* words of the output at "done" */
    int n_glimpses;
    /* Places of the last order's results, by the runner's word; read once, at "done". */
    struct device_result results[WIRE_MAX_RESULTS];
    int n_results;
    uint64_t glimpse_key; /* chooses the words; secret */
    bool warm;            /* WARM was seen: the device is open */
    bool sealed;          /* READY was seen: from here on the runner's word is the candidate's */
    uint64_t watched_ns;  /* time of the last look at its memory */
    struct rproc_watch watch; /* called while the judge waits for a call; all NULL: none */
    int wait_status;          /* set once reaped */
    uint32_t layers;          /* SANDBOX_* */
    char *group;              /* the cgroup; NULL: none */
    int64_t own_bytes;  /* private memory of the process without its candidate, and some slack */
    struct buf text;    /* stdout and stderr, the first RPROC_TEXT_MAX bytes */
    uint64_t text_seen; /* bytes of text in all */
    char *note;         /* the words of the process on what it loaded; NULL: none */
};

#define RPROC_PIPE_BYTES (1 << 20) /* capacity of the pipe for a runner's text */

#define RPROC_INIT                            \
    {                                         \
        .pidfd = -1, .sock = -1, .out_fd = -1 \
    }

/* Bytes of parameters that the candidate holds in memory of its own, with fixed weights. */
int64_t rproc_weights_bytes(const struct rproc_config *c);

/* Returns -1 if the process is gone. */
int rproc_signal(const struct rproc *r, int sig);

/* Functions with a verdict return 0 fine, 1 the candidate's fault (*v filled), -1 ours (*err
 * filled). */

/* Starts the process, which goes into its sandbox and opens the device. Does not wait, so that
 * several start side by side. The process holds the lock (NULL: none) until the device is open. */
int rproc_spawn(struct rproc *r, const struct rproc_config *config, const struct devlock *lock,
                struct err *err);
/* Waits until the device is open. No candidate is involved: 0 or -1. */
int rproc_await_warm(struct rproc *r, struct err *err);
/* Gives the runner memory and the artifact. `config` may be another than at the start, as long as
 * it would start the same process. -1: the runner is gone. */
int rproc_hand_over(struct rproc *r, const struct rproc_config *config, struct err *err);
/* rproc_spawn() and rproc_hand_over() in one. */
int rproc_start(struct rproc *r, const struct rproc_config *config, struct err *err);
/* Waits until the artifact is loaded and set up and the runner watches its page. */
int rproc_ready(struct rproc *r, struct verdict *v, struct err *err);

/* A runner's first calls are not to be held: code that loads lazily waits for the device. */
#define RPROC_UNHELD_CALLS 2

/* Takes an order of `count` calls back to back. With a hold the runner must be running
 * (rproc_wake). It queues its work before there is a content; this returns when all is queued, or
 * cannot be. Without a hold the order is only stored. */
int rproc_queue(struct rproc *r, const struct rproc_order *order, struct verdict *v);

struct rproc_reply {
    uint64_t wall_ns;  /* the judge's clock, from go (or the release, or ready) to done */
    uint64_t claim_ns; /* the time that the runner claims */
    uint64_t hold_ns;  /* time from ready until the device was held; 0: it was not held */
    uint64_t queue_ns; /* time from go until all was queued, with WIRE_HOLD_WORK */
    bool held;         /* the work was queued before the release */
};
/* Carries the order out, once the content is there. The runner must be running. ret->held is false,
 * although the order asks for a hold, if none was possible: no such device, or the candidate waits
 * for the device inside its call. */
int rproc_run(struct rproc *r, struct rproc_reply *ret, struct verdict *v);
/* Whether this process may read the runner's memory. */
bool rproc_readable(const struct rproc *r);
/* Brings results that the runner named to their places in an output arena. It must stand still.
 * Does nothing if they are in the arena. */
int rproc_fetch(const struct rproc *r, const struct mem *out, struct verdict *v);
/* Sends SIGSTOP and waits until every thread stands still, so that nothing works ahead while the
 * judge prepares. */
int rproc_stop(struct rproc *r, struct verdict *v, struct err *err);
/* Sends SIGCONT and waits until the runner spins on its page again, so that waking is not timed. */
int rproc_wake(struct rproc *r, struct verdict *v, struct err *err);

/* Content of an order's arenas. It is prepared while the runner stands still. If the runner is
 * woken first, it is prepared when the runner has queued its work. */
struct rproc_content {
    int (*prepare)(void *arg, struct err *err); /* 0 or -1 */
    void *arg;
    bool wakes_first; /* needed by an order with a hold */
};
/* A whole order: stop, wake (if wakes_first), queue, prepare, wake (if not yet), run. The runner is
 * left running. */
int rproc_order(struct rproc *r, const struct rproc_order *order,
                const struct rproc_content *content, struct rproc_reply *ret, struct verdict *v,
                struct err *err);
/* How long the runner may have worked on its last order before it was told to go, or after it had
 * said that it was done, by its CPU time. To be asked when it stands still. Honest runners take
 * some for their wake-up; calibration says how much. */
uint64_t rproc_unexplained_ns(const struct rproc *r);
/* Kills the process, whatever it does, and does not wait. Its config is not read any more. */
void rproc_kill(struct rproc *r);
/* Kills and reaps the process; its text is kept. RPROC_INIT and an ended runner are fine. */
void rproc_end(struct rproc *r);
/* Kills and reaps the process and frees its text. */
void rproc_release(struct rproc *r);

#endif
