/* SPDX-License-Identifier: MIT */
/* A device has two faces, because judge and candidate live in two processes: the judge's makes
 * memory, fills, flushes and compares; the runner's maps what it is handed and calls the artifact.
 *
 * To add a device: CONTRIBUTING.md, "A device". Drivers are dlopen'ed, so every device compiles
 * everywhere and probe() answers at run time. */
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
#define DEVICE_ARCH_MAX 8

struct device_info {
    char name[128];       /* "AMD EPYC 9R14", "NVIDIA H200" */
    char uuid[64];        /* stable for this very device; "" when there is none */
    char driver[64];      /* the driver's version, or the kernel's release */
    char fingerprint[65]; /* baselines and calibrations are tied to it */
    int64_t memory_bytes;
    int64_t cache_bytes;        /* last-level cache */
    int cores;                  /* usable by candidates */
    char arch[DEVICE_ARCH_MAX]; /* architecture that candidates are built for ("90a"); "": no choice
                                 */
};

enum mem_kind {
    MEM_PRIVATE, /* the judge's own */
    MEM_INPUT,   /* shared: the runner may only read */
    MEM_OUTPUT,  /* shared: the runner may write */
};

/* Device memory. host is its address in this process, or NULL if it has none (cuda). */
struct mem {
    enum mem_kind kind;
    size_t bytes;
    void *host;
    int fd;          /* MEM_INPUT, MEM_OUTPUT: to be sent to the runner; -1 otherwise */
    uint64_t handle; /* the device's own (cuda: its address) */
};

#define MEM_INIT                    \
    {                               \
        MEM_PRIVATE, 0, NULL, -1, 0 \
    }

#define DEVICE_HANDLE_BYTES 64

/* The place of a result that lies in memory of the candidate's own process. */
struct device_result {
    uint64_t at; /* address in the process, or offset in the memory that the handle names */
    unsigned char handle[DEVICE_HANDLE_BYTES]; /* used with locate(): the device's name for the
                                                * memory */
};

/* Rates that a device was seen to reach; 0: not measured, or no such unit. */
struct device_rates {
    double read_bytes_s;
    double flops_s[ARITH_COUNT];
    bool partial; /* there may be units that could not be measured: their 0 means unknown */
};

/* The clock that says how long a call took. */
enum device_clock {
    CLOCK_JUDGE,         /* the judge's clock is the score */
    CLOCK_CLAIM_AUDITED, /* the runner's device events, held against the judge's clock */
    CLOCK_CLAIM,         /* the runner's word alone: only the fake device, for tests */
};

/* Condition of a device, by its own account; a figure that it does not tell is -1. */
struct device_state {
    int sm_mhz, memory_mhz, celsius;
    double watts;
    int64_t throttle; /* DEVICE_THROTTLE_* bits */
};

#define DEVICE_STATE_UNKNOWN \
    {                        \
        -1, -1, -1, -1, -1   \
    }

/* Reasons why clocks are lower than they could be, as NVML's bits. Bits that are no such reason
 * (idle, a chosen clock) have no name here. */
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
 * they were read. */
struct device_sweep {
    struct mem mem; /* MEM_INPUT */
    uint32_t sum;   /* sum of its 32-bit words, since the last flush() */
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
    const struct mem *y; /* expected values: n doubles (int64 if type is no float) */
    size_t y_at;
    const struct mem *got; /* n elements */
    size_t got_at;
    enum dtype type;
    int64_t n;
    const struct compare_scale *scale;
    const struct mem *row_rms; /* root mean square of y's rows; NULL: the device computes it */
    size_t rms_at;
    struct fingerprint *print; /* NULL, or set to got's fingerprint, if the device makes one */
};

