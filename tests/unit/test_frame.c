/* SPDX-License-Identifier: MIT */
#include "testing.h"

#include "base/fs.h"
#include "wire/wire.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEADER_BYTES 12

static struct wire_tensor tensors[] = {
    {DT_F32, 2, 256, {4, 16}},
    {DT_BF16, 8, 0, {1, 2, 3, 1, 1, 1, 1, 2}},
    {DT_BOOL, 0, 512, {0}},
    {DT_I64, 1, 1024, {0}},
};

/* One message of each kind, with no field left at zero that need not be. */
static const struct wire_msg samples[] = {
    {WIRE_HELLO, -1, {.hello = {"cuda", 3, 1ull << 40, 65534, 1, 1}}},
    {WIRE_READY, -1, {.ready = {0x7ff}}},
    {WIRE_PAGE, -1, {.bytes = sizeof(struct wire_page)}},
    {WIRE_ARENA, -1, {.arena = {63, 1ull << 35, 1}}},
    {WIRE_SIZE, -1, {.size = {3, 1, 2, 1, 63, tensors}}},
    {WIRE_LOAD, -1, {.bytes = 12345}},
    {WIRE_SETUP, -1, {.bytes = 0}},
    {WIRE_START, -1, {.bytes = 0}},
    {WIRE_OK, -1, {.bytes = 0}},
    {WIRE_FAIL, -1, {.fail = {WIRE_STAGE_SETUP, -7, "assay_setup returned -7"}}},
    {WIRE_WARM, -1, {.bytes = 0}},
};

static struct buf encoded(const struct wire_msg *m)
{
    struct buf b = BUF_INIT;

    wire_encode(m, &b);
    return b;
}

static int decode(const void *frame, size_t len)
{
    /* On the heap and of exactly this size, so that a sanitizer sees one byte too far. */
    AUTO(freep) char *copy = malloc(len ? len : 1);
    struct wire_msg m = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;

    memcpy(copy, frame, len);

    int rc = wire_decode(copy, len, &m, &err);

    assert_int_equal(rc < 0, err.text[0] != '\0');
    wire_msg_release(&m);
    return rc;
}

static void round_trip(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        AUTO(buf_release) struct buf a = encoded(&samples[i]);
        struct wire_msg m = WIRE_MSG_INIT(0);
        struct err err = ERR_INIT;

        assert_int_equal(wire_decode(a.ptr, a.len, &m, &err), 0);
        assert_int_equal(m.type, samples[i].type);
        assert_int_equal(m.fd, -1);

        AUTO(buf_release) struct buf b = encoded(&m);

        assert_int_equal(a.len, b.len);
        assert_memory_equal(a.ptr, b.ptr, a.len);
        wire_msg_release(&m);
    }
}

static void fields_arrive(void **state)
{
    AUTO(buf_release) struct buf hello = encoded(&samples[0]), size = encoded(&samples[4]);
    AUTO(buf_release) struct buf failed = encoded(&samples[9]);
    struct wire_msg m = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(wire_decode(hello.ptr, hello.len, &m, &err), 0);
    assert_string_equal(m.u.hello.device, "cuda");
    assert_int_equal(m.u.hello.index, 3);
    assert_int_equal(m.u.hello.mem_bytes, 1ull << 40);
    assert_int_equal(m.u.hello.uid, 65534);
    assert_int_equal(m.u.hello.require, 1);
    assert_int_equal(m.u.hello.yield, 1);

    assert_int_equal(wire_decode(failed.ptr, failed.len, &m, &err), 0);
    assert_int_equal(m.u.fail.stage, WIRE_STAGE_SETUP);
    assert_int_equal(m.u.fail.status, -7);
    assert_string_equal(m.u.fail.text, "assay_setup returned -7");

    assert_int_equal(wire_decode(size.ptr, size.len, &m, &err), 0);
    assert_int_equal(m.u.size.n_in, 3);
    assert_int_equal(m.u.size.n_out, 1);
    assert_int_equal(m.u.size.first_param, 2);
    assert_int_equal(m.u.size.setup_params, 1);
    assert_int_equal(m.u.size.setup_arena, 63);
    assert_memory_equal(m.u.size.tensors, tensors, sizeof(tensors));
    wire_msg_release(&m);
}

