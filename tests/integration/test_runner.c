/* SPDX-License-Identifier: MIT */
/* covers: src/runner/main.c src/runner/entry.c src/runner/handover.c src/device/cpu/cpu_runner.c */
/* covers: src/device/cpu/cpu_for_runner.c src/device/fake/fake_runner.c */
/* covers: src/device/fake/fake_for_runner.c src/device/dl_entry.c */
/*
 * The real assay-runner, in its real sandbox, against a judge of a few lines: both devices through
 * the whole protocol, and through every way to end badly. $ASSAY_RUNNER names the program;
 * otherwise it is assay-runner in the folder above this test's.
 */
#include "testing.h"

#include "base/clock.h"
#include "base/fs.h"
#include "device/device.h"
#include "sandbox/sandbox.h"
#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 1000     /* elements, f32 */
#define OFFSET 256 /* of the tensor in its arena */
#define ARENA_BYTES 8192
#define N_PAIRS 2      /* input arenas 0, 1 and output arenas 2, 3 */
#define LIMIT_MS 60000 /* nothing here takes so long: then it hangs */
#define LIMIT_NS ((uint64_t)LIMIT_MS * 1000000)

struct judge {
    const struct device *device;
    void *ctx;
    pid_t pid;
    int pidfd, sock, page_fd;
    uint32_t layers;
    struct wire_page *page;
    unsigned seq;
    struct mem in[N_PAIRS], out[N_PAIRS];
};

static void spawn(struct judge *j)
{
    AUTO(freep) char *path = runner_path();
    char *argv[] = {(char *)"assay-runner", NULL}, *envp[] = {NULL};
    AUTO(fd_closep) int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct err err = ERR_INIT;
    int s[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s), 0);

    struct sandbox_spawn plan = {
        .path = path, .argv = argv, .envp = envp, .fds = {s[1]}, .n_fds = 1, .out_fd = null_fd};

    must(sandbox_start(&plan, &j->pid, &j->pidfd, &j->layers, &err), &err);
    close(s[1]);
    j->sock = s[0];
}

static void judge_open(struct judge *j, const struct device *d)
{
    struct err err = ERR_INIT;

    *j = (struct judge){.device = d};
    must(d->judge->open(0, &j->ctx, &err), &err);
    must(wire_page_create(&j->page, &j->page_fd, &err), &err);
    for (int i = 0; i < N_PAIRS; i++) {
        must(d->judge->mem_alloc(j->ctx, MEM_INPUT, ARENA_BYTES, &j->in[i], &err), &err);
        must(d->judge->mem_alloc(j->ctx, MEM_OUTPUT, ARENA_BYTES, &j->out[i], &err), &err);
    }
    spawn(j);
}

/* Kills what is left of the runner; returns its wait status. */
static int judge_close(struct judge *j)
{
    int status = 0;

    kill(j->pid, SIGKILL);
    assert_int_equal(waitpid(j->pid, &status, 0), j->pid);
    for (int i = 0; i < N_PAIRS; i++) {
        j->device->judge->mem_free(j->ctx, &j->in[i]);
        j->device->judge->mem_free(j->ctx, &j->out[i]);
    }
    j->device->judge->close(j->ctx);
    wire_page_unmap(j->page);
    close(j->page_fd);
    close(j->pidfd);
    fd_closep(&j->sock);
    return status;
}

static void send_msg(struct judge *j, const struct wire_msg *m)
{
    struct err err = ERR_INIT;

    must(wire_send(j->sock, m, &err), &err);
}

static void send_plain(struct judge *j, enum wire_type type)
{
    struct wire_msg m = WIRE_MSG_INIT(type);

    send_msg(j, &m);
}

/* The next frame, or type 0 when the runner is gone. */
static struct wire_msg next(struct judge *j)
{
    struct wire_msg m = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;
    bool timed_out = false;

    must(wire_recv(j->sock, LIMIT_MS, &m, &timed_out, &err), &err);
    assert_false(timed_out);
    return m;
}

static void expect_frame(struct judge *j, enum wire_type type)
{
    struct wire_msg m = next(j);

    if (m.type == WIRE_FAIL && type != WIRE_FAIL)
        fail_msg("%s", m.u.fail.text);
    assert_int_equal(m.type, type);
}

