# SPDX-License-Identifier: MIT
"""Which class or function of a candidate is called. By rank: class ModelNew, class Model,
custom_kernel(data), run(...); or the one that the user names."""
import ast
import contextlib
import errno
import importlib.util
import inspect
import random
import re
import sys
import traceback
import types

import torch

from .library import ERROR_BYTES

MODULE = "assay_candidate"
CLASSES = ("ModelNew", "Model")
RANKS = (*CLASSES, "custom_kernel", "run")
NAMED = re.compile(r"^#\s*assay:\s*entry\s+([A-Za-z_]\w*)\s*$", re.MULTILINE)


class Refused(Exception):
    """The candidate cannot be judged. word: a reason of `build_error` (src/process/python_reason.c)."""

    def __init__(self, word, text):
        super().__init__(f"{word}: {text}")


# KernelBench's: reference and candidate are constructed under it, with --weights seed.
WEIGHTS_SEED = 42


def seed_all(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy:
        numpy.random.seed(seed & 0xFFFFFFFF)


def place_of(error, path):
    """ " (line 12)": the last line of the candidate's own in a traceback; that of a file beside the main
    one has its name."""
    folder = path.rpartition("/")[0] + "/"
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.lineno:
        places.append((str(error.filename), error.lineno))
    own = [place for place in places if place[0] == path or place[0].startswith(folder) and folder != "/"]
    if not own:
        return ""
    file, line = own[-1]
    return f" (line {line})" if file == path else f" ({file[len(folder):]}, line {line})"


def text_of(error):
    """An exception's text; the candidate's own exceptions may have none."""
    try:
        return str(error.msg if isinstance(error, SyntaxError) else error)
    except BaseException:
        return ""


def compiler_error(lines):
    """The first error that a compiler reported, among the lines of an exception that quotes it."""
    if len(lines) > 1 and lines[0].startswith("Error building extension"):
        return next((line for line in lines[1:] if re.search(r"\berror\b *:", line)), None)
    return None


def one_line(error):
    lines = [line for line in text_of(error).splitlines() if line.strip()]
    lines = [compiler_error(lines) or lines[0]] if lines else []
    text = f"{type(error).__name__}: {lines[0].strip()}" if lines else type(error).__name__
    if isinstance(error, OSError) and error.errno in (errno.EPERM, errno.EACCES):
        text += "; the sandbox refused it"
    return text


def program_in(trace):
    """The program that the innermost call of subprocess was asked for; "" if there is no such call."""
    found = ""
    while trace:
        if trace.tb_frame.f_code.co_filename.endswith("subprocess.py"):
            args = trace.tb_frame.f_locals.get("args")
            words = args.split() if isinstance(args, str) else args if isinstance(args, (list, tuple)) else ()
            found = str(words[0]).rpartition("/")[2] if words else found
        trace = trace.tb_next
    return found


def program_of(error):
    """The program that was refused to somebody, if that is why there is an exception; else "". """
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, PermissionError) and program_in(error.__traceback__):
            return program_in(error.__traceback__)
        error = error.__cause__ or error.__context__
    return ""


def explain(error, path):
    """What went wrong in a call. The line comes last, and a long text is cut before it."""
    text, line = f"PYTHON: {one_line(error)}", place_of(error, path)
    wanted = program_of(error)
    if wanted:
        text = f"program: wanted {wanted} in a call; compilers run in the rehearsal only"
    room = ERROR_BYTES - len(line.encode())
    return (text if len(text.encode()) <= room else text[: room - 3] + "...") + line


def show(error, path):
    """Prints the traceback from the candidate's own file on, unless the candidate closed its output."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename != path:
        trace = trace.tb_next
    with contextlib.suppress(BaseException):
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
        raise Refused("module", f"there is no module {error.name or text_of(error)}{place_of(error, path)}") from error
    except BaseException as error:  # exit() at import, too
        show(error, path)
        refuse_program(error, "is imported", path)
        raise Refused("import", f"{one_line(error)}{place_of(error, path)}") from error
    return module, path


def refuse_program(error, when, path):
    wanted = program_of(error)
    if wanted:
        raise Refused("rehearsal", f"wants {wanted} when it {when}; only the rehearsal can start programs"
                      f"{place_of(error, path)}") from error


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
        if name in CLASSES and value is not None and not isinstance(value, type):
            raise Refused("load", f"{name} is no class, but an object of {type(value).__name__}")
        if not callable(value):
            continue
        if defined_twice(bundle.text(), name):
            raise Refused("load", f"{name} is defined twice in {bundle.main}")
        return name, value
    if named:
        raise Refused("load", f"{bundle.main} has no class or function {named}")
    raise Refused("load", f"{bundle.main} has none of: class ModelNew, class Model, custom_kernel(data), run(...); "
                          "or name one by --entry or a line '# assay: entry NAME'")


def is_unwritten(forward):
    """Whether a module does not define forward(): torch's own one then raises."""
    return getattr(forward, "__name__", "") == "_forward_unimplemented"


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


def construct(name, cls, bundle, path, device):
    init = bundle.init()
    args = init or []
    stated = f": {', '.join(map(repr, args))}" if args else "" if init is not None else " (the problem states none)"
    check_call(name, cls, args, f"arguments{stated}")
    if bundle.head["weights"] == "seed":
        seed_all(WEIGHTS_SEED)
    try:
        model = cls(*args)
        if isinstance(model, torch.nn.Module):
            model = model.to(device)
    except BaseException as error:
        show(error, path)
        refuse_program(error, "is constructed", path)
        raise Refused("construct", f"{one_line(error)}{place_of(error, path)}") from error
    if isinstance(model, torch.nn.Module):
        model.train(bundle.module["mode"] == "train")
        model.requires_grad_(False)
    return model
