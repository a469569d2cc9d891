/* SPDX-License-Identifier: MIT */
/* A device has two faces, because judge and candidate live in two processes: the judge's makes
 * memory, fills, flushes and compares; the runner's maps what it is handed and calls the artifact.
 *
 * To add one: NAME.c with a const struct device, a line in registry.c, a row in docs. Drivers are
 * dlopen'ed, so every device compiles everywhere and probe() answers at run time. */
#ifndef ASSAY_DEVICE_DEVICE_H
#define ASSAY_DEVICE_DEVICE_H

#include "base/err.h"
#include "tensor/arith.h"
#include "tensor/compare.h"
#include "tensor/dtype.h"
#include "tensor/fill.h"
#include "tensor/fingerprint.h"
#include "tensor/peeks.h"
#include "tensor/shape.h"

#include <stdatomic.h>

#define DEVICE_API 1

struct device_info {
    char name[128];       /* "AMD EPYC 9R14", "NVIDIA H200" */
    char uuid[64];        /* stable for this very device; "" when there is none */
    char driver[64];      /* or the kernel's release */
    char fingerprint[65]; /* what baselines and calibrations are tied to */
    int64_t memory_bytes;
    int64_t cache_bytes;              /* last level */
    int cores;                        /* usable by candidates */
    int compute_major, compute_minor; /* NVIDIA's compute capability; 0 elsewhere */
};

enum mem_kind {
    MEM_PRIVATE, /* the judge's own */
    MEM_INPUT,   /* shared: the runner may only read */
    MEM_OUTPUT,  /* shared: the runner may write */
};

/* Device memory. host is its address in this process where the device has one (cpu, fake), else
 * NULL. */
struct mem {
    enum mem_kind kind;
    size_t bytes;
    void *host;
    int fd;          /* MEM_INPUT, MEM_OUTPUT: to be sent to the runner; -1 otherwise */
    uint64_t handle; /* the device's own */
};

#define MEM_INIT                    \
    {                               \
        MEM_PRIVATE, 0, NULL, -1, 0 \
    }

/* What a device was seen to reach; 0: not measured, or no such unit. */
struct device_rates {
    double read_bytes_s;
    double flops_s[ARITH_COUNT];
    bool partial; /* there may be units that could not be measured: their 0 means unknown */
};

/* Who says how long a call took. */
enum device_clock {
    CLOCK_JUDGE,         /* the judge's clock is the score */
    CLOCK_CLAIM_AUDITED, /* the runner's device events, held against the judge's clock */
    CLOCK_CLAIM,         /* the runner's word alone: only the fake device, for tests */
};

/* What a device says about its condition; a figure it does not tell is -1. */
struct device_state {
    int sm_mhz, memory_mhz, celsius;
    double watts;
    int64_t throttle; /* DEVICE_THROTTLE_* bits */
};

#define DEVICE_STATE_UNKNOWN \
    {                        \
        -1, -1, -1, -1, -1   \
    }

/* Why clocks are lower than they could be; NVML's bits. Those that say nothing of the sort (idle, a
 * chosen clock) have no name here. */
#define DEVICE_THROTTLE_POWER_CAP 0x4
#define DEVICE_THROTTLE_HW_SLOWDOWN 0x8
#define DEVICE_THROTTLE_SW_THERMAL 0x20
#define DEVICE_THROTTLE_HW_THERMAL 0x40
#define DEVICE_THROTTLE_POWER_BRAKE 0x80

struct device_throttle {
    int64_t bit;
    const char *name;
};
extern const struct device_throttle device_throttles[]; /* ends with a NULL name */
bool device_throttled(const struct device_state *s);

#define DEVICE_PEEKS 1024

/* Memory that a runner's device reads before it says that it waits, so that nothing of a
 * candidate's is left in the caches. flush() fills it with fresh numbers; their sum proves that
 * they were read.
 */
