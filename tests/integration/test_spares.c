/* SPDX-License-Identifier: MIT */
/* covers: src/judge/station.c */
/*
 * Spare runners, with the real assay-runner on the fake device: each serves one candidate, what
 * becomes of those that die or never get ready, and of all of them when the judge dies. Their lock
 * is looked at on a device index of this process's own, so that other evaluations on this machine
 * do not meddle.
 */
#include "judge_rig.h"
#include "lock_rig.h"

#include "base/fs.h"
#include "judge/session.h"
#include "process/devlock.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>

/* Others may be timing on the fake device: then it stays as it is, so it is asked again. */
static void fill(struct spares *s, int n)
{
    for (int ms = 0; s->n < n; ms++) {
        assert_true(ms < LIMIT_MS);
        spares_fill(s);
        if (s->n < n)
            usleep(1000);
    }
    spares_settle(s);
    assert_int_equal(s->n, n);
}

struct bench {
    struct places places;
    char *share, *runner;
    struct problem *problem;
    struct station *station;
    struct session *session;
};

static void bench_open_with(struct bench *b, const struct session_options *options)
{
    struct session_options o = *options;
    struct err err = ERR_INIT;
    bool calibrated;

    *b = (struct bench){.share = fs_share_dir(), .runner = runner_path()};
    b->places = (struct places){b->share, ".", ".", b->runner};
    write_file("p.lua", "problem { 'P', level = 1, id = 1 }\n"
                        "sizes { full = { N = 256 }, small = { N = 32 } }\n"
                        "output('y', relu(input('x', f32, { N, N })))");
    must(problem_load("p.lua", "p", &b->problem, &err), &err);
    o.plan.runners = 1;
    b->station = station_new(&b->places, o.device, o.device_index);
    must(session_open(b->station, b->problem, &o, &b->session, &calibrated, &err), &err);
}

static void bench_open(struct bench *b, int spares)
{
    struct session_options o = {.device = &device_fake, .plan = PLAN_DEFAULT};

    o.plan.spares = spares;
    bench_open_with(b, &o);
}

static void bench_close(struct bench *b)
{
    session_closep(&b->session);
    station_freep(&b->station);
    problem_freep(&b->problem);
    free(b->share);
    free(b->runner);
}

/* Judges a candidate; returns how many of its runners were spares. */
static int eval(struct bench *b, const char *text, enum verdict_kind want)
{
    struct evaluation e;

    write_file("k.fake", text);
    judge_file(b->session, "k.fake", &e);
    if (e.verdict.kind != want)
        fail_msg("%s: %s", text, e.verdict.detail);

    int warm = e.sizes[0].trial.n_warm;

    evaluation_release(&e);
    return warm;
}

static void each_serves_one_candidate(void **state)
{
    static const struct {
        const char *text;
        enum verdict_kind want;
    } cases[] = {
        {"op relu\ntime 10us", VERDICT_PASS},       {"op zeros\ntime 10us", VERDICT_WRONG},
        {"crash SIGSEGV at call 1", VERDICT_CRASH}, {"crash SIGSEGV at load", VERDICT_CRASH},
        {"op relu\ntime 20us", VERDICT_PASS},
    };
    struct bench b;

    (void)state;
    pid_t first = 0, last = 0;

    bench_open(&b, 3);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct spares *s = &b.session->station->spares;

        if (s->n < s->need)
            fill(s, 3);

        pid_t second = s->n > 1 ? s->waiting[1].pid : 0;
        int before = s->n;

        first = s->waiting[0].pid;

        assert_int_equal(eval(&b, cases[i].text, cases[i].want), 1);
        assert_int_equal(s->n, before - 1);
        assert_true(!last || gone(last)); /* before this one was timed */
        last = first;
        if (second)
            assert_int_equal(s->waiting[0].pid, second);
    }
    bench_close(&b);
    assert_true(gone(last));
}

static void sandbox_is_the_same(void **state)
{
    uint32_t layers[2];
    struct bench b;

    (void)state;
    bench_open(&b, -1);
    assert_int_equal(b.session->station->spares.n, 0);
    for (int warm = 0; warm < 2; warm++) {
        struct evaluation e;

        if (warm) {
            bench_close(&b);
            bench_open(&b, 1);
            fill(&b.session->station->spares, 1);
        }
        write_file("k.fake", "op relu\ntime 10us");
        judge_file(b.session, "k.fake", &e);
        assert_int_equal(e.sizes[0].trial.n_warm, warm);
        layers[warm] = e.sizes[0].trial.layers;
        evaluation_release(&e);
    }
    assert_int_equal(layers[0], layers[1]);
    bench_close(&b);
}

