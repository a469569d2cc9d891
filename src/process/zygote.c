/* SPDX-License-Identifier: MIT */
#include "process/zygote.h"

#include "base/fs.h"
#include "process/pyproc.h"
#include "sandbox/cgroup.h"
#include "sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct zygote {
    struct pyproc python;
};

/* A fork inherits the environment, and a candidate can read it. So the zygote gets these variables
 * of the user's, by which Python and its packages are found, and no others. */
static const char *const taken[] = {"PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "CUDA_HOME"};
static const char *const own[] = {
    /* Caches lie in the candidate's own folder (workers/assay_python/bundle.py), at the same place
     * in the rehearsal and in runners. */
    "TRITON_CACHE_DIR=/dev/shm/cache/triton",
    "TRITON_CACHE_AUTOTUNING=1",
    "TORCH_EXTENSIONS_DIR=/dev/shm/cache/extensions",
    "TORCHINDUCTOR_CACHE_DIR=/dev/shm/cache/inductor",
    /* Loading all of torch's kernels at once would take seconds. */
    "CUDA_MODULE_LOADING=LAZY",
    "CUDA_CACHE_DISABLE=1",
    /* Libraries that nvcc makes in a rehearsal are read as evidence (build/fatbin.h). */
    "NVCC_APPEND_FLAGS=--no-compress",
    "LC_ALL=C",
    "PYTHONUTF8=1",
    "PYTHONDONTWRITEBYTECODE=1",
    /* Without it an import of torch's starts CUDA, and no child of this process could use it. */
    "PYTORCH_NVML_BASED_CUDA_CHECK=1",
};
#define DEVICE_ENV_MAX 8
#define ENV_MAX (ARRAY_SIZE(taken) + ARRAY_SIZE(own) + DEVICE_ENV_MAX + 2)

static void make_environment(const struct zygote_config *c, char *ret[ENV_MAX])
{
    size_t n = 0;

    for (size_t i = 0; c->env && c->env[i] && i < DEVICE_ENV_MAX; i++)
        ret[n++] = xstrdup(c->env[i]);
    if (c->arch && strlen(c->arch) >= 2) /* "90a" is "9.0a" to torch */
        ret[n++] = xasprintf("TORCH_CUDA_ARCH_LIST=%.*s.%s", (int)strcspn(c->arch, "a") - 1,
                             c->arch, c->arch + strcspn(c->arch, "a") - 1);

    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        ret[n++] = xstrdup(own[i]);
    for (size_t i = 0; i < ARRAY_SIZE(taken); i++) {
        const char *value = getenv(taken[i]);

        if (value)
            ret[n++] = xasprintf("%s=%s", taken[i], value);
    }
    ret[n] = NULL;
}

static void free_environment(char *envp[ENV_MAX])
{
    for (size_t i = 0; envp[i]; i++)
        free(envp[i]);
}

/* The library lies beside assay-runner, or in a dist tree in lib beside bin. */
static char *find_library(const char *runner)
{
    const char *slash = strrchr(runner, '/');
    AUTO(freep) char *dir = slash ? xstrndup(runner, (size_t)(slash - runner)) : xstrdup(".");
    AUTO(freep) char *beside = fs_join(dir, "libassay-runner.so");

    return fs_exists(beside) ? steal(&beside) : fs_join(dir, "../lib/libassay-runner.so");
}

int zygote_open(const struct zygote_config *c, struct zygote **ret, struct err *err)
{
    const struct places *places = c->places;
    AUTO(freep) char *script = xasprintf("%s/workers/zygote.py", places->share);
    AUTO(freep) char *library = find_library(places->runner);
    const char *arguments[PYPROC_MAX_ARGUMENTS + 1] = {library, places->share, places->home,
                                                       places->cache};
    char *envp[ENV_MAX];
    const struct pyproc_config config = {.name = "Python zygote",
                                         .script = script,
                                         .arguments = arguments,
                                         .envp = envp,
                                         .cpus = c->cpus};
    struct pyproc python;

    if (!fs_exists(library))
        return fail(err, ERR_SYSTEM, "no %s: build it with make", library);
    for (size_t i = 0, n = 4; sandbox_hidden()[i] && n < PYPROC_MAX_ARGUMENTS; i++)
        arguments[n++] = sandbox_hidden()[i];
    make_environment(c, envp);

    int rc = pyproc_open(&python, &config, err);

    free_environment(envp);
    if (rc < 0)
        return -1;
    *ret = xcalloc(1, sizeof(**ret));
    (*ret)->python = python;
    return 0;
}

void zygote_close(struct zygote *z)
{
    if (z)
        pyproc_close(&z->python);
    free(z);
}

void zygote_closep(struct zygote **z)
{
    zygote_close(*z);
    *z = NULL;
}

const char *zygote_version(const struct zygote *z)
{
    return z->python.version;
}

int zygote_start(struct zygote *z, const struct zygote_request *r, pid_t *ret_pid, int *ret_pidfd,
                 struct err *err)
{
    AUTO(fd_closep) int door = r->group ? cgroup_door(r->group) : -1;
    int fds[PYPROC_MAX_FDS] = {r->sock, r->out_fd}, n = 2;
    AUTO(freep)
    char *request = xasprintf("%s %s%s%s", r->builds ? "rehearsal" : "runner", r->device,
                              door < 0 ? "" : " group", r->save_fd < 0 ? "" : " save");

    if (door >= 0)
        fds[n++] = door;
    if (r->save_fd >= 0)
        fds[n++] = r->save_fd;
    return pyproc_start(&z->python, request, fds, n, ret_pid, ret_pidfd, err);
}
