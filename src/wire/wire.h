/* SPDX-License-Identifier: MIT */
/*
 * Between judge and runner: a SOCK_SEQPACKET socket for frames (with file descriptors), and one
 * shared page for calls, where a round trip must cost less than a microsecond.
 *
 * A frame is a header and a payload whose length the header states. Both sides check every field
 * before they use it, because the runner's memory belongs to the candidate.
 *
 *   judge                         runner
 *     HELLO  ------------------->         device, limits
 *     PAGE+fd  ----------------->         the shared page
 *            <-------------------  WARM   the runner is in its sandbox, its device open; a spare
 *                                         waits here until there is a candidate for it
 *     SWEEP+fd  ---------------->         only for devices that sweep their caches: memory that
 *                                         the device reads before it says that it waits
 *     ARENA+fd... SIZE  -------->         arenas, and the places of tensors in them
 *     LOAD+fd  ----------------->         the artifact: kept closed until seccomp is on
 *            <-------------------  READY  sandbox layers that are on (or FAIL)
 *                                         from here on nothing is trusted: the artifact is loaded
 *            <-------------------  OK {note} or FAIL {stage, text}
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
#define WIRE_VERSION 5
#define WIRE_MAX_FRAME 65536
#define WIRE_MAX_ARENAS 64
#define WIRE_PARAM_ARENA (WIRE_MAX_ARENAS - 1) /* number of an arena for parameters alone */
#define WIRE_MAX_TENSORS 1024
#define WIRE_MAX_NOTE 32768 /* bytes of an OK frame's note */

/* Descriptors that a runner starts with. The lock is among them if nobody may be timed while the
 * device is being opened (process/devlock.h); the runner releases it by closing it. The turnstile
 * is among them if the runner has to wait for that lock itself. */
#define WIRE_SOCKET_FD 3
#define WIRE_LOCK_FD 4
#define WIRE_TURN_FD 5
/* In the lock's place, for a rehearsal: a file for what is in the candidate's folder. */
#define WIRE_SAVE_FD 4

/* Exit statuses of the runner itself. Another status, or a signal, is the candidate's doing. */
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

/* Stage at which a runner failed, for the verdict. */
enum wire_stage {
    WIRE_STAGE_SANDBOX, /* our fault: infra */
    WIRE_STAGE_DEVICE,  /* our fault: infra */
    WIRE_STAGE_IMPORT,  /* our fault: infra */
    WIRE_STAGE_LOAD,    /* the artifact does not load or lacks its entry point */
    WIRE_STAGE_SETUP,   /* assay_setup returned non-zero: status says what */
};

struct wire_hello {
    char device[32];
    int32_t index;
    uint64_t mem_bytes; /* address-space or resident limit for the runner, 0: none */
    uint32_t uid;       /* the runner becomes this user if it is root; 0: it does not */
    uint8_t require;    /* refuse to go on when a sandbox layer is missing */
    uint8_t yield;      /* judge and runner share one core: watch the page with sched_yield() */
};

struct wire_ready {
    uint32_t layers; /* SANDBOX_* bits, by the runner's own account before any candidate code ran */
};

/* If there is an arena WIRE_PARAM_ARENA, parameters lie there in every call: at one address for the
 * life of the process. The first one is at its start, the others as far from it as in an input
 * arena. It is read-only, and no input arena. */
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
    uint32_t setup_arena;        /* arena with the parameters that setup sees, if setup_params */
    struct wire_tensor *tensors; /* n_in + n_out tensors; owned, see wire_size_release() */
};

struct wire_fail {
    uint32_t stage;
    int32_t status;
    char text[1024];
};

/* A decoded frame. */
struct wire_msg {
    enum wire_type type;
    int fd; /* descriptor that came with the frame, -1: none; the receiver closes it */
    union {
        struct wire_hello hello;
        struct wire_ready ready;
        struct wire_arena arena;
        struct wire_size size;
        struct wire_fail fail;
        /* OK: a runner's words on what it loaded, which the judge checks; NULL: none. Owned by the
         * receiver, see wire_msg_release(). */
        char *note;
        uint64_t bytes; /* PAGE (sizeof(struct wire_page)), LOAD, SWEEP */
    } u;
};

/* struct wire_msg m = WIRE_MSG_INIT(WIRE_START); a message without a descriptor has fd -1, not 0.
 */
#define WIRE_MSG_INIT(t)      \
    {                         \
        .type = (t), .fd = -1 \
    }

/* Name of a frame type ("HELLO"); NULL if there is no such type. */
const char *wire_type_name(enum wire_type t);
/* PAGE, SWEEP, ARENA and LOAD come with a descriptor, the others without. */
bool wire_carries_fd(enum wire_type t);

void wire_size_release(struct wire_size *s);
/* Closes the fd and frees what the message owns. */
void wire_msg_release(struct wire_msg *m);