/* The judge's face: the trusted side. ctx is the device's own. */
struct device_judge_ops {
    int (*open)(int index, void **ret_ctx, struct err *err);
    void (*close)(void *ctx); /* NULL is fine */
    int (*describe)(void *ctx, struct device_info *ret, struct err *err);
    int (*mem_alloc)(void *ctx, enum mem_kind kind, size_t bytes, struct mem *ret, struct err *err);
    /* MEM_INIT is fine. The only function here that a second thread may call while another one
     * runs. */
    void (*mem_free)(void *ctx, struct mem *m);
    int (*copy)(void *ctx, struct mem *dst, size_t dst_at, const struct mem *src, size_t src_at,
                size_t bytes, struct err *err);
    /* Copy between the judge's host memory and the device's; complete when they return. */
    int (*upload)(void *ctx, struct mem *dst, size_t at, const void *host, size_t bytes,
                  struct err *err);
    int (*download)(void *ctx, const struct mem *src, size_t at, void *host, size_t bytes,
                    struct err *err);
    int (*fill)(void *ctx, const struct device_fill *what, struct err *err);
    /* Fills memory with poison, perhaps only queued on return: flush(), and all that the judge does
     * there later, comes after it. */
    int (*poison)(void *ctx, struct mem *m, size_t at, size_t bytes, uint64_t key, struct err *err);
    /* *ret_at: offset of the first byte that is not the poison any more, -1 when all are */
    int (*poison_check)(void *ctx, const struct mem *m, size_t at, size_t bytes, uint64_t key,
                        int64_t *ret_at, struct err *err);
    /* Reads the words at the first DEVICE_PEEKS places (peeks_place()). */
    int (*peek)(void *ctx, const struct mem *m, const struct peeks *where, uint32_t *ret_words,
                struct err *err);
    /* Writes 8-byte values (double; int64 if t is no float) as a kernel would: rounded to t. */
    int (*store)(void *ctx, const struct mem *values, size_t values_at, enum dtype t, int64_t n,
                 struct mem *dst, size_t at, struct err *err);
    int (*compare)(void *ctx, const struct device_compare *what, struct compare_stats *ret,
                   struct err *err);
    /* Optional: NULL if comparing again costs no more. Makes a fingerprint of the bits of n
     * elements under print->key. Without the key nobody can make other elements with the same
     * fingerprint (fingerprint.h has the bound). So elements with the fingerprint of others that
     * were compared have their figures. */
    int (*fingerprint)(void *ctx, const struct mem *got, size_t at, enum dtype t, int64_t n,
                       struct fingerprint *print, struct err *err);
    /* Optional: computes the root mean square of each of y's rows, to be handed to compare().
     * Without it compare() does so itself, in a second pass over y. */
    int (*row_rms)(void *ctx, const struct mem *y, size_t y_at, int64_t n, int64_t row_len,
                   struct mem *rms, size_t rms_at, struct err *err);
    /* Optional: NULL if results are read from the process by its addresses. Opens memory that a
     * runner named, or knows it from before. *ret is a view of `bytes` bytes there, which is not to
     * be freed. -1: there is no such memory, which is the runner's fault. */
    int (*locate)(void *ctx, const struct device_result *named, size_t bytes, struct mem *ret,
                  struct err *err);
    void (*forget)(void *ctx); /* with locate(): closes all that it opened */
    /* Root mean square of the finite values among n doubles; 0 when there are none. */
    int (*rms)(void *ctx, const struct mem *y, size_t at, int64_t n, double *ret, struct err *err);
    /* Optional: NULL if a runner cannot write to a MEM_INPUT, whatever it does. *ret_at: offset of
     * the first byte in which the two differ, -1 when there is none. */
    int (*differ)(void *ctx, const struct mem *a, const struct mem *b, size_t bytes,
                  int64_t *ret_at, struct err *err);
    /* Optional, like all below: NULL if the device has no such thing; the caller does without. */
    int (*flush)(void *ctx, struct mem *const *mems, int n, struct err *err);
    /* The sweep memory of ctx, made at the first call; NULL with an error. */
    const struct device_sweep *(*sweep)(void *ctx, struct err *err);
    int (*rates)(void *ctx, struct device_rates *ret, struct err *err); /* takes about a second */
    /* Memory of the device that no process holds: shows what evaluations leave behind. */
    int (*free_bytes)(void *ctx, int64_t *ret, struct err *err);
    /* Memory of the device that is held, but not by this ctx and the engine on it. Small
     * allocations count with their bytes: the sum is right to a few MB. */
    int (*others_bytes)(void *ctx, int64_t *ret, struct err *err);
    /* Clocks, temperature, power; DEVICE_STATE_UNKNOWN if the device does not tell. */
    void (*state)(void *ctx, struct device_state *ret);
};

/* One tensor of a call, in the runner, with its place in the arena. */
struct tensor_slot {
    enum dtype dtype;
    struct shape shape;
    uint64_t offset; /* multiple of 256 */
};

struct artifact; /* each device defines its own */

/* The tensors of one call: in[] in the input arena's mapping, out[] in the output arena's. The
 * slots are not owned, and outlive what prepare() makes of them. */
struct device_call {
    const struct tensor_slot *in;
    int n_in;
    const struct tensor_slot *out;
    int n_out;
    void *in_base, *out_base; /* mappings; NULL in setup, but for in_base with params_only */
    void *param_base; /* the first parameter lies here, the others behind it; NULL: in in_base */
    int first_param;  /* in[first_param...] are parameters */
    bool params_only; /* setup = "params": only parameters have data */
};

/* Longest time for which a device is held back, in ms. Work queues up, before there is a content,
 * behind a wait that fills the device until the judge releases it. So the host's gaps between
 * launches are not timed. A candidate that waits for the device inside its call would wait for
 * ever: after this time the judge goes on, and the device gives up by itself. */