/* HELLO, and what a spare answers to it. */
static void say_hello(struct judge *j)
{
    struct wire_msg m = WIRE_MSG_INIT(WIRE_HELLO);

    snprintf(m.u.hello.device, sizeof(m.u.hello.device), "%s", j->device->name);
    m.u.hello.uid = geteuid() == 0 ? 65534 : 0;
    m.u.hello.require = 1;
    send_msg(j, &m);
    expect_frame(j, WIRE_WARM);
}

static void send_arena(struct judge *j, uint32_t id, const struct mem *mem)
{
    struct wire_msg m = {WIRE_ARENA, mem->fd, {.arena = {id, mem->bytes, mem->kind == MEM_INPUT}}};

    send_msg(j, &m);
}

/* One input and one output at OFFSET; with setup_params the input is there twice, the second time
 * as a parameter, which setup sees in arena 1. */
static void send_size(struct judge *j, int64_t n, bool setup_params)
{
    struct wire_tensor t = {DT_F32, 1, OFFSET, {n}}, tensors[] = {t, t, t};
    uint32_t n_in = setup_params ? 2 : 1;
    struct wire_msg m = {WIRE_SIZE, -1, {.size = {n_in, 1, 1, setup_params, 1, tensors}}};

    send_msg(j, &m);
}

static void send_memory(struct judge *j)
{
    struct wire_msg page = {WIRE_PAGE, j->page_fd, {.bytes = sizeof(struct wire_page)}};

    send_msg(j, &page);
    for (uint32_t i = 0; i < N_PAIRS; i++) {
        send_arena(j, i, &j->in[i]);
        send_arena(j, N_PAIRS + i, &j->out[i]);
    }
}

static void send_load(struct judge *j, const void *artifact, size_t len)
{
    AUTO(fd_closep) int fd = -1;
    struct err err = ERR_INIT;

    must(fs_sealed_memfd("artifact", artifact, len, &fd, &err), &err);

    struct wire_msg m = {WIRE_LOAD, fd, {.bytes = len}};

    send_msg(j, &m);
}

static void expect_fail(struct judge *j, enum wire_stage stage, const char *text)
{
    struct wire_msg m = next(j);

    assert_int_equal(m.type, WIRE_FAIL);
    if (!strstr(m.u.fail.text, text))
        fail_msg("%s", m.u.fail.text);
    assert_int_equal(m.u.fail.stage, stage);
}

/* Up to READY: from here on the artifact's code runs. */
static void hand_over(struct judge *j, const void *artifact, size_t len)
{
    say_hello(j);
    send_memory(j);
    send_size(j, N, false);
    send_load(j, artifact, len);
    expect_frame(j, WIRE_READY);
}

static void start(struct judge *j, const void *artifact, size_t len)
{
    hand_over(j, artifact, len);
    expect_frame(j, WIRE_OK);
    send_plain(j, WIRE_SETUP);
    expect_frame(j, WIRE_OK);
    send_plain(j, WIRE_START);
}

static struct judge start_fake(const char *text)
{
    struct judge j;

    judge_open(&j, &device_fake);
    start(&j, text, strlen(text));
    return j;
}

