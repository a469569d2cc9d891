/* SPDX-License-Identifier: MIT */
/* covers: src/terms/baseline.c workers/assay_worker/wire.py */
/* The torch worker: its Python speaks the protocol of wire.h, and its runners live and die as the
 * judge's own. Needs python3 and no torch: a module of that name with nothing in it stands in. */
#include "testing.h"

#include "base/clock.h"
#include "base/fs.h"
#include "device/device.h"
#include "process/worker.h"
#include "wire/wire.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define LIMIT_MS 60000 /* nothing here takes so long: then it hangs */

static char *share;

/* ---- the protocol ---- */

/* What a Python program prints that has imported the worker's wire module. */
static char *python(const char *program, const char *args)
{
    AUTO(freep)
    char *line = xasprintf("PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='%s/workers' python3 -c '"
                           "import ctypes, importlib.util, sys\n"
                           "path = \"%s/workers/assay_worker/wire.py\"\n"
                           "spec = importlib.util.spec_from_file_location(\"wire\", path)\n"
                           "wire = importlib.util.module_from_spec(spec)\n"
                           "spec.loader.exec_module(wire)\n"
                           "%s' %s 2>&1",
                           share, share, program, args);
    struct buf out = BUF_INIT;
    struct err err = ERR_INIT;
    FILE *f = popen(line, "r");

    assert_non_null(f);
    assert_int_equal(fs_read_fd(fileno(f), 65536, &out, &err), 0);
    pclose(f);
    return buf_steal(&out);
}

static void test_constants(void **state)
{
    AUTO(freep)
    char *want = xasprintf(
        "%u %d %d %d %d %d %d %d %d %d %d | %d %d %d %d %d %d %d %d %d %d %d | %zu %zu %zu %zu %zu "
        "%zu %zu "
        "%zu %zu %zu %zu %zu %zu %zu %zu %zu %zu %zu | %d %d\n",
        WIRE_MAGIC, WIRE_VERSION, WIRE_MAX_FRAME, WIRE_ORDER_CALL, WIRE_ORDER_EMPTY,
        WIRE_STATUS_FAULT, WIRE_STATUS_BAD_ORDER, WIRE_HOLD_NONE, WIRE_HOLD_WORK, WIRE_HOLD_CALL,
        DEVICE_HOLD_MS, WIRE_HELLO, WIRE_READY, WIRE_PAGE, WIRE_ARENA, WIRE_SIZE, WIRE_LOAD,
        WIRE_SETUP, WIRE_START, WIRE_OK, WIRE_FAIL, WIRE_WARM, sizeof(struct wire_page),
        offsetof(struct wire_page, go), offsetof(struct wire_page, order),
        offsetof(struct wire_page, in_arena), offsetof(struct wire_page, out_arena),
        offsetof(struct wire_page, count), offsetof(struct wire_page, done),
        offsetof(struct wire_page, status), offsetof(struct wire_page, claim_ns),
        offsetof(struct wire_page, error), offsetof(struct wire_page, awake),
        offsetof(struct wire_page, awake_ack), offsetof(struct wire_page, hold),
        offsetof(struct wire_page, release), offsetof(struct wire_page, queued),
        offsetof(struct wire_page, holding), offsetof(struct wire_page, ready),
        offsetof(struct wire_page, sum), WIRE_ERROR_MAX, WIRE_SWEEP);
    AUTO(freep)
    char *got = python(
        "w, P = wire, wire.Page\n"
        "print(w.MAGIC, w.VERSION, w.MAX_FRAME, w.ORDER_CALL, w.ORDER_EMPTY, "
        "w.STATUS_FAULT, w.STATUS_BAD_ORDER, w.HOLD_NONE, w.HOLD_WORK, w.HOLD_CALL, w.HOLD_MS, "
        "\"|\", w.HELLO, w.READY, w.PAGE, w.ARENA, "
        "w.SIZE, w.LOAD, w.SETUP, w.START, w.OK, w.FAIL, w.WARM, \"|\", ctypes.sizeof(P), "
        "P.go.offset, P.order.offset, P.in_arena.offset, P.out_arena.offset, "
        "P.count.offset, P.done.offset, P.status.offset, P.claim_ns.offset, "
        "P.error.offset, P.awake.offset, P.awake_ack.offset, P.hold.offset, P.release.offset, "
        "P.queued.offset, P.holding.offset, P.ready.offset, P.sum.offset, \"|\", w.ERROR_MAX, "
        "w.SWEEP)",
        "");

    (void)state;
    assert_string_equal(got, want);
}

