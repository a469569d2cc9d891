/* SPDX-License-Identifier: MIT */
/* covers: src/device/cuda/cuda_for_runner.c src/device/cuda/cuda_hold.c */
/* covers: src/device/cuda/cuda_module.c src/process/rproc.c */
/*
 * The real assay-runner on a real GPU, in its real sandbox, through the judge's own rproc.c: every
 * way a CUDA candidate can go well or badly, and that the next one is none the worse for it.
 *
 *   test_cuda_runner [FOLDER WITH runner_modes.cu] [INCLUDE FOLDER]
 *
 * $ASSAY_RUNNER names the runner, nvcc must be in PATH or /usr/local/cuda/bin. Exits 77 where there
 * is no GPU or no nvcc. Needs no cmocka: it also runs from a dist tree.
 */
#include "base/clock.h"
#include "base/fs.h"
#include "device/cuda/cuda_driver.h"
#include "device/cuda/cuda_launch.h"
#include "process/rproc.h"
#include "sandbox/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N (1 << 20)
#define GUARD 4096
#define ARTIFACT_MAX_BYTES ((size_t)64 << 20)
#define LEFTOVER_BYTES                                                        \
    ((size_t)64 << 20) /* of device memory, that a driver may keep for itself \
                        */

/* As in runner_modes.cu. */
enum mode {
    RELU = 1,
    RETURN_7,
    WRITE_INPUT,
    WILD_POINTER,
    TRAP,
    ASSERT,
    SPIN,
    EXIT_3,
    ABORT,
    FORK,
    SOCKET,
    RESET,
    SETUP_5,
    SETUP_FAULT,
    SCRATCH,
    OWN_STREAM,
    DEFAULT_STREAM,
    FILES,
    PINNED,
    THIRTY,
    TOO_LARGE,
    RESET_LAST,
    SETUP_RESET,
    FREE_TWICE,
    HOST_FREE_TWICE,
};

static const struct device_judge_ops *ops;
static void *ctx;
static struct mem in_arena = MEM_INIT, out_arena = MEM_INIT;
static float *host;
static char *runner_path;
static int shared_object = -1, machine_code = -1;
static int passed, failed;

#define CHECK(condition, ...)                             \
    do {                                                  \
        if (condition) {                                  \
            passed++;                                     \
        } else {                                          \
            failed++;                                     \
            printf("FAILED %s:%d: ", __FILE__, __LINE__); \
            printf(__VA_ARGS__);                          \
            printf("\n");                                 \
        }                                                 \
    } while (0)

static _Noreturn void give_up(const struct err *err)
{
    printf("cannot go on: %s\n%d passed, %d failed, 0 skipped\n", err->text, passed, failed + 1);
    exit(1);
}

/* ---- one candidate in one runner ---- */

struct rig {
    struct tensor_slot in_slots[2], out_slots[1];
    size_t in_bytes[2], out_bytes[1];
    struct layout in, out;
    struct rproc_config config;
    struct rproc runner;
    struct verdict verdict;
    struct err err;
    int rc; /* of the last step: 0 fine, 1 the verdict says, -1 the error says */
};

static struct tensor_slot slot(int64_t n, uint64_t offset)
{
    return (struct tensor_slot){DT_F32, {1, {n}}, offset};
}

