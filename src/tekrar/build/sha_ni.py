"""The optional `fast` engine: strided SHA-256 and SHA-1 compression with the x86 SHA instructions.

A build spends nearly all its time in one-block compressions from a known midstate: a run fingerprint
extends the fingerprint of the run one sentence shorter, and the UUIDv5 names of one selection share
their leading blocks.  hashlib pays a Python call for each; this module does a whole batch in one call.
It prints LLVM IR text that uses the SHA intrinsics, has llvmlite compile it once in memory (no cache, no
numba) and calls the machine code through ctypes, which releases the GIL.  A child made by fork inherits
the compiled pages, so forked workers share one engine.

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
from collections.abc import Callable, Generator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LANES = 4
"""Lanes interleaved in one loop turn, at least 2.  Two hide the latency of the SHA-256 instructions; the
longer chain of SHA-1 gains a third again from four."""

REQUIRED_FEATURES = ("sha", "ssse3", "sse4.1")
"""LLVM names of the CPU features which the generated code uses."""

SHA256_H0: NDArray[np.uint32] = np.array(
    [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19],
    np.uint32,
)
SHA1_H0: NDArray[np.uint32] = np.array(
    [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0], np.uint32
)
SHA256_H0.flags.writeable = SHA1_H0.flags.writeable = False

_K256 = np.frombuffer(
    bytes.fromhex(
        "428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5"
        "d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174"
        "e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da"
        "983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967"
        "27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85"
        "a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070"
        "19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3"
        "748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2"
    ),
    ">u4",
).tolist()

_U32 = np.dtype(np.uint32)
_U8 = np.dtype(np.uint8)
_V4, _V16 = "<4 x i32>", "<16 x i8>"
_SWAP_WORDS = tuple(4 * (i // 4) + 3 - i % 4 for i in range(16))  # byte order inside each word
_REVERSE = tuple(range(15, -1, -1))  # byte order of the whole vector: words reversed too
_FLIP = (3, 2, 1, 0)
_UUID5_KEEP = [0x0F if i == 6 else 0x3F if i == 8 else 0xFF for i in range(16)]
_UUID5_SET = [0x50 if i == 6 else 0x80 if i == 8 else 0x00 for i in range(16)]

_Steps = Generator[None, None, None]
_Kernel = Callable[..., None]


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


class _Text:
    """The growing IR text of one function, with fresh SSA names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def op(self, text: str) -> str:
        """Append one instruction and return the name of its value."""
        self._count += 1
        self.lines.append(f"  %v{self._count} = {text}")
        return f"%v{self._count}"

    def call(self, name: str, *values: str, imm: int | None = None) -> str:
        """Call an x86 intrinsic on word vectors, with an immediate byte where it takes one."""
        arguments = ", ".join(f"{_V4} {value}" for value in values) + ("" if imm is None else f", i8 {imm}")
        return self.op(f"call {_V4} @llvm.x86.{name}({arguments})")

    def words(self, first: str, second: str, order: tuple[int, ...]) -> str:
        """Shuffle the eight words of two vectors into one."""
        mask = ", ".join(f"i32 {i}" for i in order)
        return self.op(f"shufflevector {_V4} {first}, {_V4} {second}, {_V4} <{mask}>")

    def bytes16(self, vector: str, order: tuple[int, ...]) -> str:
        """Shuffle the sixteen bytes of a word vector."""
        mask = ", ".join(f"i32 {i}" for i in order)
        flat = self.op(f"bitcast {_V4} {vector} to {_V16}")
        mixed = self.op(f"shufflevector {_V16} {flat}, {_V16} poison, <16 x i32> <{mask}>")
        return self.op(f"bitcast {_V16} {mixed} to {_V4}")

    def masked(self, operation: str, vector: str, constant: list[int]) -> str:
        """Apply `and` or `or` with sixteen constant bytes."""
        flat = self.op(f"bitcast {_V4} {vector} to {_V16}")
        done = self.op(f"{operation} {_V16} {flat}, <{', '.join(f'i8 {byte}' for byte in constant)}>")
        return self.op(f"bitcast {_V16} {done} to {_V4}")

    def load(self, pointer: str, offset: int, kind: str = _V4) -> str:
        """Load from a byte offset; strides are arbitrary, so nothing is aligned."""
        place = self.op(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        return self.op(f"load {kind}, ptr {place}, align 1")

    def store(self, value: str, pointer: str, offset: int, kind: str = _V4) -> None:
        """Store to a byte offset, unaligned."""
        place = self.op(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        self.lines.append(f"  store {kind} {value}, ptr {place}, align 1")


def _sha256_lane(ir: _Text, state: str, block: str, out: str, mode: str) -> _Steps:
    """Emit one SHA-256 compression, pausing at each group of four rounds so that lanes interleave."""
    abcd, efgh = ir.load(state, 0), ir.load(state, 16)
    # The instructions want the state as (F,E,B,A) and (H,G,D,C), lowest word first.
    abef, cdgh = ir.words(abcd, efgh, (5, 4, 1, 0)), ir.words(abcd, efgh, (7, 6, 3, 2))
    first_abef, first_cdgh = abef, cdgh
    schedule: list[str] = []
    for group in range(16):
        yield
        if group < 4:
            schedule.append(ir.bytes16(ir.load(block, 16 * group), _SWAP_WORDS))
        else:
            w0, w1, w2, w3 = schedule[-4:]
            part = ir.op(f"add {_V4} {ir.call('sha256msg1', w0, w1)}, {ir.words(w2, w3, (1, 2, 3, 4))}")
            schedule.append(ir.call("sha256msg2", part, w3))
        keys = ", ".join(f"i32 {key}" for key in _K256[4 * group : 4 * group + 4])
        low = ir.op(f"add {_V4} {schedule[-1]}, <{keys}>")
        high = ir.words(low, "poison", (2, 3, 2, 3))
        cdgh = ir.call("sha256rnds2", cdgh, abef, low)
        yield
        abef = ir.call("sha256rnds2", abef, cdgh, high)
    yield
    abef = ir.op(f"add {_V4} {abef}, {first_abef}")
    cdgh = ir.op(f"add {_V4} {cdgh}, {first_cdgh}")
    for offset, order in ((0, (3, 2, 7, 6)), (16, (1, 0, 5, 4))):
        part = ir.words(abef, cdgh, order)
        ir.store(ir.bytes16(part, _SWAP_WORDS) if mode == "final" else part, out, offset)


def _sha1_lane(ir: _Text, state: str, block: str, out: str, mode: str) -> _Steps:
    """Emit one SHA-1 compression, pausing at each group of four rounds so that lanes interleave."""
    # Words run from the highest lane downwards; E sits alone in the highest word.
    abcd = first = ir.words(ir.load(state, 0), "poison", _FLIP)
    first_e = ir.op(f"insertelement {_V4} zeroinitializer, i32 {ir.load(state, 16, 'i32')}, i32 3")
    before, schedule = abcd, []
    for group in range(20):
        yield
        if group < 4:
            schedule.append(ir.bytes16(ir.load(block, 16 * group), _REVERSE))
        else:
            w0, w1, w2, w3 = schedule[-4:]
            part = ir.op(f"xor {_V4} {ir.call('sha1msg1', w0, w1)}, {w2}")
            schedule.append(ir.call("sha1msg2", part, w3))
        word = schedule[-1]
        e = ir.call("sha1nexte", before, word) if group else ir.op(f"add {_V4} {first_e}, {word}")
        before, abcd = abcd, ir.call("sha1rnds4", abcd, e, imm=group // 5)
    yield
    last_e = ir.op(f"extractelement {_V4} {ir.call('sha1nexte', before, first_e)}, i32 3")
    abcd = ir.op(f"add {_V4} {abcd}, {first}")
    if mode == "words":
        ir.store(ir.words(abcd, "poison", _FLIP), out, 0)
        ir.store(last_e, out, 16, "i32")
        return
    digest = ir.bytes16(abcd, _REVERSE)
    if mode == "uuid5":
        digest = ir.masked("or", ir.masked("and", digest, _UUID5_KEEP), _UUID5_SET)
    ir.store(digest, out, 0)
    if mode == "final":
        ir.store(ir.op(f"call i32 @llvm.bswap.i32(i32 {last_e})"), out, 16, "i32")


_KERNELS = {
    "sha256_words": (_sha256_lane, "words"),
    "sha256_final": (_sha256_lane, "final"),
    "sha1_words": (_sha1_lane, "words"),
    "sha1_final": (_sha1_lane, "final"),
    "sha1_first16": (_sha1_lane, "first16"),
    "sha1_uuid5": (_sha1_lane, "uuid5"),
}
_SHAPES: dict[str, tuple[int, np.dtype[Any], int]] = {  # words of a state, type and width of an output row
    "sha256_words": (8, _U32, 8),
    "sha256_final": (8, _U8, 32),
    "sha1_words": (5, _U32, 5),
    "sha1_final": (5, _U8, 20),
    "sha1_first16": (5, _U8, 16),
    "sha1_uuid5": (5, _U8, 16),
}


def _kernel_text(name: str) -> str:
    """Print one kernel: a loop over `LANES` lanes a turn, then a loop for the lanes left over."""
    lane, mode = _KERNELS[name]
    ir = _Text()
    previous, start = "entry", "0"
    for width in (LANES, 1):
        i = f"%i{width}"
        ir.lines += [
            f"  br label %head{width}",
            f"head{width}:",
            f"  {i} = phi i64 [ {start}, %{previous} ], [ {i}.next, %body{width} ]",
            f"  {i}.next = add i64 {i}, {width}",
            f"  {i}.more = icmp sle i64 {i}.next, %n",
            f"  br i1 {i}.more, label %body{width}, label %done{width}",
            f"body{width}:",
        ]
        running = []
        for k in range(width):
            index = ir.op(f"add i64 {i}, {k}")
            rows = []
            for argument in ("state", "block", "out"):
                place = ir.op(f"mul i64 {index}, %{argument}_stride")
                rows.append(ir.op(f"getelementptr i8, ptr %{argument}, i64 {place}"))
            state, block, out = rows
            running.append(lane(ir, state, block, out, mode))
        # Lockstep.  All lanes pause equally often, and the strict zip also drives each past its last pause.
        for _ in zip(*running, strict=True):
            pass
        ir.lines += [f"  br label %head{width}", f"done{width}:"]
        previous, start = f"done{width}", i
    arguments = ", ".join(f"ptr %{name}, i64 %{name}_stride" for name in ("state", "block", "out"))
    return "\n".join(
        [f"define void @{name}({arguments}, i64 %n) #0 {{", "entry:", *ir.lines, "  ret void", "}"]
    )


def module_text() -> str:
    """Return the LLVM IR of all kernels; a pure function of this file."""
    pair, three = f"({_V4}, {_V4})", f"({_V4}, {_V4}, {_V4})"
    signatures = dict.fromkeys(("sha256msg1", "sha256msg2", "sha1nexte", "sha1msg1", "sha1msg2"), pair)
    signatures |= {"sha256rnds2": three, "sha1rnds4": f"({_V4}, {_V4}, i8 immarg)"}
    declarations = [f"declare {_V4} @llvm.x86.{name}{kinds}" for name, kinds in signatures.items()]
    declarations.append("declare i32 @llvm.bswap.i32(i32)")
    features = ",".join(f"+{name}" for name in REQUIRED_FEATURES)
    attributes = f'attributes #0 = {{ nounwind "target-features"="{features}" }}'
    return "\n".join([*declarations, *map(_kernel_text, _KERNELS), attributes, ""])


def _compile() -> tuple[Any, dict[str, _Kernel]]:
    """Compile the module; return the engine that owns the machine code, and the callable kernels."""
    llvm = import_module("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = ",".join(f"+{name}" for name in REQUIRED_FEATURES)
    machine = llvm.Target.from_default_triple().create_target_machine(cpu="x86-64", features=features, opt=3)
    module = llvm.parse_assembly(module_text())
    module.verify()
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_ssize_t] * 7)  # addresses and strides are one size here
    return engine, {name: signature(engine.get_function_address(name)) for name in _KERNELS}


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
    """The compiled kernels.  Construct once a process (about 0.1 s) and keep it; forked children may use it.

    In every method n is the length of the output's first axis; `states_in` and `blocks` have n rows, or
    are one row for all lanes.  The output may be exactly `states_in`; any other overlap is undefined.

    Raises:
        RuntimeError: `available()` is False here.
    """

    def __init__(self) -> None:
        if not available():
            raise RuntimeError("this CPU or installation lacks the SHA instructions or llvmlite; use hashlib")
        # The engine owns the machine code: it must live as long as the kernels.
        self._engine, self._kernels = _compile()

    def _run(
        self, kernel: str, states: NDArray[np.uint32], blocks: NDArray[np.uint8], out: NDArray[Any]
    ) -> None:
        words, dtype, width = _SHAPES[kernel]
        if out.ndim != 2 or not out.flags.writeable:
            raise ValueError(f"the output must be a writable array of two axes, found shape {out.shape}")
        n = len(out)
        state, state_stride = _side(states, _U32, n, words)
        block, block_stride = _side(blocks, _U8, n, 64)
        place, stride = _side(out, dtype, n, width)
        self._kernels[kernel](state, state_stride, block, block_stride, place, stride, n)

    def sha256_blocks(
        self, states_in: NDArray[np.uint32], blocks: NDArray[np.uint8], states_out: NDArray[np.uint32]
    ) -> None:
        """Compress one 64-byte block into each SHA-256 state, (n, 8) words to (n, 8) words."""
        self._run("sha256_words", states_in, blocks, states_out)

    def sha1_blocks(
        self, states_in: NDArray[np.uint32], blocks: NDArray[np.uint8], states_out: NDArray[np.uint32]
    ) -> None:
        """Compress one 64-byte block into each SHA-1 state, (n, 5) words to (n, 5) words."""
        self._run("sha1_words", states_in, blocks, states_out)

    def sha256_final(
        self, states_in: NDArray[np.uint32], blocks: NDArray[np.uint8], out: NDArray[np.uint8]
    ) -> None:
        """Compress the last block and write the (n, 32) digest bytes."""
        self._run("sha256_final", states_in, blocks, out)

    def sha1_final(
        self,
        states_in: NDArray[np.uint32],
        blocks: NDArray[np.uint8],
        out: NDArray[np.uint8],
        *,
        uuid5: bool = False,
    ) -> None:
        """Compress the last block and write (n, 20) digest bytes, or the first sixteen to (n, 16).

        With `uuid5` the output is (n, 16) and version and variant are set (RFC 9562, UUID version 5).
        """
        if uuid5 or out.shape[-1] == 16:
            self._run("sha1_uuid5" if uuid5 else "sha1_first16", states_in, blocks, out)
        else:
            self._run("sha1_final", states_in, blocks, out)
