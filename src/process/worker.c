/* SPDX-License-Identifier: MIT */
#include "process/worker.h"

#include "base/buf.h"
#include "process/pyproc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct worker {
    struct pyproc python;
};

void worker_describe(const struct worker *w, const struct baseline *spec, struct buf *out)
{
    buf_addf(out, "torch %s %s, tf32 %s", w->python.version, spec->mode, spec->tf32 ? "on" : "off");
}

/* Environment of the worker: the user's own, since Python finds its packages by it; a folder for
 * what torch.compile keeps; and what the device asks for. free_environment() frees the last
 * OWN_STRINGS. */
#define OWN_STRINGS 2
static char **make_environment(const struct worker_config *c)
{
    size_t n = 0, more = 0;
    char **envp;

    while (environ[n])
        n++;
    while (c->env && c->env[more])
        more++;
    envp = xcalloc(n + more + OWN_STRINGS + 1, sizeof(*envp));
    memcpy(envp, environ, n * sizeof(*envp));
    for (size_t i = 0; i < more; i++)
        envp[n + i] = (char *)c->env[i];
    envp[n + more] = xstrdup("PYTHONDONTWRITEBYTECODE=1");
    envp[n + more + 1] = xasprintf("TORCHINDUCTOR_CACHE_DIR=%s/inductor", c->cache);
    return envp;
}

static void free_environment(char **envp)
{
    size_t n = 0;

    while (envp[n])
        n++;
    for (size_t i = 1; i <= OWN_STRINGS; i++)
        free(envp[n - i]);
    free(envp);
}

int worker_open(const struct worker_config *c, struct worker **ret, struct err *err)
{
    AUTO(freep) char *script = xasprintf("%s/workers/torch_worker.py", c->share);
    char **envp = make_environment(c);
    const struct pyproc_config config = {
        .name = "torch worker", .script = script, .envp = envp, .cpus = c->cpus};
    struct pyproc python;
    int rc = pyproc_open(&python, &config, err);

    free_environment(envp);
    if (rc < 0)
        return -1;
    *ret = xcalloc(1, sizeof(**ret));
    (*ret)->python = python;
    return 0;
}

void worker_close(struct worker *w)
{
    if (w)
        pyproc_close(&w->python);
    free(w);
}

void worker_closep(struct worker **w)
{
    worker_close(*w);
    *w = NULL;
}

int worker_start(struct worker *w, const struct baseline *spec, int sock, int out_fd,
                 pid_t *ret_pid, int *ret_pidfd, struct err *err)
{
    AUTO(freep) char *request = xasprintf("%s %d", spec->mode, spec->tf32);

    return pyproc_start(&w->python, request, (const int[]){sock, out_fd}, 2, ret_pid, ret_pidfd,
                        err);
}
