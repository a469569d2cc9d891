# SPDX-License-Identifier: MIT
"""libassay-runner.so by ctypes: src/python/python_runner.h in Python."""
import ctypes

MAX_RANK = 8
TEXT_BYTES = 1024
NOTE_BYTES = 32768  # WIRE_MAX_NOTE of src/wire/wire.h
ERROR_BYTES = 111  # of a call's error: WIRE_ERROR_MAX of src/wire/wire.h less the end
MAX_RESULTS = 7


class Results(ctypes.Structure):
    """Addresses of the last call's results; none: they are in the output arena."""

    _fields_ = [("address", ctypes.c_uint64 * MAX_RESULTS), ("count", ctypes.c_int32)]


class Tensor(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("dim", ctypes.c_int64 * MAX_RANK), ("data", ctypes.c_void_p)]


OPEN = SAVE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
COPY = ctypes.CFUNCTYPE(ctypes.c_int)
LOAD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
PREPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Tensor), ctypes.c_int, ctypes.c_int,
                           ctypes.POINTER(Tensor), ctypes.c_int)
VALUES = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Tensor), ctypes.c_int)
CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)


class Glue(ctypes.Structure):
    _fields_ = [("open", OPEN), ("load", LOAD), ("values", VALUES), ("prepare", PREPARE), ("call", CALL), ("copy", COPY),
                ("save", SAVE), ("text", ctypes.c_void_p), ("text_bytes", ctypes.c_size_t),
                ("note", ctypes.c_void_p), ("results", ctypes.c_void_p), ("n_results", ctypes.c_void_p)]


class Birth(ctypes.Structure):
    _fields_ = [("between", ctypes.c_int), ("fds", ctypes.c_int * 2), ("n_fds", ctypes.c_int),
                ("out_fd", ctypes.c_int), ("group_fd", ctypes.c_int), ("scratch", ctypes.c_char_p),
                ("builds", ctypes.c_bool)]


class Role(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("read_paths", ctypes.POINTER(ctypes.c_char_p)),
                ("program_paths", ctypes.POINTER(ctypes.c_char_p)),
                ("hidden_paths", ctypes.POINTER(ctypes.c_char_p))]


def path_list(paths):
    """A list that ends with NULL."""
    return (ctypes.c_char_p * (len(paths) + 1))(*[path.encode() for path in paths])


class Library:
    """PyDLL: the interpreter's lock stays with the runner's loop, so that no thread of a candidate's
    runs Python code between calls."""

    def __init__(self, path):
        self.dll = ctypes.PyDLL(path)
        self.dll.assay_unshare.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_uint32),
                                           ctypes.c_char_p, ctypes.c_size_t]
        self.dll.assay_run.argtypes = [ctypes.POINTER(Birth), ctypes.c_uint32,
                                       ctypes.POINTER(Role), ctypes.POINTER(Glue)]
        self.dll.assay_run.restype = None

    def unshare(self, attempt):
        """(layers, None), or (None, why) if another attempt may go better."""
        layers, text = ctypes.c_uint32(0), ctypes.create_string_buffer(TEXT_BYTES)
        rc = self.dll.assay_unshare(attempt, ctypes.byref(layers), text, TEXT_BYTES)
        if rc < 0:
            raise OSError(text.value.decode(errors="replace"))
        return (None, text.value.decode(errors="replace")) if rc else (layers.value, None)

    def run(self, birth, layers, device, paths, builds, glue):
        """Becomes a runner; does not return. builds: a rehearsal, which may start programs."""
        role = Role(device.encode(), path_list(paths.read), path_list(paths.programs) if builds else None,
                    path_list(paths.hidden))
        self.dll.assay_run(ctypes.byref(birth), layers, ctypes.byref(role), ctypes.byref(glue))
