/* SPDX-License-Identifier: MIT */
/*
 * Between judge and runner: a SOCK_SEQPACKET socket for frames (with file descriptors), and one
 * shared page for calls, where a round trip must cost less than a microsecond.
 *
 * Frames: header, then a payload whose length the header states. Everything is checked against what
 * is there before it is used, on both sides: the runner's memory belongs to the candidate.
 *
 *   judge                         runner
 *     HELLO  ------------------->         device, limits
 *     PAGE+fd  ----------------->         the shared page
 *            <-------------------  WARM   it is in its sandbox and has the device open; a spare
 *                                         waits here until there is a candidate for it
 *     SWEEP+fd  ---------------->         where the device sweeps its caches: what it waits in
 *                                         reads this memory first
 *     ARENA+fd... SIZE  -------->         arenas, where tensors lie
 *     LOAD+fd  ----------------->         the artifact: kept closed until seccomp is on
 *            <-------------------  READY  sandbox layers that are on (or FAIL)
 *                                         from here on nothing is trusted: the artifact is loaded
 *            <-------------------  OK or FAIL {stage, text}
 *     SETUP  ------------------->
 *            <-------------------  OK or FAIL
 *     START  ------------------->         the runner now watches the page
 *     ... calls by way of struct wire_page ...
 *
 * Every frame with a descriptor comes before the seal, because seccomp then kills send*() and
 * recv*(): from READY on the runner uses read() and write(), which keep a SOCK_SEQPACKET's message
 * boundaries. A judge that goes away before START ends the runner by end-of-file, later by
 * PDEATHSIG.
 */
#ifndef ASSAY_WIRE_WIRE_H
#define ASSAY_WIRE_WIRE_H

#include "base/buf.h"
#include "base/err.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

#include <stdatomic.h>

#define WIRE_MAGIC 0x59415341u /* "ASAY" */
#define WIRE_VERSION 3
#define WIRE_MAX_FRAME 65536
#define WIRE_MAX_ARENAS 64
#define WIRE_MAX_TENSORS 1024

/* Descriptors a runner is born with. The lock is there when others have to be kept from timing
 * while the device is being opened (devlock.h): the runner lets go of it by closing it. The
 * turnstile is there when the runner has to wait for that lock itself. */
#define WIRE_SOCKET_FD 3
#define WIRE_LOCK_FD 4
#define WIRE_TURN_FD 5

/* How the runner ends by itself. Killed by a signal, or any other status, is the candidate's doing.
 */
#define WIRE_EXIT_EOF 0  /* the judge closed the socket before START */
#define WIRE_EXIT_FAIL 1 /* after a FAIL frame */
#define WIRE_EXIT_ABORT \
    134 /* SIGABRT: pid 1 of a namespace cannot die of a signal it sends itself */

enum wire_type {
    WIRE_HELLO = 1,
    WIRE_READY,
    WIRE_PAGE,
    WIRE_ARENA,
    WIRE_SIZE,
    WIRE_LOAD,
    WIRE_SETUP,
    WIRE_START,
    WIRE_OK,
    WIRE_FAIL,
    WIRE_WARM,
    WIRE_SWEEP,
};

enum wire_stage {                     /* where a runner failed, for the verdict */
                  WIRE_STAGE_SANDBOX, /* ours: infra */
                  WIRE_STAGE_DEVICE,  /* ours: infra */
                  WIRE_STAGE_IMPORT,  /* ours: infra */
                  WIRE_STAGE_LOAD,    /* the artifact does not load or lacks its entry point */
                  WIRE_STAGE_SETUP,   /* assay_setup returned non-zero: status says what */
};

struct wire_hello {
    char device[32];
    int32_t index;
    uint64_t mem_bytes; /* address-space or resident limit for the runner, 0: none */
    uint32_t uid;       /* to become when root; 0: stay */
    uint8_t require;    /* refuse to go on when a sandbox layer is missing */
    uint8_t yield;      /* judge and runner share one core: watch the page with sched_yield() */
};

struct wire_ready {
    uint32_t layers; /* SANDBOX_* bits, by the runner's own account before any candidate code ran */
};

struct wire_arena {
    uint32_t id; /* 0..WIRE_MAX_ARENAS-1 */
    uint64_t bytes;
    uint8_t read_only;
};

struct wire_tensor {
    uint8_t dtype;
    uint8_t rank;
    uint64_t offset;
    int64_t dim[SHAPE_MAX_RANK];
};

struct wire_size {
    uint32_t n_in, n_out, first_param;
    uint8_t setup_params;
    uint32_t setup_arena;        /* whose parameters setup sees, with setup_params */
    struct wire_tensor *tensors; /* n_in + n_out; owned, wire_size_release() */
};

struct wire_fail {
    uint32_t stage;
    int32_t status;
    char text[1024];
};

/* A decoded frame. */
struct wire_msg {
    enum wire_type type;
    int fd; /* that came with it, -1: none; the receiver's to close */
    union {
        struct wire_hello hello;
        struct wire_ready ready;
        struct wire_arena arena;
        struct wire_size size;
        struct wire_fail fail;
        uint64_t bytes; /* PAGE (sizeof(struct wire_page)), LOAD, SWEEP */
    } u;
};

