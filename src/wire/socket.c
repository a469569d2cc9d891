/* SPDX-License-Identifier: MIT */
#include "wire/wire.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for a few descriptors, so that a surplus one arrives and can be closed. The kernel drops
 * those beyond this number, with MSG_CTRUNC. */
#define FD_ROOM 4

static int encode_checked(const struct wire_msg *m, struct buf *frame, struct err *err)
{
    wire_encode(m, frame);
    if (frame->len > WIRE_MAX_FRAME)
        return fail(err, ERR_SYSTEM, "%s frame would have %zu bytes, the limit is %d",
                    wire_type_name(m->type), frame->len, WIRE_MAX_FRAME);
    return 0;
}

int wire_send(int sock, const struct wire_msg *m, struct err *err)
{
    AUTO(buf_release) struct buf frame = BUF_INIT;
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};

    if (encode_checked(m, &frame, err) < 0)
        return -1;

    struct iovec iov = {frame.ptr, frame.len};
    struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};

    if (wire_carries_fd(m->type)) {
        h.msg_control = control.bytes;
        h.msg_controllen = sizeof(control.bytes);

        struct cmsghdr *c = CMSG_FIRSTHDR(&h);

        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &m->fd, sizeof(int));
    }
    while (sendmsg(sock, &h, MSG_NOSIGNAL) < 0) {
        if (errno != EINTR)
            return fail_errno(err, "cannot send %s to the runner", wire_type_name(m->type));
    }
    return 0;
}

int wire_write(int sock, const struct wire_msg *m, struct err *err)
{
    AUTO(buf_release) struct buf frame = BUF_INIT;

    if (encode_checked(m, &frame, err) < 0)
        return -1;
    while (write(sock, frame.ptr, frame.len) < 0) {
        if (errno != EINTR)
            return fail_errno(err, "cannot send %s", wire_type_name(m->type));
    }
    return 0;
}

/* Waits for the socket: 1 readable (or closed), 0 the time is over, -1 error. */
static int wait_readable(int sock, int timeout_ms, struct err *err)
{
    struct pollfd p = {.fd = sock, .events = POLLIN};
    uint64_t start = clock_ns();

    for (;;) {
        double gone = timeout_ms < 0 ? 0 : clock_ms_since(start);
        int left = timeout_ms < 0 ? -1 : gone >= timeout_ms ? 0 : timeout_ms - (int)gone;
        int n = poll(&p, 1, left);

        if (n >= 0)
            return n;
        if (errno != EINTR)
            return fail_errno(err, "cannot wait for a frame");
    }
}

/* Keeps the first descriptor in *ret_fd and closes the others; returns how many there were. */
static int take_fds(struct msghdr *h, int *ret_fd)
{
    int n = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = 0; at + sizeof(int) <= c->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + at, sizeof(fd));
            if (n++ == 0)
                *ret_fd = fd;
            else
                close(fd);
        }
    }
    return n;
}

static int check_fds(const struct msghdr *h, int n_fds, enum wire_type type, struct err *err)
{
    int want = wire_carries_fd(type);

    if (h->msg_flags & MSG_CTRUNC || n_fds != want)
        return fail(err, ERR_SYSTEM, "%s frame with %d descriptors%s, wanted %d",
                    wire_type_name(type), n_fds, h->msg_flags & MSG_CTRUNC ? " or more" : "", want);
    return 0;
}

/* A peer that dies with frames unread resets the connection. That error is reported once, before
 * the frames that the peer had sent. Further calls receive those frames, and then the end. */
static bool ask_again(ssize_t n, bool *reset)
{
    bool again = n < 0 && (errno == EINTR || (errno == ECONNRESET && !*reset));

    if (again && errno == ECONNRESET)
        *reset = true;
    return again;
}

/* Result of recvmsg() or read(): 1 go on, 0 the other side is gone, -1 error. */
static int received(ssize_t n, struct err *err)
{
    if (n > 0)
        return 1;
    return n == 0 ? 0 : fail_errno(err, "cannot receive a frame");
}

int wire_recv(int sock, int timeout_ms, struct wire_msg *ret, bool *ret_timed_out, struct err *err)
{
    char frame[WIRE_MAX_FRAME];
    union {
        char bytes[CMSG_SPACE(FD_ROOM * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = {frame, sizeof(frame)};
    struct msghdr h = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof(control.bytes)};
    AUTO(fd_closep) int fd = -1;
    struct wire_msg m;
    int ready = wait_readable(sock, timeout_ms, err);

    *ret_timed_out = ready == 0;
    if (ready <= 0)
        return ready;

    bool reset = false;
    ssize_t n;

    do
        n = recvmsg(sock, &h, MSG_CMSG_CLOEXEC);
    while (ask_again(n, &reset));

    int n_fds = n < 0 ? 0 : take_fds(&h, &fd);
    int got = received(n, err);

    if (got <= 0)
        return got;
    if (h.msg_flags & MSG_TRUNC)
        return fail(err, ERR_SYSTEM, "frame of more than %d bytes", WIRE_MAX_FRAME);
    if (wire_decode(frame, (size_t)n, &m, err) < 0)
        return -1;
    if (check_fds(&h, n_fds, m.type, err) < 0) {
        wire_msg_release(&m);
        return -1;
    }
    m.fd = fd_steal(&fd);
    *ret = m;
    return 1;
}

int wire_read(int sock, struct wire_msg *ret, struct err *err)
{
    /* read() cuts a longer frame silently: the additional byte shows it. */
    char frame[WIRE_MAX_FRAME + 1];
    bool reset = false;
    ssize_t n;

    do
        n = read(sock, frame, sizeof(frame));
    while (ask_again(n, &reset));

    int got = received(n, err);

    if (got <= 0)
        return got;
    return wire_decode(frame, (size_t)n, ret, err) < 0 ? -1 : 1;
}
