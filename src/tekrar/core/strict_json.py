"""JSON as the contracts take it: UTF-8, no duplicate key, no float or NaN, integers of 64 bits.

Python's own parser keeps the last of two equal keys and takes NaN; evidence with two readings is no evidence
(threat T3).
"""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any, Final

#: Deeper nesting than any format of ours has. Checked before parsing: how deep Python's own parser goes hangs
#: on its version.
MAX_DEPTH: Final = 64

_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKET: Final = bytes(set(range(256)) - set(b"[]{}"))
_STEP: Final = tuple({91: 1, 123: 1, 93: -1, 125: -1}.get(byte, 0) for byte in range(256))
_DEPTH_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


class JsonFlaw(ValueError):
    """What is wrong with a JSON text.

    Attributes:
        message: one sentence.
        path: JSON path such as `$.corpus.books[0].id`, or "" where there is none.
        byte: byte offset in the text, or None.
        kind: machine-readable name: duplicate_key, float, bad_number, lone_surrogate, too_deep, not_utf8,
            bom, malformed.
    """

    def __init__(self, message: str, *, kind: str, path: str = "", byte: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.path = path
        self.byte = byte

    @property
    def place(self) -> str:
        """The path or the byte, as words."""
        return self.path or ("" if self.byte is None else f"byte {self.byte}")


class _Flawed:
    """Stands in the parsed tree where a value was refused, until the walk finds its path."""

    def __init__(self, message: str, kind: str) -> None:
        self.message = message
        self.kind = kind


def parse(data: bytes) -> Any:
    """The value of a JSON text; objects keep the text's key order.

    Raises:
        JsonFlaw: the text is malformed or breaks a rule of this module.
    """
    text = _decode(data)
    if (byte := too_deep(data)) is not None:
        raise JsonFlaw(f"nested deeper than {MAX_DEPTH} levels", kind="too_deep", byte=byte)
    flaws: list[_Flawed] = []

    def flawed(message: str, kind: str) -> _Flawed:
        flaws.append(_Flawed(message, kind))
        return flaws[-1]

    def members(pairs: list[tuple[str, Any]]) -> Any:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                found[key] = flawed(f"the key {key[:80]!r} stands twice in one object", "duplicate_key")
            seen.add(key)
        return found

    def integer(digits: str) -> Any:
        if len(digits) > 19 or not -(1 << 63) <= int(digits) < 1 << 63:
            return flawed("the number does not fit 64 bits", "bad_number")
        return int(digits)

    try:
        value = json.loads(
            text,
            object_pairs_hook=members,
            parse_int=integer,
            parse_float=lambda digits: flawed(f"{digits[:40]} is no integer", "float"),
            parse_constant=lambda name: flawed(f"{name} is no JSON value", "float"),
        )
    except json.JSONDecodeError as error:
        byte = len(text[: error.pos].encode("utf-8", "surrogatepass"))
        raise JsonFlaw(
            f"{error.msg} (line {error.lineno}, column {error.colno})", kind="malformed", byte=byte
        ) from None
    if flaws:
        first = _find(value, set(map(id, flaws)))
        if first is not None:
            flaw, path = first
            raise JsonFlaw(flaw.message, kind=flaw.kind, path=path)
        raise JsonFlaw(flaws[0].message, kind=flaws[0].kind, path="$")
    return value


def encoded(text: str, *, path: str) -> bytes:
    """UTF-8 bytes of a parsed string.

    Raises:
        JsonFlaw: a lone surrogate escape.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise JsonFlaw(
            f"lone surrogate U+{ord(text[error.start]):04X} at character {error.start} of the string",
            kind="lone_surrogate",
            path=path,
        ) from None


def _decode(data: bytes) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        raise JsonFlaw("a byte order mark before the JSON text", kind="bom", byte=0)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonFlaw(f"byte is not UTF-8 ({error.reason})", kind="not_utf8", byte=error.start) from None


def too_deep(data: bytes) -> int | None:
    """Byte of the first bracket that nests deeper than `MAX_DEPTH`; None where none does."""
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return None
    brackets = _STRING.sub(b"", data).translate(None, _NO_BRACKET)
    if max(accumulate(map(_STEP.__getitem__, brackets)), default=0) <= MAX_DEPTH:
        return None
    depth = 0
    for token in _DEPTH_TOKEN.finditer(data):
        first = token.group()[:1]
        if first in (b"[", b"{"):
            depth += 1
            if depth > MAX_DEPTH:
                return token.start()
        elif first in (b"]", b"}"):
            depth -= 1
    return None


def _find(root: Any, wanted: set[int]) -> tuple[_Flawed, str] | None:
    """The first flawed value in text order, with its path; the walk keeps its own stack."""
    stack: list[tuple[Any, str]] = [(root, "$")]
    while stack:
        value, path = stack.pop()
        if id(value) in wanted:
            return value, path
        if isinstance(value, dict):
            stack.extend((item, f"{path}.{key}") for key, item in reversed(value.items()))
        elif isinstance(value, list):
            stack.extend((item, f"{path}[{i}]") for i, item in reversed(list(enumerate(value))))
    return None
