/* SPDX-License-Identifier: MIT */
/* Frames and their descriptors over a socket. */
#include "wire_rig.h"

#include "wire/wire.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

struct pair {
    int a, b;
};

static struct pair pair_open(void)
{
    int s[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s), 0);
    return (struct pair){s[0], s[1]};
}

static void pair_close(struct pair *p)
{
    fd_closep(&p->a);
    fd_closep(&p->b);
}

static int count_fds(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static int recv_now(int sock, struct wire_msg *m, struct err *err)
{
    bool timed_out = true;
    int got = wire_recv(sock, 1000, m, &timed_out, err);

    assert_false(timed_out);
    return got;
}

static void frames_cross(void **state)
{
    AUTO(pair_close) struct pair p = pair_open();
    AUTO(fd_closep) int file = memfd_create("t", MFD_CLOEXEC);
    int before = count_fds();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        struct wire_msg out = samples[i], in = WIRE_MSG_INIT(0);
        struct err err = ERR_INIT;

        out.fd = file; /* sent only where one belongs */
        assert_int_equal(wire_send(p.a, &out, &err), 0);
        assert_int_equal(recv_now(p.b, &in, &err), 1);
        assert_int_equal(in.type, out.type);
        assert_int_equal(in.fd >= 0, wire_carries_fd(out.type));
        if (in.fd >= 0) {
            assert_int_equal(fcntl(in.fd, F_GETFD), FD_CLOEXEC);
            assert_int_equal(write(in.fd, "x", 1), 1);
        }
        wire_msg_release(&in);
    }
    assert_int_equal(lseek(file, 0, SEEK_END), 3); /* it was the same file, three times */
    assert_int_equal(count_fds(), before);
}

static void read_and_write_keep_boundaries(void **state)
{
    AUTO(pair_close) struct pair p = pair_open();
    struct err err = ERR_INIT;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
        assert_int_equal(wire_write(p.a, &samples[i], &err), 0);
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        struct wire_msg m = WIRE_MSG_INIT(0);

        assert_int_equal(wire_read(p.b, &m, &err), 1);
        assert_int_equal(m.type, samples[i].type);
        wire_msg_release(&m);
    }
    fd_closep(&p.a);

    struct wire_msg m;

    assert_int_equal(wire_read(p.b, &m, &err), 0);
}

/* n descriptors with one frame, past wire_send(), which would not do it. */
static void send_with_fds(int sock, const struct buf *frame, int n, int fd)
{
    char control[CMSG_SPACE(16 * sizeof(int))] __attribute__((aligned(8))) = {0};
    struct iovec iov = {frame->ptr, frame->len};
    struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};

    if (n) {
        h.msg_control = control;
        h.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));

        struct cmsghdr *c = CMSG_FIRSTHDR(&h);

        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
        for (int i = 0; i < n; i++)
            memcpy(CMSG_DATA(c) + (size_t)i * sizeof(int), &fd, sizeof(int));
    }
    assert_int_equal(sendmsg(sock, &h, 0), (ssize_t)frame->len);
}

