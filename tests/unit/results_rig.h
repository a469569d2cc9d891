/* SPDX-License-Identifier: MIT */
/* A run made by hand, for the tests of src/results. */
#ifndef TESTS_RESULTS_RIG_H
#define TESTS_RESULTS_RIG_H

#include "testing.h"

#include "results/results.h"

#include <math.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static inline struct results *new_run(const char *const *models, const char *const *problems)
{
    struct results *r = xcalloc(1, sizeof(*r));

    r->name = xstrdup("hand");
    r->created = xstrdup("2026-01-01T00:00:00Z");
    r->sizes = xstrdup("small");
    r->device = xstrdup("");
    r->source = xstrdup("");
    r->weights = xstrdup("per_call");
    for (; models[r->n_models]; r->n_models++) {
        r->models = xrealloc(r->models, (size_t)(r->n_models + 1) * sizeof(*r->models));
        r->models[r->n_models] = xstrdup(models[r->n_models]);
    }
    for (; problems[r->n_problems]; r->n_problems++) {
        r->problems = xrealloc(r->problems, (size_t)(r->n_problems + 1) * sizeof(*r->problems));
        r->problems[r->n_problems] = (struct results_problem){
            .name = xstrdup(problems[r->n_problems]),
            .hash = xstrdup("h"),
            .title = xstrdup("t"),
            .level = xstrdup("level1"),
        };
    }
    return r;
}

/* Cells are added in the order of the store: model, problem, sample, repeat. cold_us 0: not timed.
 */
static inline struct results_cell *add(struct results *r, int model, int problem, int sample,
                                       int repeat, enum verdict_kind verdict, double cold_us)
{
    r->cells = xrealloc(r->cells, (size_t)(r->n_cells + 1) * sizeof(*r->cells));

    struct results_cell *c = &r->cells[r->n_cells++];

    *c = (struct results_cell){.model = r->models[model],
                               .problem = r->problems[problem].name,
                               .model_at = model,
                               .problem_at = problem,
                               .sample = sample,
                               .repeat = repeat,
                               .file = xstrdup("f"),
                               .record = xstrdup("id"),
                               .verdict = verdict,
                               .reason = xstrdup(""),
                               .device = xstrdup("cpu"),
                               .fingerprint = xstrdup("this"),
                               .device_name = xstrdup("CPU"),
                               .peak_fraction = cold_us > 0 ? 1 / cold_us : NAN,
                               .sol = NAN};
    c->sizes = xcalloc(1, sizeof(*c->sizes));
    if (cold_us > 0) {
        c->n_sizes = 1;
        c->sizes[0] =
            (struct results_size){"s", cold_us, 0.9 * cold_us, 1.1 * cold_us, 1 / cold_us};
    }
    return c;
}

static const char *const one_model[] = {"m", NULL}, *const two_models[] = {"a", "b", NULL};

#endif
