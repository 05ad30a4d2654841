"""The optional `fast` engine: strided SHA-256 and SHA-1 compression with the x86 SHA instructions.

A build spends nearly all its time in one-block compressions from a known midstate: a run fingerprint
extends the fingerprint of the run one sentence shorter, and the UUIDv5 names of one selection share
their leading blocks.  hashlib pays a Python call for each; this module does a whole batch in one call.
It has llvmlite compile the text of `tekrar.build.sha_ir` once in memory (no cache, no numba) and calls the
machine code through ctypes, which releases the GIL.  A child made by fork inherits the compiled pages, so
forked workers share one engine.

The engine never changes an identity: hashlib is the reference, the test vectors are the same, and where
`available()` is False the caller uses hashlib.  The CPU flag is read *before* anything is compiled,
because nothing raises for an instruction the CPU lacks: the process dies.

Shapes: a batch has n lanes and lane j computes ``out[j] = compress(states_in[j], blocks[j])``.  Words
are native uint32, blocks and digests are bytes (big-endian, as FIPS 180-4 writes them).  Axis 0 may have
any byte stride, the last axis is contiguous.  Serves ADR-009's run fingerprints and occurrence IDs.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.build.sha_ir import KERNELS, REQUIRED_FEATURES, SWAP_WORDS, module_text

SHA256_H0: NDArray[np.uint32] = np.array(
    [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19],
    np.uint32,
)
SHA256_H0.flags.writeable = False

_U32 = np.dtype(np.uint32)
_U8 = np.dtype(np.uint8)
_UUID5_KEEP = bytes(0x0F if i == 6 else 0x3F if i == 8 else 0xFF for i in range(16))
_UUID5_SET = bytes(0x50 if i == 6 else 0x80 if i == 8 else 0x00 for i in range(16))


def sha256_pad(message_length: int, tail: bytes) -> bytes:
    """Return the closing block or blocks of a message (the padding of SHA-1 is the same).

    Args:
        message_length: Length of the whole message in bytes.
        tail: The bytes after the last whole 64-byte block, ``message_length % 64`` of them.

    Returns:
        64 bytes, or 128 where the tail leaves no room for the length.

    Raises:
        ValueError: The tail does not have the length which the message length implies.
    """
    if message_length < 0 or len(tail) != message_length % 64:
        raise ValueError(f"a message of {message_length} bytes cannot have a tail of {len(tail)} bytes")
    zeros = (55 - len(tail)) % 64
    return bytes(tail) + b"\x80" + bytes(zeros) + (8 * message_length).to_bytes(8, "big")


def cpu_flags() -> frozenset[str]:
    """Return the CPU features both LLVM and the operating system report, in LLVM's names.

    Empty where llvmlite is missing or broken.  On Linux the kernel's own list must agree, because a
    feature the kernel was told to hide may still shine through CPUID.
    """
    try:
        reported = import_module("llvmlite.binding").get_host_cpu_features()
    except (ImportError, OSError, RuntimeError):
        return frozenset()
    flags = frozenset(str(name) for name, present in reported.items() if present)
    try:
        kernel_list = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return flags
    return flags if "sha_ni" in kernel_list.split() else flags - {"sha"}


def available() -> bool:
    """Tell whether `ShaNi` can be constructed here; compiles nothing."""
    if sys.maxsize <= 2**32 or platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    return cpu_flags().issuperset(REQUIRED_FEATURES)


#: What a kernel does to a state before it stores it: byte order, bits kept, bits set.
_FINISH = {
    "words": (bytes(range(16)), b"\xff" * 16, bytes(16)),
    "digest": (bytes(SWAP_WORDS), b"\xff" * 16, bytes(16)),
    "uuid5": (bytes(SWAP_WORDS), _UUID5_KEEP, _UUID5_SET),
}


@dataclass(frozen=True)
class _Shape:
    """One use of a kernel: words of a state, type and width of an output row, and its finish."""

    kernel: str
    words: int
    dtype: np.dtype[Any]
    width: int
    finish: str


_SHA256_WORDS = _Shape("sha256", 8, _U32, 8, "words")
_SHA256_DIGEST = _Shape("sha256", 8, _U8, 32, "digest")
_SHA1_WORDS = _Shape("sha1", 5, _U32, 5, "words")
_UUID5 = _Shape("sha1", 5, _U8, 16, "uuid5")


def _compile() -> tuple[Any, dict[str, Callable[..., None]]]:
    """Compile the module; return the engine that owns the machine code, and the callable kernels.

    Level 1 gives the same speed as 3 here: the text is already scheduled, and only registers are to be found.
    """
    llvm = import_module("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = ",".join(f"+{name}" for name in REQUIRED_FEATURES)
    machine = llvm.Target.from_default_triple().create_target_machine(cpu="x86-64", features=features, opt=1)
    module = llvm.parse_assembly(module_text())
    module.verify()
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    address = ctypes.c_ssize_t  # addresses and strides are one size here
    kernels: dict[str, Callable[..., None]] = {}
    for name, arguments in {**dict.fromkeys(KERNELS, 10), "lay": 7}.items():
        signature = ctypes.CFUNCTYPE(None, *[address] * arguments)
        kernels[name] = signature(engine.get_function_address(name))
    return engine, kernels


def _side(array: NDArray[Any], dtype: np.dtype[Any], n: int, width: int) -> tuple[int, int]:
    """Return address and byte stride of one argument; a 1-D array is one lane for all (stride 0).

    Raises:
        ValueError: Type, shape or inner stride is not what the kernel will read: with raw pointers a
            wrong shape would be a wrong read, not an exception.
    """
    shape = array.shape
    if array.dtype == dtype:
        if shape == (n, width):
            stride, inner = array.strides
            if inner == dtype.itemsize or n == 0:  # numpy gives an array without rows the strides 0
                return array.ctypes.data, stride
        elif shape == (width,) and array.strides[0] == dtype.itemsize:
            return array.ctypes.data, 0
    raise ValueError(
        f"expected {dtype} of shape ({n}, {width}) or ({width},) with a contiguous last axis, "
        f"found {array.dtype} of shape {shape} with strides {array.strides}"
    )


class ShaNi:
    """The compiled kernels.  Construct once a process (about 0.04 s) and keep it; forked children may use it.

    In every method n is the length of the output's first axis; `states_in` and `blocks` have n rows, or
    are one row for all lanes.  A row of `blocks` is one or more whole blocks of 64 bytes, hashed in turn.
    The output may be exactly `states_in`; any other overlap is undefined.

    Raises:
        RuntimeError: `available()` is False here.
    """

    def __init__(self) -> None:
        if not available():
            raise RuntimeError("this CPU or installation lacks the SHA instructions or llvmlite; use hashlib")
        # The engine owns the machine code: it must live as long as the kernels.
        self._engine, self._kernels = _compile()
        self._finish = {name: np.frombuffer(b"".join(parts), np.uint8) for name, parts in _FINISH.items()}
        self._finish_at = {name: int(array.ctypes.data) for name, array in self._finish.items()}

    def _run(
        self, shape: _Shape, states: NDArray[np.uint32], blocks: NDArray[np.uint8], out: NDArray[Any]
    ) -> None:
        if out.ndim != 2 or not out.flags.writeable:
            raise ValueError(f"the output must be a writable array of two axes, found shape {out.shape}")
        n = len(out)
        width = blocks.shape[-1] if blocks.ndim else 0
        if not width or width % 64:
            raise ValueError(f"expected rows of whole 64-byte blocks, found shape {blocks.shape}")
        state, state_stride = _side(states, _U32, n, shape.words)
        block, block_stride = _side(blocks, _U8, n, width)
        place, stride = _side(out, shape.dtype, n, shape.width)
        finish = self._finish_at[shape.finish]
        self._kernels[shape.kernel](
            state, state_stride, block, block_stride, place, stride, n, width // 64, finish, shape.width == 16
        )

    def sha256_blocks(
        self, states_in: NDArray[np.uint32], blocks: NDArray[np.uint8], states_out: NDArray[np.uint32]
    ) -> None:
        """Compress blocks into each SHA-256 state, (n, 8) words to (n, 8) words."""
        self._run(_SHA256_WORDS, states_in, blocks, states_out)

    def sha1_blocks(
        self, states_in: NDArray[np.uint32], blocks: NDArray[np.uint8], states_out: NDArray[np.uint32]
    ) -> None:
        """Compress blocks into each SHA-1 state, (n, 5) words to (n, 5) words."""
        self._run(_SHA1_WORDS, states_in, blocks, states_out)

    def sha256_final(
        self, states_in: NDArray[np.uint32], blocks: NDArray[np.uint8], out: NDArray[np.uint8]
    ) -> None:
        """Compress the last blocks and write the (n, 32) digest bytes."""
        self._run(_SHA256_DIGEST, states_in, blocks, out)

    def uuid5_final(
        self, states_in: NDArray[np.uint32], blocks: NDArray[np.uint8], out: NDArray[np.uint8]
    ) -> None:
        """Compress the last blocks and write (n, 16) UUIDs of version 5 (RFC 9562): SHA-1 digest bytes with
        version and variant set."""
        self._run(_UUID5, states_in, blocks, out)

    def lay(
        self,
        text: NDArray[np.uint8],
        start: NDArray[np.int64],
        length: NDArray[np.int64],
        *,
        at: int,
        out: NDArray[np.uint8],
    ) -> None:
        """Lay slices of a text behind the frames of messages.

        Row j of `out` gets `length[j]` bytes of the text from `start[j]`, at its byte `at`, then 0x80, zeros.

        Raises:
            ValueError: A slice leaves the text, or a row has no room for it and the 0x80.
        """
        n, width = out.shape
        if not (
            out.flags.c_contiguous and out.flags.writeable and text.flags.c_contiguous and out.dtype == _U8
        ):
            raise ValueError("expected contiguous bytes, and rows that can be written")
        start, length = (np.ascontiguousarray(column, np.int64) for column in (start, length))
        if not n:
            return
        if start.shape != (n,) or length.shape != (n,) or at < 0 or text.dtype != _U8:
            raise ValueError(f"expected {n} starts and lengths and bytes of text")
        if start.min() < 0 or length.min() < 0 or (start + length).max() > text.size:
            raise ValueError(f"expected slices inside {text.size} bytes")
        if at + int(length.max()) >= width:
            raise ValueError(f"expected room in rows of {width} bytes")
        places = (array.ctypes.data for array in (text, start, length, out))
        self._kernels["lay"](*places, width, at, n)
