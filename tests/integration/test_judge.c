/* SPDX-License-Identifier: MIT */
/* covers: src/build/prebuild.c src/process/rproc.c src/process/rproc_wait.c src/judge/session.c */
/* covers: src/judge/session_size.c src/judge/station.c src/measure/trial.c */
/* judge/judge.c: what stays open from one request to the next, and what is told when it goes. */
#include "judge_rig.h"

#include "judge/judge.h"
#include "judge/record.h"

#include <stdio.h>

static char revealed[8][HASH_HEX + 24]; /* "pool seed", in the order in which they are told */
static int n_revealed;

static int reveal(void *arg, const char *pool, const char *seed, struct err *err)
{
    if (*(bool *)arg)
        return fail(err, ERR_SYSTEM, "the disk is full");
    snprintf(revealed[n_revealed++], sizeof(revealed[0]), "%s %s", pool, seed);
    return 0;
}

struct rig {
    struct places places;
    char *share, *runner;
    struct problem *problem;
    struct judge *judge;
    struct judge_request request;
    bool full;
};

static void begin(struct rig *g, bool tries_again)
{
    struct err err = ERR_INIT;

    *g = (struct rig){.share = fs_share_dir(), .runner = runner_path()};
    g->places = (struct places){g->share, ".", ".", g->runner};
    write_file("p.lua", "problem { 'P', level = 1, id = 1 }\n"
                        "sizes { full = { N = 256 }, small = { N = 32 } }\n"
                        "output('y', relu(input('x', f32, { N, N })))");
    must(problem_load("p.lua", "p", &g->problem, &err), &err);

    const struct judge_config c = {
        .places = &g->places, .tries_again = tries_again, .reveal = reveal, .arg = &g->full};

    g->judge = judge_new(&c);
    g->request = (struct judge_request){
        .problem = g->problem,
        .options = {
            .device = &device_fake, .sizes = SIZES_SMALL, .candidates = 1, .plan = PLAN_DEFAULT}};
    g->request.options.plan.runners = 1;
    n_revealed = 0;
}

static void end(struct rig *g)
{
    judge_free(g->judge);
    problem_free(g->problem);
    free(g->share);
    free(g->runner);
}

/* A text that is no file anywhere. Returns "pool seed". */
static const char *judge_text(struct rig *g, const char *text, enum verdict_kind want)
{
    static char pool[HASH_HEX + 24];
    struct evaluation e;
    struct err err = ERR_INIT;

    g->request.source = (struct source_text){"nowhere/k.fake", text, strlen(text)};
    must(judge_eval(g->judge, &g->request, &e, &err), &err);
    if (e.verdict.kind != want)
        fail_msg("%s: %s", text, e.verdict.detail);
    assert_string_equal(e.file_name, "nowhere/k.fake");
    assert_int_equal(e.source_len, strlen(text));
    assert_memory_equal(e.source, text, e.source_len);
    snprintf(pool, sizeof(pool), "%s %llu", e.pool, (unsigned long long)e.seed);
    evaluation_release(&e);
    return pool;
}

#define HONEST "op relu\ntime 10us\n"
#define LOUD "op relu\ntime 10us\nstderr 5B\n"

static void rest(struct rig *g)
{
    struct err err = ERR_INIT;

    must(judge_rest(g->judge, &err), &err);
}

/* `assay eval` lost the seed of a pool that was retired in mid-session. */
static void every_pool_that_is_left_is_revealed(void **state)
{
    struct rig g;
    char first[HASH_HEX + 24], second[HASH_HEX + 24];

    (void)state;
    begin(&g, false);
    snprintf(first, sizeof(first), "%s", judge_text(&g, HONEST, VERDICT_PASS));
    assert_string_equal(judge_text(&g, LOUD, VERDICT_PASS), first);
    assert_int_equal(n_revealed, 0);
    snprintf(second, sizeof(second), "%s", judge_text(&g, HONEST, VERDICT_PASS));
    assert_string_not_equal(second, first);
    assert_int_equal(n_revealed, 1);
    assert_string_equal(revealed[0], first);
    rest(&g);
    assert_int_equal(n_revealed, 2);
    assert_string_equal(revealed[1], second);
    rest(&g); /* told once */
    assert_int_equal(n_revealed, 2);
    end(&g);
}