static void rig_start(struct rig *g, int artifact_fd, enum mode mode)
{
    *g = (struct rig){.verdict = VERDICT_INIT, .err = ERR_INIT, .runner = RPROC_INIT};
    g->in_slots[0] = slot(N, GUARD);
    g->in_slots[1] = slot(mode, GUARD + N * sizeof(float) + GUARD);
    g->out_slots[0] = slot(N, GUARD);
    g->in_bytes[0] = g->out_bytes[0] = N * sizeof(float);
    g->in_bytes[1] = (size_t)mode * sizeof(float);
    g->in = (struct layout){g->in_slots, g->in_bytes, 2, in_arena.bytes};
    g->out = (struct layout){g->out_slots, g->out_bytes, 1, out_arena.bytes};
    g->config = (struct rproc_config){.runner_path = runner_path,
                                      .subject = {.kind = &subject_native},
                                      .device = &device_cuda,
                                      .in = &g->in,
                                      .out = &g->out,
                                      .in_arenas = &in_arena,
                                      .n_in_arenas = 1,
                                      .out_arenas = &out_arena,
                                      .n_out_arenas = 1,
                                      .n_inputs = 2,
                                      .artifact_fd = artifact_fd,
                                      .mem_bytes = (uint64_t)1 << 30,
                                      .start_timeout_ms = 30000,
                                      .call_timeout_ms = mode == SPIN ? 1000 : 10000};
    g->rc = rproc_start(&g->runner, &g->config, &g->err);
    if (g->rc == 0)
        g->rc = rproc_ready(&g->runner, &g->verdict, &g->err);
}

static struct rproc_reply rig_call_how(struct rig *g, enum wire_order order, int count,
                                       enum wire_hold hold)
{
    struct rproc_reply reply = {0};

    if (g->rc == 0)
        g->rc =
            rproc_queue(&g->runner, &(struct rproc_order){order, 0, 1, count, hold}, &g->verdict);
    if (g->rc == 0)
        g->rc = rproc_run(&g->runner, &reply, &g->verdict);
    return reply;
}

static struct rproc_reply rig_call(struct rig *g, enum wire_order order, int count)
{
    return rig_call_how(g, order, count, WIRE_HOLD_NONE);
}

static struct rproc_reply rig_call_held(struct rig *g, enum wire_order order, int count)
{
    return rig_call_how(g, order, count, WIRE_HOLD_WORK);
}

static const char *rig_text(const struct rig *g)
{
    static char text[4096];

    snprintf(text, sizeof(text), "rc %d, %s: %s (%s) %s; it says: %.1000s", g->rc,
             verdict_names[g->verdict.kind], g->verdict.code, g->verdict.detail, g->err.text,
             buf_str(&g->runner.text));
    return text;
}

static void rig_end(struct rig *g)
{
    rproc_release(&g->runner);
}

/* ---- memory ---- */

static void fill_memory(void)
{
    struct err err = ERR_INIT;

    for (int i = 0; i < N; i++)
        host[i] = (float)(i % 2001 - 1000);
    if (ops->upload(ctx, &in_arena, GUARD, host, N * sizeof(float), &err) < 0 ||
        ops->poison(ctx, &out_arena, 0, out_arena.bytes, 4711, &err) < 0 ||
        ops->flush(ctx, (struct mem *const[]){&in_arena, &out_arena}, 2, &err) < 0)
        give_up(&err);
}

/* The first element that is not relu's, -1: all are. */
static int first_wrong(void)
{
    struct err err = ERR_INIT;

    if (ops->download(ctx, &out_arena, GUARD, host, N * sizeof(float), &err) < 0)
        give_up(&err);
    for (int i = 0; i < N; i++) {
        float x = (float)(i % 2001 - 1000);

        if (host[i] != (x > 0 ? x : 0))
            return i;
    }
    return -1;
}

/* ---- tests ---- */

static void start_and_layers(void)
{
    uint64_t start = clock_ns();
    struct rig g;

    rig_start(&g, shared_object, RELU);
    printf("runner ready after %.0f ms\n", clock_ms_since(start));
    CHECK(g.rc == 0, "start: %s", rig_text(&g));
    for (int b = 0; b < SANDBOX_LAYERS; b++)
        if (sandbox_wanted() & 1u << b)
            CHECK(g.runner.layers & 1u << b, "layer %s is missing", sandbox_layer_names[b]);
    rig_end(&g);
}

