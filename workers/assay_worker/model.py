# SPDX-License-Identifier: MIT
"""The emitted module, or a vendor's, on the judge's memory: its parameters are views of an input
arena."""
import contextlib
import sys
import types
import warnings

import torch

# Arguments for torch.compile; None: not compiled.
MODES = {
    "eager": None,
    "compile": {"mode": "default"},
    "max-autotune": {"mode": "max-autotune"},
    "reduce-overhead": {"mode": "reduce-overhead"},
    "cudagraphs": {"backend": "cudagraphs"},
    "vendor": None,
}
# The first calls of a compiled module compile, warm up and record its graph.
WARM_UPS = {"eager": 1, "compile": 2, "max-autotune": 3, "reduce-overhead": 3, "cudagraphs": 3, "vendor": 2}

TORCH_NAMES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "i64": "int64",
    "i32": "int32",
    "i8": "int8",
    "u8": "uint8",
    "bool": "bool",
}


def set_precision(tf32):
    """torch's own defaults are not the same for matmul and for cuDNN, so both are always set. By the
    names that every version knows; later ones warn that there are others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        if torch.backends.cuda.matmul.allow_tf32 != tf32 or torch.backends.cudnn.allow_tf32 != tf32:
            raise RuntimeError(f"torch {torch.__version__} does not let TF32 be switched")


def dtype_of(name):
    dtype = getattr(torch, TORCH_NAMES[name], None)
    if dtype is None:
        raise RuntimeError(f"torch {torch.__version__} has no {TORCH_NAMES[name]}")
    return dtype


def view(arena, tensor):
    """One tensor of the judge's layout, inside an arena's bytes."""
    dtype = dtype_of(tensor.dtype)
    count = 1
    for dim in tensor.shape:
        count *= dim
    size = count * torch.empty(0, dtype=dtype).element_size()
    return arena[tensor.offset : tensor.offset + size].view(dtype).view(tensor.shape)


def without_memory():
    """Where torch can, random parameters are not made at all: ours replace them."""
    return torch.device("meta") if hasattr(torch.device, "__enter__") else contextlib.nullcontext()


def replace(model, name, value):
    *path, leaf = name.split(".")
    for part in path:
        model = model._modules[part]
    old = model._parameters[leaf]
    if old.shape != value.shape or old.dtype != value.dtype:
        raise RuntimeError(f"{name} is {old.dtype} {list(old.shape)} in the module, "
                           f"{value.dtype} {list(value.shape)} in the problem")
    model._parameters[leaf] = torch.nn.Parameter(value, requires_grad=False)


class Module:
    def __init__(self, text, mode):
        self.mode = mode
        if MODES[mode] and not hasattr(torch, "compile"):
            raise RuntimeError(f"torch {torch.__version__} has no torch.compile")
        # As if imported: torch.compile looks up where code comes from.
        self.code = sys.modules["assay_module"] = types.ModuleType("assay_module")
        exec(compile(text, "assay_module.py", "exec"), self.code.__dict__)

    def bind(self, inputs, params):
        """A function without arguments that runs the model on these very tensors. A vendor's module
        has no model: run() takes inputs and parameters in calling order."""
        if self.mode == "vendor":
            return lambda: self.code.run(*inputs, *params)
        with without_memory():
            model = self.code.Model()
        names = [name for name, _ in model.named_parameters()]
        if len(names) != len(params):
            raise RuntimeError(f"{len(names)} parameters in the module, {len(params)} in the problem")
        for name, value in zip(names, params):
            replace(model, name, value)
        if MODES[self.mode]:
            model = torch.compile(model, dynamic=False, **MODES[self.mode])
        return lambda: model(*inputs)


def keeper(outputs):
    """A function that puts what a model returned into these tensors."""

    def keep(result):
        results = result if isinstance(result, (tuple, list)) else (result,)
        if len(results) != len(outputs):
            raise RuntimeError(f"{len(results)} outputs, the problem has {len(outputs)}")
        for have, want in zip(results, outputs):
            if have.shape != want.shape or have.dtype != want.dtype:
                raise RuntimeError(f"an output is {have.dtype} {list(have.shape)}, the problem's "
                                   f"{want.dtype} {list(want.shape)}")
            want.copy_(have)

    return keep