/* struct wire_msg m = WIRE_MSG_INIT(WIRE_START); a message without a descriptor has fd -1, not 0.
 */
#define WIRE_MSG_INIT(t)      \
    {                         \
        .type = (t), .fd = -1 \
    }

/* "HELLO"; "frame N" has no name: NULL. */
const char *wire_type_name(enum wire_type t);
/* PAGE, SWEEP, ARENA and LOAD come with a descriptor, the others without. */
bool wire_carries_fd(enum wire_type t);

void wire_size_release(struct wire_size *s);
/* Closes the fd and frees what the message owns. */
void wire_msg_release(struct wire_msg *m);

/* Bytes of one frame, and back. Decoding never reads past len and refuses trailing bytes, unknown
 * types, other versions, counts over the limits, and offsets that are not multiples of 256. What it
 * accepts encodes to the same bytes again. ret->fd is -1. */
void wire_encode(const struct wire_msg *m, struct buf *out);
int wire_decode(const void *frame, size_t len, struct wire_msg *ret, struct err *err);

/* Over the socket. The fd in m is sent along where the type carries one (and stays the caller's).
 */
int wire_send(int sock, const struct wire_msg *m, struct err *err);
/* Waits at most timeout_ms (-1: for ever). Returns 1 with a message, 0 when the other side is gone
 * or the time is over (*ret_timed_out tells which), -1 when the frame is malformed: also when it
 * has no descriptor where one belongs, or one too many (all of them are closed then). */
int wire_recv(int sock, int timeout_ms, struct wire_msg *ret, bool *ret_timed_out, struct err *err);
/* The same without descriptors, by write() and read(): all that a sealed runner may call. */
int wire_write(int sock, const struct wire_msg *m, struct err *err);
int wire_read(int sock, struct wire_msg *ret, struct err *err);

/* The shared page. The judge writes the order, then go; the runner writes its reply, then done.
 * Each side writes only its own lines, and reads the other's fields once. Sequence numbers start at
 * 1 on a page of zeros; the judge counts its own and believes no other. */
enum wire_order {
    WIRE_ORDER_CALL = 1, /* run the candidate `count` times on (in_arena, out_arena) */
    WIRE_ORDER_EMPTY,    /* the same way through the code without calling it; claims 0 ns */
};

/* How a device that can be is held back. The runner says `queued` before there is a content to work
 * on. The judge then makes it, flushes, which fills the sweep with fresh numbers, and writes
 * `ready`. The device comes to the runner, reads the sweep, is held there and says so in `holding`,
 * with the numbers' sum; the judge reads its clock and writes `release`. Nobody but the device has
 * anything to do between `ready` and `release`. */
enum wire_hold {
    WIRE_HOLD_NONE,
    WIRE_HOLD_WORK, /* the order's work queues up and starts at the release */
    WIRE_HOLD_CALL, /* the device is brought to this process, and the release starts the call:
                     * switching from the judge's context takes longer than many kernels */
};

#define WIRE_STATUS_FAULT INT32_MIN /* the device faulted; `error` says how */
#define WIRE_ERROR_MAX 112
#define WIRE_STATUS_BAD_ORDER (-2) /* unknown order, or arenas that are no input and output */

struct wire_page {
    _Alignas(64) atomic_uint go; /* sequence number of the order that is to run */
    uint32_t order, in_arena, out_arena, count;
    uint32_t hold;                 /* enum wire_hold: until `release` says this order's number */
    _Alignas(64) atomic_uint done; /* sequence number of the last order that ended */
    int32_t status;                /* what the candidate returned (the first non-zero one) */
    uint64_t claim_ns;             /* the runner's own time of the last order */
    char error[WIRE_ERROR_MAX];    /* with WIRE_STATUS_FAULT: "NAME: text"; may lack its NUL */
    _Alignas(64)
        atomic_uint awake; /* judge: "are you spinning?" (sequence), answered in awake_ack */
    _Alignas(64) atomic_uint awake_ack;
    _Alignas(64) atomic_uint release; /* judge: sequence number of the order that may start */
    _Alignas(64) atomic_uint queued;  /* runner: ... of the held order that waits for `ready` */
    _Alignas(64) atomic_uint holding; /* the device itself: ... of the order it is held for; where
                                       * nothing can be held, nobody says this */
    atomic_uint sum; /* the device itself, before `holding`: of all 32-bit words of the sweep */
    _Alignas(64) atomic_uint ready; /* judge: ... of the held order whose content is there */
};

/* Made by the judge; sealed, so that the candidate cannot truncate it under the judge's feet. */
int wire_page_create(struct wire_page **ret_page, int *ret_fd, struct err *err);
/* The runner's mapping of it. */
int wire_page_map(int fd, uint64_t bytes, struct wire_page **ret_page, struct err *err);
void wire_page_unmap(struct wire_page *page); /* NULL is fine */

#endif
