/* SPDX-License-Identifier: MIT */
#include "run/run.h"

#include "base/clock.h"
#include "base/fs.h"
#include "run/lane.h"
#include "store/run_store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int run_check_name(const char *name, struct err *err)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t len = strlen(name);

    if (!len || len > RUN_NAME_MAX || name[0] == '.' || name[0] == '-' ||
        strspn(name, letters) != len)
        return fail(err, ERR_USAGE,
                    "'%.120s' is not a valid name of a run: use letters, digits, '.', '_' and '-'",
                    name);
    return 0;
}

/* Two processes must not fill the same cells. The file stays; its lock goes with the process. */
static int lock_run(const struct run_config *c, int *ret_fd, struct err *err)
{
    AUTO(freep) char *dir = fs_join(c->places->home, "runs");
    AUTO(freep) char *path = xasprintf("%s/%s.lock", dir, c->name);

    if (fs_mkdirs(dir, err) < 0)
        return -1;

    AUTO(fd_closep) int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        return fail_errno(err, "%s", path);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK
                   ? fail(err, ERR_INPUT, "run %s is in progress in another process", c->name)
                   : fail_errno(err, "%s", path);
    *ret_fd = fd_steal(&fd);
    return 0;
}

static int begin(const struct run_config *c, struct err *err)
{
    char created[21];

    clock_utc(created);

    const struct run_row row = {.name = c->name,
                                .created = created,
                                .sizes = size_set_names[c->sizes],
                                .device = c->device ? c->device : "",
                                .source = c->source,
                                .weights = weights_names[c->plan.weights],
                                .check_only = c->plan.check_only,
                                .steady = c->plan.steady};

    return store_run_begin(c->store, &row, err);
}

static int take_sizes(void *arg, const struct run_row *run, struct err *err)
{
    struct run_config *c = arg;

    for (int i = 0; i < SIZES_COUNT; i++)
        if (!strcmp(size_set_names[i], run->sizes)) {
            c->sizes = (enum size_set)i;
            return 0;
        }
    return fail(err, ERR_INPUT, "run %s has unknown sizes %s", run->name, run->sizes);
}

/* A run that is resumed keeps the sizes it was begun with, whatever auto means today. */
static void choose_sizes(struct run_config *c, const struct candidates *candidates,
                         const struct device *device)
{
    struct err unknown = ERR_INIT;

    if (c->auto_sizes && store_run_get(c->store, c->name, take_sizes, c, &unknown) < 0)
        c->sizes = jobs_auto_sizes(candidates, device);
}

/* The end of the batches for the same device as batch `first`. */
static int lane_end(const struct jobs *j, int first)
{
    const struct device *device = j->order[j->batches[first].first]->device;
    int end = first + 1;

    while (end < j->n_batches && j->order[j->batches[end].first]->device == device)
        end++;
    return end;
}

int run_execute(const struct run_config *wanted, struct candidates *candidates,
                struct run_progress *ret, struct err *err)
{
    struct run_config settled = *wanted, *config = &settled;
    AUTO(fd_closep) int lock = -1;
    AUTO(jobs_release) struct jobs jobs = {0};
    struct run_state run = {.config = config,
                            .jobs = &jobs,
                            .mutex = PTHREAD_MUTEX_INITIALIZER,
                            .start_ns = clock_ns()};
    const struct device *device = NULL;
    int index, rc = 0;

    /* A word that names no device must not become a setting of the run. A device that is not here
     * is what was asked for: if it is the only one to judge on, there is no run. */
    if ((config->device && (device_find(config->device, &device, &index, err) < 0 ||
                            device_check(device, config->device, err) < 0)) ||
        lock_run(config, &lock, err) < 0)
        return -1;
    choose_sizes(config, candidates, device);
    if (begin(config, err) < 0)
        return -1;
    candidates_resolve(candidates, config->places->share);
    candidates_settle(candidates);
    if (jobs_plan(config, candidates, &run.progress, &jobs, err) < 0)
        return -1;
    run.start_ns = clock_ns();
    /* One kind of device comes after the other: a compiler for one must not run beside calls that
     * are timed on another, the CPU. */
    for (int first = 0, end; first < jobs.n_batches && rc == 0; first = end) {
        end = lane_end(&jobs, first);
        rc = lane_run(&run, first, end, err);
    }
    run.progress.seconds = clock_ms_since(run.start_ns) / 1e3;
    *ret = run.progress;
    return rc;
}
