/* SPDX-License-Identifier: MIT */
/* Shapes of convolutions, pools and recurrences: PyTorch's formulas. */
#include "problem/graph_ops.h"

#include <stdio.h>

/* Sizes in windows stay below this, so that no product below can overflow. */
#define WINDOW_MAX ((int64_t)1 << 31)

static int check_window(const struct infer *f)
{
    const struct window *w = &f->node->attrs.window;

    for (int i = 0; i < w->nd; i++) {
        if (w->k[i] < 1 || w->stride[i] < 1 || w->dilation[i] < 1 || w->pad[i] < 0 ||
            w->output_pad[i] < 0)
            return infer_refuse(f, "k, stride and dilation must be at least 1, pads at least 0");
        if (w->k[i] > WINDOW_MAX || w->stride[i] > WINDOW_MAX || w->dilation[i] > WINDOW_MAX ||
            w->pad[i] > WINDOW_MAX || w->output_pad[i] > WINDOW_MAX)
            return infer_refuse(f, "k, stride, pad and dilation must be below 2^31");
        /* A product of two factors of 2^31 fits into 64 bits, and its sum with the input's length,
         * too. */
        if ((w->k[i] - 1) * w->dilation[i] > WINDOW_MAX)
            return infer_refuse(f, "k * dilation is too large");
    }
    if (w->groups < 1)
        return infer_refuse(f, "groups must be at least 1");
    return 0;
}

/* Checks x (N, C, space...) and the weights, which have as many axes, and takes k from the weights.
 */
static int take_kernel(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape, *w = &infer_operand(f, 1)->shape;
    struct window *win = &f->node->attrs.window;

    if (x->rank < 3 || x->rank > 2 + WINDOW_MAX_ND)
        return infer_refuse(f, "x must be (N, C, 1 to 3 axes), not %s", shape_text(x).s);
    if (w->rank != x->rank)
        return infer_refuse(f, "x %s and weights %s must have the same number of axes",
                            shape_text(x).s, shape_text(w).s);
    if (infer_same_dtype(f, 0, 1) < 0 || (f->node->n_in > 2 && infer_same_dtype(f, 0, 2) < 0))
        return -1;
    if (!dtype_is_float(infer_operand(f, 0)->dtype))
        return infer_refuse(f, "needs floating point: write cast(x, f32)");
    win->nd = x->rank - 2;
    for (int i = 0; i < win->nd; i++)
        win->k[i] = w->dim[i + 2];
    f->node->dtype = infer_operand(f, 0)->dtype;
    f->node->shape = *x;
    return check_window(f);
}

static int check_bias(const struct infer *f, int64_t channels)
{
    if (f->node->n_in < 3)
        return 0;

    const struct shape *b = &infer_operand(f, 2)->shape;

    if (b->rank == 1 && b->dim[0] == channels)
        return 0;
    return infer_refuse(f, "the bias must be [%lld], not %s", (long long)channels, shape_text(b).s);
}

int infer_conv(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape, *w = &infer_operand(f, 1)->shape;
    const struct window *win = &f->node->attrs.window;

    if (take_kernel(f) < 0)
        return -1;
    if (x->dim[1] % win->groups || x->dim[1] / win->groups != w->dim[1])
        return infer_refuse(f, "x has %lld channels in %lld groups, the weights %s want %lld each",
                            (long long)x->dim[1], (long long)win->groups, shape_text(w).s,
                            (long long)w->dim[1]);
    if (w->dim[0] % win->groups)
        return infer_refuse(f, "%lld output channels do not divide into %lld groups",
                            (long long)w->dim[0], (long long)win->groups);
    f->node->shape.dim[1] = w->dim[0];
    for (int i = 0; i < win->nd; i++) {
        int64_t room = x->dim[i + 2] + 2 * win->pad[i] - win->dilation[i] * (win->k[i] - 1) - 1;

        if (room < 0)
            return infer_refuse(f, "the kernel does not fit: axis %d of %s, k %lld, pad %lld",
                                i + 2, shape_text(x).s, (long long)win->k[i],
                                (long long)win->pad[i]);
        f->node->shape.dim[i + 2] = room / win->stride[i] + 1;
    }
    return check_bias(f, w->dim[0]);
}

int infer_conv_transpose(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape, *w = &infer_operand(f, 1)->shape;
    const struct window *win = &f->node->attrs.window;

    if (take_kernel(f) < 0)
        return -1;
    if (w->dim[0] != x->dim[1])
        return infer_refuse(f, "x has %lld channels, the weights %s want %lld",
                            (long long)x->dim[1], shape_text(w).s, (long long)w->dim[0]);
    if (x->dim[1] % win->groups)
        return infer_refuse(f, "%lld channels do not divide into %lld groups", (long long)x->dim[1],
                            (long long)win->groups);
    /* Lengths are below 2^46, so products of two of them need a check first. */
    if (w->dim[1] > SHAPE_MAX_COUNT / win->groups)
        return infer_refuse(f, "too many output channels");
    f->node->shape.dim[1] = w->dim[1] * win->groups;
    for (int i = 0; i < win->nd; i++) {
        if (win->output_pad[i] >= MAX(win->stride[i], win->dilation[i]))
            return infer_refuse(f, "output_pad must be smaller than stride or dilation");
        if (x->dim[i + 2] > SHAPE_MAX_COUNT / win->stride[i])
            return infer_refuse(f, "axis %d would be too long", i + 2);
        f->node->shape.dim[i + 2] = (x->dim[i + 2] - 1) * win->stride[i] - 2 * win->pad[i] +
                                    win->dilation[i] * (win->k[i] - 1) + win->output_pad[i] + 1;
    }
    return check_bias(f, f->node->shape.dim[1]);
}