/* Turns a message into the bytes of one frame, and back. Decoding never reads past len and refuses
 * trailing bytes, unknown types, other versions, counts over the limits, and offsets that are not
 * multiples of 256. A frame that it accepts encodes to the same bytes again. ret->fd is -1. */
void wire_encode(const struct wire_msg *m, struct buf *out);
int wire_decode(const void *frame, size_t len, struct wire_msg *ret, struct err *err);

/* Sends a frame over the socket, with m->fd if its type carries a descriptor. The caller keeps that
 * descriptor. */
int wire_send(int sock, const struct wire_msg *m, struct err *err);
/* Receives a frame; waits at most timeout_ms (-1: for ever). Returns 1 with a message, 0 when the
 * other side is gone or the time is over (*ret_timed_out tells which), -1 when the frame is
 * malformed. A frame without the descriptor that it needs is malformed, and so is one with too
 * many; all its descriptors are closed then. */
int wire_recv(int sock, int timeout_ms, struct wire_msg *ret, bool *ret_timed_out, struct err *err);
/* Frames without descriptors, by write() and read(): seccomp forbids a sealed runner all others. */
int wire_write(int sock, const struct wire_msg *m, struct err *err);
int wire_read(int sock, struct wire_msg *ret, struct err *err);

/* The shared page. The judge writes the order, then go; the runner writes its reply, then done.
 * Each side writes only its own cache lines, and reads the other's fields once. Sequence numbers
 * start at 1 on a page of zeros; the judge counts its own and believes no other. */
enum wire_order {
    WIRE_ORDER_CALL = 1, /* run the candidate `count` times on (in_arena, out_arena) */
    WIRE_ORDER_EMPTY,    /* same path through the runner, without the call; claims 0 ns */
    WIRE_ORDER_SAVE,     /* a rehearsal: write what the candidate's folder holds to WIRE_SAVE_FD */
};

/* How a device is held back, if it can be. The runner sets `queued` before there is a content to
 * work on. The judge then makes the content, flushes, which fills the sweep with fresh numbers, and
 * sets `ready`. The device switches to the runner's context, reads the sweep, and sets `sum` and
 * `holding` while it waits there. The judge reads its clock and sets `release`. Between `ready` and
 * `release` only the device has something to do. */
enum wire_hold {
    WIRE_HOLD_NONE,
    WIRE_HOLD_WORK, /* the order's work queues up and starts at the release */
    WIRE_HOLD_CALL, /* the device is brought to this process, and the release starts the call:
                     * switching from the judge's context takes longer than many kernels */
};

#define WIRE_STATUS_FAULT INT32_MIN /* the device faulted; `error` says how */
#define WIRE_ERROR_MAX 112
#define WIRE_MAX_RESULTS 7
#define WIRE_HANDLE_BYTES 64       /* DEVICE_HANDLE_BYTES */
#define WIRE_STATUS_BAD_ORDER (-2) /* unknown order, or arenas that are no input and output */

/* struct device_result, on the page. */
struct wire_result {
    uint64_t at;
    unsigned char handle[WIRE_HANDLE_BYTES];
};

struct wire_page {
    _Alignas(64) atomic_uint go; /* sequence number of the order that is to run */
    uint32_t order, in_arena, out_arena, count;
    uint32_t hold;                 /* enum wire_hold, until `release` has this order's number */
    _Alignas(64) atomic_uint done; /* sequence number of the last order that ended */
    int32_t status;                /* the candidate's return value (the first non-zero one) */
    uint64_t claim_ns;             /* the runner's own time of the last order */
    char error[WIRE_ERROR_MAX];    /* with WIRE_STATUS_FAULT: "NAME: text"; may lack its NUL */
    _Alignas(64)
        atomic_uint awake; /* judge: "are you spinning?" (sequence), answered in awake_ack */
    _Alignas(64) atomic_uint awake_ack;
    _Alignas(64) atomic_uint release; /* judge: sequence number of the order that may start */
    _Alignas(64) atomic_uint queued;  /* runner: number of the held order that waits for `ready` */
    _Alignas(64) atomic_uint holding; /* the device: number of the order that it is held for; never
                                       * set if it cannot be held */
    atomic_uint sum; /* the device, before `holding`: sum of all 32-bit words of the sweep */
    _Alignas(64) atomic_uint ready; /* judge: number of the held order whose content is there */
    /* Runner, before `done`: where results lie that are in its own memory, one for each output; 0:
     * results are in the output arena. */
    _Alignas(64) uint32_t n_results;
    struct wire_result results[WIRE_MAX_RESULTS];
};

/* Makes the page, in the judge. It is sealed, so that the candidate cannot truncate it while the
 * judge uses it. */
int wire_page_create(struct wire_page **ret_page, int *ret_fd, struct err *err);
/* Maps the page, in the runner. */
int wire_page_map(int fd, uint64_t bytes, struct wire_page **ret_page, struct err *err);
void wire_page_unmap(struct wire_page *page); /* NULL is fine */

#endif
