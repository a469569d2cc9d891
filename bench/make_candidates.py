#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes COUNT different candidates for 20 small problems: right, slow, wrong, broken.

The layout is that of `assay run`: FOLDER/MODEL/PROBLEM/sampleN.c (or .cu), five models. Beside it FOLDER.expected.json
has the expected verdict of every file, or several where more than one is right. Most CUDA candidates have no host code,
which NVRTC compiles quickly; a few go to nvcc.
"""
import argparse
import json
import os
import random

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


# The same in CUDA: what one thread does for its item, of how many, and the kernel's arguments.
CUDA_ARGS = {
    "pointwise": ("in0,out0,in0.numel:i64", "const float *x, float *y, int64_t items"),
    "reduction": ("in0,out0,out0.numel:i64,in0.shape[1]:i64,in0.shape[2]:i64",
                  "const float *x, float *y, int64_t items, int64_t rows, int64_t cols"),
    "rows": ("in0,out0,in0.shape[0]:i64,in0.shape[1]:i64", "const float *in, float *out, int64_t items, int64_t cols"),
    "diagonal": ("in0,in1,out0,in1.numel:i64,in1.shape[1]:i64",
                 "const float *a, const float *b, float *y, int64_t items, int64_t n"),
}


def cuda_item(problem):
    """(name, family, code): y[item] or, of a row, all of it."""
    if problem in POINTWISE:
        name, formula = POINTWISE[problem]
        return name, "pointwise", f"    float v = x[item];\n    y[item] = {formula};"
    if problem in REDUCTION:
        name, start, step, end = REDUCTION[problem]
        return name, "reduction", f"""    int64_t b = item / cols, c = item % cols;
    float a = {start};
    for (int64_t r = 0; r < rows; r++) {{
        float v = x[(b * rows + r) * cols + c];
        a = {step};
    }}
    y[item] = {end};"""
    if problem in ROWS:
        name, body = ROWS[problem]
        return name, "rows", f"""    const float *x = in + item * cols;
    float *y = out + item * cols;
    float top = -INFINITY, sum = 0;
    for (int64_t c = 0; c < cols; c++)
        top = fmaxf(top, x[c]);
    for (int64_t c = 0; c < cols; c++)
        sum += expf(x[c] - top);
    for (int64_t c = 0; c < cols; c++)
        {body}"""
    return "diagonal times matrix", "diagonal", "    y[item] = a[item / n] * b[item];"


def cuda_kernel(problem, kind):
    name, family, code = cuda_item(problem)
    args, params = CUDA_ARGS[family]
    first = 0
    if kind == "slow":
        code = "    for (volatile int again = 0; again < 4; again++) {\n" + code + "\n    }"
    elif kind == "unwritten":
        first = 1
    elif kind == "scaled":
        code += "\n    if (item == 3)\n        y[0] = y[0] * 1.01f + 0.5f;" if family == "rows" else \
            "\n    if (item == 3)\n        y[item] = y[item] * 1.01f + 0.5f;"
    elif kind == "crash":
        code += "\n    __trap();"
    elif kind == "broken":
        code = "    int65_t wrong;\n" + code
    kernel = f"""extern "C" __global__ void kernel({params})
{{
    int64_t item = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (item < {first} || item >= items)
        return;
{code}
}}
"""
    return name, args, kernel


def cuda_value(arg):
    """in0.shape[1]:i64 as C: what the launch line means."""
    word = arg.split(":")[0]
    tensor = f"{word[:-len(word.lstrip('inout'))]}[{word.lstrip('inout')[0]}]"
    if "." not in word:
        return f"(float *){tensor}.data"
    if word.endswith("numel"):
        return f"numel(&{tensor})"
    return f"{tensor}.{word.split('.')[1]}"


CUDA_HOST = """#include "assay.h"
#include "problem.h"
#include <math.h>

%(kernel)s
static int64_t numel(const DLTensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->ndim; i++)
        n *= t->shape[i];
    return n;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    kernel<<<(%(items)s + 127) / 128, 128, 0, (cudaStream_t)stream>>>(%(values)s);
    %(end)s
}
"""


def cuda_source(problem, kind, variant, nvcc):
    name, args, kernel = cuda_kernel(problem, kind)
    head = f"/* {name}, variant {variant}: {kind} */\n"
    words = args.split(",")
    items = next(w for w in words if w.endswith(":i64"))
    if not nvcc:
        line = f"// assay: launch kernel grid=ceil_div({items.split(':')[0]},128) block=128 args={args}\n"
        return head + "#include <math.h>\n#include <stdint.h>\n\n" + line + "\n" + kernel
    return head + CUDA_HOST % {"kernel": kernel, "items": cuda_value(items),
                               "values": ", ".join(cuda_value(w) for w in words),
                               "end": "return 3;" if kind == "refuses" else "return cudaGetLastError();"}


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


def c_source(problem, make, variant):
    name, body = body_of(problem)
    define, inner = make(body)
    return HEAD % {"name": name, "variant": variant, "kind": make.__name__} + define + ENTRY % inner


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("count", type=int)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    p.add_argument("--nvcc-every", type=int, default=20, metavar="N", help="CUDA: every N-th has host code (default 20)")
    o = p.parse_args()
    rng = random.Random(o.seed)
    weights = [k[0] for k in KINDS]
    suffix = "c" if o.device == "cpu" else "cu"
    expected = {}
    for i in range(o.count):
        problem, (_, make, verdicts) = PROBLEMS[i % len(PROBLEMS)], rng.choices(KINDS, weights)[0]
        model, sample = f"model{i // len(PROBLEMS) % 5}", i // len(PROBLEMS) // 5
        path = f"{o.folder}/{model}/level1_{problem}/sample{sample}.{suffix}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if o.device == "cpu":
            text = c_source(problem, make, i)
        else:
            nvcc = make is refuses or i % o.nvcc_every == 0
            text = cuda_source(problem, make.__name__, i, nvcc)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        expected[path] = verdicts
    with open(o.folder.rstrip("/") + ".expected.json", "w", encoding="ascii") as f:
        json.dump(expected, f)


main()
