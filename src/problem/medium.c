/* SPDX-License-Identifier: MIT */
/* The size set `medium`: large enough to be timed on a CPU, small enough for plain loops.
 *
 * A file may state it. Otherwise each size of `small` is taken as it is if its floor is at least
 * MEDIUM_FLOOR_US. If not, one of its parameters is multiplied by the least whole number that
 * reaches that floor. A multiple keeps the parameter's divisors. Parameters are tried in the order
 * in which they are dimensions of the inputs, so that the batch usually comes first. A parameter on
 * which small and full agree is never tried; if they agree on all, medium is that size, too. If no
 * parameter reaches the floor, the problem has no medium set. */
#include "problem/trace.h"

#include <math.h>

#define CORE_BYTES_S 20e9
#define CORE_FLOPS_S 50e9
/* Limits of the search: a parameter that needs more is the wrong one. */
#define TRIES_MAX 16
#define FACTOR_MAX 1000000

double graph_core_floor_us(const struct graph *g)
{
    struct cost c;

    graph_cost(g, &c);
    return 1e6 * fmax(cost_bytes(&c) / CORE_BYTES_S, cost_contract_total(&c) / CORE_FLOPS_S);
}

bool size_param_fixed(const struct problem *p, int k)
{
    static const enum size_set sets[] = {SIZES_SMALL, SIZES_FULL};
    double first = p->sizes[SIZES_FULL][0].params[k].value;

    for (size_t s = 0; s < ARRAY_SIZE(sets); s++)
        for (int i = 0; i < p->n_sizes[sets[s]]; i++)
            if (p->sizes[sets[s]][i].params[k].value != first)
                return false;
    return true;
}

/* Whether dimension d of input n is parameter k in all sizes of the set. */
static bool is_dim(const struct problem *p, enum size_set set, int n, int d, int k)
{
    for (int i = 0; i < p->n_sizes[set]; i++) {
        const struct size *s = &p->sizes[set][i];

        if (n >= s->graph->n_inputs || d >= s->graph->sources[n].shape.rank ||
            (double)s->graph->sources[n].shape.dim[d] != s->params[k].value)
            return false;
    }
    return true;
}

/* Finds the parameters to try, each once, best first. ret has room for all; returns their number.
 */
static int scalable(const struct problem *p, int *ret)
{
    const struct size *model = &p->sizes[SIZES_SMALL][0];
    int found = 0;

    for (int n = 0; n < model->graph->n_inputs; n++)
        for (int d = 0; d < model->graph->sources[n].shape.rank; d++)
            for (int k = 0; k < model->n_params; k++) {
                bool known = size_param_fixed(p, k);

                for (int i = 0; i < found; i++)
                    known = known || ret[i] == k;
                if (!known && is_dim(p, SIZES_SMALL, n, d, k) && is_dim(p, SIZES_FULL, n, d, k))
                    ret[found++] = k;
            }
    return found;
}

/* The floor of medium size i with parameter k at `factor` times its small value; -1: the file
 * refuses that value. */
static double floor_at(struct problem *p, int i, int k, int factor)
{
    struct size *s = &p->sizes[SIZES_MEDIUM][i];
    struct err ignored = ERR_INIT;

    s->params[k].value = factor * p->sizes[SIZES_SMALL][i].params[k].value;
    return trace_size(p, SIZES_MEDIUM, i, false, &ignored) < 0 ? -1 : graph_core_floor_us(s->graph);
}

/* The next factor to try if `factor` has a floor of us. Costs are sums of terms in the parameter
 * and constants. If no term grows faster than the parameter, the result never exceeds the least
 * factor that is enough; for most files it is the only one tried. */
static int next_factor(int factor, double us)
{
    double next = ceil(factor * (MEDIUM_FLOOR_US / us) * (1 - 1e-12));

    return (int)fmin(fmax(next, factor + 1), FACTOR_MAX);
}

/* Finds the least factor if the floor grows faster than the parameter (a matrix of N x N, say): it
 * lies above 1, which is too little, and is at most `enough`. */
static double bisect(struct problem *p, int i, int k, int enough)
{
    int low = 1;

    while (enough - low > 1) {
        int middle = low + (enough - low) / 2;

        if (floor_at(p, i, k, middle) < MEDIUM_FLOOR_US)
            low = middle;
        else
            enough = middle;
    }
    return floor_at(p, i, k, enough);
}

/* Finds the least whole factor of parameter k that reaches the floor. False: there is none. */
static bool scale(struct problem *p, int i, int k, double small_us)
{
    int factor = next_factor(1, small_us);
    double us = floor_at(p, i, k, factor), before = small_us;

    if (us > factor * small_us * 1.001)
        us = bisect(p, i, k, factor);
    for (int n = 0; us > before && us < MEDIUM_FLOOR_US && n < TRIES_MAX; n++) {
        before = us;
        factor = next_factor(factor, us);
        us = floor_at(p, i, k, factor);
    }
    if (us < MEDIUM_FLOOR_US)
        p->sizes[SIZES_MEDIUM][i].params[k].value = p->sizes[SIZES_SMALL][i].params[k].value;
    return us >= MEDIUM_FLOOR_US;
}

static void copy_size(const struct size *from, struct size *to)
{
    *to = (struct size){.params = xcalloc((size_t)MAX(from->n_params, 1), sizeof(*to->params)),
                        .n_params = from->n_params};
    for (int k = 0; k < from->n_params; k++)
        to->params[k] = (struct size_param){xstrdup(from->params[k].name), from->params[k].value};
}

/* Whether small and full are the same size. */
static bool one_size(const struct problem *p)
{
    for (int k = 0; k < p->sizes[SIZES_FULL][0].n_params; k++)
        if (!size_param_fixed(p, k))
            return false;
    return true;
}

/* Makes medium size i. *ret_made is false if the rule finds none. */
static int make_size(struct problem *p, int i, const int *order, int n_order, bool *ret_made,
                     struct err *err)
{
    double small_us = graph_core_floor_us(p->sizes[SIZES_SMALL][i].graph);

    *ret_made = true;
    if (small_us >= MEDIUM_FLOOR_US || one_size(p))
        return trace_size(p, SIZES_MEDIUM, i, false, err);
    for (int j = 0; j < n_order; j++)
        if (scale(p, i, order[j], small_us))
            return 0;
    *ret_made = false;
    return 0;
}

int medium_make(struct problem *p, struct err *err)
{
    int n = p->n_sizes[SIZES_SMALL], n_params = p->sizes[SIZES_SMALL][0].n_params;
    AUTO(freep) int *order = xcalloc((size_t)MAX(n_params, 1), sizeof(*order));
    int n_order = scalable(p, order);

    p->sizes[SIZES_MEDIUM] = xcalloc((size_t)n, sizeof(*p->sizes[SIZES_MEDIUM]));
    for (int i = 0; i < n; i++) {
        copy_size(&p->sizes[SIZES_SMALL][i], &p->sizes[SIZES_MEDIUM][i]);
        p->n_sizes[SIZES_MEDIUM]++;

        bool made;

        if (make_size(p, i, order, n_order, &made, err) < 0)
            return -1;
        if (!made) {
            problem_drop_sizes(p, SIZES_MEDIUM);
            return 0;
        }
    }
    return 0;
}

int problem_need_sizes(const struct problem *p, enum size_set set, struct err *err)
{
    if (p->n_sizes[set] > 0)
        return 0;
    return fail(err, ERR_INPUT,
                "%s: sizes: medium does not follow from small: state medium = { ... } with a floor "
                "of %d us at 20 GB/s and 50 GFLOP/s",
                p->path, MEDIUM_FLOOR_US);
}