/* Killed while they wait: the candidate gets a process of its own and notices nothing. */
static void dead_ones_are_replaced(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, 2);
    fill(&b.session->station->spares, 2);
    for (int i = 0; i < 2; i++) {
        struct rproc *r = &b.session->station->spares.waiting[i];
        struct pollfd p = {.fd = r->pidfd, .events = POLLIN};

        kill(r->pid, SIGKILL);
        assert_int_equal(poll(&p, 1, LIMIT_MS), 1);
    }
    assert_int_equal(eval(&b, "op relu\ntime 10us", VERDICT_PASS), 0);
    assert_int_equal(b.session->station->spares.n, 0);
    bench_close(&b);
}

/* Where a driver is slow to open, for several candidates at a time; no more than are to come. */
static void started_for_those_to_come(void **state)
{
    static const struct {
        int candidates, full;
    } cases[] = {{0, 4}, {1, 1}, {3, 3}, {200, 4}};
    struct device slow = device_fake;
    struct bench b;

    (void)state;
    slow.opens_slowly = true;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct session_options o = {
            .device = &slow, .plan = PLAN_DEFAULT, .candidates = cases[i].candidates};

        bench_open_with(&b, &o);
        assert_int_equal(b.session->station->spares.full, cases[i].full);
        eval(&b, "op relu\ntime 10us", VERDICT_PASS);
        eval(&b, "op relu\ntime 10us", VERDICT_PASS);
        if (cases[i].candidates == 3)
            assert_int_equal(b.session->station->spares.full, 2);
        bench_close(&b);
    }
}

static int opened;

static int count_open(int index, void **ret_ctx, struct err *err)
{
    opened++;
    return device_fake.judge->open(index, ret_ctx, err);
}

/* The next problem finds them, and the device open: a run of 20 problems opens it once. */
static void kept_from_problem_to_problem(void **state)
{
    struct device_judge_ops judge = *device_fake.judge;
    struct device slow = device_fake;
    struct session_options o = {.device = &slow, .plan = PLAN_DEFAULT};
    struct err err = ERR_INIT;
    struct bench b;
    bool calibrated;

    (void)state;
    judge.open = count_open;
    slow.judge = &judge;
    for (int driver = 0; driver < 2; driver++) {
        opened = 0;
        slow.opens_slowly = slow.maps_beyond_memory = driver;
        o.plan.spares = 2;
        bench_open_with(&b, &o);
        fill(&b.station->spares, 2);

        pid_t waiting = b.station->spares.waiting[0].pid;

        session_closep(&b.session);
        o.plan.spares = -1; /* no new ones */
        o.plan.runners = 1;
        b.problem->requires_memory = 1 << 20; /* another limit */
        must(session_open(b.station, b.problem, &o, &b.session, &calibrated, &err), &err);
        assert_int_equal(opened, 1);
        assert_int_equal(b.station->spares.n, driver ? 2 : 0);
        assert_int_equal(gone(waiting), !driver);
        assert_int_equal(eval(&b, "op relu\ntime 10us", VERDICT_PASS), driver);
        bench_close(&b);
        assert_true(gone(waiting));
    }
}

/* --- ones that never get ready, and the lock --- */

static void nobody_is_timed_until_they_are_warm(void **state)
{
    AUTO(freep) char *cwd = getcwd(NULL, 0);
    AUTO(freep) char *sleeper = xasprintf("%s/sleeper", cwd);
    struct rproc_config config = locked_config(sleeper);
    struct rproc taken;
    struct spares s = {0};

    (void)state;
    config.start_timeout_ms = 50;
    write_sleeper();
    spares_serve(&s, &config, 1);
    s.full = 2;
    spares_fill(&s);
    assert_int_equal(s.n, 2);
    assert_false(may_time());
    spares_settle(&s); /* not warm in time: ended, and with them their hold on the lock */
    assert_int_equal(s.n, 0);
    assert_true(may_time());
    assert_false(spares_take(&s, &config, &taken));
    remove_lock();
}

