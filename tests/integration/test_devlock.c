/* SPDX-License-Identifier: MIT */
#include "testing.h"

#include "process/devlock.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct err err;
static double waited;

static void use_folder(const char *dir)
{
    mkdir(dir, 0755);
    assert_int_equal(setenv("ASSAY_LOCK_DIR", dir, 1), 0);
}

static struct devlock alone(const struct device *d)
{
    struct devlock l = DEVLOCK_INIT;

    assert_int_equal(devlock_alone(d, 0, &l, &waited, &err), 0);
    return l;
}

static struct devlock shared(const struct device *d)
{
    struct devlock l = DEVLOCK_INIT;

    assert_int_equal(devlock_shared(d, 0, &l, &waited, &err), 0);
    return l;
}

/* Whether one that opens its device may be started, and whether it has the lock already. */
static bool spare_may_start(const struct device *d)
{
    AUTO(devlock_release) struct devlock l = DEVLOCK_INIT;

    return devlock_for_spares(d, 0, &l) && l.turn < 0;
}

static bool may_open(const struct device *d)
{
    AUTO(devlock_release) struct devlock l = DEVLOCK_INIT;

    devlock_to_open(d, 0, &l);
    return l.fd >= 0;
}

/* --- folders --- */

static void one_folder_is_one_lock(void **state)
{
    (void)state;
    use_folder("a");

    AUTO(devlock_release) struct devlock first = alone(&device_fake);

    assert_true(first.fd >= 0);
    assert_false(spare_may_start(&device_fake));
    assert_int_equal(access("a/assay-fake-0.lock", F_OK), 0);
}

static void two_folders_are_two_locks(void **state)
{
    (void)state;
    use_folder("a");

    AUTO(devlock_release) struct devlock first = alone(&device_fake);

    use_folder("b");

    AUTO(devlock_release) struct devlock second = alone(&device_fake);

    assert_true(first.fd >= 0 && second.fd >= 0);
}

/* Falling back to /tmp would have two evaluations use two locks without a word. */
static void a_missing_folder_is_an_error(void **state)
{
    struct devlock l = DEVLOCK_INIT;

    (void)state;
    assert_int_equal(setenv("ASSAY_LOCK_DIR", "missing", 1), 0);
    assert_int_equal(devlock_alone(&device_fake, 0, &l, &waited, &err), -1);
    assert_non_null(strstr(err.text, "ASSAY_LOCK_DIR=missing"));
}

/* --- alone and shared --- */

static void many_share_and_one_is_alone(void **state)
{
    struct device driver = device_fake;

    (void)state;
    use_folder("c");
    driver.opens_slowly = true;

    AUTO(devlock_release) struct devlock first = shared(&device_fake);
    AUTO(devlock_release) struct devlock second = shared(&device_fake);

    assert_true(spare_may_start(&device_fake));
    assert_false(may_open(&driver));
    devlock_release(&first);
    devlock_release(&second);
    assert_true(may_open(&driver));
    assert_false(may_open(&device_fake)); /* no driver: nobody needs to be first */
}

static void from_alone_to_shared(void **state)
{
    (void)state;
    use_folder("c");

    AUTO(devlock_release) struct devlock l = alone(&device_fake);

    assert_false(spare_may_start(&device_fake));
    devlock_share(&l);
    assert_true(spare_may_start(&device_fake));
}

/* Which devices ask for a lock to build, and to draw contents. */
static void devices_that_need_none_get_none(void **state)
{
    static const struct {
        bool pins_cores, opens_slowly;
    } cases[] = {{true, false}, {false, true}, {false, false}};

    (void)state;
    use_folder("c");
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct device d = device_fake;
        AUTO(devlock_release) struct devlock build = DEVLOCK_INIT;
        AUTO(devlock_release) struct devlock prepare = DEVLOCK_INIT;

        d.pins_cores = cases[i].pins_cores;
        d.opens_slowly = cases[i].opens_slowly;
        assert_int_equal(devlock_to_build(&d, 0, &build, &waited, &err), 0);
        assert_int_equal(devlock_to_prepare(&d, 0, &prepare, &waited, &err), 0);
        assert_int_equal(build.fd >= 0, cases[i].pins_cores);
        assert_int_equal(prepare.fd >= 0, cases[i].opens_slowly);
    }
}

/* --- the turnstile --- */

/* A process that takes the lock and says so; it has it until it is told to end. */
struct other {
    pid_t pid;
    int says;
};

static struct other start_other(bool is_alone, struct devlock *ours)
{
    struct other o;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    o.says = ends[0];
    o.pid = fork();
    assert_true(o.pid >= 0);
    if (o.pid == 0) {
        devlock_release(ours); /* inherited, and so held by this process, too */

        AUTO(devlock_release)
        struct devlock l = is_alone ? alone(&device_fake) : shared(&device_fake);

        if (l.fd >= 0 && write(ends[1], "!", 1) == 1)
            pause();
        _exit(0);
    }
    close(ends[1]);
    return o;
}

static bool has_it(const struct other *o, int ms)
{
    return poll(&(struct pollfd){o->says, POLLIN, 0}, 1, ms) == 1;
}

static void end_other(struct other *o)
{
    kill(o->pid, SIGKILL);
    waitpid(o->pid, NULL, 0);
    close(o->says);
}

static void await_waiting(void)
{
    for (int ms = 0; spare_may_start(&device_fake); ms++) {
        assert_true(ms < 60000);
        usleep(1000);
    }
}

/* Shared locks were granted as long as there were any: one who wanted it alone waited for ever. */
static void who_waits_to_be_alone_goes_first(void **state)
{
    struct device driver = device_fake;
    AUTO(devlock_release) struct devlock own = DEVLOCK_INIT;

    (void)state;
    use_folder("d");
    driver.opens_slowly = true;

    AUTO(devlock_release) struct devlock first = shared(&device_fake);
    struct other judge = start_other(true, &first);

    await_waiting(); /* he is at the turnstile */

    struct other late = start_other(false, &first);

    assert_false(has_it(&late, 50));
    assert_false(has_it(&judge, 0));
    /* A spare of a device with a driver waits by itself. */
    assert_true(devlock_for_spares(&driver, 0, &own));
    assert_true(own.turn >= 0);
    devlock_release(&own);
    devlock_release(&first);
    assert_true(has_it(&judge, 60000));
    assert_false(has_it(&late, 50));
    end_other(&judge);
    assert_true(has_it(&late, 60000));
    end_other(&late);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_folder_is_one_lock),
        cmocka_unit_test(two_folders_are_two_locks),
        cmocka_unit_test(a_missing_folder_is_an_error),
        cmocka_unit_test(many_share_and_one_is_alone),
        cmocka_unit_test(from_alone_to_shared),
        cmocka_unit_test(devices_that_need_none_get_none),
        cmocka_unit_test(who_waits_to_be_alone_goes_first),
    };

    return cmocka_run_group_tests(tests, testing_enter_folder, testing_leave_folder);
}