/* The layout is part of the protocol: bytes on the wire, not a struct of this compiler. */
static void bytes_are_fixed(void **state)
{
    static const unsigned char want[] = {'A', 'S', 'A', 'Y', 3, 0, WIRE_ARENA, 0, 13, 0, 0, 0, 63,
                                         0,   0,   0,   0,   0, 0, 0,          8, 0,  0, 0, 1};
    AUTO(buf_release) struct buf b = encoded(&samples[3]);

    (void)state;
    assert_int_equal(b.len, sizeof(want));
    assert_memory_equal(b.ptr, want, sizeof(want));
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        AUTO(buf_release) struct buf b = encoded(&samples[i]);

        for (size_t len = 0; len < b.len; len++) {
            assert_int_equal(decode(b.ptr, len), -1);
            if (len < HEADER_BYTES)
                continue;

            /* and again with a header that agrees with what is left */
            AUTO(buf_release) struct buf cut = BUF_INIT;

            buf_add(&cut, b.ptr, len);
            cut.ptr[8] = (char)(len - HEADER_BYTES);
            cut.ptr[9] = (char)((len - HEADER_BYTES) >> 8);
            assert_int_equal(decode(cut.ptr, cut.len), -1);
        }
    }
}

static void trailing_bytes_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        AUTO(buf_release) struct buf b = encoded(&samples[i]);

        buf_addch(&b, 0);
        assert_int_equal(decode(b.ptr, b.len), -1);
        b.ptr[8]++;
        assert_int_equal(decode(b.ptr, b.len), -1);
    }
}

/* A flipped bit is refused or means another frame: never the same one twice. */
static void flipped_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        AUTO(buf_release) struct buf b = encoded(&samples[i]);

        for (size_t bit = 0; bit < b.len * 8; bit++) {
            struct wire_msg m = WIRE_MSG_INIT(0);
            struct err err = ERR_INIT;

            b.ptr[bit / 8] ^= (char)(1 << bit % 8);
            if (wire_decode(b.ptr, b.len, &m, &err) == 0) {
                AUTO(buf_release) struct buf again = encoded(&m);

                assert_int_equal(again.len, b.len);
                assert_memory_equal(again.ptr, b.ptr, b.len);
                wire_msg_release(&m);
            } else {
                assert_true(err.text[0]);
            }
            b.ptr[bit / 8] ^= (char)(1 << bit % 8);
        }
    }
}

