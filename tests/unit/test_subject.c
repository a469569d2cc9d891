/* SPDX-License-Identifier: MIT */
/* covers: src/terms/baseline.c */
#include "testing.h"

#include "process/subject.h"
#include "sandbox/sandbox.h"

static struct subject of(const char *word)
{
    struct baseline b;
    struct err err = ERR_INIT;

    assert_int_equal(baseline_parse(word, &b, &err), 0);
    return subject_baseline(&b, (struct worker *)&b);
}

static const char *const words[] = {
    "torch:eager",      "torch:compile+tf32", "torch:max-autotune", "torch:reduce-overhead",
    "torch:cudagraphs", "torch:vendor",       "cpu:naive",          "cpu:openblas"};

static void candidates_have_walls_and_are_audited(void **state)
{
    const struct subject s = {.kind = &subject_native};

    (void)state;
    assert_true(s.kind->sandboxed && s.kind->memory_counted && s.kind->takes_spares);
    assert_false(s.kind->is_baseline || s.kind->own_clock || s.kind->wrong_excused);
    assert_int_equal(subject_clock(&s, &device_cuda), CLOCK_CLAIM_AUDITED);
    assert_int_equal(subject_clock(&s, &device_cpu), CLOCK_JUDGE);
    assert_string_equal(subject_clock_name(&s, &device_cuda), "claim, audited");
}

static void python_has_the_walls_and_the_clock_of_other_candidates(void **state)
{
    const struct subject s = {.kind = subject_kind_of_file("a/model.py")};

    (void)state;
    assert_ptr_equal(s.kind, &subject_python);
    assert_ptr_equal(subject_kind_of_file("model.py.c"), &subject_native);
    assert_ptr_equal(subject_kind_of_file("model.cu"), &subject_native);
    assert_true(s.kind->sandboxed && s.kind->memory_counted && s.kind->group_killed);
    assert_false(s.kind->is_baseline || s.kind->own_clock || s.kind->wrong_excused);
    assert_int_equal(s.kind->launcher, LAUNCH_ZYGOTE);
    assert_int_equal(subject_clock(&s, &device_cuda), CLOCK_CLAIM_AUDITED);
    assert_int_equal(subject_clock(&s, &device_cpu), CLOCK_JUDGE);
    assert_int_equal(subject_layers(&s), sandbox_wanted() | SANDBOX_SCRATCH);
    assert_int_equal(subject_layers(&(struct subject){.kind = &subject_native}), sandbox_wanted());
}

/* The shortest way to run somebody's Python would be a worker's, which has neither. */
static void only_what_is_ours_has_no_walls_or_its_own_clock(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        const struct subject s = of(words[i]);
        bool worker = s.kind->launcher == LAUNCH_WORKER;

        assert_true(s.kind->is_baseline);
        assert_non_null(s.kind->write_source);
        assert_non_null(s.kind->write_module);
        assert_false(s.kind->takes_spares);
        assert_int_equal(s.kind->sandboxed, !worker);
        assert_int_equal(s.kind->own_clock, worker);
        assert_int_equal(s.kind->memory_counted, !worker);
        assert_int_equal(s.kind->group_killed, worker);
        assert_int_equal(s.worker != NULL, worker);
        assert_int_equal(subject_needs_worker(&s.baseline), worker);
        assert_int_equal(subject_clock(&s, &device_cuda),
                         worker ? CLOCK_CLAIM : CLOCK_CLAIM_AUDITED);
    }
}

static void a_vendors_library_alone_is_excused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        assert_int_equal(of(words[i]).kind->wrong_excused, !strcmp(words[i], "torch:vendor"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_have_walls_and_are_audited),
        cmocka_unit_test(python_has_the_walls_and_the_clock_of_other_candidates),
        cmocka_unit_test(only_what_is_ours_has_no_walls_or_its_own_clock),
        cmocka_unit_test(a_vendors_library_alone_is_excused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
