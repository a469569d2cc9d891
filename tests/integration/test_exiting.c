/* SPDX-License-Identifier: MIT */
/* Runners that exit while the next candidate is built: the lock and the memory that stay with them
 * until they are gone. */
#include "lock_rig.h"

#include "process/devlock.h"
#include "process/exiting.h"

#include <signal.h>
#include <stdatomic.h>

static void await_lock(void)
{
    for (int ms = 0; !may_time(); ms++) {
        assert_true(ms < LIMIT_MS);
        usleep(1000);
    }
}

/* A runner that is being cleaned up after: others may time when it is gone, whatever its judge is
 * doing; spares may start before. */
static void lock_stays_until_they_are_gone(void **state)
{
    AUTO(freep) char *cwd = getcwd(NULL, 0);
    AUTO(freep) char *sleeper = xasprintf("%s/sleeper", cwd);
    struct rproc_config config = locked_config(sleeper);
    struct exiting l = EXITING_INIT;
    struct err err = ERR_INIT;
    struct devlock lock = DEVLOCK_INIT, spare = DEVLOCK_INIT;
    double waited = 0;
    pid_t pid;

    (void)state;
    write_sleeper();
    must(devlock_alone(&device_fake, lock_index(), &lock, &waited, &err), &err);
    must(rproc_spawn(&l.runners[0], &config, NULL, &err), &err);
    l.n = 1; /* as exiting_add() does, which kills it: this one takes its time */
    pid = l.runners[0].pid;
    exiting_hold_lock(&l, &lock);
    assert_int_equal(lock.fd, -1);
    assert_false(may_time());
    assert_true(devlock_for_spares(&device_fake, lock_index(), &spare));
    devlock_release(&spare);
    kill(pid, SIGKILL);
    await_lock();
    exiting_await(&l);
    assert_true(gone(pid));
    remove_lock();
}

enum { SHARED = 3 };
static atomic_int freed;
static struct device_judge_ops counting;

static void count_free(void *ctx, struct mem *m)
{
    if (m->bytes)
        freed++;
    device_fake.judge->mem_free(ctx, m);
}

static void share(struct exiting *l)
{
    struct err err = ERR_INIT;

    freed = 0;
    counting = *device_fake.judge;
    counting.mem_free = count_free;
    for (int i = 0; i < SHARED; i++) {
        struct mem m = MEM_INIT;

        must(counting.mem_alloc(NULL, i % 2 ? MEM_INPUT : MEM_OUTPUT, 1 << 20, &m, &err), &err);
        exiting_free_later(l, &counting, NULL, &m);
        assert_int_equal(m.bytes, 0);
    }
}

/* Nobody waits for it, and who has the lock next finds the memory. */
static void memory_is_freed_before_the_lock_is(void **state)
{
    AUTO(freep) char *cwd = getcwd(NULL, 0);
    AUTO(freep) char *sleeper = xasprintf("%s/sleeper", cwd);
    struct rproc_config config = locked_config(sleeper);
    struct exiting l = EXITING_INIT;
    struct err err = ERR_INIT;
    struct devlock lock = DEVLOCK_INIT;
    double waited = 0;

    (void)state;
    write_sleeper();
    must(devlock_alone(&device_fake, lock_index(), &lock, &waited, &err), &err);
    must(rproc_spawn(&l.runners[0], &config, NULL, &err), &err);
    l.n = 1;
    share(&l);
    exiting_hold_lock(&l, &lock);
    assert_int_equal(freed, 0); /* it still has it */
    kill(l.runners[0].pid, SIGKILL);
    await_lock();
    assert_int_equal(freed, SHARED);
    exiting_await(&l);
    assert_int_equal(freed, SHARED);
    assert_int_equal(l.n + l.n_shared, 0);
    remove_lock();
}

/* Its runners were ended before: memory is all there is. */
static void memory_alone_is_freed_as_well(void **state)
{
    struct exiting l = EXITING_INIT;
    struct err err = ERR_INIT;
    struct devlock lock = DEVLOCK_INIT;
    double waited = 0;

    (void)state;
    must(devlock_alone(&device_fake, lock_index(), &lock, &waited, &err), &err);
    share(&l);
    exiting_hold_lock(&l, &lock);
    assert_int_equal(lock.fd, -1);
    await_lock();
    assert_int_equal(freed, SHARED);
    exiting_await(&l);
    assert_int_equal(freed, SHARED);
    remove_lock();
}

/* A device whose candidates are awaited at once. */
static void memory_is_freed_without_a_watcher(void **state)
{
    struct exiting l = EXITING_INIT;

    (void)state;
    share(&l);
    exiting_await(&l);
    assert_int_equal(freed, SHARED);
    exiting_await(&l);
    assert_int_equal(freed, SHARED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_stays_until_they_are_gone),
        cmocka_unit_test(memory_is_freed_before_the_lock_is),
        cmocka_unit_test(memory_alone_is_freed_as_well),
        cmocka_unit_test(memory_is_freed_without_a_watcher),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
