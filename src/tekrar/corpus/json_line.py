"""Strict JSON lines: one object a line, and nothing of it guessed, repaired or lost (contract C9).

Serves ADR-009 *Annotation boundary*: what is imported is exactly what the source says. Python's reader is
lenient (duplicate keys, NaN, lone surrogates, other encodings); each of these is an error here, with the file
and the line.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NoReturn

from tekrar.core.strict_json import MAX_DEPTH, too_deep
from tekrar.errors import SourceError

BOM: Final = b"\xef\xbb\xbf"
#: Digits of a number at most: what Python reads and writes under every setting of its own limit.
MAX_DIGITS: Final = 640
_SHOWN: Final = 60
_BLANK: Final = re.compile(rb"[ \t\r\n]*")


class _Refused(ValueError):
    """A value that JSON readers let pass and this one does not."""

    def __init__(self, message: str, expected: str, kind: str) -> None:
        super().__init__(message)
        self.expected = expected
        self.kind = kind


def read_objects(name: str, data: bytes) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Every object of a JSON lines file: line number from 1, offset behind its line, object.

    An all-blank line is skipped.

    Args:
        name: the file's name, for errors.
        data: its bytes, decompressed.

    Raises:
        SourceError: a BOM, invalid UTF-8 (byte named), a line that is no JSON object, a duplicate key,
            a lone surrogate escape, NaN or Infinity, a number of more than `MAX_DIGITS` characters, a
            nesting deeper than `MAX_DEPTH`.
    """
    if data.startswith(BOM):
        raise SourceError(
            "the file starts with a byte order mark",
            where=f"{name}:1",
            expected="JSON lines in UTF-8 without a BOM (RFC 8259)",
            mend="remove the first three bytes, EF BB BF",
            kind="byte_order_mark",
        )
    start = number = 0
    while start < len(data):
        # Blank lines are passed over all at once: a small gzip may unpack to many millions of them.
        if blank := _BLANK.match(data, start):
            held = data.rfind(b"\n", start, blank.end()) + 1 or start
            number += data.count(b"\n", start, held)
            start = held
            if blank.end() == len(data):
                return
        number += 1
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start:end]
        yield number, min(end + 1, len(data)), _object(line, name=name, number=number, offset=start)
        start = end + 1


def canonical(value: dict[str, Any]) -> str | None:
    """Source metadata as canonical text (sorted keys, no spaces, no needless escapes); None for none."""
    return _ENCODER.encode(value) if value else None


def _object(line: bytes, *, name: str, number: int, offset: int) -> dict[str, Any]:
    where = f"{name}:{number}"
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        at = offset + error.start
        raise SourceError(
            f"byte {at} of the file is not UTF-8 ({error.reason})",
            where=f"{where}, byte {at}",
            expected="UTF-8",
            mend="convert the file to UTF-8",
            kind="invalid_utf8",
        ) from None
    try:
        if (deep := too_deep(line)) is not None:
            raise _Refused(
                f"nested deeper than {MAX_DEPTH} levels at byte {deep + 1} of the line",
                f"at most {MAX_DEPTH} levels",
                "too_deep",
            )
        value = _DECODER.decode(text)
        if "\\u" in text:
            _ENCODER.encode(value).encode("utf-8")
    except json.JSONDecodeError as error:
        raise SourceError(
            f"broken JSON at character {error.pos + 1} of the line: {error.msg}",
            where=where,
            expected="one JSON object on one line",
            mend=f"correct the line that starts {_shown(text)}",
            kind="broken_json",
        ) from None
    except _Refused as error:
        raise SourceError(
            str(error), where=where, expected=error.expected, mend="correct the line", kind=error.kind
        ) from None
    except UnicodeEncodeError as error:
        raise SourceError(
            f"the escape \\u{ord(error.object[error.start]):04x} is half of a surrogate pair",
            where=where,
            expected="Unicode scalar values; a character above U+FFFF as a pair of escapes or as itself",
            mend="write the character itself in UTF-8",
            kind="lone_surrogate",
        ) from None
    if not isinstance(value, dict):
        raise SourceError(
            f"the line holds {type_name(value)}",
            where=where,
            expected="one JSON object on one line",
            mend=f"correct the line that starts {_shown(text)}",
            kind="not_an_object",
        )
    return value


def type_name(value: object) -> str:
    """What JSON calls the type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {str: "a string", int: "a whole number", float: "a fraction", list: "an array", dict: "an object"}
    return names.get(type(value), "another value")


def _shown(text: str) -> str:
    return ascii(text[:_SHOWN]) + (" …" if len(text) > _SHOWN else "")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        double = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Refused(f"the key {double!a} stands twice in one object", "each key once", "duplicate_key")
    return value


def _constant(text: str) -> NoReturn:
    raise _Refused(f"{text} is no JSON number", "a finite number", "broken_json")


def _checked(text: str) -> str:
    if len(text) > MAX_DIGITS:
        raise _Refused(
            f"a number of {len(text)} characters",
            f"numbers of at most {MAX_DIGITS} characters",
            "long_number",
        )
    return text


def _integer(text: str) -> int:
    return int(_checked(text))


def _float(text: str) -> float | str:
    """A fraction, or its text where a double would change its value: source metadata keeps every digit."""
    _checked(text)
    value = float(text)
    try:
        return value if math.isfinite(value) and Decimal(repr(value)) == Decimal(text) else text
    except InvalidOperation:  # an exponent beyond all bounds
        return text


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float, parse_int=_integer
)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
