/* SPDX-License-Identifier: MIT */
/* Results of a run, made by hand, for the tests of src/report. */
#ifndef TESTS_REPORT_RIG_H
#define TESTS_REPORT_RIG_H

#include "testing.h"

#include "report/leaderboard.h"

#include <math.h>

#define EVIL "</script><script>window.pwned=1</script><!--"

/* Two models, two problems. "a" has three samples of p1 (wrong, 40 %, 20 %) and a build error on
 * p2; EVIL passes p1 at 50 % with an interval, and its p2 is skipped. */
static struct results_size fast_sizes[] = {{"s1", 10, 8, 12.5, 0.5}};

static struct results_problem problems[] = {
    {(char *)"level1/p1", (char *)"h1", (char *)"One", (char *)"level1", (char *)"why", NULL},
    {(char *)"level1/p2", (char *)"h2", (char *)"Two", (char *)"level1", NULL, (char *)"how"},
};

static char *models[] = {(char *)"a", (char *)EVIL};

#define CELL(m, p, s, rec, kind, why, peak)                                                   \
    {                                                                                         \
        .model = NULL, .problem = NULL, .model_at = m, .problem_at = p, .sample = s,          \
        .file = (char *)"k.c", .record = (char *)rec, .verdict = kind, .reason = (char *)why, \
        .device = (char *)"cpu", .peak_fraction = peak, .sol = NAN                            \
    }

static struct results_cell cells[] = {
    CELL(0, 0, 0, "r0", VERDICT_WRONG, "max", NAN),
    CELL(0, 0, 1, "r1", VERDICT_PASS, "", 0.4),
    CELL(0, 0, 2, "r2", VERDICT_PASS, "", 0.2),
    CELL(0, 1, 0, "r3", VERDICT_BUILD_ERROR, "compiler", NAN),
    CELL(1, 0, 0, "r4", VERDICT_PASS, "", 0.5),
    CELL(1, 1, 0, NULL, VERDICT_PASS, NULL, NAN),
};

static struct results results = {
    .name = (char *)"t" EVIL,
    .created = (char *)"2026-01-01T00:00:00Z",
    .sizes = (char *)"small",
    .device = (char *)"",
    .source = (char *)"",
    .weights = (char *)"per_call",
    .models = models,
    .n_models = 2,
    .problems = problems,
    .n_problems = 2,
    .cells = cells,
    .n_cells = 6,
};

static const struct annotations no_notes = ANNOTATIONS_INIT;

static inline int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < results.n_cells; i++) {
        cells[i].model = models[cells[i].model_at];
        cells[i].problem = problems[cells[i].problem_at].name;
    }
    cells[4].sizes = fast_sizes;
    cells[4].n_sizes = 1;
    cells[5].skipped = (char *)"no runner for .py";
    return 0;
}

static inline const json_t *at(const json_t *j, const char *a, const char *b)
{
    return json_object_get(json_object_get(j, a), b);
}

static inline json_t *board_of(const struct annotations *notes)
{
    json_t *devices = json_array();
    json_t *board = leaderboard_make(&results, notes, devices);

    json_decref(devices);
    assert_non_null(board);
    return board;
}

static inline void assert_near(double got, double want)
{
    if (!(fabs(got - want) < 1e-12))
        fail_msg("%g is not %g", got, want);
}

#endif