struct device_sweep {
    struct mem mem; /* MEM_INPUT */
    uint32_t sum;   /* of its 32-bit words, since the last flush() */
};

/* A tensor to be drawn. */
struct device_fill {
    struct mem *to;
    size_t at;
    const struct law *law;
    uint64_t seed;
    enum dtype type;
    const struct shape *shape;
};

/* An output to be compared. */
struct device_compare {
    const struct mem *y; /* n doubles (int64 where type is no float): what is expected */
    size_t y_at;
    const struct mem *got; /* n elements */
    size_t got_at;
    enum dtype type;
    int64_t n;
    const struct compare_scale *scale;
    const struct mem *row_rms; /* of the rows of y; NULL: the device finds it */
    size_t rms_at;
    struct fingerprint *print; /* NULL, or filled with what fingerprint() says of `got`, where the
                                  device makes one */
};

struct device_judge_ops { /* trusted side; ctx is the device's own */
    int (*open)(int index, void **ret_ctx, struct err *err);
    void (*close)(void *ctx); /* NULL is fine */
    int (*describe)(void *ctx, struct device_info *ret, struct err *err);
    int (*mem_alloc)(void *ctx, enum mem_kind kind, size_t bytes, struct mem *ret, struct err *err);
    /* MEM_INIT is fine. The only one that another thread may call while one of them runs. */
    void (*mem_free)(void *ctx, struct mem *m);
    int (*copy)(void *ctx, struct mem *dst, size_t dst_at, const struct mem *src, size_t src_at,
                size_t bytes, struct err *err);
    /* Between the judge's host memory and the device's; complete when they return. */
    int (*upload)(void *ctx, struct mem *dst, size_t at, const void *host, size_t bytes,
                  struct err *err);
    int (*download)(void *ctx, const struct mem *src, size_t at, void *host, size_t bytes,
                    struct err *err);
    int (*fill)(void *ctx, const struct device_fill *what, struct err *err);
    /* May only be queued: flush(), and whatever else the judge does there, comes after it. */
    int (*poison)(void *ctx, struct mem *m, size_t at, size_t bytes, uint64_t key, struct err *err);
    /* *ret_at: offset of the first byte that is not the poison any more, -1 when all are */
    int (*poison_check)(void *ctx, const struct mem *m, size_t at, size_t bytes, uint64_t key,
                        int64_t *ret_at, struct err *err);
    /* Words of the memory at the first DEVICE_PEEKS places (peeks_place()). */
    int (*peek)(void *ctx, const struct mem *m, const struct peeks *where, uint32_t *ret_words,
                struct err *err);
    /* 8-byte values (double; int64 where t is no float) as a kernel would write them: rounded to t.
     */
    int (*store)(void *ctx, const struct mem *values, size_t values_at, enum dtype t, int64_t n,
                 struct mem *dst, size_t at, struct err *err);
    int (*compare)(void *ctx, const struct device_compare *what, struct compare_stats *ret,
                   struct err *err);
    /* Optional: NULL where comparing again is no dearer. Of the bits of n elements under
     * print->key; who does not know the key cannot make others with the same one (fingerprint.h has
     * the bound). So elements whose fingerprint is that of others which were compared have their
     * figures. */
    int (*fingerprint)(void *ctx, const struct mem *got, size_t at, enum dtype t, int64_t n,
                       struct fingerprint *print, struct err *err);
    /* Optional: the root mean square of each of y's rows, to be handed to compare(). Where it is
     * NULL, and where row_rms is, compare() finds it itself: a second pass over y. */
    int (*row_rms)(void *ctx, const struct mem *y, size_t y_at, int64_t n, int64_t row_len,
                   struct mem *rms, size_t rms_at, struct err *err);
    /* Root mean square of the finite ones among n doubles; 0 when there are none. */
    int (*rms)(void *ctx, const struct mem *y, size_t at, int64_t n, double *ret, struct err *err);
    /* Optional: NULL where a runner cannot write to a MEM_INPUT, whatever it does. *ret_at: offset
     * of the first byte in which the two differ, -1 when there is none. */
    int (*differ)(void *ctx, const struct mem *a, const struct mem *b, size_t bytes,
                  int64_t *ret_at, struct err *err);
    /* Optional: NULL says there is no such thing, and the caller does without. */
    int (*flush)(void *ctx, struct mem *const *mems, int n, struct err *err);
    /* The ctx's own, made at the first call; NULL with an error. */
    const struct device_sweep *(*sweep)(void *ctx, struct err *err);
    int (*rates)(void *ctx, struct device_rates *ret, struct err *err); /* about a second */
    /* Memory that nobody holds, whoever they are: shows what evaluations leave behind. */
    int (*free_bytes)(void *ctx, int64_t *ret, struct err *err);
    /* Memory of the device that is held, but not by this ctx and the engine on it. Small pieces are
     * reckoned by their bytes: right to a few MB. */
    int (*others_bytes)(void *ctx, int64_t *ret, struct err *err);
    /* Clocks, temperature, power; DEVICE_STATE_UNKNOWN where the device does not tell. */
    void (*state)(void *ctx, struct device_state *ret);
};

