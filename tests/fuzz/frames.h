/* SPDX-License-Identifier: MIT */
/* A fuzzer's bytes as the frames one side of the wire sends. Each frame: u8 how, u8 type, u16
 * length, and that many bytes of payload, or as many as are left. `how`: the number of descriptors
 * that go along (bits 0 to 2); bit 3: the bytes are the whole frame, else it gets the right header,
 * so that inputs are about what frames say and not about what the decoder refuses at once. */
#ifndef ASSAY_FUZZ_FRAMES_H
#define ASSAY_FUZZ_FRAMES_H

#include "base/buf.h"
#include "wire/wire.h"

#include <string.h>
#include <sys/socket.h>

#define FRAMES_HEAD 4
#define FRAMES_MAX_FDS 7

static void frame_header(struct buf *out, uint8_t type, uint32_t len)
{
    const uint32_t magic = WIRE_MAGIC;
    const uint16_t version = WIRE_VERSION, wide = type;

    buf_add(out, &magic, sizeof(magic));
    buf_add(out, &version, sizeof(version));
    buf_add(out, &wide, sizeof(wide));
    buf_add(out, &len, sizeof(len));
}

/* What does not fit into the socket is not sent: nobody reads meanwhile. */
static bool frame_send(int sock, const struct buf *frame, int fd, int n_fds)
{
    union {
        char bytes[CMSG_SPACE(FRAMES_MAX_FDS * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec iov = {frame->ptr, frame->len};
    struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};

    if (n_fds) {
        h.msg_control = control.bytes;
        h.msg_controllen = CMSG_SPACE((size_t)n_fds * sizeof(int));

        struct cmsghdr *c = CMSG_FIRSTHDR(&h);

        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN((size_t)n_fds * sizeof(int));
        for (int i = 0; i < n_fds; i++)
            memcpy(CMSG_DATA(c) + (size_t)i * sizeof(int), &fd, sizeof(int));
    }
    return sendmsg(sock, &h, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* Sends all of them, then the end: the other side can still be written to. */
static void frames_send(int sock, const uint8_t *data, size_t size, int fd)
{
    bool fits = true;

    while (fits && size >= FRAMES_HEAD) {
        AUTO(buf_release) struct buf frame = BUF_INIT;
        size_t len = MIN((size_t)(data[2] | data[3] << 8), size - FRAMES_HEAD);

        if (!(data[0] & 8))
            frame_header(&frame, data[1], (uint32_t)len);
        buf_add(&frame, data + FRAMES_HEAD, len);
        fits = frame.len == 0 || frame_send(sock, &frame, fd, data[0] & FRAMES_MAX_FDS);
        data += FRAMES_HEAD + len;
        size -= FRAMES_HEAD + len;
    }
    shutdown(sock, SHUT_WR);
}

#endif
