/* SPDX-License-Identifier: MIT */
#include "results/model_baseline.h"

#include "results/analyze.h"

#include <math.h>
#include <string.h>

int model_baseline_init(struct model_baseline *b, const struct results *r, const char *model,
                        struct err *err)
{
    int at = results_model(r, model);
    const char *near;

    if (at >= 0) {
        *b = (struct model_baseline){r, at};
        return 0;
    }
    near = nearest(model, (const char *const *)r->models, (size_t)r->n_models);
    return fail(err, ERR_INPUT, "run %s has no model '%s'%s%s%s", r->name, model,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

double model_baseline_cold_us(void *arg, const char *problem, const char *size_hash,
                              const char *fingerprint)
{
    const struct model_baseline *b = arg;
    const struct results *r = b->results;
    double best = NAN;

    for (int i = 0, end; i < r->n_cells; i = end) {
        const struct results_cell *c = &r->cells[i];

        end = results_sample_end(r, i);
        if (c->model_at == b->model_at && !strcmp(c->problem, problem))
            /* fmin() ignores a NAN. */
            best = fmin(best, analyze_sample_us(c, end - i, size_hash, fingerprint));
    }
    return best;
}

/* Times of candidates with other weights are not compared. A run has one kind of weights. */
static int check_weights(const struct model_baseline *b, const struct results *own, struct err *err)
{
    const struct results *r = b->results;

    for (int i = 0; i < r->n_cells; i++)
        if (r->cells[i].model_at == b->model_at && !r->cells[i].is_baseline &&
            strcmp(r->weights, own->weights) != 0)
            return fail(err, ERR_INPUT,
                        "run %s has weights %s and run %s has %s: their times are not compared",
                        own->name, own->weights, r->name, r->weights);
    return 0;
}

int model_baseline_open(struct store *s, const char *word, const struct results *own,
                        struct results **ret_other, struct model_baseline *model,
                        struct analyze_baseline *ret, struct err *err)
{
    const char *colon = word && results_model(own, word) < 0 ? strchr(word, ':') : NULL;
    AUTO(freep) char *run = colon ? xstrndup(word, (size_t)(colon - word)) : NULL;

    *ret = (struct analyze_baseline){0};
    if (!word)
        return 0;
    if (run && results_load(s, run, ret_other, err) < 0)
        return -1;
    if (model_baseline_init(model, run ? *ret_other : own, colon ? colon + 1 : word, err) < 0 ||
        check_weights(model, own, err) < 0)
        return -1;
    *ret = (struct analyze_baseline){word, model_baseline_cold_us, model};
    return 0;
}