/* One tensor of a call, in the runner: where it lies in the set's arena. */
struct tensor_slot {
    enum dtype dtype;
    struct shape shape;
    uint64_t offset; /* multiple of 256 */
};

struct artifact; /* the device's own */

/* The tensors of one call: in[] in the input set's mapping, out[] in the output's. The slots are
 * not owned, and outlive what prepare() makes of them. */
struct device_call {
    const struct tensor_slot *in;
    int n_in;
    const struct tensor_slot *out;
    int n_out;
    void *in_base, *out_base; /* mappings; NULL while setting up */
    int first_param;          /* in[first_param...] are parameters */
    bool params_only;         /* setup = "params": only these have data */
};

/* A device that is held back: work queues up, before there is a content, behind something that then
 * fills the device and waits until the judge releases it, so that the host's gaps between launches
 * are not timed. A candidate that waits for the device inside its call would wait for ever: after
 * so long the judge goes on, and the device gives up by itself. */
#define DEVICE_HOLD_MS 20

struct device_hold { /* words of the shared page; not owned */
    unsigned seq;
    bool call;            /* the call itself waits for the release, not only the device */
    atomic_uint *ready;   /* the judge's: equals seq once the content is there */
    atomic_uint *release; /* the judge's: equals seq once the device may start */
    atomic_uint *queued;  /* to be set to seq once all, or as much as is safe, is queued; with
                           * `call`, before it */
    atomic_uint *holding; /* to be set, behind `ready`, once the device waits and nothing else can
                           * run */
    atomic_uint *sum;     /* to be set before that: of what sweep() named */
};

/* What call() says in *ret_status when the device faulted (illegal address, trap, ...), whatever
 * the candidate returned; fault() then names it. */
#define DEVICE_STATUS_FAULT INT32_MIN