#define DEVICE_HOLD_MS 20

/* Words of the shared page by which a device is held; not owned. */
struct device_hold {
    unsigned seq;
    bool call;            /* the call itself waits for the release, not only the device */
    atomic_uint *ready;   /* the judge's: equals seq once the content is there */
    atomic_uint *release; /* the judge's: equals seq once the device may start */
    atomic_uint *queued; /* set to seq once all work, or as much as is safe, is queued; with `call`,
                          * before that */
    atomic_uint *holding; /* set to seq after `ready`, once the device waits; nothing else runs */
    atomic_uint *sum;     /* set before `holding`: sum of the words that sweep() named */
};

/* Value of *ret_status after call() when the device faulted (illegal address, trap, ...), whatever
 * the candidate returned; fault() then names the fault. */
#define DEVICE_STATUS_FAULT INT32_MIN

/* An interpreter that stands in for load(), prepare() and the call itself. */
struct device_caller {
    int (*call)(void *args); /* 0, or DEVICE_STATUS_FAULT */
    const char *(*fault)(void);
};

/* The runner's face, in the sandboxed process. Nothing here is trusted once load() has run. */
struct device_runner_ops {
    int (*open)(int index, void **ret_ctx, struct err *err);
    /* Optional: NULL if an interpreter needs nothing of the device. open() for an interpreter,
     * whose libraries queue their work where they like. *caller outlives ctx. */
    int (*open_for)(int index, const struct device_caller *caller, void **ret_ctx, struct err *err);
    int (*import)(void *ctx, int fd, size_t bytes, bool read_only, void **ret_base,
                  struct err *err);
    void (*unimport)(void *ctx, void *base, size_t bytes);
    int (*load)(void *ctx, int artifact_fd, struct artifact **ret, struct err *err);
    /* Optional. A text for the judge on what load() found; it belongs to ctx. */
    const char *(*note)(void *ctx);
    /* Builds the argument block once, so that call() does nothing but call. */
    int (*prepare)(void *ctx, struct artifact *a, const struct device_call *c, void **ret_args,
                   struct err *err);
    void (*release)(void *ctx, void *args); /* frees what prepare() made */
    /* *ret_status: the candidate's return value, 0 when there is no setup function. *ret_claim_ns:
     * the device's own time; 0 if it has no clock, and the caller's then counts. */
    int (*setup)(void *ctx, struct artifact *a, void *args, int *ret_status, struct err *err);
    int (*call)(void *ctx, struct artifact *a, void *args, int *ret_status, uint64_t *ret_claim_ns);
    /* Optional. Makes several calls back to back, timed as one; with none it is the way there and
     * back. Stops at the first status that is not 0. If batch() is NULL, the caller loops over
     * call(). */
    int (*batch)(void *ctx, struct artifact *a, void *args, uint32_t count, int *ret_status,
                 uint64_t *ret_claim_ns);
    /* Optional: share() and held_batch(), and sweep() with them. share() makes the shared page
     * visible to the device, before load(); if it returns -1, nothing is held. held_batch() is
     * batch() behind a hold; its claim begins when the hold ends. */
    int (*share)(void *ctx, void *page, size_t bytes, struct err *err);
    int (*held_batch)(void *ctx, struct artifact *a, void *args, uint32_t count,
                      const struct device_hold *hold, int *ret_status, uint64_t *ret_claim_ns);
    /* Optional. Names imported memory: the device reads it from now on before it says that it
     * waits. */
    void (*sweep)(void *ctx, const void *base, size_t bytes);
    /* Optional. Names where the results of the last call lie, if not in the output arena, in the
     * order of outputs, `max` at most. Returns their number; 0: they are in the arena. */
    int (*results)(void *ctx, struct device_result *ret, int max);
    /* Optional, with open_for(). Names memory of this process so that the judge can open it. -1: it
     * is of a kind that cannot be shared. */
    int (*export)(void *ctx, const void *at, struct device_result *ret);
    /* Optional, for a rehearsal: writes what the candidate's folder holds to WIRE_SAVE_FD. Returns
     * 0, or DEVICE_STATUS_FAULT. */
    int (*save)(void *ctx);
    /* Optional. Names the fault after DEVICE_STATUS_FAULT: "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal
     * ...". The text belongs to ctx. */
    const char *(*fault)(void *ctx);
};

struct ops_engine;    /* ops/ops.h */
struct build_request; /* build/build.h */
struct build_result;

/* A way to build candidates, chosen by the suffix of their files. */
struct toolchain {
    const char *suffix; /* ".cu" */
    int (*build)(const struct build_request *req, struct build_result *ret, struct err *err);
};

/* Candidates of our own that do nothing, or one thing only: calibration times them
 * (judge/call_floor.c). They are texts in the language of `file`; NULL: no such candidate. */
