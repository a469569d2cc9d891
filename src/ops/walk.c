/* SPDX-License-Identifier: MIT */
#include "base/util.h"
#include "ops/loops.h"

int64_t axes_count(const struct axes *ax)
{
    int64_t n = 1;

    for (int d = 0; d < ax->rank; d++)
        n *= ax->dim[d];
    return n;
}

static bool joinable(const struct axes *ax, int n, int outer, int inner)
{
    for (int i = 0; i < n; i++) {
        if (ax[i].stride[outer] != ax[i].stride[inner] * ax[i].dim[inner])
            return false;
    }
    return true;
}

static void copy_axis(struct axes *ax, int n, int to, int from)
{
    for (int i = 0; i < n; i++) {
        ax[i].dim[to] = ax[i].dim[from];
        ax[i].stride[to] = ax[i].stride[from];
    }
}

void axes_join(struct axes *ax, int n)
{
    int rank = 0;

    for (int d = 0; d < ax->rank; d++) {
        if (ax->dim[d] == 1)
            continue;
        if (rank > 0 && joinable(ax, n, rank - 1, d)) {
            int64_t outer = ax->dim[rank - 1];

            copy_axis(ax, n, rank - 1, d);
            for (int i = 0; i < n; i++)
                ax[i].dim[rank - 1] *= outer;
        } else {
            copy_axis(ax, n, rank++, d);
        }
    }
    if (rank == 0) {
        rank = 1;
        for (int i = 0; i < n; i++) {
            ax[i].dim[0] = 1;
            ax[i].stride[0] = 1;
        }
    }
    for (int i = 0; i < n; i++)
        ax[i].rank = rank;
}

void walk_start(struct walk *w, const struct axes *ax, int n, int64_t from, int64_t to)
{
    int64_t i = from;

    w->ax = ax;
    w->n = n;
    w->at = from;
    w->end = to;
    w->len = 0;
    if (from >= to)
        return;
    for (int k = 0; k < n; k++)
        w->offset[k] = 0;
    for (int d = ax->rank - 1; d >= 0; d--) {
        w->coord[d] = i % ax->dim[d];
        i /= ax->dim[d];
        for (int k = 0; k < n; k++)
            w->offset[k] += w->coord[d] * ax[k].stride[d];
    }

    int last = ax->rank - 1;

    w->len = MIN(ax->dim[last] - w->coord[last], to - from);
}

/* Goes to the next run. A run ends with its row, so the outer axes step like an odometer. */
void walk_next(struct walk *w)
{
    const struct axes *ax = w->ax;
    int d = ax->rank - 1;

    w->at += w->len;
    if (w->at >= w->end) {
        w->len = 0;
        return;
    }
    for (int k = 0; k < w->n; k++)
        w->offset[k] -= w->coord[d] * ax[k].stride[d];
    w->coord[d] = 0;
    for (d--; d >= 0; d--) {
        for (int k = 0; k < w->n; k++)
            w->offset[k] += ax[k].stride[d];
        if (++w->coord[d] < ax->dim[d])
            break;
        for (int k = 0; k < w->n; k++)
            w->offset[k] -= w->coord[d] * ax[k].stride[d];
        w->coord[d] = 0;
    }
    w->len = MIN(ax->dim[ax->rank - 1], w->end - w->at);
}

void *loops_scratch(size_t bytes, struct err *err)
{
    void *p = try_alloc(bytes);

    if (!p)
        fail(err, ERR_SYSTEM, "not enough memory for scratch space (%.2f GiB): use a smaller size",
             (double)bytes / (1 << 30));
    return p;
}
