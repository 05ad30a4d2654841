"""Source files as bytes: read once, bounded, unpacked, their digest taken (contracts C4, C9; threat T11).

Nothing here interprets a byte of text. A file is refused that changes while it is read, that unpacks beyond
measure, or that has a line no text has; the limits are arguments so that a test can reach them.
"""

from __future__ import annotations

import hashlib
import os
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from tekrar.errors import SourceError
from tekrar.package.storage import reading

_GZIP_MAGIC: Final = b"\x1f\x8b"
_BLOCK: Final = 1 << 20
#: Stored bytes up to which a file is read a second time and compared; beyond it its times must do.
_TWICE: Final = 256 << 20


@dataclass(frozen=True)
class Limits:
    """What is read at most.

    Attributes:
        total_bytes: bytes of one unpacked file.
        line_bytes: bytes of one line; at least the 1 MiB that are read at once.
        ratio: unpacked bytes for each stored byte, once more than `ratio_floor` bytes came out.
        ratio_floor: bytes.
    """

    total_bytes: int = 4 << 30
    line_bytes: int = 64 << 20
    ratio: int = 200
    ratio_floor: int = 64 << 20


@dataclass(frozen=True)
class SourceText:
    """One source file.

    Attributes:
        name: file name without a folder.
        data: its bytes, unpacked where it was stored as gzip.
        sha256: SHA-256 (hex) of the bytes as stored.
        stored_bytes: how many were stored.
    """

    name: str
    data: bytes
    sha256: str
    stored_bytes: int


def read_source(path: Path, *, limits: Limits | None = None) -> SourceText:
    """Read one source file; gzip is told by its first bytes, not by its name.

    Raises:
        NotFoundError: nothing at the path.
        StorageError: it cannot be read.
        SourceError: it is no regular file, has a name that is not UTF-8, changed while it was read, is
            damaged gzip, unpacks beyond the limits, or holds a line beyond them.
    """
    limits = limits or Limits()
    shown = str(path)
    with reading(path):
        handle = os.open(os.path.realpath(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb", buffering=0) as file:
            before = os.fstat(handle)
            if not stat.S_ISREG(before.st_mode):
                raise SourceError(
                    "this is no regular file",
                    where=shown,
                    expected="a file; pipes and devices cannot be read twice alike",
                    mend="save the text as a file first",
                    kind="not_a_file",
                )
            stored = _Stored(file)
            data = _Bounded(limits, shown=shown).collect(_unpacked(stored, shown=shown), stored)
            same = stored.size > _TWICE or stored.again()
            after = os.fstat(handle)
    if stored.size != after.st_size or _state(before) != _state(after) or not same:
        raise SourceError(
            "the file changed while it was read",
            where=shown,
            expected=f"{before.st_size} bytes, unchanged; read {stored.size}",
            mend="wait until whatever writes it has finished, then import again",
            kind="source_changed",
        )
    return SourceText(source_name(path), data, stored.state.hexdigest(), stored.size)


def _state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns


def source_name(path: Path) -> str:
    """The file's name for the provenance.

    Raises:
        SourceError: it is not UTF-8.
    """
    try:
        return os.fsencode(path.name).decode("utf-8")
    except UnicodeDecodeError:
        raise SourceError(
            "the file's name is not UTF-8",
            where=ascii(path.name),
            mend="rename the file",
            kind="bad_file_name",
        ) from None


def require_utf8(data: bytes, *, where: str) -> str:
    """The text of UTF-8 bytes.

    Raises:
        SourceError: names the first byte that is not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"byte {error.start} (line {line}) is not UTF-8 ({error.reason})",
            where=where,
            expected="UTF-8",
            mend="convert the file to UTF-8; nothing is guessed or replaced",
            kind="invalid_utf8",
        ) from None


class _Stored:
    """The stored bytes on their way: counted and hashed."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.state = hashlib.sha256()
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        while block := self._file.read(_BLOCK):
            self.state.update(block)
            self.size += len(block)
            yield block

    def again(self) -> bool:
        """Whether a second reading from the start finds the same bytes.

        A long write sets the file's times when it begins: one that began before the first look at them
        leaves no other trace.
        """
        self._file.seek(0)
        state = hashlib.sha256()
        while block := self._file.read(_BLOCK):
            state.update(block)
        return state.digest() == self.state.digest()


def _unpacked(stored: _Stored, *, shown: str) -> Iterator[bytes]:
    """The unpacked bytes in blocks of at most 1 MiB; bytes that are no gzip pass as they are."""
    blocks = iter(stored)
    first = next(blocks, b"")
    if not first.startswith(_GZIP_MAGIC):
        yield first
        yield from blocks
        return
    rest = first
    while rest:  # one gzip member a turn; files of several members are legal
        unpack = zlib.decompressobj(wbits=31)
        while not unpack.eof:
            rest = rest or next(blocks, b"")
            if not rest:
                raise _damaged("the gzip file ends before its end", shown=shown)
            try:
                out = unpack.decompress(rest, _BLOCK)
            except zlib.error as error:
                raise _damaged(f"damaged gzip: {error}", shown=shown) from None
            rest = unpack.unconsumed_tail
            yield out
        rest = unpack.unused_data.lstrip(b"\x00")
        while not rest and (block := next(blocks, b"")):
            rest = block.lstrip(b"\x00")  # zero padding after a member, as gzip itself takes it


def _damaged(message: str, *, shown: str) -> SourceError:
    return SourceError(message, where=shown, mend="pack the file anew", kind="bad_gzip")


class _Bounded:
    """Collects blocks and refuses what passes the limits, before it fills the memory."""

    def __init__(self, limits: Limits, *, shown: str) -> None:
        self._limits = limits
        self._shown = shown
        self._out: list[bytes] = []
        self._size = 0
        self._line = 1
        self._line_start = 0

    def collect(self, blocks: Iterator[bytes], stored: _Stored) -> bytes:
        for block in blocks:
            self._lines(block)
            self._size += len(block)
            self._out.append(block)
            if self._size > self._limits.total_bytes:
                message = f"more than {self._limits.total_bytes} bytes"
                raise self._refuse(message, "a smaller file", "split the source into books")
            if self._size > max(self._limits.ratio_floor, self._limits.ratio * stored.size):
                raise self._refuse(
                    f"gzip grew from {stored.size} to more than {self._size} bytes",
                    f"at most {self._limits.ratio} bytes for each stored byte",
                    "unpack the file yourself if you trust it, then import that",
                )
        return b"".join(self._out)

    def _lines(self, block: bytes) -> None:
        """Refuse the line that a block continues or opens; a line inside one block is short enough."""
        first, last = block.find(b"\n"), block.rfind(b"\n")
        if self._size + (len(block) if first < 0 else first) - self._line_start > self._limits.line_bytes:
            raise SourceError(
                f"a line of more than {self._limits.line_bytes} bytes",
                where=f"{self._shown}:{self._line}",
                expected=f"lines of at most {self._limits.line_bytes} bytes",
                mend="break the file into lines: one record a line, or JSON with line breaks",
                kind="line_too_long",
            )
        if last >= 0:
            self._line += block.count(b"\n")
            self._line_start = self._size + last + 1

    def _refuse(self, message: str, expected: str, mend: str) -> SourceError:
        where = f"{self._shown}:{self._line}"  # the line in which the reading stopped
        return SourceError(message, where=where, expected=expected, mend=mend, kind="source_too_large")