struct device_gauges {
    const char *file; /* a name for them; its suffix chooses the toolchain */
    const char *empty;
    const char *launched; /* an empty kernel that the runner itself launches, which is quicker */
    const char *writer;   /* writes its whole output, which is twice the last cache */
    const char *threads;  /* writes its output with several threads */
    /* `empty` or `launched`: the one that is built in the same way as this source. NULL: `empty` */
    const char *(*like)(const char *source, size_t len);
};

/* A library or tool that a device uses and can do without, for `assay doctor`. */
struct device_library {
    const char *what; /* "cublas" */
    /* Writes name, version and file if it is here, else what is lost without it. */
    bool (*look)(char *text, size_t size);
};

struct device {
    int api; /* DEVICE_API */
    const char *name, *summary;
    enum device_clock clock;
    bool pins_cores; /* judge and runner are pinned to different cores (cpu) */
    /* How long the device can be held back (held_batch) before it gives up, and how long the judge
     * waits for work to be queued, in ms; 0: it cannot be held. */
    int hold_ms;
    /* Number of such devices here; 0 when none is found, and *ret_why says what is missing
     * (static). */
    int (*probe)(const char **ret_why);
    const char *remedy; /* advice if nothing is found; NULL if there always is one */
    const struct device_runner_ops *runner;    /* NULL in a judge */
    const struct device_judge_ops *judge;      /* NULL in a runner, like all that follows up to
                                                * open_engine */
    const struct toolchain *const *toolchains; /* NULL-terminated; the first is the usual one */
    bool shows_code; /* build/evidence.c can read the machine code of artifacts */
    const struct device_gauges *gauges;     /* NULL only if the clock is CLOCK_CLAIM */
    const struct device_library *libraries; /* ends with a NULL `what`; NULL: none */
    /* Opens an engine on a judge's ctx, which evaluates graphs where the contents lie. NULL: the
     * host evaluates them. */
    int (*open_engine)(void *ctx, struct ops_engine *ret, struct err *err);
    bool torch_first; /* PyTorch's baselines run on this device if there is one, else on the CPU */
    /* Paths that a runner of this device may use besides those of every runner; NULL: none. Files,
     * folders or glob patterns (with {a,b}), NULL-terminated; paths that do not exist here are
     * passed over. Complete only once probe() has been called in this process. */
    const char *const *read_paths, *const *write_paths;
    const char *const *own_paths;     /* folders in which a runner may make files; NULL: none */
    const char *const *execute_paths; /* with starts_programs: programs and what they read */
    bool is_interpreter;  /* a runner is an interpreter: programs are refused to it, not killed */
    bool starts_programs; /* a rehearsal: compilers may be started */
    /* Needs of a driver; all false for a device without one. */
    bool needs_ioctl; /* ioctl() and its kin after the seal, more descriptors, to be dumpable */
    bool needs_proc;
    bool maps_beyond_memory;   /* maps far more than it uses: no limit of address space */
    bool opens_slowly;         /* opening takes longer than judging a small kernel: spares help */
    bool counts_device_memory; /* candidates have memory of their own here, as others_bytes() tells
                                */
    /* Environment variables of a runner besides those of every runner, and of PyTorch's worker;
     * NULL: none. */
    const char *const *runner_env, *const *worker_env;
};

/* Every device, in the order in which they are asked about a candidate's suffix. device_NAME is
 * defined in NAME/NAME_for_judge.c and in NAME/NAME_for_runner.c. Its faces are NAME_judge_ops and
 * NAME_runner_ops. */
#define DEVICES(X) X(cpu) X(cuda) X(fake)

#define DEVICE_DECLARE(name) extern const struct device device_##name;
DEVICES(DEVICE_DECLARE)
#undef DEVICE_DECLARE
extern const struct device *const device_registry[]; /* NULL-terminated */

/* Adds "cpu, cuda, ...": the names of all devices. */
void device_names(struct buf *out);
/* Finds a device by its word ("cpu", "cuda:1"); ERR_USAGE with the list of names otherwise. */
int device_find(const char *word, const struct device **ret, int *ret_index, struct err *err);
/* ERR_DEVICE with what is missing, and what to do. word: as the device was asked for. */
int device_fail_missing(const struct device *d, const char *word, const char *why, struct err *err);
/* 0, or device_fail_missing() if probe() finds none. */
int device_check(const struct device *d, const char *word, struct err *err);
/* Adds the suffixes of files that the device takes: ".c and .py"; "no" if there are none. */
void device_suffixes(const struct device *d, struct buf *out);
/* True if the device takes files of this suffix. */
bool device_takes(const struct device *d, const char *path);
/* The first device that takes the file, or NULL. */
const struct device *device_for_file(const char *path);

#endif
