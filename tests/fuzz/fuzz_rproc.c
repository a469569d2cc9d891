/* SPDX-License-Identifier: MIT */
/* covers: src/process/rproc_wait.c */
/* The judge's side of the wire: whatever a runner sends, prints and writes on its page, the judge
 * ends with a verdict that has a reason, or with an error of its own, and with the latter only
 * while all code in the runner is ours: nobody gets an "infra" by talking nonsense.
 *
 * An input: struct claims, `printed` bytes of text, frames. */
#include "frames.h"
#include "process/rproc.h"
#include "replay.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct claims {
    uint8_t printed, spare, hold, done;
    int32_t status, wait_status;
    uint64_t claim_ns;
    char error[WIRE_ERROR_MAX];
};

static void check(int rc, const struct verdict *v, const struct err *err, bool ours)
{
    if (rc > 0 && (v->kind == VERDICT_PASS || !v->code[0]))
        abort();
    if (rc < 0 && (!ours || !err->text[0]))
        abort();
}

/* The runner's answer to order 1 is on the page before it is asked. */
static void answer(struct wire_page *p, const struct claims *c)
{
    p->status = c->status;
    p->claim_ns = c->claim_ns;
    memcpy(p->error, c->error, sizeof(p->error));
    atomic_store(&p->holding, c->done & 1u);
    atomic_store(&p->queued, c->done >> 1 & 1u);
    atomic_store(&p->done, c->done >> 2 & 1u);
}

static void call(struct rproc *r, const struct claims *c)
{
    struct verdict v = VERDICT_INIT;
    struct err err = ERR_INIT;
    struct rproc_reply reply;

    const struct rproc_order order = {WIRE_ORDER_CALL, 0, 1, 1, c->hold % 3};

    answer(r->page, c);

    int rc = rproc_queue(r, &order, &v);

    check(rc, &v, &err, false);
    if (rc == 0)
        check(rproc_run(r, &reply, &v), &v, &err, false);
    v = (struct verdict)VERDICT_INIT;
    if (r->page)
        check(rproc_stop(r, &v, &err), &v, &err, false);
}

static void open_runner(struct rproc *r, const struct rproc_config *config, int *ret_sock,
                        int *ret_out)
{
    struct err err = ERR_INIT;
    int pair[2], out[2], page_fd;

    *r = (struct rproc)RPROC_INIT;
    r->config = config;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 ||
        pipe2(out, O_CLOEXEC | O_NONBLOCK) < 0 || wire_page_create(&r->page, &page_fd, &err) < 0)
        abort();
    close(page_fd);
    r->sock = pair[0];
    r->out_fd = out[0];
    *ret_sock = pair[1];
    *ret_out = out[1];
}

static void judge(const struct claims *c, const uint8_t *data, size_t size)
{
    static const struct mem memory[2] = {MEM_INIT, MEM_INIT};
    const struct rproc_config config = {.subject = {.kind = &subject_native},
                                        .device = &device_cpu,
                                        .in_arenas = memory,
                                        .n_in_arenas = 1,
                                        .out_arenas = memory + 1,
                                        .n_out_arenas = 1,
                                        .start_timeout_ms = 10000};
    struct rproc r;
    struct verdict v = VERDICT_INIT;
    struct err err = ERR_INIT;
    size_t printed = MIN((size_t)c->printed, size);
    int sock, out;

    open_runner(&r, &config, &sock, &out);
    r.wait_status = c->wait_status;
    if (write(out, data, printed) != (ssize_t)printed)
        abort();
    close(out);
    frames_send(sock, data + printed, size - printed, STDERR_FILENO);

    int rc = c->spare & 1 ? rproc_await_warm(&r, &err) : 0;

    if (rc == 0)
        rc = rproc_ready(&r, &v, &err);
    check(rc, &v, &err, !r.sealed);
    if (rc == 0) {
        fuzz_accepted();
        call(&r, c);
    }
    rproc_release(&r);
    close(sock);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct claims c = {0};
    size_t head = MIN(size, sizeof(c));

    memcpy(&c, data, head);
    judge(&c, data + head, size - head);
    return 0;
}