static void warm_ones_let_others_time(void **state)
{
    AUTO(freep) char *path = runner_path();
    /* The lock is that of index lock_index(), the device opened the only one there is. */
    struct rproc_config config = {.runner_path = path,
                                  .subject = {.kind = &subject_native},
                                  .device = &device_fake,
                                  .start_timeout_ms = LIMIT_MS};
    AUTO(rproc_release) struct rproc r = RPROC_INIT;
    struct err err = ERR_INIT;
    struct spares s = {0};

    (void)state;
    config.device_index = lock_index();
    spares_serve(&s, &config, 1);
    s.full = 1;
    spares_fill(&s); /* makes the file */
    spares_release(&s);
    assert_true(may_time());

    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;

    assert_true(devlock_for_spares(&device_fake, lock_index(), &lock));
    config.device_index = 0;
    must(rproc_spawn(&r, &config, &lock, &err), &err);
    devlock_release(&lock); /* only the spare holds it now */
    must(rproc_await_warm(&r, &err), &err);
    assert_true(may_time());
    remove_lock();
}

static void none_are_started_while_somebody_is_timed(void **state)
{
    AUTO(freep) char *path = runner_path();
    struct rproc_config config = locked_config(path);
    struct spares s = {0};

    (void)state;
    spares_serve(&s, &config, 1);
    s.full = 1;
    spares_fill(&s);
    assert_int_equal(s.n, 1);
    spares_release(&s);

    AUTO(fd_closep) int timing = open_lock();

    assert_int_equal(flock(timing, LOCK_EX), 0);
    spares_fill(&s);
    assert_int_equal(s.n, 0);
    remove_lock();
}

/* A driver is slow: there a spare is started and waits for its turn. */
static void with_a_driver_they_wait_for_their_turn(void **state)
{
    AUTO(freep) char *path = runner_path();
    struct device slow = device_fake;
    struct rproc_config config = {.runner_path = path,
                                  .subject = {.kind = &subject_native},
                                  .device = &slow,
                                  .start_timeout_ms = LIMIT_MS};
    struct err err = ERR_INIT;
    struct spares s = {0};
    struct devlock timing = DEVLOCK_INIT;
    double waited = 0;

    (void)state;
    slow.opens_slowly = true;
    must(devlock_alone(&device_fake, 0, &timing, &waited, &err), &err);
    spares_serve(&s, &config, 1);
    s.full = 1;
    spares_fill(&s);
    assert_int_equal(s.n, 1);
    assert_int_equal(poll(&(struct pollfd){s.waiting[0].sock, POLLIN, 0}, 1, 50), 0);
    devlock_release(&timing);
    must(rproc_await_warm(&s.waiting[0], &err), &err);
    spares_release(&s);
}

/* --- the judge dies --- */

static _Noreturn void judge_that_waits(int out)
{
    struct bench b;
    int n;

    bench_open(&b, 2);
    fill(&b.session->station->spares, 2);
    n = b.session->station->spares.n;
    for (int i = 0; i < n; i++)
        if (write(out, &b.session->station->spares.waiting[i].pid, sizeof(pid_t)) < 0)
            _exit(1);
    for (;;)
        pause();
}

static void they_die_with_the_judge(void **state)
{
    int pipe_fd[2], pidfds[2];
    pid_t judge, pid;

    (void)state;
    assert_int_equal(pipe(pipe_fd), 0);
    judge = fork();
    if (judge == 0)
        judge_that_waits(pipe_fd[1]);
    close(pipe_fd[1]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(read(pipe_fd[0], &pid, sizeof(pid)), sizeof(pid));
        pidfds[i] = (int)syscall(SYS_pidfd_open, pid, 0);
        assert_true(pidfds[i] >= 0);
    }
    kill(judge, SIGKILL);
    waitpid(judge, NULL, 0);
    for (int i = 0; i < 2; i++) {
        struct pollfd p = {.fd = pidfds[i], .events = POLLIN};

        assert_int_equal(poll(&p, 1, LIMIT_MS), 1);
        close(pidfds[i]);
    }
    close(pipe_fd[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_serves_one_candidate),
        cmocka_unit_test(sandbox_is_the_same),
        cmocka_unit_test(dead_ones_are_replaced),
        cmocka_unit_test(nobody_is_timed_until_they_are_warm),
        cmocka_unit_test(warm_ones_let_others_time),
        cmocka_unit_test(none_are_started_while_somebody_is_timed),
        cmocka_unit_test(with_a_driver_they_wait_for_their_turn),
        cmocka_unit_test(started_for_those_to_come),
        cmocka_unit_test(kept_from_problem_to_problem),
        cmocka_unit_test(they_die_with_the_judge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