static void honest_ones(void)
{
    static const struct {
        const char *name;
        enum mode mode;
    } cases[] = {{"relu", RELU},
                 {"scratch memory", SCRATCH},
                 {"a stream of its own", OWN_STREAM},
                 {"the default stream", DEFAULT_STREAM},
                 {"pinned memory", PINNED},
                 {"30 launches", THIRTY},
                 {"too large an allocation", TOO_LARGE},
                 {"closed files", FILES}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rig g;

        fill_memory();
        rig_start(&g, shared_object, cases[i].mode);

        struct rproc_reply r = rig_call(&g, WIRE_ORDER_CALL, 1);
        int wrong = first_wrong();

        CHECK(g.rc == 0, "%s: %s", cases[i].name, rig_text(&g));
        CHECK(wrong < 0, "%s: element %d is %g", cases[i].name, wrong, wrong < 0 ? 0 : host[wrong]);
        CHECK(r.claim_ns > 0 && r.claim_ns < r.wall_ns, "%s: claims %llu ns of %llu ns",
              cases[i].name, (unsigned long long)r.claim_ns, (unsigned long long)r.wall_ns);
        rig_end(&g);
    }
}

static void bad_ones(void)
{
    static const struct {
        const char *name;
        enum mode mode;
        enum verdict_kind kind;
        const char *reason; /* NULL: any */
    } cases[] = {
        {"return 7", RETURN_7, VERDICT_CRASH, "returned"},
        {"write to an input", WRITE_INPUT, VERDICT_CRASH, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {"wild pointer", WILD_POINTER, VERDICT_CRASH, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {"trap", TRAP, VERDICT_CRASH, NULL},
        {"assert", ASSERT, VERDICT_CRASH, "CUDA_ERROR_ASSERT"},
        {"endless kernel", SPIN, VERDICT_TIMEOUT, "call"},
        {"exit", EXIT_3, VERDICT_CRASH, "exited"},
        {"abort", ABORT, VERDICT_CRASH, "SIGABRT"},
        {"fork", FORK, VERDICT_REJECTED, "sandbox"},
        {"socket", SOCKET, VERDICT_REJECTED, "sandbox"},
        {"cudaDeviceReset", RESET, VERDICT_CRASH, NULL},
        {"reset at its end", RESET_LAST, VERDICT_CRASH, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
        {"free twice", FREE_TWICE, VERDICT_CRASH, "returned"},
        {"host free twice", HOST_FREE_TWICE, VERDICT_CRASH, "SIGABRT"},
        {"setup resets", SETUP_RESET, VERDICT_CRASH, "setup"},
        {"setup returns 5", SETUP_5, VERDICT_CRASH, "setup"},
        {"setup faults", SETUP_FAULT, VERDICT_CRASH, "setup"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t start = clock_ns();
        struct rig g;

        fill_memory();
        rig_start(&g, shared_object, cases[i].mode);
        rig_call(&g, WIRE_ORDER_CALL, 1);
        CHECK(g.rc == 1 && g.verdict.kind == cases[i].kind &&
                  (!cases[i].reason || !strcmp(g.verdict.code, cases[i].reason)),
              "%s: %s", cases[i].name, rig_text(&g));
        printf("%-18s %s: %s; %s (%.0f ms)\n", cases[i].name, verdict_names[g.verdict.kind],
               g.verdict.code, g.verdict.detail, clock_ms_since(start));
        rig_end(&g);
    }
}

static void times(void)
{
    struct rproc_reply empty = {0}, one = {0}, hot = {0};
    struct rig g;

    fill_memory();
    rig_start(&g, shared_object, RELU);
    for (int i = 0; i < 20; i++) {
        one = rig_call(&g, WIRE_ORDER_CALL, 1);
        empty = rig_call(&g, WIRE_ORDER_EMPTY, 1);
    }
    hot = rig_call(&g, WIRE_ORDER_CALL, 500);
    CHECK(g.rc == 0, "times: %s", rig_text(&g));
    CHECK(hot.claim_ns > 100 * one.claim_ns / 2, "500 calls claim %llu ns, one %llu ns",
          (unsigned long long)hot.claim_ns, (unsigned long long)one.claim_ns);
    CHECK(hot.claim_ns < hot.wall_ns, "500 calls claim more than the judge saw");
    CHECK((double)hot.claim_ns > 0.8 * (double)hot.wall_ns, "500 calls claim %llu ns of %llu ns",
          (unsigned long long)hot.claim_ns, (unsigned long long)hot.wall_ns);
    CHECK(empty.claim_ns == 0, "an empty order claims time");
    printf("empty order %.1f us; one call %.1f us, claims %.1f us; hot %.2f us, claims %.2f us\n",
           (double)empty.wall_ns / 1e3, (double)one.wall_ns / 1e3, (double)one.claim_ns / 1e3,
           (double)hot.wall_ns / 500e3, (double)hot.claim_ns / 500e3);
    rig_end(&g);
}

static double us(uint64_t ns)
{
    return (double)ns / 1e3;
}

/* The third call on: the first two are never held (RPROC_UNHELD_CALLS). */
static void warm(struct rig *g)
{
    for (int i = 0; i < 3; i++)
        rig_call(g, WIRE_ORDER_CALL, 1);
}

static void held_times(void)
{
    static const struct {
        const char *name;
        enum mode mode;
        int count;
    } cases[] = {{"relu", RELU, 1},
                 {"the default stream", DEFAULT_STREAM, 1},
                 {"30 launches", THIRTY, 1},
                 {"200 calls", RELU, 200},
                 {"200 calls of 30 launches", THIRTY, 200}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rproc_reply held = {0}, empty = {0}, plain = {0};
        struct rig g;

        fill_memory();
        rig_start(&g, shared_object, cases[i].mode);
        warm(&g);
        for (int k = 0; k < 20; k++) {
            plain = rig_call(&g, WIRE_ORDER_CALL, cases[i].count);
            empty = rig_call_held(&g, WIRE_ORDER_EMPTY, 1);
            held = rig_call_held(&g, WIRE_ORDER_CALL, cases[i].count);
        }
        CHECK(g.rc == 0 && first_wrong() < 0, "held %s: %s", cases[i].name, rig_text(&g));
        CHECK(held.held, "%s is not held: queued after %.1f us; the page says: %.112s",
              cases[i].name, us(held.queue_ns), g.runner.page ? g.runner.page->error : "");
        CHECK(held.claim_ns <= held.wall_ns, "held %s: claims more than the judge saw",
              cases[i].name);
        printf("held %-24s claims %.2f us (not held %.2f), outside %.2f less empty %.2f, queued in "
               "%.2f us\n",
               cases[i].name, us(held.claim_ns), us(plain.claim_ns), us(held.wall_ns),
               us(empty.wall_ns), us(held.queue_ns));
        rig_end(&g);
    }
}

/* A call that waits for the device must end although the device waits for the judge. */
static void waiting_ends_a_hold(void)
{
    struct rproc_reply held, after;
    struct rig g;

    fill_memory();
    rig_start(&g, shared_object, PINNED);
    warm(&g);
    held = rig_call_held(&g, WIRE_ORDER_CALL, 1);
    after = rig_call(&g, WIRE_ORDER_CALL, 1);
    CHECK(g.rc == 0 && first_wrong() < 0, "waiting inside the call: %s", rig_text(&g));
    CHECK(!held.held, "a call that waits for the device was held");
    printf("a call that waits gave up the hold after %.1f ms; without one it takes %.1f us\n",
           us(held.wall_ns) / 1e3, us(after.wall_ns));
    rig_end(&g);
}

#define CALLER_MAX_US 30

/* The judge's work in between makes the GPU switch contexts, which no caller waits for. */
static void callers_do_not_wait_for_the_judge(void)
{
    struct rproc_reply call = {0}, empty = {0}, plain = {0};
    struct rig g;

    fill_memory();
    rig_start(&g, shared_object, RELU);
    warm(&g);
    for (int k = 0; k < 20; k++) {
        fill_memory();
        plain = rig_call(&g, WIRE_ORDER_CALL, 1);
        fill_memory();
        empty = rig_call_how(&g, WIRE_ORDER_EMPTY, 1, WIRE_HOLD_CALL);
        fill_memory();
        call = rig_call_how(&g, WIRE_ORDER_CALL, 1, WIRE_HOLD_CALL);
    }
    CHECK(g.rc == 0 && first_wrong() < 0 && !call.held, "a held call: %s", rig_text(&g));
    CHECK(us(call.wall_ns) < us(empty.wall_ns) + CALLER_MAX_US,
          "a caller of relu waits %.2f us, an empty order takes %.2f us", us(call.wall_ns),
          us(empty.wall_ns));
    CHECK(us(call.wall_ns) < 2 * CALLER_MAX_US, "a caller of relu waits %.2f us", us(call.wall_ns));
    printf("a caller waits %.2f us less empty %.2f, the device came after %.2f us; not held %.2f "
           "us\n",
           us(call.wall_ns), us(empty.wall_ns), us(call.hold_ns), us(plain.wall_ns));
    rig_end(&g);
}

/* Without a hold such a candidate would be rejected by an audit that sees the switch. */
static void one_who_waits_is_timed_alike(void)
{
    struct rproc_reply call = {0}, empty = {0};
    struct rig g;

    fill_memory();
    rig_start(&g, shared_object, PINNED);
    warm(&g);
    for (int k = 0; k < 20; k++) {
        fill_memory();
        empty = rig_call_how(&g, WIRE_ORDER_EMPTY, 1, WIRE_HOLD_CALL);
        fill_memory();
        call = rig_call_how(&g, WIRE_ORDER_CALL, 1, WIRE_HOLD_CALL);
    }
    CHECK(g.rc == 0 && first_wrong() < 0, "waiting in a held call: %s", rig_text(&g));
    CHECK(call.wall_ns < 5000000, "waiting in a held call took %.2f us: the hold gave up",
          us(call.wall_ns));
    printf("one who waits claims %.2f us, outside %.2f us less empty %.2f us\n", us(call.claim_ns),
           us(call.wall_ns), us(empty.wall_ns));
    rig_end(&g);
}

/* Whether the answer is right when the input comes after the work was queued, over one that says
 * otherwise. */
static bool sees_content(enum mode mode)
{
    const struct rproc_order order = {WIRE_ORDER_CALL, 0, 1, 1, WIRE_HOLD_WORK};
    struct rproc_reply reply = {0};
    struct err err = ERR_INIT;
    struct rig g;

    fill_memory();
    rig_start(&g, shared_object, mode);
    warm(&g);
    memset(host, 0, N * sizeof(float));
    if (ops->upload(ctx, &in_arena, GUARD, host, N * sizeof(float), &err) < 0)
        give_up(&err);
    if (g.rc == 0)
        g.rc = rproc_queue(&g.runner, &order, &g.verdict);
    fill_memory();
    if (g.rc == 0)
        g.rc = rproc_run(&g.runner, &reply, &g.verdict);
    CHECK(g.rc == 0 && reply.held, "mode %d, queued before the content: %s", mode, rig_text(&g));
    rig_end(&g);
    return first_wrong() < 0;
}

/* Work that is queued waits for the content; on a stream of its own it does not, and misses it. */
static void work_is_queued_before_the_content(void)
{
    CHECK(sees_content(RELU), "on the runner's stream");
    CHECK(sees_content(THIRTY), "30 launches on the runner's stream");
    CHECK(sees_content(DEFAULT_STREAM), "on the default stream");
    CHECK(!sees_content(OWN_STREAM), "work on a stream of its own came after the content");
}

static void stop_and_wake(void)
{
    struct rig g;

    fill_memory();
    rig_start(&g, shared_object, RELU);
    for (int i = 0; i < 50 && g.rc == 0; i++) {
        g.rc = rproc_stop(&g.runner, &g.verdict, &g.err);
        if (g.rc == 0)
            g.rc = rproc_wake(&g.runner, &g.verdict, &g.err);
        rig_call(&g, WIRE_ORDER_CALL, 1);
    }
    CHECK(g.rc == 0, "stopped and woken: %s", rig_text(&g));
    CHECK(first_wrong() < 0, "stopped and woken: wrong");
    rig_end(&g);
}

/* A program of one launch line and the machine code. */
static int make_program(const char *line)
{
    AUTO(buf_release) struct buf cubin = BUF_INIT;
    AUTO(buf_release) struct buf bytes = BUF_INIT;
    struct err err = ERR_INIT;
    char path[32];
    int fd = -1;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", machine_code);
    if (fs_read(path, ARTIFACT_MAX_BYTES, &cubin, &err) < 0)
        give_up(&err);

    struct cuda_program p = {
        .n_lines = 1, .lines = {{line, strlen(line)}}, .cubin = {cubin.ptr, cubin.len}};

    cuda_program_join(&p, &bytes);
    if (fs_sealed_memfd("program", bytes.ptr, bytes.len, &fd, &err) < 0)
        give_up(&err);
    return fd;
}

static void launch_lines(void)
{
    static const struct {
        const char *line;
        enum verdict_kind kind;
        const char *text; /* in the verdict's detail */
    } cases[] = {
        {"launch relu grid=ceil_div(in0.numel,256) block=256 args=in0,out0,in0.numel:i64,0:f32",
         VERDICT_PASS, ""},
        {"launch relu_shared grid=ceil_div(in0.numel,256) block=256 smem=64000 "
         "args=in0,out0,in0.shape[0]:i32",
         VERDICT_PASS, ""},
        {"launch gelu grid=1 block=1 args=in0", VERDICT_BUILD_ERROR, "no kernel gelu"},
        {"@7:11 launch gelu grid=1 @8:11 block=1 args=in0", VERDICT_BUILD_ERROR,
         "line 7: no kernel gelu"},
        {"launch relu grid=1 block=1 args=in0,out0", VERDICT_BUILD_ERROR, "more than the 2"},
        {"launch relu grid=1 block=1 args=in0,out0,1:i64,1:f32,1:f32", VERDICT_BUILD_ERROR,
         "takes 4 arguments, and args= has 5"},
        {"launch relu grid=1 block=1 args=in0,out0,1:i32,1:f32", VERDICT_BUILD_ERROR,
         "argument 3 of kernel relu has 8 bytes"},
        {"launch relu grid=in0.numel-in0.numel block=1 args=in0,out0,1:i64,1:f32", VERDICT_CRASH,
         "grid x is 0"},
        {"launch relu_shared grid=1 block=1 smem=1000000 args=in0,out0,1:i32", VERDICT_CRASH,
         "smem=1000000"},
        {"launch relu grid=64 block=256 args=out0,in0,in0.numel:i64,0:f32", VERDICT_CRASH,
         "CUDA_ERROR_ILLEGAL_ADDRESS"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(fd_closep) int fd = make_program(cases[i].line);
        struct rig g;

        fill_memory();
        rig_start(&g, fd, RELU);
        rig_call(&g, WIRE_ORDER_CALL, 1);
        CHECK(g.rc >= 0 && g.verdict.kind == cases[i].kind &&
                  strstr(g.verdict.detail, cases[i].text),
              "%s: %s", cases[i].line, rig_text(&g));
        if (cases[i].kind == VERDICT_PASS)
            CHECK(first_wrong() < 0, "%s: wrong", cases[i].line);
        rig_end(&g);
    }
}

static size_t free_bytes(void)
{
    const char *why;
    size_t bytes = 0, total;

    if (cuda_driver(&why)->cuMemGetInfo_v2(&bytes, &total) != 0)
        printf("cuMemGetInfo failed\n");
    return bytes;
}

static void nothing_is_left_behind(size_t before)
{
    size_t after = free_bytes();
    struct rig g;

    CHECK(after + LEFTOVER_BYTES > before, "%zu MiB of device memory are gone",
          (before - after) >> 20);
    fill_memory();
    rig_start(&g, shared_object, RELU);
    rig_call(&g, WIRE_ORDER_CALL, 1);
    CHECK(g.rc == 0 && first_wrong() < 0, "after all these: %s", rig_text(&g));
    rig_end(&g);
}

/* ---- building ---- */

/* nvcc's product as a sealed memfd. */
static int compile(const char *options, const char *source, const char *include)
{
    char dir[] = "/tmp/assay-gpu-XXXXXX";
    AUTO(buf_release) struct buf bytes = BUF_INIT;
    struct err err = ERR_INIT;
    int fd = -1;

    if (!mkdtemp(dir))
        return -1;

    AUTO(freep) char *out = fs_join(dir, "out");
    AUTO(freep)
    char *command =
        xasprintf("PATH=$PATH:/usr/local/cuda/bin nvcc -arch=native %s -I'%s' -o '%s' '%s'",
                  options, include, out, source);

    if (system(command) != 0 || fs_read(out, ARTIFACT_MAX_BYTES, &bytes, &err) < 0 ||
        fs_sealed_memfd("artifact", bytes.ptr, bytes.len, &fd, &err) < 0)
        printf("%s: %s\n", command, err.text);
    fs_remove_tree(dir);
    return fd;
}

static bool build_all(const char *folder, const char *include)
{
    AUTO(freep) char *modes = fs_join(folder, "runner_modes.cu");
    AUTO(freep) char *launch = fs_join(folder, "runner_launch.cu");

    shared_object = compile("-shared -cudart static -Xcompiler -fPIC", modes, include);
    machine_code = compile("-cubin", launch, include);
    return shared_object >= 0 && machine_code >= 0;
}

static void open_judge(void)
{
    struct err err = ERR_INIT;

    ops = device_cuda.judge;
    host = xmalloc(N * sizeof(float));
    if (ops->open(0, &ctx, &err) < 0 ||
        ops->mem_alloc(ctx, MEM_INPUT, N * sizeof(float) + 4 * GUARD, &in_arena, &err) < 0 ||
        ops->mem_alloc(ctx, MEM_OUTPUT, N * sizeof(float) + 2 * GUARD, &out_arena, &err) < 0)
        give_up(&err);
}

static void close_judge(void)
{
    ops->mem_free(ctx, &in_arena);
    ops->mem_free(ctx, &out_arena);
    ops->close(ctx);
    free(host);
    free(runner_path);
    fd_closep(&shared_object);
    fd_closep(&machine_code);
}

int main(int argc, char **argv)
{
    const char *set = getenv("ASSAY_RUNNER"), *why = "";
    AUTO(freep) char *dir = fs_program_dir();

    setvbuf(stdout, NULL, _IOLBF, 0);
    runner_path = set ? xstrdup(set) : xasprintf("%s/../assay-runner", dir);
    if (device_cuda.probe(&why) <= 0) {
        printf("skipped: %s\n0 passed, 0 failed, 1 skipped\n", why);
        return 77;
    }
    if (!build_all(argc > 1 ? argv[1] : "tests/gpu", argc > 2 ? argv[2] : "include")) {
        printf("skipped: nvcc does not build the candidates\n0 passed, 0 failed, 1 skipped\n");
        return 77;
    }
    open_judge();

    fill_memory(); /* the first flush keeps memory of its own */

    size_t before = free_bytes();

    start_and_layers();
    honest_ones();
    times();
    held_times();
    callers_do_not_wait_for_the_judge();
    one_who_waits_is_timed_alike();
    waiting_ends_a_hold();
    work_is_queued_before_the_content();
    stop_and_wake();
    launch_lines();
    bad_ones();
    nothing_is_left_behind(before);
    close_judge();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
