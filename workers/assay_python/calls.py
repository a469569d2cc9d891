# SPDX-License-Identifier: MIT
"""Tensors on the judge's memory, and one call. A result stays where it is, and the judge reads it
there when the process stands still. Where it may not, results are copied into its memory inside the
call."""
import torch

# By number: enum dtype of src/tensor/dtype.h.
NAMES = ("f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i8", "u8", "bool")
TORCH_NAMES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16",
    "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
    "i64": "int64", "i32": "int32", "i8": "int8", "u8": "uint8", "bool": "bool",
}  # fmt: skip


class Wrong(Exception):
    """A result that is no answer. word: a reason of `wrong` (src/process/python_reason.c)."""

    def __init__(self, word, text):
        super().__init__(f"{word}: {text}")


def dtype_of(name):
    dtype = getattr(torch, TORCH_NAMES[name], None)
    if dtype is None:
        raise RuntimeError(f"torch {torch.__version__} has no {TORCH_NAMES[name]}")
    return dtype


def wrap(tensor, place):
    """A tensor on memory that is mapped at tensor.data (library.Tensor), without a copy. place: place.py."""
    dtype, shape = dtype_of(NAMES[tensor.dtype]), list(tensor.dim[: tensor.rank])
    count = 1
    for dim in shape:
        count *= dim
    size = count * torch.empty(0, dtype=dtype).element_size()
    if count == 0:
        return torch.empty(shape, dtype=dtype, device=place.device)
    return place.bytes_at(tensor.data, size).view(dtype).view(shape).data


def short(dtype):
    return str(dtype).replace("torch.", "")


def name_of(value):
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return type(value).__name__


def as_results(result, outputs):
    """A list of results, one for each output. None: the candidate wrote to the outputs it was given."""
    if type(result) in (tuple, list) and len(result) == len(outputs):
        return result
    if len(outputs) == 1:
        return [result]
    raise Wrong("type", f"expected {len(outputs)} tensors, got {name_of(result)}")


def check(got, want, which):
    if type(got) is not torch.Tensor:
        raise Wrong("type", f"expected a torch.Tensor as {which}, got {name_of(got)}")
    if got.layout is not torch.strided or got.device != want.device:
        raise Wrong("type", f"expected a dense tensor on the {want.device.type} as {which}, "
                    f"got {got.layout} on {got.device}")
    if got.shape != want.shape:
        raise Wrong("shape", f"expected {list(want.shape)} as {which}, got {list(got.shape)}")
    if got.dtype != want.dtype:
        raise Wrong("dtype", f"expected {short(want.dtype)} as {which}, got {short(got.dtype)}")


class Parameters:
    """The candidate's parameters: the same objects for the life of a process, on the judge's memory at
    one address. Their versions are raised before each call, as after a step of an optimiser."""

    def __init__(self, tensors):
        self.tensors = tensors  # in the problem's order
        self.raise_all = version_raiser(tensors)

    def point(self, values):
        """values: tensors on the judge's memory. A candidate may have moved a parameter elsewhere."""
        for mine, value in zip(self.tensors, values):
            if mine.data_ptr() != value.data_ptr() or mine.dtype != value.dtype:
                mine.data = value
        self.raise_all()


def version_raiser(tensors):
    """A function that raises `_version` of all tensors."""
    if not tensors:
        return lambda: None
    if hasattr(torch.autograd.graph, "increment_version"):
        raise_one = torch.autograd.graph.increment_version
        return lambda: [raise_one(tensor) for tensor in tensors]
    # A view of no element shares its base's version, and filling it changes nothing else.
    nothing = [tensor.detach().view(-1)[:0] for tensor in tensors]
    return lambda: torch._foreach_zero_(nothing)


class Results:
    """Results of this process's last call, which stay where they are and are named. Their memory must
    not be used again before the next call. table: library.Results, which the judge's end reads."""

    def __init__(self, table):
        self.table = table
        self.drop()

    def drop(self):
        self.tensors = self.outputs = ()
        self.table.count = 0

    def keep(self, tensors, outputs):
        self.tensors, self.outputs = tensors, outputs
        for i, tensor in enumerate(tensors):
            self.table.address[i] = tensor.data_ptr()
        self.table.count = len(tensors)

    def copy(self):
        """Into the judge's memory, where it cannot open theirs."""
        for got, want in zip(self.tensors, self.outputs):
            want.copy_(got)
        self.drop()


class Call:
    """One pair of arenas."""

    def __init__(self, function, parameters, inputs, values, outputs, names, given_outputs):
        self.function, self.parameters = function, parameters
        self.inputs, self.values, self.outputs = inputs, values, outputs
        self.names, self.given_outputs = names, given_outputs
        self.results = None

    def name_results(self, results, arena):
        """From now on results stay where they are. results: those of all calls. arena: all tensors of the
        arena of inputs and parameters; a result that lies there is copied."""
        self.results = results
        ends = [(tensor.data_ptr(), tensor.data_ptr() + tensor.nelement() * tensor.element_size())
                for tensor in arena if tensor.nelement()]
        self.low, self.high = min((start for start, _ in ends), default=0), max((end for _, end in ends), default=0)

    def __call__(self):
        torch.set_grad_enabled(False)
        if self.results:
            self.results.drop()
        self.parameters.point(self.values)
        # New objects in every call, so that no cache by identity hits.
        args = [value.data if type(value) is torch.Tensor else value for value in self.inputs]
        if self.given_outputs:
            args += [tensor.data for tensor in self.outputs]
        result = self.function(*args)
        if result is not None or not self.given_outputs:
            self.keep(result)

    def keep(self, result):
        results = as_results(result, self.outputs)
        for got, want, name in zip(results, self.outputs, self.names):
            check(got, want, name)
        if self.results:
            self.results.keep([self.apart(got.data.contiguous()) for got in results], self.outputs)
            return
        for got, want in zip(results, self.outputs):
            want.copy_(got.data)

    def apart(self, result):
        """The result, or a copy of it where it lies among the inputs."""
        return result.clone() if self.low <= result.data_ptr() < self.high else result
