/* SPDX-License-Identifier: MIT */
#include "process/rproc_results.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool rproc_readable(const struct rproc *r)
{
    AUTO(freep) char *path = xasprintf("/proc/%d/mem", (int)r->pid);
    AUTO(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);

    return fd >= 0;
}

static void take_result(const struct wire_result *from, struct device_result *ret)
{
    ret->at = from->at;
    memcpy(ret->handle, from->handle, sizeof(ret->handle));
}

void rproc_take_results(struct rproc *r)
{
    uint32_t n = r->config->subject.results_read ? r->page->n_results : 0;

    r->n_results = (int)MIN(n, WIRE_MAX_RESULTS);
    for (int i = 0; i < r->n_results; i++)
        take_result(&r->page->results[i], &r->results[i]);
}

uint64_t rproc_result_at(const struct rproc *r, size_t at)
{
    const struct layout *out = r->config->out;

    for (int i = 0; i < r->n_results && i < out->n; i++) {
        size_t start = out->slots[i].offset;

        if (at >= start && at < start + out->slot_bytes[i])
            return r->results[i].at + (at - start);
    }
    return 0;
}

void rproc_look(const struct rproc *r, uint32_t ret[RPROC_GLIMPSES])
{
    struct iovec here[RPROC_GLIMPSES], there[RPROC_GLIMPSES];
    int n = r->n_results ? r->n_glimpses : 0;

    for (int i = 0; i < r->n_glimpses; i++) {
        ret[i] = n ? 0 : *r->glimpses[i].word;
        here[i] = (struct iovec){&ret[i], sizeof(ret[i])};
        there[i] = (struct iovec){(void *)(uintptr_t)r->glimpses[i].address, sizeof(ret[i])};
    }
    /* Memory that cannot be read is found out by rproc_fetch(). */
    if (n && process_vm_readv(r->pid, here, (unsigned long)n, there, (unsigned long)n, 0) < 0)
        memset(ret, 0, (size_t)n * sizeof(*ret));
}

/* The kernel reads at most 2 GiB in one call. */
static bool read_all(pid_t pid, uint64_t address, char *to, size_t bytes)
{
    while (bytes > 0) {
        struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)address, bytes};
        ssize_t n = process_vm_readv(pid, &here, 1, &there, 1, 0);

        if (n <= 0)
            return false;
        to += n;
        address += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return true;
}

int rproc_fetch(const struct rproc *r, const struct mem *out, struct verdict *v)
{
    const struct layout *l = r->config->out;

    if (r->n_results == 0)
        return 0;
    if (r->n_results != l->n)
        return verdict_set(v, REASON_REJECTED_PROTOCOL, "call: named %d results of %d",
                           r->n_results, l->n);
    for (int i = 0; i < l->n; i++)
        if (!read_all(r->pid, r->results[i].at, (char *)out->host + l->slots[i].offset,
                      l->slot_bytes[i]))
            return verdict_set(v, REASON_REJECTED_PROTOCOL,
                               "call: named a result whose memory cannot be read: %s",
                               strerror(errno));
    return 0;
}
