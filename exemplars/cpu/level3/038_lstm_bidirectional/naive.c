/* SPDX-License-Identifier: MIT */
/* An LSTM of several layers in both directions, step by step, and a linear layer on the last step.
 */
#include "assay.h"
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 2, PARTS = 4 }; /* parts: weight_ih, weight_hh, bias_ih, bias_hh */

struct cell { /* one layer in one direction */
    const float *weight_ih, *weight_hh, *bias_ih, *bias_hh;
    int64_t inputs, hidden;
};

static struct cell cell_of(const DLTensor *in, int64_t layer, int64_t direction)
{
    const DLTensor *p = in + IN_LSTM_WEIGHT_IH_L0 + (layer * DIRECTIONS + direction) * PARTS;

    return (struct cell){
        .weight_ih = p[0].data,
        .weight_hh = p[1].data,
        .bias_ih = p[2].data,
        .bias_hh = p[3].data,
        .inputs = p[0].shape[1],
        .hidden = p[1].shape[1],
    };
}

static float dot(const float *a, const float *b, int64_t n)
{
    float sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

/* h and c become the states after x; `gates` is scratch for 4 * hidden values, in PyTorch's order:
 * input, forget, cell, output. */
static void cell_step(const struct cell *cell, const float *x, float *h, float *c, float *gates)
{
    int64_t n = cell->hidden;

    for (int64_t g = 0; g < 4 * n; g++)
        gates[g] = cell->bias_ih[g] + dot(cell->weight_ih + g * cell->inputs, x, cell->inputs) +
                   cell->bias_hh[g] + dot(cell->weight_hh + g * n, h, n);
    for (int64_t i = 0; i < n; i++) {
        float input = sigmoid(gates[i]), forget = sigmoid(gates[n + i]);
        float candidate = tanhf(gates[2 * n + i]), output = sigmoid(gates[3 * n + i]);

        c[i] = forget * c[i] + input * candidate;
        h[i] = output * tanhf(c[i]);
    }
}

/* One sequence: x is steps x inputs, y's rows lie y_width apart. `work` holds 6 * hidden values. */
static void run_cell(const struct cell *cell, const float *x, int64_t steps, const float *h0,
                     const float *c0, int backward, float *work, float *y, int64_t y_width)
{
    size_t state_bytes = (size_t)cell->hidden * sizeof(float);
    float *h = work, *c = h + cell->hidden, *gates = c + cell->hidden;

    memcpy(h, h0, state_bytes);
    memcpy(c, c0, state_bytes);
    for (int64_t s = 0; s < steps; s++) {
        int64_t t = backward ? steps - 1 - s : s;

        cell_step(cell, x + t * cell->inputs, h, c, gates);
        memcpy(y + t * y_width, h, state_bytes);
    }
}

/* Returns the last layer's outputs, batch x steps x 2 hidden: one of the two scratch buffers. */
static const float *run_layers(const DLTensor *in, float *front, float *back, float *work)
{
    const float *x = in[IN_X].data, *h0 = in[IN_H0].data, *c0 = in[IN_C0].data;
    int64_t batch = in[IN_X].shape[0], steps = in[IN_X].shape[1];
    int64_t layers = in[IN_H0].shape[0] / DIRECTIONS, hidden = in[IN_H0].shape[2];
    int64_t width = DIRECTIONS * hidden;

    for (int64_t l = 0; l < layers; l++) {
        float *y = l % 2 ? back : front;

        for (int64_t d = 0; d < DIRECTIONS; d++) {
            struct cell cell = cell_of(in, l, d);

            for (int64_t b = 0; b < batch; b++) {
                int64_t state = ((l * DIRECTIONS + d) * batch + b) * hidden;

                run_cell(&cell, x + b * steps * cell.inputs, steps, h0 + state, c0 + state, d == 1,
                         work, y + b * steps * width + d * hidden, width);
            }
        }
        x = y;
    }
    return x;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t batch = in[IN_X].shape[0], steps = in[IN_X].shape[1];
    int64_t hidden = in[IN_H0].shape[2], width = DIRECTIONS * hidden;
    int64_t outputs = in[IN_FC_WEIGHT].shape[0], buffer = batch * steps * width;
    const float *weight = in[IN_FC_WEIGHT].data, *bias = in[IN_FC_BIAS].data;
    float *y = out[OUT_Y].data;
    float *scratch = malloc((size_t)(2 * buffer + 6 * hidden) * sizeof(*scratch));

    (void)n_in, (void)n_out, (void)stream;
    if (!scratch)
        return 1;

    const float *last = run_layers(in, scratch, scratch + buffer, scratch + 2 * buffer);

    for (int64_t b = 0; b < batch; b++) {
        const float *step = last + (b * steps + steps - 1) * width;

        for (int64_t o = 0; o < outputs; o++)
            y[b * outputs + o] = bias[o] + dot(weight + o * width, step, width);
    }
    free(scratch);
    return 0;
}
