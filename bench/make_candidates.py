#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes COUNT different C candidates for 20 small problems: right, slow, wrong, broken.

usage: make_candidates.py FOLDER COUNT [SEED]
The layout is that of `assay run`: FOLDER/MODEL/PROBLEM/sampleN.c, five models. Beside it FOLDER.expected.json says
for every file what has to be found: a verdict, or several where more than one is right.
"""
import json
import os
import random
import sys

HEAD = """/* %(name)s, variant %(variant)d: %(kind)s */
#include "assay.h"
#include "problem.h"
#include <math.h>
#include <stdlib.h>

"""
ENTRY = """int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    (void)n_in, (void)n_out, (void)stream;
%s
    return 0;
}
"""
POINTWISE = {
    19: ("relu", "v > 0 ? v : 0"),
    20: ("leaky relu", "v > 0 ? v : 0.01f * v"),
    21: ("sigmoid", "1 / (1 + expf(-v))"),
    22: ("tanh", "tanhf(v)"),
    25: ("swish", "v / (1 + expf(-v))"),
    26: ("gelu", "0.5f * v * erfcf(-v * 0.70710678f)"),
    27: ("selu", "1.05070098f * (v > 0 ? v : 1.67326324f * expm1f(v))"),
    28: ("hard sigmoid", "fminf(fmaxf(v / 6 + 0.5f, 0), 1)"),
    29: ("softplus", "fmaxf(v, 0) + log1pf(expf(-fabsf(v)))"),
    30: ("softsign", "v / (1 + fabsf(v))"),
    31: ("elu", "v > 0 ? v : expm1f(v)"),
    32: ("hard tanh", "fminf(fmaxf(v, -1), 1)"),
    5: ("times a number", "3.14f * v"),
}
# Over the middle one of three axes: start, step, end.
REDUCTION = {
    47: ("sum", "0", "a + v", "a"),
    48: ("mean", "0", "a + v", "a / (float)rows"),
    49: ("maximum", "-INFINITY", "fmaxf(a, v)", "a"),
    53: ("minimum", "INFINITY", "fminf(a, v)", "a"),
}
ROWS = {
    23: ("softmax", "y[c] = expf(x[c] - top) / sum;"),
    24: ("log softmax", "y[c] = x[c] - top - logf(sum);"),
}
DIAGONAL = 12
PROBLEMS = [*POINTWISE, *REDUCTION, *ROWS, DIAGONAL]


def pointwise(formula):
    return f"""    const float *x = in[0].data;
    float *y = out[0].data;
    int64_t n = in[0].shape[0] * in[0].shape[1];

    for (int64_t i = FIRST; i < n; i++) {{
        float v = x[i];
        y[i] = {formula};
    }}"""


def reduction(start, step, end):
    return f"""    const float *x = in[0].data;
    float *y = out[0].data;
    int64_t rows = in[0].shape[1], cols = in[0].shape[2];

    for (int64_t b = 0; b < in[0].shape[0]; b++)
        for (int64_t c = FIRST; c < cols; c++) {{
            float a = {start};
            for (int64_t r = 0; r < rows; r++) {{
                float v = x[(b * rows + r) * cols + c];
                a = {step};
            }}
            y[b * cols + c] = {end};
        }}"""


def rows(body):
    return f"""    int64_t cols = in[0].shape[1];

    for (int64_t r = FIRST; r < in[0].shape[0]; r++) {{
        const float *x = (const float *)in[0].data + r * cols;
        float *y = (float *)out[0].data + r * cols;
        float top = -INFINITY, sum = 0;
        for (int64_t c = 0; c < cols; c++)
            top = fmaxf(top, x[c]);
        for (int64_t c = 0; c < cols; c++)
            sum += expf(x[c] - top);
        for (int64_t c = 0; c < cols; c++)
            {body}
    }}"""


def diagonal():
    return """    const float *a = in[0].data, *b = in[1].data;
    float *c = out[0].data;
    int64_t n = in[1].shape[1];

    for (int64_t i = FIRST; i < in[0].shape[0]; i++)
        for (int64_t k = 0; k < n; k++)
            c[i * n + k] = a[i] * b[i * n + k];"""


def body_of(problem):
    if problem in POINTWISE:
        name, formula = POINTWISE[problem]
        return name, pointwise(formula)
    if problem in REDUCTION:
        name, *parts = REDUCTION[problem]
        return name, reduction(*parts)
    if problem in ROWS:
        name, body = ROWS[problem]
        return name, rows(body)
    return "diagonal times matrix", diagonal()


def right(body):
    return "#define FIRST 0\n", body


def slow(body):
    return "#define FIRST 0\n", "    for (volatile int again = 0; again < 4; again++) {\n" + body + "\n    }"


def unwritten(body):
    return "#define FIRST 1\n", body


def scaled(body):
    return "#define FIRST 0\n", body + "\n    ((float *)out[0].data)[3] *= 1.01f;\n    ((float *)out[0].data)[7] += 0.5f;"


def crash(body):
    return "#define FIRST 0\n", body + "\n    abort();"


def refuses(body):
    return "#define FIRST 0\n", body + "\n    return 3;"


def broken(body):
    return "#define FIRST 0\n", body.replace("int64_t", "int65_t", 1)


KINDS = [(10, right, ["pass"]), (3, slow, ["pass"]), (2, unwritten, ["wrong"]), (2, scaled, ["wrong"]),
         (1, crash, ["crash"]), (1, refuses, ["crash"]), (1, broken, ["build_error"])]


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    weights = [k[0] for k in KINDS]
    expected = {}
    for i in range(count):
        problem, (_, make, verdicts) = PROBLEMS[i % len(PROBLEMS)], rng.choices(KINDS, weights)[0]
        model, sample = f"model{i // len(PROBLEMS) % 5}", i // len(PROBLEMS) // 5
        name, body = body_of(problem)
        define, inner = make(body)
        path = f"{folder}/{model}/level1_{problem}/sample{sample}.c"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as f:
            f.write(HEAD % {"name": name, "variant": i, "kind": make.__name__} + define + ENTRY % inner)
        expected[path] = verdicts
    with open(folder.rstrip("/") + ".expected.json", "w", encoding="ascii") as f:
        json.dump(expected, f)


main()