/* A frame that Python expected without its descriptor ended every worker on a GPU. */
static void test_descriptors(void **state)
{
    AUTO(buf_release) struct buf want = BUF_INIT;
    AUTO(freep) char *got = python("print(*sorted(wire.CARRIES_FD))", "");

    (void)state;
    for (enum wire_type t = WIRE_HELLO; wire_type_name(t); t++)
        if (wire_carries_fd(t))
            buf_addf(&want, "%s%d", want.len ? " " : "", t);
    buf_addch(&want, '\n');
    assert_string_equal(got, buf_str(&want));
}

static void test_dtypes(void **state)
{
    AUTO(buf_release) struct buf want = BUF_INIT;
    AUTO(freep) char *got = python("print(*wire.DTYPES)", "");

    (void)state;
    for (int t = 0; t < DT_COUNT; t++)
        buf_addf(&want, "%s%s", t ? " " : "", dtype_name(t));
    buf_addch(&want, '\n');
    assert_string_equal(got, buf_str(&want));
}

/* Python's reading of a frame as C writes it. */
static void check_decodes(const struct wire_msg *m, const char *want)
{
    AUTO(buf_release) struct buf frame = BUF_INIT, hex = BUF_INIT;

    wire_encode(m, &frame);
    for (size_t i = 0; i < frame.len; i++)
        buf_addf(&hex, "%02x", (unsigned char)frame.ptr[i]);

    AUTO(freep)
    char *got = python("print(*wire.decode(bytes.fromhex(sys.argv[1])))", buf_str(&hex));

    assert_string_equal(got, want);
}

static void test_reads_frames(void **state)
{
    struct wire_tensor tensors[] = {{DT_F32, 2, 256, {3, 5}}, {DT_BOOL, 0, 512, {0}}};
    struct wire_msg m = WIRE_MSG_INIT(WIRE_HELLO);

    (void)state;
    strcpy(m.u.hello.device, "cuda");
    m.u.hello.index = 1;
    m.u.hello.mem_bytes = 1ull << 40;
    m.u.hello.uid = 7;
    m.u.hello.yield = 1;
    check_decodes(&m, "1 Hello(device='cuda', index=1, mem_bytes=1099511627776, uid=7, require=0, "
                      "yields=1)\n");
    m = (struct wire_msg){.type = WIRE_ARENA, .u.arena = {3, 8192, 1}};
    check_decodes(&m, "4 Arena(id=3, bytes=8192, read_only=1)\n");
    m = (struct wire_msg){.type = WIRE_PAGE, .u.bytes = 320};
    check_decodes(&m, "3 320\n");
    m = (struct wire_msg){.type = WIRE_SIZE,
                          .u.size = {.n_in = 1, .n_out = 1, .first_param = 1, .tensors = tensors}};
    check_decodes(&m, "5 Size(n_in=1, n_out=1, first_param=1, setup_params=False, setup_arena=0, "
                      "tensors=[Tensor(dtype='f32', shape=(3, 5), offset=256), "
                      "Tensor(dtype='bool', shape=(), offset=512)])\n");
    m = (struct wire_msg){.type = WIRE_START};
    check_decodes(&m, "8 None\n");
}

static void check_encodes(const char *program, struct wire_msg *ret)
{
    AUTO(freep) char *got = python(program, "");
    AUTO(buf_release) struct buf frame = BUF_INIT;
    struct err err = ERR_INIT;
    unsigned byte;

    for (const char *p = got; sscanf(p, "%2x", &byte) == 1; p += 2)
        buf_addch(&frame, (char)byte);
    if (wire_decode(frame.ptr, frame.len, ret, &err) < 0)
        fail_msg("%s: %s", got, err.text);
}

