# SPDX-License-Identifier: MIT
"""The protocol of src/wire/wire.h, in Python. tests/integration/test_worker.c holds the two together.

No judgement of the frames' contents here: what the judge sends is ours, and complete.
"""
import ctypes
import mmap
import socket
import struct
from collections import namedtuple

MAGIC = 0x59415341
VERSION = 5
MAX_FRAME = 65536

HELLO, READY, PAGE, ARENA, SIZE, LOAD, SETUP, START, OK, FAIL, WARM, SWEEP = range(1, 13)
CARRIES_FD = (PAGE, ARENA, LOAD, SWEEP)
STAGE_SANDBOX, STAGE_DEVICE, STAGE_IMPORT, STAGE_LOAD, STAGE_SETUP = range(5)
ORDER_CALL, ORDER_EMPTY = 1, 2
HOLD_NONE, HOLD_WORK, HOLD_CALL = range(3)
HOLD_MS = 20
STATUS_FAULT = -(2**31)
STATUS_BAD_ORDER = -2
EXIT_EOF, EXIT_FAIL = 0, 1
ERROR_MAX = 112
FAIL_TEXT_MAX = 1023

# In the order of enum dtype (src/tensor/dtype.h).
DTYPES = ("f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i8", "u8", "bool")

Hello = namedtuple("Hello", "device index mem_bytes uid require yields")
Arena = namedtuple("Arena", "id bytes read_only")
Tensor = namedtuple("Tensor", "dtype shape offset")
Size = namedtuple("Size", "n_in n_out first_param setup_params setup_arena tensors")


class Page(ctypes.Structure):
    """struct wire_page. Fields are read and written as whole words; x86 keeps their order."""

    _fields_ = [
        ("go", ctypes.c_uint32),
        ("order", ctypes.c_uint32),
        ("in_arena", ctypes.c_uint32),
        ("out_arena", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("hold", ctypes.c_uint32),
        ("pad_go", ctypes.c_char * 40),
        ("done", ctypes.c_uint32),
        ("status", ctypes.c_int32),
        ("claim_ns", ctypes.c_uint64),
        ("error", ctypes.c_char * ERROR_MAX),
        ("awake", ctypes.c_uint32),
        ("pad_awake", ctypes.c_char * 60),
        ("awake_ack", ctypes.c_uint32),
        ("pad_awake_ack", ctypes.c_char * 60),
        ("release", ctypes.c_uint32),
        ("pad_release", ctypes.c_char * 60),
        ("queued", ctypes.c_uint32),
        ("pad_queued", ctypes.c_char * 60),
        ("holding", ctypes.c_uint32),
        ("sum", ctypes.c_uint32),
        ("pad_holding", ctypes.c_char * 56),
        ("ready", ctypes.c_uint32),
        ("pad_ready", ctypes.c_char * 60),
        ("results", ctypes.c_char * 512),  # a baseline names none
    ]


class WireError(Exception):
    """A frame that is not what belongs there."""


def map_page(fd, size):
    if size != ctypes.sizeof(Page):
        raise WireError(f"shared page of {size} bytes, wanted {ctypes.sizeof(Page)}")
    return Page.from_buffer(mmap.mmap(fd, size, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE))


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def get(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values if len(values) > 1 else values[0]

    def text(self):
        length = self.get("H")
        self.at += length
        return self.data[self.at - length : self.at].decode()


def get_tensor(r):
    dtype, rank, offset = r.get("BBQ")
    shape = struct.unpack_from(f"<{rank}q", r.data, r.at)
    r.at += 8 * rank
    return Tensor(DTYPES[dtype], shape, offset)


def get_size(r):
    n_in, n_out, first_param, setup_params, setup_arena = r.get("IIIBI")
    tensors = [get_tensor(r) for _ in range(n_in + n_out)]
    return Size(n_in, n_out, first_param, bool(setup_params), setup_arena, tensors)


DECODERS = {
    HELLO: lambda r: Hello(r.text(), *r.get("iQIBB")),
    PAGE: lambda r: r.get("Q"),
    ARENA: lambda r: Arena(*r.get("IQB")),
    SIZE: get_size,
    LOAD: lambda r: r.get("Q"),
    SWEEP: lambda r: r.get("Q"),
}


def decode(frame):
    """(type, value); value is None for a frame without payload."""
    r = Reader(frame)
    try:
        magic, version, kind, length = r.get("IHHI")
        if magic != MAGIC:
            raise WireError("not a frame of ours: wrong magic number")
        if version != VERSION:
            raise WireError(f"protocol version {version}, the worker's is {VERSION}")
        value = DECODERS[kind](r) if kind in DECODERS else None
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise WireError(f"malformed frame: {error}") from error
    if r.at != len(frame) or length != len(frame) - 12:
        raise WireError(f"frame {kind} has another length than it says")
    return kind, value


def encode(kind, payload=b""):
    return struct.pack("<IHHI", MAGIC, VERSION, kind, len(payload)) + payload


def encode_ok():
    return encode(OK, struct.pack("<H", 0))  # no note


def encode_ready(layers):
    return encode(READY, struct.pack("<I", layers))


def encode_fail(stage, status, text):
    data = text.replace("\0", " ").encode()[:FAIL_TEXT_MAX]
    data = data.decode(errors="ignore").encode()  # not cut inside a character
    return encode(FAIL, struct.pack("<IiH", stage, status, len(data)) + data)


def receive(sock):
    """(type, value, fd or -1); type 0 when the judge is gone."""
    frame, fds, _, _ = socket.recv_fds(sock, MAX_FRAME, 4)
    if not frame:
        return 0, None, -1
    kind, value = decode(frame)
    if len(fds) != (kind in CARRIES_FD):
        raise WireError(f"frame {kind} with {len(fds)} descriptors")
    return kind, value, fds[0] if fds else -1