static bool is_dead(const struct judge *j)
{
    struct pollfd p = {.fd = j->pidfd, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

static void send_order(struct judge *j, enum wire_order order, uint32_t in, uint32_t out,
                       uint32_t count)
{
    j->page->order = order;
    j->page->in_arena = in;
    j->page->out_arena = out;
    j->page->count = count;
    atomic_store_explicit(&j->page->go, ++j->seq, memory_order_release);
}

/* true: done; false: the runner died, or limit_ns went by */
static bool await(struct judge *j, atomic_uint *word, uint64_t limit_ns)
{
    uint64_t start_ns = clock_ns();

    for (unsigned i = 1; atomic_load_explicit(word, memory_order_acquire) != j->seq; i++) {
        if (i % 4096 == 0 && (is_dead(j) || clock_ns() - start_ns > limit_ns))
            return false;
        __builtin_ia32_pause();
    }
    return true;
}

static int call(struct judge *j, uint32_t in, uint32_t out, uint32_t count)
{
    send_order(j, WIRE_ORDER_CALL, in, out, count);
    assert_true(await(j, &j->page->done, LIMIT_NS));
    return j->page->status;
}

static float *data(const struct mem *m)
{
    return (float *)((char *)m->host + OFFSET);
}

static void fill_inputs(struct judge *j)
{
    for (int i = 0; i < N_PAIRS; i++) {
        for (int k = 0; k < N; k++)
            data(&j->in[i])[k] = (float)(i == 0 ? k - 500 : 500 - k);
    }
}

static void check_relu(const struct judge *j, int in, int out)
{
    for (int k = 0; k < N; k++) {
        float x = data(&j->in[in])[k];

        assert_true(data(&j->out[out])[k] == (x > 0 ? x : 0));
    }
}

/* ---- candidates in C ---- */

#define RELU                                                                                      \
    "#include \"assay.h\"\n"                                                                      \
    "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)\n"    \
    "{\n"                                                                                         \
    "    const float *x = in[0].data;\n"                                                          \
    "    float *y = out[0].data;\n"                                                               \
    "    if (n_in != 1 || n_out != 1 || stream || in[0].ndim != 1 || in[0].shape[0] != 1000 ||\n" \
    "        in[0].strides[0] != 1 || in[0].dtype.code != ASSAY_FLOAT || in[0].dtype.bits != 32 " \
    "||\n"                                                                                        \
    "        in[0].dtype.lanes != 1 || in[0].device.device_type != 1 || in[0].byte_offset)\n"     \
    "        return 1;\n"                                                                         \
    "    for (int i = 0; i < 1000; i++)\n"                                                        \
    "        y[i] = x[i] > 0 ? x[i] : 0;\n"                                                       \
    "    return 0;\n"                                                                             \
    "}\n"

/* Compiled by gcc; appended to ret. */
static void compile(const char *source, struct buf *ret)
{
    char dir[] = "/tmp/assay-test-XXXXXX";

    assert_non_null(mkdtemp(dir));

    AUTO(freep) char *c = fs_join(dir, "k.c"), *so = fs_join(dir, "k.so");
    AUTO(freep) char *share = fs_share_dir();
    AUTO(freep)
    char *command =
        xasprintf("gcc -O2 -shared -fPIC -fopenmp -I%s/include -Iinclude -o %s %s", share, so, c);
    struct err err = ERR_INIT;

    must(fs_write_atomic(c, source, strlen(source), &err), &err);
    assert_int_equal(system(command), 0);
    must(fs_read(so, (size_t)1 << 24, ret, &err), &err);
    fs_remove_tree(dir);
}

static struct judge open_c(const char *source, struct buf *so)
{
    struct judge j;

    compile(source, so);
    judge_open(&j, &device_cpu);
    return j;
}

/* ---- tests ---- */

static void c_candidate_computes(void **state)
{
    AUTO(buf_release) struct buf so = BUF_INIT;
    struct judge j = open_c(RELU, &so);

    (void)state;
    start(&j, so.ptr, so.len);
    fill_inputs(&j);
    for (int pass = 0; pass < 2; pass++) {
        for (int in = 0; in < N_PAIRS; in++) {
            for (int out = 0; out < N_PAIRS; out++) {
                memset(j.out[out].host, 0xff, ARENA_BYTES);
                assert_int_equal(call(&j, (uint32_t)in, N_PAIRS + (uint32_t)out, 1), 0);
                check_relu(&j, in, out);
                assert_true(j.page->claim_ns > 0 && j.page->claim_ns < LIMIT_NS);
            }
        }
    }
    assert_int_equal(call(&j, 0, N_PAIRS, 100), 0);
    judge_close(&j);
}

/* Constructors run sealed, and OpenMP finds its library and may start threads. */
static void c_candidate_uses_threads(void **state)
{
    static const char source[] =
        "#include \"assay.h\"\n#include <omp.h>\n"
        "static int ran;\n"
        "__attribute__((constructor)) static void early(void) { ran = 1; }\n"
        "int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)\n"
        "{ return !ran || in[0].data || out[0].data || in[0].shape[0] != 1000; }\n"
        "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)\n"
        "{\n"
        "    const float *x = in[0].data;\n"
        "    float *y = out[0].data;\n"
        "    int seen = 0;\n"
        "#pragma omp parallel for num_threads(2)\n"
        "    for (int i = 0; i < 1000; i++)\n"
        "        y[i] = x[i] > 0 ? x[i] : 0;\n"
        "#pragma omp parallel num_threads(2) reduction(+ : seen)\n"
        "    seen++;\n"
        "    return seen != 2;\n"
        "}\n";
    AUTO(buf_release) struct buf so = BUF_INIT;
    struct judge j = open_c(source, &so);

    (void)state;
    start(&j, so.ptr, so.len);
    fill_inputs(&j);
    assert_int_equal(call(&j, 0, N_PAIRS, 1), 0);
    check_relu(&j, 0, 0);
    judge_close(&j);
}

/* setup = "params": the parameters of the arena that SIZE names are there, the outputs are not. */
static void setup_sees_parameters(void **state)
{
    static const char source[] =
        "#include \"assay.h\"\n"
        "static float first;\n"
        "int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)\n"
        "{ first = ((float *)in[1].data)[0]; return in[0].data || out[0].data; }\n"
        "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)\n"
        "{ return (int)first; }\n";
    AUTO(buf_release) struct buf so = BUF_INIT;
    struct judge j = open_c(source, &so);

    (void)state;
    fill_inputs(&j);
    data(&j.in[1])[0] = 55;
    say_hello(&j);
    send_memory(&j);
    send_size(&j, N, true);
    send_load(&j, so.ptr, so.len);
    expect_frame(&j, WIRE_READY);
    expect_frame(&j, WIRE_OK);
    send_plain(&j, WIRE_SETUP);
    expect_frame(&j, WIRE_OK);
    send_plain(&j, WIRE_START);
    assert_int_equal(call(&j, 0, N_PAIRS, 1), 55);
    judge_close(&j);
}

static void bad_libraries_are_explained(void **state)
{
    static const struct {
        const char *source, *error;
    } cases[] = {
        {"int other(void) { return 0; }",
         "candidate has no function assay_kernel: include assay.h and write int assay_kernel(...), "
         "or, in a .cu, // assay: launch lines and extern \"C\" __global__ kernels"},
        {"int missing(void); int assay_kernel(void) { return missing(); }",
         "candidate does not load: undefined symbol: missing"},
        {NULL, "candidate does not load: "},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf so = BUF_INIT;
        struct judge j;

        if (cases[i].source)
            compile(cases[i].source, &so);
        else
            buf_adds(&so, "this is no library");
        judge_open(&j, &device_cpu);
        hand_over(&j, so.ptr, so.len);
        expect_fail(&j, WIRE_STAGE_LOAD, cases[i].error);
        judge_close(&j);
    }
}

/* What reaches for the network, other files, or its inputs; each a kernel's body. */
static void c_candidates_are_held(void **state)
{
    static const struct {
        const char *body;
        int signal, status; /* ends by this signal, or returns this */
    } cases[] = {
        {"return fork() < 0;", SIGSYS, 0},
        {"return system(\"true\");", SIGSYS, 0},
        {"return socket(2, 1, 0) < 0;", SIGSYS, 0},
        {"*(volatile float *)in[0].data = 1; return 0;", SIGSEGV, 0},
        {"return mprotect((char *)in[0].data - 256, 4096, PROT_READ | PROT_WRITE) ? 33 : 0;", 0,
         33},
        {"return open(\"/etc/passwd\", 0) < 0 ? 44 : 0;", 0, 44},
        {"return open(\"/tmp/assay-escape\", O_CREAT | O_WRONLY, 0600) < 0 ? 45 : 0;", 0, 45},
        {"volatile char big[1 << 20]; big[0] = 1; return 7;", 0, 7},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf so = BUF_INIT;
        AUTO(freep)
        char *source = xasprintf(
            "#include \"assay.h\"\n#include <fcntl.h>\n#include <stdlib.h>\n#include <sys/mman.h>\n"
            "#include <sys/socket.h>\n#include <unistd.h>\n"
            "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *s)\n"
            "{ %s }\n",
            cases[i].body);
        struct judge j = open_c(source, &so);

        start(&j, so.ptr, so.len);
        send_order(&j, WIRE_ORDER_CALL, 0, N_PAIRS, 1);

        bool done = await(&j, &j.page->done, LIMIT_NS);
        int returned = j.page->status, status = judge_close(&j);

        if (cases[i].signal)
            assert_true(!done && WIFSIGNALED(status) && WTERMSIG(status) == cases[i].signal);
        else
            assert_true(done && returned == cases[i].status);
    }
}

static void fake_candidate_computes(void **state)
{
    struct judge j = start_fake("op relu\ntime 41.2us\n");

    (void)state;
    fill_inputs(&j);
    assert_int_equal(call(&j, 1, N_PAIRS, 1), 0);
    check_relu(&j, 1, 0);
    assert_int_equal(j.page->claim_ns, 41200);
    assert_int_equal(call(&j, 1, N_PAIRS, 10), 0);
    assert_int_equal(j.page->claim_ns, 412000);
    judge_close(&j);
}

static void sandbox_is_complete(void **state)
{
    struct judge j;

    (void)state;
    testing_needs_namespaces();
    judge_open(&j, &device_fake);
    say_hello(&j);
    send_memory(&j);
    send_size(&j, N, false);
    send_load(&j, "", 0);

    struct wire_msg m = next(&j);

    assert_int_equal(m.type, WIRE_READY);
    assert_int_equal(sandbox_wanted() & ~(m.u.ready.layers | j.layers), 0);
    judge_close(&j);
}

static void empty_orders_call_nothing(void **state)
{
    struct judge j = start_fake("return 7");

    (void)state;
    send_order(&j, WIRE_ORDER_EMPTY, 0, N_PAIRS, 5);
    assert_true(await(&j, &j.page->done, LIMIT_NS));
    assert_int_equal(j.page->status, 0);
    assert_int_equal(j.page->claim_ns, 0);
    assert_int_equal(call(&j, 0, N_PAIRS, 5), 7);
    assert_int_equal(j.page->claim_ns, 10000); /* the first failing call was the last */
    judge_close(&j);
}

static void bad_orders_are_survived(void **state)
{
    static const struct {
        uint32_t order, in, out;
    } cases[] = {
        {WIRE_ORDER_CALL, 99, N_PAIRS},
        {WIRE_ORDER_CALL, 0, WIRE_MAX_ARENAS},
        {WIRE_ORDER_CALL, 0, UINT32_MAX},
        {WIRE_ORDER_CALL, 0, 1},
        {WIRE_ORDER_CALL, 2, 2},
        {WIRE_ORDER_CALL, 0, 40},
        {WIRE_ORDER_EMPTY, 0, 40},
        {0, 0, N_PAIRS},
        {77, 0, N_PAIRS},
    };
    struct judge j = start_fake("op relu");

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        send_order(&j, cases[i].order, cases[i].in, cases[i].out, 1);
        assert_true(await(&j, &j.page->done, LIMIT_NS));
        assert_int_equal(j.page->status, WIRE_STATUS_BAD_ORDER);
    }
    assert_int_equal(call(&j, 0, N_PAIRS, 1), 0);
    judge_close(&j);
}

/* Between calls the runner is stopped; `awake` tells when it spins again. */
static void stop_and_go(void **state)
{
    struct judge j = start_fake("op relu");

    (void)state;
    fill_inputs(&j);
    for (int i = 0; i < 20; i++) {
        siginfo_t info = {0};

        kill(j.pid, SIGSTOP);
        assert_int_equal(waitid(P_PID, (id_t)j.pid, &info, WSTOPPED), 0);
        send_order(&j, WIRE_ORDER_CALL, 0, N_PAIRS, 1);
        atomic_store(&j.page->awake, j.seq);
        assert_false(await(&j, &j.page->done, 2000000)); /* stopped is stopped */
        kill(j.pid, SIGCONT);
        assert_true(await(&j, &j.page->awake_ack, LIMIT_NS));
        assert_true(await(&j, &j.page->done, LIMIT_NS));
        check_relu(&j, 0, 0);
    }
    judge_close(&j);
}

/* How a candidate can end its process, and when. */
static void bad_ends(void **state)
{
    static const struct {
        const char *text;
        int signal, exit_status; /* signal 0: exits */
    } cases[] = {
        {"crash SIGSEGV at call 1", SIGSEGV, 0},
        {"crash SIGILL at call 1", SIGILL, 0},
        {"crash SIGABRT at call 1", 0, WIRE_EXIT_ABORT},
        {"exit 3 at call 1", 0, 3},
        {"fork at call 1", SIGSYS, 0},
        {"socket at call 1", SIGSYS, 0},
        {"write-input at call 1", SIGSEGV, 0},
        {"crash SIGSEGV at load", SIGSEGV, 0},
        {"crash SIGABRT at load", 0, WIRE_EXIT_ABORT},
        {"fork at load", SIGSYS, 0},
        {"exit 9 at load", 0, 9},
        {"crash SIGSEGV at setup", SIGSEGV, 0},
        {"socket at setup", SIGSYS, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *text = cases[i].text;
        struct judge j;

        judge_open(&j, &device_fake);
        hand_over(&j, text, strlen(text));
        if (strstr(text, "at load")) {
            expect_frame(&j, 0);
        } else {
            expect_frame(&j, WIRE_OK);
            send_plain(&j, WIRE_SETUP);
            expect_frame(&j, strstr(text, "at setup") ? 0 : WIRE_OK);
        }
        if (strstr(text, "at call")) {
            send_plain(&j, WIRE_START);
            send_order(&j, WIRE_ORDER_CALL, 0, N_PAIRS, 1);
            assert_false(await(&j, &j.page->done, LIMIT_NS));
        }

        struct pollfd p = {.fd = j.pidfd, .events = POLLIN};

        assert_int_equal(poll(&p, 1, LIMIT_MS), 1); /* by itself, before judge_close() kills it */

        int status = judge_close(&j);

        if (cases[i].signal && !(WIFSIGNALED(status) && WTERMSIG(status) == cases[i].signal))
            fail_msg("%s: wait status %#x", text, status);
        if (!cases[i].signal && !(WIFEXITED(status) && WEXITSTATUS(status) == cases[i].exit_status))
            fail_msg("%s: wait status %#x", text, status);
    }
}

static void hang_is_killed(void **state)
{
    struct judge j = start_fake("hang at call 2");

    (void)state;
    assert_int_equal(call(&j, 0, N_PAIRS, 1), 0);
    send_order(&j, WIRE_ORDER_CALL, 0, N_PAIRS, 1);
    assert_false(await(&j, &j.page->done, 20000000));
    assert_false(is_dead(&j));

    int status = judge_close(&j);

    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void fake_failures_are_told(void **state)
{
    struct judge j;

    (void)state;
    judge_open(&j, &device_fake);
    hand_over(&j, "op relu\nopp copy", 16);
    expect_fail(&j, WIRE_STAGE_LOAD, "line 2: unknown instruction 'opp'");
    judge_close(&j);

    judge_open(&j, &device_fake);
    hand_over(&j, "no-entry", 8);
    expect_fail(&j, WIRE_STAGE_LOAD, "candidate has no function assay_kernel");
    judge_close(&j);

    judge_open(&j, &device_fake);
    hand_over(&j, "return 7 at setup", 17);
    expect_frame(&j, WIRE_OK);
    send_plain(&j, WIRE_SETUP);

    struct wire_msg m = next(&j);

    assert_int_equal(m.type, WIRE_FAIL);
    assert_int_equal(m.u.fail.stage, WIRE_STAGE_SETUP);
    assert_int_equal(m.u.fail.status, 7);
    assert_string_equal(m.u.fail.text, "assay_setup returned 7");
    judge_close(&j);
}

static void faults_are_named(void **state)
{
    struct judge j = start_fake("fault at call 2");

    (void)state;
    assert_int_equal(call(&j, 0, N_PAIRS, 1), 0);
    assert_string_equal(j.page->error, "");
    assert_int_equal(call(&j, 0, N_PAIRS, 3), WIRE_STATUS_FAULT);
    assert_string_equal(j.page->error, "FAKE_ERROR_FAULT: as its text says");
    judge_close(&j);
}

/* ---- a judge that errs ---- */

static void err_no_hello(struct judge *j)
{
    send_plain(j, WIRE_START);
}

/* With all the rest on its way: the runner's answer must survive what it does not read. */
static void err_unknown_device(struct judge *j)
{
    struct wire_msg m = {WIRE_HELLO, -1, {.hello = {.device = "abacus"}}};

    send_msg(j, &m);
    send_memory(j);
    usleep(20000);
    send_size(j, N, false);
    send_load(j, "", 0);
}

static void err_bad_index(struct judge *j)
{
    struct wire_msg m = {WIRE_HELLO, -1, {.hello = {.device = "fake", .index = 5}}};

    send_msg(j, &m);
}

static void err_early_load(struct judge *j)
{
    say_hello(j);
    send_load(j, "", 0);
}

static void err_two_arenas(struct judge *j)
{
    say_hello(j);
    send_memory(j);
    send_arena(j, 1, &j->in[0]);
}

static void err_too_large(struct judge *j)
{
    say_hello(j);
    send_memory(j);
    send_size(j, (ARENA_BYTES - OFFSET) / 4 + 1, false);
    send_load(j, "", 0);
}

static void err_writable_input(struct judge *j)
{
    struct wire_msg m = {WIRE_ARENA, j->in[0].fd, {.arena = {0, ARENA_BYTES, false}}};

    say_hello(j);
    send_msg(j, &m);
}

static void err_garbage(struct judge *j)
{
    assert_int_equal(write(j->sock, "garbage", 7), 7);
}

static void judge_errors_are_infra(void **state)
{
    static const struct {
        void (*act)(struct judge *j);
        enum wire_stage stage;
        const char *error;
        const struct device *device; /* NULL: fake */
    } cases[] = {
        {err_no_hello, WIRE_STAGE_IMPORT, "the first frame is not HELLO", NULL},
        {err_unknown_device, WIRE_STAGE_DEVICE, "no device 'abacus'", NULL},
        {err_bad_index, WIRE_STAGE_DEVICE, "there is no device fake:5", NULL},
        {err_early_load, WIRE_STAGE_IMPORT, "LOAD before PAGE and SIZE", NULL},
        {err_two_arenas, WIRE_STAGE_IMPORT, "a second arena 1", NULL},
        {err_too_large, WIRE_STAGE_IMPORT, "tensor 0 does not fit into arena 0", NULL},
        {err_writable_input, WIRE_STAGE_IMPORT, "cannot map a buffer", &device_cpu},
        {err_garbage, WIRE_STAGE_IMPORT, "shorter than its header", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct judge j;

        judge_open(&j, cases[i].device ? cases[i].device : &device_fake);
        cases[i].act(&j);
        expect_fail(&j, cases[i].stage, cases[i].error);
        judge_close(&j);
    }
}

static void end_of_file_ends_it(void **state)
{
    (void)state;
    for (int after_hello = 0; after_hello < 2; after_hello++) {
        struct judge j;

        judge_open(&j, &device_fake);
        if (after_hello)
            say_hello(&j);
        fd_closep(&j.sock);

        struct pollfd p = {.fd = j.pidfd, .events = POLLIN};

        assert_int_equal(poll(&p, 1, LIMIT_MS), 1);

        int status = judge_close(&j);

        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == WIRE_EXIT_EOF);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fake_candidate_computes),
        cmocka_unit_test(sandbox_is_complete),
        cmocka_unit_test(empty_orders_call_nothing),
        cmocka_unit_test(bad_orders_are_survived),
        cmocka_unit_test(stop_and_go),
        cmocka_unit_test(bad_ends),
        cmocka_unit_test(hang_is_killed),
        cmocka_unit_test(fake_failures_are_told),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(judge_errors_are_infra),
        cmocka_unit_test(end_of_file_ends_it),
        cmocka_unit_test(c_candidate_computes),
        cmocka_unit_test(c_candidate_uses_threads),
        cmocka_unit_test(setup_sees_parameters),
        cmocka_unit_test(bad_libraries_are_explained),
        cmocka_unit_test(c_candidates_are_held),
    };
    AUTO(freep) char *path = runner_path();

    if (access(path, X_OK) < 0) {
        printf("skipped: no %s; build assay-runner or set ASSAY_RUNNER\n", path);
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
