/* SPDX-License-Identifier: MIT */
/* The judge's end of one runner process: start it, hand it memory and an artifact, call, stop it
 * between calls, end it. Everything it says is the candidate's word; only its death, the judge's
 * clock and the output memory are facts. */
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
    /* What it takes to start one, whatever the candidate. */
    const char *runner_path; /* the program, where the subject's launcher starts one */
    struct subject subject;
    const struct device *device;
    int device_index;
    uint64_t mem_bytes; /* of host memory */
    bool require_sandbox;
    bool pin;
    cpu_set_t runner_cpus;
    int start_timeout_ms; /* spawn to OK, and assay_setup */
    int call_timeout_ms;  /* one call */
    /* What is handed over. Arenas are numbered inputs first. */
    const struct device_sweep *sweep; /* NULL: this device sweeps nothing. Not owned */
    const struct layout *in, *out;
    const struct mem *in_arenas;
    int n_in_arenas;
    const struct mem *out_arenas;
    int n_out_arenas;
    int n_inputs;      /* sources before the parameters */
    bool setup_params; /* the problem says setup = "params": they lie in arena 0 */
    int artifact_fd;
};

#define RPROC_TEXT_MAX 65536
#define RPROC_GLIMPSES 32

struct rproc_glimpse {
    const volatile uint32_t *word;
    uint32_t value;
};

/* Called again and again while the judge waits for a runner. */
struct rproc_watch {
    void (*look)(void *arg);
    void *arg;
};

struct rproc_order {
    enum wire_order what;
    int in_arena, out_arena, count;
    enum wire_hold hold;
};

struct rproc {
    const struct rproc_config *config; /* not owned; outlives this */
    pid_t pid;                         /* 0: none, or reaped */
    int pidfd, sock, out_fd;
    struct wire_page *page;
    unsigned seq, awake_seq;
    struct rproc_order order; /* the present one */
    uint64_t queue_ns;        /* what it took to queue */
    bool overdue;             /* it was not queued in time: it waits for the device */
    bool stopped, killed;
    /* Of its last order: CPU time before, and the judge's clock from SIGCONT to awake (0: it did
     * not wake), from go to done, from done to a standstill. */
    uint64_t cpu_before_ns, wake_ns, call_ns, stop_ns;
    uint64_t glimpse_ns; /* and what the judge's first look at the output took, behind "done" */
    struct rproc_glimpse glimpses[RPROC_GLIMPSES]; /* of its output when it said "done" */
    int n_glimpses;
    uint64_t glimpse_key;     /* where they are looked for; secret */
    bool warm;                /* WARM was seen: it has its device open */
    bool sealed;              /* READY was seen: from here on its word is the candidate's */
    uint64_t watched_ns;      /* when its memory was last looked at */
    struct rproc_watch watch; /* while a call is waited for; all NULL: nobody */
    int wait_status;          /* once reaped */
    uint32_t layers;          /* SANDBOX_* */
    char *group;              /* its cgroup; NULL: none */
    struct buf text;          /* stdout and stderr, the first RPROC_TEXT_MAX bytes */
    uint64_t text_seen;       /* bytes in all */
};

#define RPROC_PIPE_BYTES (1 << 20) /* of its text that lie in the pipe */

#define RPROC_INIT                            \
    {                                         \
        .pidfd = -1, .sock = -1, .out_fd = -1 \
    }

/* -1: it is gone. */
int rproc_signal(const struct rproc *r, int sig);

/* All of these: 0 fine, 1 the candidate's fault (*v filled), -1 ours (*err filled). */

/* Starts the process, which goes into its sandbox and opens the device; does not wait, so that
 * several start side by side. It holds on to the lock (NULL: none) until the device is open. */
int rproc_spawn(struct rproc *r, const struct rproc_config *config, const struct devlock *lock,
                struct err *err);
/* Waits until the device is open. No candidate is involved: 0 or -1. */
int rproc_await_warm(struct rproc *r, struct err *err);
/* Gives it memory and the artifact. `config` may be another than it was started with, as long as it
 * would start the same process. -1: it is gone. */
int rproc_hand_over(struct rproc *r, const struct rproc_config *config, struct err *err);
/* rproc_spawn() and rproc_hand_over() in one. */
int rproc_start(struct rproc *r, const struct rproc_config *config, struct err *err);
/* Waits until the artifact is loaded and set up and the runner watches its page. */
int rproc_ready(struct rproc *r, struct verdict *v, struct err *err);

/* A runner's first calls are not to be held: code that loads lazily waits for the device. */
#define RPROC_UNHELD_CALLS 2

/* `count` calls back to back. With a hold the runner must be running (rproc_wake): it queues its
 * work, of which there is no content yet, and this returns when that is done, or would never be.
 * Otherwise the order is only kept. */
int rproc_queue(struct rproc *r, const struct rproc_order *order, struct verdict *v);

struct rproc_reply {
    uint64_t wall_ns;  /* the judge's clock, go (or the release, or ready) to done */
    uint64_t claim_ns; /* the runner's word */
    uint64_t hold_ns;  /* from ready until the device was held; 0: it was not */
    uint64_t queue_ns; /* with WIRE_HOLD_WORK: from go until all was queued */
    bool held;         /* the work queued up before the release */
};
/* The content is there: carries the order out. The runner must be running. ret->held is false
 * although the order asks for it when it could not be: no such device, or the candidate waits for
 * it inside its call. */
int rproc_run(struct rproc *r, struct rproc_reply *ret, struct verdict *v);
/* SIGSTOP, and wait until every thread stands still. Nothing works ahead while the judge prepares.
 */
int rproc_stop(struct rproc *r, struct verdict *v, struct err *err);
/* SIGCONT, and wait until the runner spins on its page again, so that waking is not timed. */
int rproc_wake(struct rproc *r, struct verdict *v, struct err *err);

/* What an order finds in its arenas: prepared while the runner stands still, or where it is woken
 * first when it has queued its work. */
struct rproc_content {
    int (*prepare)(void *arg, struct err *err); /* 0 or -1 */
    void *arg;
    bool wakes_first; /* an order with a hold needs it */
};
/* All of these in their order: stop, wake or not yet, queue, prepare, wake, run. The runner is left
 * running. */
int rproc_order(struct rproc *r, const struct rproc_order *order,
                const struct rproc_content *content, struct rproc_reply *ret, struct verdict *v,
                struct err *err);
/* How long it may have worked on its last order before it was told to go, or after it had said that
 * it was done, by its CPU time: to be asked when it stands still. Honest ones take some, for their
 * wake-up: calibration says how much. */
uint64_t rproc_unexplained_ns(const struct rproc *r);
/* Ends it, whatever it does, and does not wait. Its config is not looked at any more. */
void rproc_kill(struct rproc *r);
/* The same, and reaps it. RPROC_INIT and an ended one are fine. */
void rproc_end(struct rproc *r);
/* The same, and its text is gone too. */
void rproc_release(struct rproc *r);

#endif