static void test_writes_frames(void **state)
{
    struct wire_msg m;

    (void)state;
    check_encodes("print(wire.encode_ready(5).hex())", &m);
    assert_int_equal(m.type, WIRE_READY);
    assert_int_equal(m.u.ready.layers, 5);
    check_encodes("print(wire.encode_ok().hex())", &m);
    assert_int_equal(m.type, WIRE_OK);
    /* Longer than the field, and cut inside a character of two bytes. */
    check_encodes("print(wire.encode_fail(wire.STAGE_SETUP, -3, \"\\u00e4\" * 600).hex())", &m);
    assert_int_equal(m.type, WIRE_FAIL);
    assert_int_equal(m.u.fail.stage, WIRE_STAGE_SETUP);
    assert_int_equal(m.u.fail.status, -3);
    assert_int_equal(strlen(m.u.fail.text), 1022);
}

/* ---- words ---- */

static void test_words(void **state)
{
    static const struct {
        const char *word, *mode;
        bool tf32;
    } cases[] = {
        {"torch:eager", "eager", false},
        {"torch:eager+tf32", "eager", true},
        {"torch:compile", "compile", false},
        {"torch:max-autotune+tf32", "max-autotune", true},
        {"torch:reduce-overhead", "reduce-overhead", false},
        {"torch:cudagraphs+tf32", "cudagraphs", true},
        {"cpu:naive", "naive", false},
        {"cpu:openblas", "openblas", false},
        {"cpu:openblas+tf32", NULL, false},
        {"cpu:eager", NULL, false},
        {"torch:naive", NULL, false},
        {"cpu:", NULL, false},
        {"torch:", NULL, false},
        {"torch:eager+", NULL, false},
        {"torch:eager+tf32x", NULL, false},
        {"torch:compiled", NULL, false},
        {"eager", NULL, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct baseline spec = {0};
        struct err err = ERR_INIT;
        int rc = baseline_parse(cases[i].word, &spec, &err);

        assert_int_equal(rc, cases[i].mode ? 0 : -1);
        if (!cases[i].mode) {
            assert_int_equal(err.kind, ERR_USAGE);
            continue;
        }
        assert_string_equal(spec.mode, cases[i].mode);
        assert_int_equal(spec.tf32, cases[i].tf32);
        assert_int_equal(spec.torch, cases[i].word[0] == 't');
    }
    assert_false(baseline_is("level1/19"));
}

/* ---- holding ---- */

/* A driver that does nothing but log, with the number of the order that was told to be queued by
 * then. The device is held at once, and released before anybody asks. */
static const char hold_program[] =
    "import types\n"
    "sys.modules[\"torch\"] = types.ModuleType(\"torch\")\n"
    "from assay_worker import cuda, hold, wire\n"
    "page, log = wire.Page(), []\n"
    "note = lambda what: log.append(f\"{what} {page.queued}\")\n"
    "class Driver:\n"
    "    def cuDeviceGetAttribute(self, ret, which, device):\n"
    "        ret._obj.value = {16: 132, 39: 2048}[which]\n"
    "    def cuLaunchKernel(self, kernel, blocks, y, z, threads, *rest):\n"
    "        page.holding = page.release = ctypes.cast(rest[4][3],\n"
    "            ctypes.POINTER(ctypes.c_uint32))[0]\n"
    "        note(f\"hold {blocks}x{threads}\")\n"
    "    def cuStreamWaitValue32_v2(self, stream, at, value, how):\n"
    "        note(f\"await {at.value} {value.value}\")\n"
    "    def cuEventRecord(self, event, stream): note(event)\n"
    "    def cuCtxSynchronize(self): note(\"wait\")\n"
    "    def __getattr__(self, name): return lambda *args: None\n"
    "c = cuda.Cuda.__new__(cuda.Cuda)\n"
    "c.cu, c.device, c.stream, c.start, c.end = Driver(), 0, None, \"start\", \"end\"\n"
    "assert c.share(page)\n"
    "for seq, how in enumerate((wire.HOLD_NONE, wire.HOLD_WORK, wire.HOLD_CALL), 5):\n"
    "    c.run(lambda: note(\"call\"), 17, lambda result: note(\"keep\"), how, seq)\n"
    "    short = [s for i, s in enumerate(log) if not i or s != log[i - 1]]\n"
    "    print(\", \".join(short))\n"
    "    log.clear()\n";

static void test_holds(void **state)
{
    AUTO(freep) char *got = python(hold_program, "");

    (void)state;
    assert_string_equal(got,
                        "start 0, call 0, end 0, keep 0, wait 0\n"
                        "await 512 6 0, hold 264x1024 0, start 0, call 0, call 6, end 6, keep 6, "
                        "wait 6\n"
                        "await 512 7 6, hold 264x1024 6, start 7, call 7, end 7, keep 7, wait 7\n");
}

/* ---- the processes ---- */

/* A torch with nothing in it but what a runner asks for before it opens its device. */
static void make_stand_in(void)
{
    static const char text[] =
        "import sys, types\n"
        "__version__ = 'none'\n"
        "set_grad_enabled = lambda on: None\n"
        "off = types.SimpleNamespace\n"
        "backends = off(cuda=off(matmul=off(allow_tf32=True)), cudnn=off(allow_tf32=True))\n";
    struct err err = ERR_INIT;

    mkdir("stand-in", 0755);
    assert_int_equal(fs_write_atomic("stand-in/torch.py", text, strlen(text), &err), 0);
    setenv("PYTHONPATH", "stand-in", 1);
    setenv("ASSAY_PYTHON", "python3", 1);
}

static struct worker *open_worker(void)
{
    struct worker_config c = {.share = share, .cache = "cache"};
    struct worker *w = NULL;
    struct err err = ERR_INIT;

    must(worker_open(&c, &w, &err), &err);
    return w;
}

struct runner {
    pid_t pid;
    int pidfd, sock;
};

static struct runner start_on(struct worker *w, int pair[2])
{
    const struct baseline spec = {"eager", true, false};
    struct runner r = {.sock = pair[0]};
    struct err err = ERR_INIT;

    must(worker_start(w, &spec, pair[1], STDERR_FILENO, &r.pid, &r.pidfd, &err), &err);
    close(pair[1]);
    return r;
}

static void make_pair(int pair[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
}

static struct runner start_runner(struct worker *w)
{
    int pair[2];

    make_pair(pair);
    return start_on(w, pair);
}

static void end_runner(struct runner *r)
{
    kill(r->pid, SIGKILL);
    waitpid(r->pid, NULL, 0);
    close(r->pidfd);
    close(r->sock);
}

static void test_describes(void **state)
{
    AUTO(worker_closep) struct worker *w = NULL;
    AUTO(buf_release) struct buf text = BUF_INIT;

    (void)state;
    make_stand_in();
    w = open_worker();
    worker_describe(w, &(struct baseline){"eager", true, true}, &text);
    assert_string_equal(buf_str(&text), "torch none eager, tf32 on");
}

/* Stopped, woken, waited for: what rproc does with a runner only works on a child. */
static void test_runner_is_a_child(void **state)
{
    AUTO(worker_closep) struct worker *w = NULL;
    siginfo_t info = {0};

    (void)state;
    make_stand_in();
    w = open_worker();

    struct runner r = start_runner(w);

    assert_int_equal(getpgid(r.pid), r.pid);
    assert_int_equal(kill(r.pid, SIGSTOP), 0);
    assert_int_equal(waitid(P_PID, (id_t)r.pid, &info, WSTOPPED), 0);
    assert_int_equal(info.si_code, CLD_STOPPED);
    kill(r.pid, SIGCONT);
    end_runner(&r);
}

/* The first frames, and a failure that the judge is told in one line. One worker, two runners. */
static void test_runner_talks(void **state)
{
    AUTO(worker_closep) struct worker *w = NULL;
    struct wire_msg hello = WIRE_MSG_INIT(WIRE_HELLO), m;
    struct err err = ERR_INIT;
    bool timed_out;

    (void)state;
    make_stand_in();
    strcpy(hello.u.hello.device, "fake");
    w = open_worker();
    for (int i = 0; i < 2; i++) {
        struct runner r = start_runner(w);

        assert_int_equal(wire_send(r.sock, &hello, &err), 0);
        assert_int_equal(wire_recv(r.sock, LIMIT_MS, &m, &timed_out, &err), 1);
        assert_int_equal(m.type, WIRE_FAIL);
        assert_int_equal(m.u.fail.stage, WIRE_STAGE_DEVICE);
        assert_string_equal(m.u.fail.text, "RuntimeError: torch cannot run on the device fake");
        end_runner(&r);
    }
}

/* A judge that goes before START is an end of file. */
static void test_runner_ends_by_itself(void **state)
{
    AUTO(worker_closep) struct worker *w = NULL;
    int status = -1;

    (void)state;
    make_stand_in();
    w = open_worker();

    struct runner r = start_runner(w);

    close(r.sock);
    assert_int_equal(waitpid(r.pid, &status, 0), r.pid);
    assert_int_equal(status, WIRE_EXIT_EOF << 8);
    close(r.pidfd);
}

static bool wait_gone(pid_t pid)
{
    uint64_t start = clock_ns();

    while (kill(pid, 0) == 0 && clock_ms_since(start) < LIMIT_MS)
        if (waitpid(-1, NULL, WNOHANG) <= 0) /* they become ours to reap */
            usleep(2000);
    return kill(pid, 0) < 0 && errno == ESRCH;
}

/* In a process that is then killed: the worker and its runner must not outlive it. The runner's
 * socket stays open here, so that it is not the end of file that ends it. */
static void test_dies_with_the_judge(void **state)
{
    pid_t pids[2] = {0};
    int pipe_fds[2], pair[2];

    (void)state;
    make_stand_in();
    make_pair(pair);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    assert_int_equal(pipe(pipe_fds), 0);

    pid_t judge = fork();

    if (judge == 0) {
        struct runner r = start_on(open_worker(), pair);
        AUTO(buf_release) struct buf children = BUF_INIT;
        AUTO(freep) char *path = xasprintf("/proc/self/task/%d/children", getpid());
        struct err err = ERR_INIT;
        int first = 0, second = 0;

        fs_read(path, 4096, &children, &err);
        sscanf(buf_str(&children), "%d %d", &first, &second);
        pids[0] = r.pid;
        pids[1] = first == r.pid ? second : first;
        _exit(write(pipe_fds[1], pids, sizeof(pids)) == sizeof(pids) && pause());
    }
    assert_int_equal(read(pipe_fds[0], pids, sizeof(pids)), sizeof(pids));
    assert_true(pids[0] > 0 && pids[1] > 0);
    kill(judge, SIGKILL);
    waitpid(judge, NULL, 0);
    assert_true(wait_gone(pids[0]));
    assert_true(wait_gone(pids[1]));
    close(pair[0]);
    close(pair[1]);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

static void test_no_torch(void **state)
{
    struct worker_config c = {.share = share, .cache = "cache"};
    struct worker *w = NULL;
    struct err err = ERR_INIT;

    (void)state;
    mkdir("broken", 0755);
    assert_int_equal(
        fs_write_atomic("broken/torch.py", "raise ImportError('no libgomp')\n", 32, &err), 0);
    setenv("PYTHONPATH", "broken", 1);
    setenv("ASSAY_PYTHON", "python3", 1);
    assert_int_equal(worker_open(&c, &w, &err), -1);
    assert_string_equal(err.text, "no torch: python3: no libgomp (install PyTorch, or name a "
                                  "Python that has it in ASSAY_PYTHON)");
    setenv("ASSAY_PYTHON", "no-such-python", 1);
    assert_int_equal(worker_open(&c, &w, &err), -1);
    assert_non_null(strstr(err.text, "no-such-python"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_dtypes),
        cmocka_unit_test(test_reads_frames),
        cmocka_unit_test(test_writes_frames),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_holds),
        cmocka_unit_test(test_describes),
        cmocka_unit_test(test_runner_is_a_child),
        cmocka_unit_test(test_runner_talks),
        cmocka_unit_test(test_runner_ends_by_itself),
        cmocka_unit_test(test_dies_with_the_judge),
        cmocka_unit_test(test_no_torch),
    };

    share = fs_share_dir();

    int rc = cmocka_run_group_tests(tests, NULL, NULL);

    free(share);
    return rc;
}
