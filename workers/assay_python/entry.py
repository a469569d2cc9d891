# SPDX-License-Identifier: MIT
"""Which class or function of a candidate is called. By rank: class ModelNew, class Model,
custom_kernel(data), run(...); or the one that the user names."""
import ast
import importlib.util
import inspect
import re
import sys
import traceback
import types

import torch

MODULE = "assay_candidate"
RANKS = ("ModelNew", "Model", "custom_kernel", "run")
NAMED = re.compile(r"^#\s*assay:\s*entry\s+([A-Za-z_]\w*)\s*$", re.MULTILINE)


class Refused(Exception):
    """The candidate cannot be judged. word: a reason of `build_error` (src/process/rproc.c)."""

    def __init__(self, word, text):
        super().__init__(f"{word}: {text}")


def place_of(error, path):
    """ " (line 12)": the last line of the candidate's own file in a traceback."""
    if isinstance(error, SyntaxError) and error.filename == path and error.lineno:
        return f" (line {error.lineno})"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return f" (line {lines[-1]})" if lines else ""


def one_line(error):
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    lines = [line for line in text.splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0].strip()}" if lines else type(error).__name__


def show(error, path):
    """Prints the traceback from the candidate's own file on."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename != path:
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)


def load_module(bundle):
    """The candidate's module. Its folder comes last on sys.path: a file torch.py beside it replaces
    nothing. Without a scratch folder the module has no file, and no siblings."""
    try:
        path = bundle.unpack()
    except OSError:
        path = bundle.main
        module = types.ModuleType(MODULE)
    else:
        sys.path.append(path.rpartition("/")[0])
        module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(MODULE, path))
    module.__file__ = path
    sys.modules[MODULE] = module
    try:
        exec(compile(bundle.text(), path, "exec"), module.__dict__)
    except ModuleNotFoundError as error:
        raise Refused("module", f"there is no module {error.name}{place_of(error, path)}") from error
    except BaseException as error:  # exit() at import, too
        show(error, path)
        raise Refused("import", f"{one_line(error)}{place_of(error, path)}") from error
    return module, path


def defined_twice(text, name):
    """Whether a file defines a name twice at its top level: the second would hide the first."""
    tree = ast.parse(text)
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return sum(isinstance(node, kinds) and node.name == name for node in tree.body) > 1


def find_entry(module, bundle):
    """(name, value)"""
    named = bundle.head.get("entry") or next(iter(NAMED.findall(bundle.text().decode(errors="replace"))), "")
    for name in [named] if named else RANKS:
        value = getattr(module, name, None)
        if not callable(value):
            continue
        if defined_twice(bundle.text(), name):
            raise Refused("load", f"{name} is defined twice in {bundle.main}")
        return name, value
    if named:
        raise Refused("load", f"{bundle.main} has no class or function {named}")
    raise Refused("load", f"{bundle.main} has none of: class ModelNew, class Model, custom_kernel(data), run(...); "
                          "or name one by --entry or a line '# assay: entry NAME'")


def signature_of(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # written in C: it finds out itself
        return None


def check_call(what, function, args, given):
    """Whether so many arguments fit."""
    signature = signature_of(function)
    try:
        if signature:
            signature.bind(*args)
    except TypeError as error:
        raise Refused("signature", f"{what}{signature} is called with {len(args)} {given}: {error}") from error


def construct(name, cls, bundle, path):
    init = bundle.init()
    args = init or []
    stated = f": {', '.join(map(repr, args))}" if args else "" if init is not None else " (the problem states none)"
    check_call(name, cls, args, f"arguments{stated}")
    try:
        model = cls(*args)
    except BaseException as error:
        show(error, path)
        raise Refused("construct", f"{one_line(error)}{place_of(error, path)}") from error
    if isinstance(model, torch.nn.Module):
        model.train(bundle.module["mode"] == "train")
        model.requires_grad_(False)
    return model
