/* SPDX-License-Identifier: MIT */
/* A candidate that cannot be imported is found out before anybody waits for the device, and before
 * expected values are made. The process is a runner like those that are judged, with the same
 * walls: an import that succeeds here succeeds there. */
#include "judge/session_import.h"
#include "judge/session_rehearse.h"
#include "judge/session_size.h"

#include "base/clock.h"
#include "base/fs.h"
#include "content/layout.h"
#include "process/devlock.h"

#include <stdlib.h>

#define FIRST_SIZE 0

/* Without arenas a runner loads, constructs and sets up, but can be called on nothing. */
static int import_in(const struct rproc_config *config, struct evaluation *e, struct err *err)
{
    struct rproc r = RPROC_INIT;
    int rc = rproc_start(&r, config, err);

    if (rc == 0)
        rc = rproc_ready(&r, &e->verdict, err);
    /* Runners of this candidate can be read if this one can. */
    e->subject.results_read = rc == 0 && rproc_readable(&r) && config->out->n <= WIRE_MAX_RESULTS;
    rproc_end(&r);
    free(e->build.log);
    e->build.log = xstrdup(buf_str(&r.text));
    rproc_release(&r);
    return rc;
}

static int write_module(const struct session *s, const struct evaluation *e, int *ret_fd,
                        struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    const struct buf source = {.ptr = e->source, .len = e->source_len};

    e->subject.kind->write_module(&e->subject, s->problem, s->options.sizes, FIRST_SIZE, &source,
                                  &text);
    return fs_sealed_memfd("assay-module", text.ptr, text.len, ret_fd, err);
}

static int import_first_size(struct session *s, struct evaluation *e, struct err *err)
{
    const struct graph *g = s->problem->sizes[s->options.sizes][FIRST_SIZE].graph;
    AUTO(layout_release) struct layout in = {0};
    AUTO(layout_release) struct layout out = {0};
    AUTO(fd_closep) int module = -1;
    struct rproc_config config = s->runner;

    layout_inputs(g, &in);
    layout_outputs(g, &out);
    if (write_module(s, e, &module, err) < 0)
        return -1;
    config.subject = e->subject;
    config.start_timeout_ms = session_start_timeout_ms(s, e->subject.kind);
    config.in = &in;
    config.out = &out;
    config.n_inputs = g->n_inputs;
    config.setup_params = false; /* there is no arena to take them from */
    config.artifact_fd = module;
    return import_in(&config, e, err);
}

/* A device's own memory is opened by name, if the page has room for all names. */
static bool results_can_be_named(const struct session *s)
{
    int most = 0;

    for (int i = 0; i < s->n_sizes; i++)
        most = MAX(most, s->problem->sizes[s->options.sizes][i].graph->n_outputs);
    return s->options.device->judge->locate && most <= WIRE_MAX_RESULTS;
}

int session_import(struct session *s, struct evaluation *e, struct err *err)
{
    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;
    uint64_t start;

    if (!e->subject.kind->imported_first)
        return 0;

    int rehearsed = session_compiles(e) ? session_rehearse(s, e, err) : 0;

    if (rehearsed)
        return rehearsed;
    /* On a device that opens slowly an import takes as long as judging, which finds out the same.
     */
    if (s->options.device->opens_slowly) {
        e->subject.results_read = results_can_be_named(s);
        return 0;
    }
    if (devlock_to_build(s->options.device, s->options.device_index, &lock,
                         &s->phases.ms[PHASE_QUEUE], err) < 0)
        return -1;
    start = clock_ns();

    int rc = import_first_size(s, e, err);

    e->build.walls = "runner";
    e->build.ms += clock_ms_since(start);
    return rc;
}
