"""LLVM IR text of the kernels that `tekrar.build.sha_ni` compiles: two hashes, one that lays out messages.

A kernel hashes n rows: ``out[j] = finish(compress(states[j], blocks[j]))``, where a row of blocks is one or
more whole blocks. Several rows are taken a turn and their instructions interleaved, so that the latency of
one hides behind the others. Everything here is a pure function of this file.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator
from dataclasses import dataclass

REQUIRED_FEATURES = ("sha", "ssse3", "sse4.1")
"""LLVM names of the CPU features which the generated code uses."""

_K256 = struct.unpack(
    ">64I",
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
)

_V4, _V16 = "<4 x i32>", "<16 x i8>"
SWAP_WORDS = tuple(4 * (i // 4) + 3 - i % 4 for i in range(16))  # byte order inside each word
_REVERSE = tuple(range(15, -1, -1))  # byte order of the whole vector: words reversed too
_FLIP = (3, 2, 1, 0)

_Steps = Generator[None, None, tuple[str, str]]
_ARGUMENTS = (
    "ptr %state, i64 %state_stride, ptr %block, i64 %block_stride, ptr %out, i64 %out_stride, "
    "i64 %n, i64 %blocks, ptr %finish, i64 %short"
)


class _Text:
    """The growing IR text of one function, with fresh SSA names."""

    def __init__(self, prefix: str) -> None:
        self.lines: list[str] = []
        self._prefix = prefix
        self._count = 0

    def op(self, text: str) -> str:
        """Append one instruction and return the name of its value."""
        self._count += 1
        name = f"%{self._prefix}{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

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

    def finished(self, vector: str) -> str:
        """Reorder the bytes of a word vector, keep some bits and set some: the caller's 48 bytes `finish`."""
        flat = self.op(f"bitcast {_V4} {vector} to {_V16}")
        mixed = self.op(f"call {_V16} @llvm.x86.ssse3.pshuf.b.128({_V16} {flat}, {_V16} %order)")
        kept = self.op(f"and {_V16} {mixed}, %keep")
        done = self.op(f"or {_V16} {kept}, %set")
        return self.op(f"bitcast {_V16} {done} to {_V4}")

    def load(self, pointer: str, offset: int, kind: str = _V4) -> str:
        """Load from a byte offset; strides are arbitrary, so nothing is aligned."""
        place = self.op(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        return self.op(f"load {kind}, ptr {place}, align 1")

    def store(self, value: str, pointer: str, offset: int, kind: str = _V4) -> None:
        """Store to a byte offset, unaligned."""
        place = self.op(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        self.lines.append(f"  store {kind} {value}, ptr {place}, align 1")


def _sha256_begin(ir: _Text, state: str) -> tuple[str, str]:
    """Load a state.  The instructions want (F,E,B,A) and (H,G,D,C), lowest word first."""
    abcd, efgh = ir.load(state, 0), ir.load(state, 16)
    return ir.words(abcd, efgh, (5, 4, 1, 0)), ir.words(abcd, efgh, (7, 6, 3, 2))


def _sha256_block(ir: _Text, state: tuple[str, str], block: str) -> _Steps:
    """Emit one SHA-256 compression, pausing at each group of four rounds so that lanes interleave."""
    abef, cdgh = first_abef, first_cdgh = state
    schedule: list[str] = []
    for group in range(16):
        yield
        if group < 4:
            schedule.append(ir.bytes16(ir.load(block, 16 * group), SWAP_WORDS))
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
    return ir.op(f"add {_V4} {abef}, {first_abef}"), ir.op(f"add {_V4} {cdgh}, {first_cdgh}")


def _sha256_end(ir: _Text, state: tuple[str, str], out: str) -> None:
    """Store eight words, as they are or as digest bytes."""
    for offset, order in ((0, (3, 2, 7, 6)), (16, (1, 0, 5, 4))):
        ir.store(ir.finished(ir.words(*state, order)), out, offset)


def _sha1_begin(ir: _Text, state: str) -> tuple[str, str]:
    """Load a state.  Words run from the highest lane downwards; E sits alone in the highest word."""
    abcd = ir.words(ir.load(state, 0), "poison", _FLIP)
    return abcd, ir.op(f"insertelement {_V4} zeroinitializer, i32 {ir.load(state, 16, 'i32')}, i32 3")


def _sha1_block(ir: _Text, state: tuple[str, str], block: str) -> _Steps:
    """Emit one SHA-1 compression, pausing at each group of four rounds so that lanes interleave."""
    abcd, first_e = state
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
    return ir.op(f"add {_V4} {abcd}, {state[0]}"), ir.call("sha1nexte", before, first_e)


def _sha1_end(ir: _Text, state: tuple[str, str], out: str) -> None:
    """Store five words, or only the first four; the fifth then goes to a place nobody reads."""
    ir.store(ir.finished(ir.words(state[0], "poison", _FLIP)), out, 0)
    fifth = ir.op(f"getelementptr i8, ptr {out}, i64 16")
    place = ir.op(f"select i1 %is_short, ptr %nowhere, ptr {fifth}")
    ir.store(ir.op(f"extractelement {_V4} {state[1]}, i32 3"), place, 0, "i32")


@dataclass(frozen=True)
class _Kernel:
    """How one hash is emitted: lanes a turn, and the three pieces of a lane."""

    lanes: int
    begin: Callable[[_Text, str], tuple[str, str]]
    block: Callable[[_Text, tuple[str, str], str], _Steps]
    end: Callable[[_Text, tuple[str, str], str], None]


#: Two lanes hide the latency of the SHA-256 instructions; the longer chain of SHA-1 gains from four.
KERNELS = {
    "sha256": _Kernel(2, _sha256_begin, _sha256_block, _sha256_end),
    "sha1": _Kernel(4, _sha1_begin, _sha1_block, _sha1_end),
}


def _lockstep(running: list[_Steps]) -> list[tuple[str, str]]:
    """Drive the lanes from pause to pause and return their states; all pause equally often."""
    ends: list[tuple[str, str]] = []
    while len(ends) < len(running):
        for steps in running:
            try:
                next(steps)
            except StopIteration as stop:
                ends.append(stop.value)
    return ends


def _kernel_text(name: str) -> str:
    """Print one kernel: a loop over the lanes, some a turn, and in it a loop over their blocks.

    In the last turn the lanes left over repeat the last row, which writes the same bytes to the same place:
    every load of a turn stands before its stores, so this holds in place too.
    """
    kernel = KERNELS[name]
    ir = _Text("v")
    ir.lines += [
        "entry:",
        "  %nowhere = alloca i32",
        "  %last = sub i64 %n, 1",
        "  %is_short = icmp ne i64 %short, 0",
        *(
            line
            for i, part in enumerate(("order", "keep", "set"))
            for line in (
                f"  %{part}_place = getelementptr i8, ptr %finish, i64 {16 * i}",
                f"  %{part} = load {_V16}, ptr %{part}_place, align 1",
            )
        ),
        "  br label %head",
        "head:",
        "  %i = phi i64 [ 0, %entry ], [ %i.next, %after ]",
        "  %more = icmp slt i64 %i, %n",
        "  br i1 %more, label %turn, label %done",
        "turn:",
    ]
    states, blocks, outs = [], [], []
    for k in range(kernel.lanes):
        index = ir.op(f"add i64 %i, {k}")
        index = ir.op(f"call i64 @llvm.smin.i64(i64 {index}, i64 %last)")
        rows = []
        for argument in ("state", "block", "out"):
            place = ir.op(f"mul i64 {index}, %{argument}_stride")
            rows.append(ir.op(f"getelementptr i8, ptr %{argument}, i64 {place}"))
        states.append(kernel.begin(ir, rows[0]))
        blocks.append(rows[1])
        outs.append(rows[2])
    ir.lines += ["  br label %loop", "loop:", "  %b = phi i64 [ 0, %turn ], [ %b.next, %loop ]"]
    body = _Text("w")
    place = body.op("shl i64 %b, 6")
    running = []
    for k, row in enumerate(blocks):
        block = body.op(f"getelementptr i8, ptr {row}, i64 {place}")
        running.append(kernel.block(body, (f"%s{k}", f"%t{k}"), block))
    ends = _lockstep(running)
    for k, (first, end) in enumerate(zip(states, ends, strict=True)):
        for part, old, new in zip("st", first, end, strict=True):
            ir.lines.append(f"  %{part}{k} = phi {_V4} [ {old}, %turn ], [ {new}, %loop ]")
    ir.lines += [
        *body.lines,
        "  %b.next = add i64 %b, 1",
        "  %again = icmp slt i64 %b.next, %blocks",
        "  br i1 %again, label %loop, label %after",
        "after:",
    ]
    for end, out in zip(ends, outs, strict=True):
        kernel.end(ir, end, out)
    ir.lines += [f"  %i.next = add i64 %i, {kernel.lanes}", "  br label %head", "done:", "  ret void"]
    return "\n".join([f"define void @{name}({_ARGUMENTS}) #0 {{", *ir.lines, "}"])


#: Copies slices of a text behind the frames of padded messages: row j gets length[j] bytes of the text from
#: start[j] on at its byte `at`, the bit that closes a message, and zeros to its end.
LAY = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @lay(ptr %text, ptr %start, ptr %length, ptr %out, i64 %width, i64 %at, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %start.at = getelementptr i64, ptr %start, i64 %i
  %offset = load i64, ptr %start.at
  %length.at = getelementptr i64, ptr %length, i64 %i
  %size = load i64, ptr %length.at
  %from = getelementptr i8, ptr %text, i64 %offset
  %row = mul i64 %i, %width
  %place = add i64 %row, %at
  %to = getelementptr i8, ptr %out, i64 %place
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %size, i1 false)
  %end = getelementptr i8, ptr %to, i64 %size
  store i8 128, ptr %end
  %after = getelementptr i8, ptr %end, i64 1
  %used = add i64 %at, %size
  %free = sub i64 %width, %used
  %rest = sub i64 %free, 1
  call void @llvm.memset.p0.i64(ptr %after, i8 0, i64 %rest, i1 false)
  %i.next = add i64 %i, 1
  br label %head
done:
  ret void
}
"""


def module_text() -> str:
    """Return the LLVM IR of all kernels; a pure function of this file."""
    pair, three = f"({_V4}, {_V4})", f"({_V4}, {_V4}, {_V4})"
    signatures = dict.fromkeys(("sha256msg1", "sha256msg2", "sha1nexte", "sha1msg1", "sha1msg2"), pair)
    signatures |= {"sha256rnds2": three, "sha1rnds4": f"({_V4}, {_V4}, i8 immarg)"}
    declarations = [f"declare {_V4} @llvm.x86.{name}{kinds}" for name, kinds in signatures.items()]
    declarations.append(f"declare {_V16} @llvm.x86.ssse3.pshuf.b.128({_V16}, {_V16})")
    declarations.append("declare i64 @llvm.smin.i64(i64, i64)")
    features = ",".join(f"+{name}" for name in REQUIRED_FEATURES)
    attributes = f'attributes #0 = {{ nounwind "target-features"="{features}" }}'
    return "\n".join([*declarations, *map(_kernel_text, KERNELS), LAY, attributes, ""])