struct device_runner_ops { /* in the sandboxed process; nothing here is trusted once load() has run
                            */
    int (*open)(int index, void **ret_ctx, struct err *err);
    int (*import)(void *ctx, int fd, size_t bytes, bool read_only, void **ret_base,
                  struct err *err);
    void (*unimport)(void *ctx, void *base, size_t bytes);
    int (*load)(void *ctx, int artifact_fd, struct artifact **ret, struct err *err);
    /* Builds the argument block once, so that call() does nothing but call. */
    int (*prepare)(void *ctx, struct artifact *a, const struct device_call *c, void **ret_args,
                   struct err *err);
    void (*release)(void *ctx, void *args); /* what prepare() made */
    /* *ret_status: what the candidate returned, 0 when there is no setup function.
     * *ret_claim_ns: the device's own time; 0 where it has no clock, and the caller's then counts.
     */
    int (*setup)(void *ctx, struct artifact *a, void *args, int *ret_status, struct err *err);
    int (*call)(void *ctx, struct artifact *a, void *args, int *ret_status, uint64_t *ret_claim_ns);
    /* Optional. Several calls (or none: the way there and back) back to back, timed as one; where
     * it is NULL the caller loops over call(). Stops at the first status that is not 0. */
    int (*batch)(void *ctx, struct artifact *a, void *args, uint32_t count, int *ret_status,
                 uint64_t *ret_claim_ns);
    /* Optional, both; and sweep() with them. share() makes the shared page visible to the device,
     * before load(); where it says -1 nothing is held. held_batch() is batch() behind a hold; its
     * claim begins when the hold ends. */
    int (*share)(void *ctx, void *page, size_t bytes, struct err *err);
    int (*held_batch)(void *ctx, struct artifact *a, void *args, uint32_t count,
                      const struct device_hold *hold, int *ret_status, uint64_t *ret_claim_ns);
    /* Optional. What the device reads from now on, as imported, before it says that it waits. */
    void (*sweep)(void *ctx, const void *base, size_t bytes);
    /* Optional. After DEVICE_STATUS_FAULT: "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal ...", the ctx's
     * own. */
    const char *(*fault)(void *ctx);
};

struct ops_engine; /* ops/ops.h */

struct device {
    int api; /* DEVICE_API */
    const char *name, *summary;
    const char *const *suffixes; /* of candidate files, NULL-terminated */
    enum device_clock clock;
    bool pins_cores; /* judge and runner are pinned to different cores (cpu) */
    /* How long it can be held back (held_batch) before it gives up, and how long the judge waits
     * for work to be queued; 0: not at all. */
    int hold_ms;
    /* How many there are, 0 when nothing is found; *ret_why then says what is missing (static). */
    int (*probe)(const char **ret_why);
    const char *remedy;                     /* what to do then; NULL where one is always there */
    const struct device_judge_ops *judge;   /* NULL in a runner */
    const struct device_runner_ops *runner; /* NULL in a judge */
    /* Of a judge's ctx: evaluates graphs where the contents lie. NULL: the host does. */
    int (*open_engine)(void *ctx, struct ops_engine *ret, struct err *err);
    bool torch_first; /* PyTorch's baselines run here where there is one, else on the CPU */
    /* What a runner of this device may touch besides what every runner may; NULL: nothing. Files,
     * folders or glob patterns (with {a,b}), NULL-terminated; what does not exist here is passed
     * over. Complete only once probe() has been called in this process. */
    const char *const *read_paths, *const *write_paths;
    /* What a driver asks for; all false for a device without one. */
    bool needs_ioctl; /* and its kin, after the seal; more descriptors, and to be dumpable */
    bool needs_proc;
    bool maps_beyond_memory;   /* far more than it uses: no limit of address space */
    bool opens_slowly;         /* longer than a small kernel is judged: spares are worth it */
    bool counts_device_memory; /* a candidate's is its own, and others_bytes() tells it */
    /* What a runner finds in its environment besides what every runner does, and what PyTorch's
     * worker does; NULL: nothing. */
    const char *const *runner_env, *const *worker_env;
};

/* To add a device: see CONTRIBUTING.md, "A device". */
extern const struct device device_cpu, device_fake, device_cuda;
extern const struct device *const device_registry[]; /* NULL-terminated */

/* "cpu", "cuda:1"; ERR_USAGE with the list of names otherwise. */
int device_find(const char *word, const struct device **ret, int *ret_index, struct err *err);
/* ERR_DEVICE: what is missing, and what to do. word: as the device was asked for. */
int device_fail_missing(const struct device *d, const char *word, const char *why, struct err *err);
/* So it fails where probe() finds none. */
int device_check(const struct device *d, const char *word, struct err *err);
/* By the file's suffix. */
bool device_takes(const struct device *d, const char *path);
/* The first device that takes it, or NULL. */
const struct device *device_for_file(const char *path);

#endif
