/* SPDX-License-Identifier: MIT */
/* covers: src/device/fake/fake_parse.c */
/* The fake device's language: what is refused, and what a program does. */
#include "testing.h"

#include "device/device.h"
#include "device/fake/fake_program.h"

#include <math.h>
#include <string.h>

static void bad_programs_name_the_line(void **state)
{
    static const struct {
        const char *text, *error; /* NULL: fine */
    } cases[] = {
        {"", NULL},
        {"# nothing\n\n   \n", NULL},
        {"op relu\ntime 41.2us\njitter 2%\nwrong at call 3\nhalf\n", NULL},
        {"crash SIGSEGV at load\nhang at setup\nreturn 7 at setup\nexit 0", NULL},
        {"\tsleep  5ms   at call 2 # late\r\n", NULL},
        {"op relu\nopp", "line 2: unknown instruction 'opp'; did you mean 'op'?"},
        {"frobnicate", "line 1: unknown instruction 'frobnicate'"},
        {"op", "line 1: 'op' takes relu, copy, negate, zeros or nan"},
        {"op tanh", "line 1: 'op' takes"},
        {"op relu copy", "line 1: 'copy' is too much after 'op'"},
        {"half at call 1", "line 1: 'at' is too much after 'half'"},
        {"\n\ntime 41", "line 3: 'time' takes a time such as 41.2us"},
        {"time -1us", "line 1: 'time' takes"},
        {"time 1..5us", "line 1: 'time' takes"},
        {"time infs", "line 1: 'time' takes"},
        {"time 9999999s", "line 1: 'time' takes"},
        {"jitter 101%", "line 1: 'jitter' takes"},
        {"return 256", "line 1: 'return' takes a number from 0 to 255"},
        {"crash SIGKILL", "line 1: 'crash' takes SIGSEGV, SIGILL or SIGABRT"},
        {"hang at", "line 1: 'at' takes load, setup or call N"},
        {"hang at call", "line 1: 'at' takes load, setup or call N"},
        {"hang at call 0", "line 1: 'at' takes load, setup or call N"},
        {"hang at call 1.5", "line 1: 'at' takes load, setup or call N"},
        {"hang at call 1 2", "line 1: '2' is too much after 'hang'"},
        {"wrong at load", "line 1: 'wrong' cannot happen at load"},
        {"return 1 at load", "line 1: 'return' cannot happen at load"},
        {"stderr 100", "line 1: 'stderr' takes an amount such as 100MB"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fake_program p;
        struct err err = ERR_INIT;
        int rc = fake_program_parse(cases[i].text, &p, &err);

        if ((rc == 0) != !cases[i].error || (rc < 0 && !strstr(err.text, cases[i].error)))
            fail_msg("'%s': %d %s", cases[i].text, rc, err.text);
        if (rc < 0)
            assert_int_equal(err.kind, ERR_INPUT);
    }
}

#define N 8
#define GUARD 64 /* elements before and after the output */

struct fake_call {
    float in[N], out[GUARD + N + GUARD];
    struct tensor_slot in_slot, out_slot;
    struct device_call c;
};

static void fake_call_init(struct fake_call *f)
{
    static const float x[N] = {-2, -1, 0, 1, 2, 3, -4, 5};

    memset(f, 0, sizeof(*f));
    memcpy(f->in, x, sizeof(x));
    for (size_t i = 0; i < ARRAY_SIZE(f->out); i++)
        f->out[i] = 777;
    f->in_slot = (struct tensor_slot){DT_F32, {1, {N}}, 0};
    f->out_slot = (struct tensor_slot){DT_F32, {1, {N}}, GUARD * sizeof(float)};
    f->c = (struct device_call){.in = &f->in_slot,
                                .n_in = 1,
                                .out = &f->out_slot,
                                .n_out = 1,
                                .in_base = f->in,
                                .out_base = f->out};
}

/* What the output and the 4 words on each side of it are after the `calls`-th call; poisoned with
 * 777 before each. */
static void programs_do_what_they_say(void **state)
{
    static const struct {
        const char *text;
        int calls, status;
        float want[4 + N + 4];
    } cases[] = {
#define S 777, 777, 777, 777
        {"", 1, 0, {S, S, S, S}},
        {"op relu", 2, 0, {S, 0, 0, 0, 1, 2, 3, 0, 5, S}},
        {"op copy", 1, 0, {S, -2, -1, 0, 1, 2, 3, -4, 5, S}},
        {"op negate", 1, 0, {S, 2, 1, -0.0f, -1, -2, -3, 4, -5, S}},
        {"op zeros", 1, 0, {S, 0, 0, 0, 0, 0, 0, 0, 0, S}},
        {"op relu\nthread", 1, 0, {S, 0, 0, 0, 1, 2, 3, 0, 5, S}},
        {"half\nop relu", 1, 0, {S, 0, 0, 0, 1, S, S}},
        {"op relu\nfirst-call-only", 1, 0, {S, 0, 0, 0, 1, 2, 3, 0, 5, S}},
        {"op relu\nfirst-call-only", 2, 0, {S, S, S, S}},
        {"op relu\nwrong at call 2", 1, 0, {S, 0, 0, 0, 1, 2, 3, 0, 5, S}},
        {"wrong at call 2\nop relu", 2, 0, {S, 0, 0, 0, 1, 2, 3, 0, 6005, S}},
        {"op relu\nwrong at call 2", 3, 0, {S, 0, 0, 0, 1, 2, 3, 0, 5, S}},
        {"op zeros\npast-end", 1, 0, {S, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
        {"op copy\nbefore-start", 1, 0, {0, 0, 0, 0, -2, -1, 0, 1, 2, 3, -4, 5, S}},
        {"op zeros\nreturn 7 at call 3", 3, 7, {S, 0, 0, 0, 0, 0, 0, 0, 0, S}},
        {"op zeros\nreturn 7 at call 3", 4, 0, {S, 0, 0, 0, 0, 0, 0, 0, 0, S}},
        {"open /dev/null", 1, 99, {S, S, S, S}},
        {"open /nowhere/at/all", 1, 0, {S, S, S, S}},
#undef S
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fake_program p;
        struct fake_call f;
        struct err err = ERR_INIT;
        int status = 0;

        assert_int_equal(fake_program_parse(cases[i].text, &p, &err), 0);
        for (int k = 0; k < cases[i].calls; k++) {
            fake_call_init(&f);
            status = fake_program_run(&p, FAKE_AT_CALL, &f.c);
        }
        if (status != cases[i].status ||
            memcmp(f.out + GUARD - 4, cases[i].want, sizeof(cases[i].want)) != 0)
            fail_msg("case %zu '%s': status %d, first %g, last %g", i, cases[i].text, status,
                     f.out[GUARD], f.out[GUARD + N - 1]);
        fake_program_release(&p);
    }
}

static void nan_is_nan(void **state)
{
    struct fake_program p;
    struct fake_call f;
    struct err err = ERR_INIT;

    (void)state;
    fake_call_init(&f);
    assert_int_equal(fake_program_parse("op nan", &p, &err), 0);
    fake_program_run(&p, FAKE_AT_CALL, &f.c);
    assert_true(isnan(f.out[GUARD]) && isnan(f.out[GUARD + N - 1]));
}

static void replay_repeats_the_first_answer(void **state)
{
    struct fake_program p;
    struct fake_call f;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fake_program_parse("op copy\nreplay", &p, &err), 0);
    fake_call_init(&f);
    fake_program_run(&p, FAKE_AT_CALL, &f.c);
    fake_call_init(&f);
    f.in[0] = 12345;
    fake_program_run(&p, FAKE_AT_CALL, &f.c);
    assert_true(f.out[GUARD] == -2);
    fake_program_release(&p);
}

static void claims_repeat_and_stay_in_range(void **state)
{
    struct fake_program a, b;
    struct fake_call f;
    struct err err = ERR_INIT;
    bool moved = false;

    (void)state;
    fake_call_init(&f);
    assert_int_equal(fake_program_parse("time 41.2us", &a, &err), 0);
    fake_program_run(&a, FAKE_AT_CALL, &f.c);
    assert_int_equal(fake_program_claim_ns(&a), 41200);

    assert_int_equal(fake_program_parse("time 100us\njitter 2%", &a, &err), 0);
    assert_int_equal(fake_program_parse("time 100us\njitter 2%", &b, &err), 0);
    for (int i = 0; i < 100; i++) {
        fake_program_run(&a, FAKE_AT_CALL, &f.c);
        fake_program_run(&b, FAKE_AT_CALL, &f.c);

        uint64_t ns = fake_program_claim_ns(&a);

        assert_int_equal(ns, fake_program_claim_ns(&b));
        assert_in_range(ns, 98000, 102000);
        moved |= ns < 99000 || ns > 101000;
    }
    assert_true(moved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_programs_name_the_line),
        cmocka_unit_test(programs_do_what_they_say),
        cmocka_unit_test(nan_is_nan),
        cmocka_unit_test(replay_repeats_the_first_answer),
        cmocka_unit_test(claims_repeat_and_stay_in_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