/* Output length of a pool. In ceil mode the last window must start inside the input or its left
 * padding. */
static int64_t pool_length(const struct window *w, int i, int64_t in)
{
    int64_t room = in + 2 * w->pad[i] - w->dilation[i] * (w->k[i] - 1) - 1;
    int64_t out = (room + (w->ceil ? w->stride[i] - 1 : 0)) / w->stride[i] + 1;

    if (room < 0)
        return 0;
    if (w->ceil && (out - 1) * w->stride[i] >= in + w->pad[i])
        out--;
    return out;
}

int infer_pool(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape;
    const struct window *w = &f->node->attrs.window;

    if (!dtype_is_float(infer_operand(f, 0)->dtype))
        return infer_refuse(f, "needs floating point: write cast(x, f32)");
    if (w->nd < 1 || w->nd > WINDOW_MAX_ND || w->nd > x->rank)
        return infer_refuse(f, "x must be (N, C, 1 to 3 axes), not %s", shape_text(x).s);
    if (check_window(f) < 0)
        return -1;
    if (f->node->op == OP_AVG_POOL && w->ceil)
        return infer_refuse(f, "ceil is for max_pool only");
    f->node->dtype = infer_operand(f, 0)->dtype;
    f->node->shape = *x;
    for (int i = 0; i < w->nd; i++) {
        int axis = x->rank - w->nd + i;

        if (w->pad[i] > w->k[i] / 2)
            return infer_refuse(f, "pad %lld is more than half of k %lld", (long long)w->pad[i],
                                (long long)w->k[i]);
        if (f->node->op == OP_AVG_POOL && w->dilation[i] != 1)
            return infer_refuse(f, "dilation is for max_pool only");
        f->node->shape.dim[axis] = pool_length(w, i, x->dim[axis]);
        if (f->node->shape.dim[axis] < 1)
            return infer_refuse(f, "the window does not fit: axis %d of %s, k %lld, pad %lld", axis,
                                shape_text(x).s, (long long)w->k[i], (long long)w->pad[i]);
    }
    return 0;
}

static int expect(const struct infer *f, int i, const char *what, const struct shape *want)
{
    const struct shape *have = &infer_operand(f, i)->shape;

    if (infer_same_dtype(f, 0, i) < 0)
        return -1;
    if (shape_equal(have, want))
        return 0;
    return infer_refuse(f, "%s must be %s, not %s", what, shape_text(want).s, shape_text(have).s);
}

/* Operands: q, k (B, T, H, K), v (B, T, H, V), decay (B, T, H, K) of any float dtype, beta (B, T,
 * H). */
int infer_delta_rule(struct infer *f)
{
    const struct node *q = infer_operand(f, 0), *v = infer_operand(f, 2);
    const struct node *decay = infer_operand(f, 3);
    struct shape values = q->shape, steps = q->shape;

    if (!dtype_is_float(q->dtype) || !dtype_is_float(decay->dtype))
        return infer_refuse(f, "needs floating point: write cast(x, f32)");
    if (q->shape.rank != 4 || v->shape.rank != 4)
        return infer_refuse(f, "q and v must be (B, T, H, K) and (B, T, H, V), not %s and %s",
                            shape_text(&q->shape).s, shape_text(&v->shape).s);
    if (q->shape.dim[3] > OP_DELTA_KEYS)
        return infer_refuse(f, "more than %d keys", OP_DELTA_KEYS);
    values.dim[3] = v->shape.dim[3];
    steps.rank = 3;
    if (expect(f, 1, "k", &q->shape) < 0 || expect(f, 2, "v", &values) < 0 ||
        expect(f, 4, "beta", &steps) < 0)
        return -1;
    if (!shape_equal(&decay->shape, &q->shape))
        return infer_refuse(f, "decay must be %s, not %s", shape_text(&q->shape).s,
                            shape_text(&decay->shape).s);
    f->node->dtype = q->dtype;
    f->node->shape = values;
    return 0;
}

/* Operands: gates (T, B, G*H), w_hh (G*H, H), b_hh (G*H), h0 (B, H), and for the LSTM c0 (B, H). */
int infer_recur(struct infer *f)
{
    const struct node *gates = infer_operand(f, 0);
    int n_gates = f->node->op == OP_LSTM ? 4 : f->node->op == OP_GRU ? 3 : 1;
    const struct shape *x = &gates->shape;

    if (!dtype_is_float(gates->dtype))
        return infer_refuse(f, "needs floating point: write cast(x, f32)");
    if (x->rank != 3 || x->dim[2] % n_gates)
        return infer_refuse(f, "the gates must be (T, B, %d * hidden), not %s", n_gates,
                            shape_text(x).s);

    int64_t hidden = x->dim[2] / n_gates;
    struct shape w = {2, {x->dim[2], hidden}}, b = {1, {x->dim[2]}}, h = {2, {x->dim[1], hidden}};

    if (expect(f, 1, "w_hh", &w) < 0 || expect(f, 2, "b_hh", &b) < 0 || expect(f, 3, "h0", &h) < 0)
        return -1;
    if (f->node->op == OP_LSTM && expect(f, 4, "c0", &h) < 0)
        return -1;
    f->node->dtype = gates->dtype;
    f->node->shape = *x;
    f->node->shape.dim[2] = f->node->op == OP_LSTM ? 2 * hidden : hidden;
    return 0;
}