static void wrong_descriptors_are_refused(void **state)
{
    static const struct {
        int sample, n_fds;
        const char *error;
    } cases[] = {
        {5, 0, "LOAD frame with 0 descriptors, wanted 1"},
        {5, 2, "LOAD frame with 2 descriptors, wanted 1"},
        {5, 16, "or more"},
        {8, 1, "OK frame with 1 descriptors, wanted 0"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(pair_close) struct pair p = pair_open();
        AUTO(buf_release) struct buf frame = encoded(&samples[cases[i].sample]);
        struct wire_msg m = WIRE_MSG_INIT(0);
        struct err err = ERR_INIT;
        int before = count_fds();

        send_with_fds(p.a, &frame, cases[i].n_fds, STDERR_FILENO);
        assert_int_equal(recv_now(p.b, &m, &err), -1);
        assert_non_null(strstr(err.text, cases[i].error));
        assert_int_equal(count_fds(), before);
    }
}

/* Both receivers see that a frame is too long, although read() cuts it without a word. */
static void long_frames_are_refused(void **state)
{
    AUTO(pair_close) struct pair p = pair_open();
    AUTO(buf_release) struct buf frame = encoded(&samples[8]);
    struct wire_msg m = WIRE_MSG_INIT(0);

    (void)state;
    buf_fill(&frame, 'x', WIRE_MAX_FRAME);
    for (int i = 0; i < 2; i++) {
        struct err err = ERR_INIT;

        assert_int_equal(write(p.a, frame.ptr, frame.len), (ssize_t)frame.len);
        assert_int_equal(i ? wire_read(p.b, &m, &err) : recv_now(p.b, &m, &err), -1);
        assert_non_null(strstr(err.text, "more than 65536 bytes"));
    }
}

static void too_many_tensors_do_not_fit(void **state)
{
    AUTO(pair_close) struct pair p = pair_open();
    AUTO(freep) struct wire_tensor *many = calloc(WIRE_MAX_TENSORS, sizeof(*many));
    struct wire_msg m = {WIRE_SIZE, -1, {.size = {.n_in = WIRE_MAX_TENSORS, .tensors = many}}};
    struct err err = ERR_INIT;

    (void)state;
    for (int i = 0; i < WIRE_MAX_TENSORS; i++)
        many[i].rank = SHAPE_MAX_RANK;
    assert_int_equal(wire_send(p.a, &m, &err), -1);
    assert_non_null(strstr(err.text, "SIZE frame would have"));
    for (int i = 0; i < WIRE_MAX_TENSORS; i++)
        many[i].rank = 4;
    assert_int_equal(wire_send(p.a, &m, &err), 0);
}

static void time_out_and_end_are_told_apart(void **state)
{
    AUTO(pair_close) struct pair p = pair_open();
    struct wire_msg m = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;
    bool timed_out = false;

    (void)state;
    assert_int_equal(wire_recv(p.b, 5, &m, &timed_out, &err), 0);
    assert_true(timed_out);
    fd_closep(&p.a);
    assert_int_equal(wire_recv(p.b, -1, &m, &timed_out, &err), 0);
    assert_false(timed_out);
}

/* A runner that dies with a frame unread resets the connection: gone, not an error, and what it had
 * said before still arrives. */
static void reset_is_the_end(void **state)
{
    AUTO(pair_close) struct pair p = pair_open();
    struct wire_msg m = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(wire_send(p.b, &samples[7], &err), 0);
    assert_int_equal(wire_send(p.a, &samples[8], &err), 0);
    fd_closep(&p.a);
    assert_int_equal(recv_now(p.b, &m, &err), 1);
    assert_int_equal(m.type, WIRE_OK);
    wire_msg_release(&m);
    assert_int_equal(recv_now(p.b, &m, &err), 0);
    assert_int_equal(wire_send(p.b, &samples[7], &err), -1); /* and no SIGPIPE */
}

static void on_signal(int sig)
{
    (void)sig;
}

static void *pester(void *arg)
{
    pthread_t victim = *(pthread_t *)arg;

    for (int i = 0; i < 20; i++) {
        usleep(500);
        pthread_kill(victim, SIGUSR1);
    }
    return NULL;
}

static void signals_do_not_end_the_wait(void **state)
{
    AUTO(pair_close) struct pair p = pair_open();
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t self = pthread_self(), thread;
    struct wire_msg m = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;
    bool timed_out = false;

    (void)state;
    sigaction(SIGUSR1, &action, NULL);
    assert_int_equal(pthread_create(&thread, NULL, pester, &self), 0);
    assert_int_equal(wire_recv(p.b, 30, &m, &timed_out, &err), 0);
    assert_true(timed_out);
    pthread_join(thread, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_cross),
        cmocka_unit_test(read_and_write_keep_boundaries),
        cmocka_unit_test(wrong_descriptors_are_refused),
        cmocka_unit_test(long_frames_are_refused),
        cmocka_unit_test(too_many_tensors_do_not_fit),
        cmocka_unit_test(time_out_and_end_are_told_apart),
        cmocka_unit_test(reset_is_the_end),
        cmocka_unit_test(signals_do_not_end_the_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