static void a_seed_that_cannot_be_told_is_an_error(void **state)
{
    struct evaluation e;
    struct err err = ERR_INIT;
    struct rig g;

    (void)state;
    begin(&g, false);
    judge_text(&g, LOUD, VERDICT_PASS);
    g.full = true;
    g.request.source = (struct source_text){"k.fake", HONEST, strlen(HONEST)};
    assert_int_equal(judge_eval(g.judge, &g.request, &e, &err), -1);
    assert_string_equal(err.text, "the disk is full");
    end(&g);
}

/* A session lives as long as it serves what is asked for. */
static void sessions_stay_while_they_serve(void **state)
{
    struct rig g;
    const struct session *first;

    (void)state;
    begin(&g, false);
    judge_text(&g, HONEST, VERDICT_PASS);
    first = g.judge->session;
    g.request.options.plan.build_timeout_ms = 5000; /* one candidate's affair */
    judge_text(&g, HONEST, VERDICT_PASS);
    assert_ptr_equal(g.judge->session, first);
    assert_int_equal(g.judge->session->options.plan.build_timeout_ms, 5000);
    assert_int_equal(n_revealed, 0);

    const struct station *station = g.judge->station;

    g.request.options.plan.check_only = true;
    judge_text(&g, HONEST, VERDICT_PASS);
    assert_int_equal(n_revealed, 1);
    g.request.options.sizes = SIZES_FULL;
    judge_text(&g, HONEST, VERDICT_PASS);
    assert_int_equal(n_revealed, 2);
    g.request.options.seed_chosen = true;
    g.request.options.seed = 7;
    judge_text(&g, HONEST, VERDICT_PASS);
    assert_int_equal(n_revealed, 3);
    assert_ptr_equal(g.judge->station, station);
    end(&g);
}

static int opened; /* how often the device was */

static int count_open(int index, void **ret, struct err *err)
{
    opened++;
    return device_fake.judge->open(index, ret, err);
}

/* No runner can be started: ours to blame. The device may be what is broken. */
static void infra_is_judged_again_on_a_device_opened_anew(void **state)
{
    struct device_judge_ops ops = *device_fake.judge;
    struct device device = device_fake;
    struct rig g;

    (void)state;
    ops.open = count_open;
    device.judge = &ops;
    for (int again = 0; again < 2; again++) {
        begin(&g, again);
        g.places.runner = "./no-runner";
        g.request.options.device = &device;
        opened = 0;
        judge_text(&g, HONEST, VERDICT_INFRA);
        assert_int_equal(opened, 1 + again);
        rest(&g);
        assert_int_equal(n_revealed, 1); /* the first try's pool is in no record */
        end(&g);
    }
}

static void devices_by_file_and_word(void **state)
{
    static const struct {
        const char *file;
        const struct device *chosen, *before, *want;
        const char *error;
    } cases[] = {
        {"k.fake", NULL, NULL, &device_fake, NULL},
        {"k.c", NULL, &device_fake, &device_cpu, NULL},
        {"k.txt", NULL, NULL, NULL, NULL},
        {"k.c", &device_fake, NULL, NULL, "the fake device takes .fake files"},
        {"cpu:naive", NULL, &device_fake, &device_cpu, NULL},
        {"cpu:naive", &device_fake, NULL, NULL, "runs on the cpu device only"},
        {"torch:eager", &device_fake, &device_cpu, &device_fake, NULL},
        {"torch:eager", NULL, &device_fake, &device_fake, NULL},
        {"torch:reduce-overhead", &device_cuda, NULL, &device_cuda, NULL},
        {"torch:reduce-overhead", NULL, &device_cpu, NULL,
         "needs a GPU, because it replays CUDA graphs; the device is cpu"},
        {"torch:cudagraphs+tf32", &device_cpu, NULL, NULL,
         "needs a GPU, because it replays CUDA graphs; the device is cpu"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct device *device = NULL;
        struct err err = ERR_INIT;
        int rc = judge_device_for(cases[i].file, cases[i].chosen, cases[i].before, &device, &err);

        assert_int_equal(rc, cases[i].error ? -1 : 0);
        if (cases[i].error)
            assert_string_equal(err.text, cases[i].error);
        else
            assert_ptr_equal(device, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pool_that_is_left_is_revealed),
        cmocka_unit_test(a_seed_that_cannot_be_told_is_an_error),
        cmocka_unit_test(sessions_stay_while_they_serve),
        cmocka_unit_test(infra_is_judged_again_on_a_device_opened_anew),
        cmocka_unit_test(devices_by_file_and_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