/* One number changed in a good frame; offsets count from its start. */
static void bad_values_are_refused(void **state)
{
    static const struct {
        int sample;
        size_t at, bytes;
        uint64_t value;
        const char *error;
    } cases[] = {
        {0, 0, 4, 0x12345678, "magic"},
        {0, 4, 2, WIRE_VERSION + 1, "protocol version 4, wanted 3"},
        {0, 4, 2, 0, "protocol version 0"},
        {0, 6, 2, 0, "unknown frame type 0"},
        {0, 6, 2, WIRE_SWEEP + 1, "unknown frame type 13"},
        {0, 6, 2, 0xffff, "unknown frame type 65535"},
        {0, 8, 4, 0xffffffff, "bytes of payload"},
        {0, 12, 2, 0xffff, "HELLO"},     /* length of the device's name */
        {0, 12, 2, 32, "HELLO"},         /* no room for its NUL */
        {0, 14, 1, 0, "HELLO"},          /* NUL inside */
        {0, 18, 4, 0x80000000, "HELLO"}, /* index < 0 */
        {0, 34, 1, 2, "HELLO"},          /* require: no flag */
        {0, 35, 1, 2, "HELLO"},          /* yield: no flag */
        {3, 12, 4, WIRE_MAX_ARENAS, "ARENA"},
        {3, 16, 8, UINT64_MAX, "ARENA"},
        {3, 24, 1, 2, "ARENA"},
        {4, 12, 4, 0xffffffff, "SIZE"}, /* n_in */
        {4, 12, 4, WIRE_MAX_TENSORS + 1, "SIZE"},
        {4, 12, 4, WIRE_MAX_TENSORS, "SIZE"}, /* + n_out: one too many */
        {4, 12, 4, 4, "SIZE"},                /* one tensor more than there is */
        {4, 16, 4, 0xfffffffd, "SIZE"},       /* n_in + n_out wraps to 0 */
        {4, 20, 4, 4, "SIZE"},                /* first_param > n_in */
        {4, 24, 1, 2, "SIZE"},
        {4, 25, 4, WIRE_MAX_ARENAS, "SIZE"},
        {4, 29, 1, DT_COUNT, "SIZE"},
        {4, 30, 1, SHAPE_MAX_RANK + 1, "SIZE"},
        {4, 30, 1, 3, "SIZE"},   /* a dimension more than there is */
        {4, 31, 8, 255, "SIZE"}, /* offset */
        {4, 31, 8, UINT64_MAX - 255, "SIZE"},
        {4, 39, 8, UINT64_MAX, "SIZE"}, /* dim -1 */
        {4, 39, 8, 1ull << 46, "SIZE"}, /* x 16 elements: over SHAPE_MAX_COUNT */
        {9, 12, 4, WIRE_STAGE_SETUP + 1, "FAIL"},
        {9, 20, 2, 1024, "FAIL"},
        {9, 22, 1, 0, "FAIL"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf b = encoded(&samples[cases[i].sample]);
        struct wire_msg m = WIRE_MSG_INIT(0);
        struct err err = ERR_INIT;

        for (size_t k = 0; k < cases[i].bytes; k++)
            b.ptr[cases[i].at + k] = (char)(cases[i].value >> 8 * k);
        if (wire_decode(b.ptr, b.len, &m, &err) == 0)
            fail_msg("case %zu was accepted", i);
        if (!strstr(err.text, cases[i].error))
            fail_msg("case %zu: %s", i, err.text);
        assert_int_equal(m.type, 0); /* untouched on failure */
    }
}

static void long_texts_are_cut(void **state)
{
    struct wire_msg m = WIRE_MSG_INIT(WIRE_FAIL), back = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;

    (void)state;
    memset(m.u.fail.text, 'x', sizeof(m.u.fail.text)); /* not even terminated */

    AUTO(buf_release) struct buf b = encoded(&m);

    assert_int_equal(wire_decode(b.ptr, b.len, &back, &err), 0);
    assert_int_equal(strlen(back.u.fail.text), sizeof(m.u.fail.text) - 1);
}

/* ---- over a socket ---- */

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

/* ---- the page ---- */

static void page_is_shared_and_sealed(void **state)
{
    struct wire_page *judge = NULL, *runner = NULL;
    AUTO(fd_closep) int fd = -1;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(wire_page_create(&judge, &fd, &err), 0);
    assert_int_equal(wire_page_map(fd, sizeof(struct wire_page), &runner, &err), 0);
    atomic_store(&judge->go, 7);
    assert_int_equal(atomic_load(&runner->go), 7);
    runner->claim_ns = 9;
    assert_int_equal(judge->claim_ns, 9);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_int_equal(ftruncate(fd, 2 * sizeof(struct wire_page)), -1);
    assert_int_equal(wire_page_map(fd, 64, &runner, &err), -1);

    AUTO(fd_closep) int empty = memfd_create("page", MFD_CLOEXEC);

    assert_int_equal(wire_page_map(empty, sizeof(struct wire_page), &runner, &err), -1);
    wire_page_unmap(runner);
    wire_page_unmap(judge);
    wire_page_unmap(NULL);
}

/* The numbers and characters between the braces that follow `name`. */
static struct buf bytes_of(const char *source, const char *name)
{
    struct buf b = BUF_INIT;
    const char *at = strstr(source, name);

    at = at ? strchr(at, '{') : NULL;
    while (at && *at && *at != '}') {
        at += 1 + strspn(at + 1, " \n");
        buf_addch(&b, at[0] == '\'' ? at[1] : (char)strtol(at, NULL, 10));
        at += strcspn(at, ",}");
    }
    return b;
}

/* Attack 91 spoke version 1 of the protocol when the judge spoke 2: its frame was refused for that,
 * and nobody tried what the judge makes of its stage. */
static void forged_frames_are_of_this_version(void **state)
{
    static const char *const files[] = {"cpu/091_forged_failure.c", "cuda/091_forged_failure.cu"};
    static const struct wire_msg fail = {WIRE_FAIL, -1, {.fail = {WIRE_STAGE_DEVICE, 0, ""}}};
    AUTO(buf_release) struct buf want = encoded(&fail);
    const char *share = getenv("ASSAY_SHARE");

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        AUTO(freep) char *path = xasprintf("%s/attacks/%s", share ? share : ".", files[i]);
        AUTO(buf_release) struct buf text = BUF_INIT;
        struct err err = ERR_INIT;

        assert_int_equal(fs_read(path, 65536, &text, &err), 0);

        AUTO(buf_release) struct buf forged = bytes_of(buf_str(&text), "frame[]");

        assert_int_equal(forged.len, want.len);
        assert_memory_equal(forged.ptr, want.ptr, want.len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(fields_arrive),
        cmocka_unit_test(bytes_are_fixed),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(trailing_bytes_are_refused),
        cmocka_unit_test(flipped_bits),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(frames_cross),
        cmocka_unit_test(read_and_write_keep_boundaries),
        cmocka_unit_test(wrong_descriptors_are_refused),
        cmocka_unit_test(long_frames_are_refused),
        cmocka_unit_test(too_many_tensors_do_not_fit),
        cmocka_unit_test(time_out_and_end_are_told_apart),
        cmocka_unit_test(reset_is_the_end),
        cmocka_unit_test(signals_do_not_end_the_wait),
        cmocka_unit_test(page_is_shared_and_sealed),
        cmocka_unit_test(forged_frames_are_of_this_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
