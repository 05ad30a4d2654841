"""Strict fields of an action: objects, arrays and strings only, closed sets of keys, numbers as decimal text.

Each reader takes a value and its JSON path, and gives the value in the form the records hold: IDs as 16
bytes, digests as 32, numbers as int.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypeVar

from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.vocabulary import TEXT_BYTES
from tekrar.core.encoding import Json
from tekrar.core.identity import parse_uuid, uuid_text
from tekrar.errors import UsageError

_HEX: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_DECIMAL: Final = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
_T = TypeVar("_T")

Span = tuple[int, int]
Object = Mapping[str, Any]


def an_object(value: object, *, item: str, required: Iterable[str], optional: Collection[str] = ()) -> Object:
    """An object with exactly these keys; the optional ones may be absent."""
    keys = tuple(required)
    if not isinstance(value, dict):
        refuse("malformed", "this is no object", item=item, expected=f"an object with {', '.join(keys)}")
    for key in keys:
        if key not in value:
            refuse(
                "missing_key", f"{key} is not given", item=item, expected=f"an object with {', '.join(keys)}"
            )
    for key in value:
        if key not in keys and key not in optional:
            allowed = ", ".join((*keys, *optional))
            refuse("unknown_key", f"{key!r} is no key here", item=item, expected=allowed)
    return value


def a_list(value: object, read: Callable[[object, str], _T], *, item: str) -> tuple[_T, ...]:
    """A list, each element read with its own path."""
    if not isinstance(value, list):
        refuse("malformed", "this is no list", item=item, expected="a list")
    return tuple(read(one, f"{item}[{n}]") for n, one in enumerate(value))


def a_string(value: object, *, item: str) -> str:
    """Any string."""
    if not isinstance(value, str):
        kind = "float" if isinstance(value, float) else "malformed"
        said = json.dumps(value, ensure_ascii=False, default=repr)
        refuse(kind, f"{said[:80]} is no string", item=item, expected="a string; numbers are decimal strings")
    return value


def a_text(value: object, *, item: str, most: int = TEXT_BYTES) -> str:
    """Text of 1 to `most` UTF-8 bytes, as given."""
    text = a_string(value, item=item)
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        refuse("lone_surrogate", "the text holds half a character", item=item, expected="UTF-8")
    if not 1 <= size <= most or "\x00" in text:
        what = "it holds U+0000" if "\x00" in text else f"it has {size} bytes"
        refuse("bad_text", f"this text cannot stand here: {what}", item=item, expected=f"1 to {most} bytes")
    return text


def one_of(value: object, choices: Sequence[str], *, item: str, kind: str = "unknown_kind") -> str:
    """A name of a closed list."""
    name = a_string(value, item=item)
    if name not in choices:
        refuse(kind, f"{name!r} is not in the closed list", item=item, expected=", ".join(choices))
    return name


def matching(value: object, pattern: re.Pattern[str], *, item: str, expected: str) -> str:
    """A string of a given form."""
    text = a_string(value, item=item)
    if pattern.fullmatch(text) is None:
        refuse("malformed", f"{text[:80]!r} has another form", item=item, expected=expected)
    return text


def an_id(value: object, *, item: str, version: int) -> bytes:
    """16 bytes of a canonical UUID of one version; another version is another issuance channel (ID-01)."""
    text = a_string(value, item=item)
    try:
        found = parse_uuid(text, what=item)
    except UsageError as error:
        refuse("not_a_uuid", error.message, item=item, expected=error.expected, mend=error.mend)
    return of_version(found, version, item=item)


def of_version(found: bytes, version: int, *, item: str) -> bytes:
    """The ID itself, when it has this version."""
    if len(found) != 16 or found[6] >> 4 != version or found[8] >> 6 != 2:
        refuse(
            "tag_mismatch",
            f"{uuid_text(found) if len(found) == 16 else found!r} is of another kind of record",
            item=item,
            expected=f"a UUIDv{version}",
        )
    return found


def a_digest(value: object, *, item: str) -> bytes:
    """32 bytes of lower-case hex."""
    return bytes.fromhex(matching(value, _HEX, item=item, expected="64 lower-case hexadecimal digits"))


def a_number(value: object, *, item: str) -> int:
    """A decimal string without leading zeros, less than 2^63."""
    found = int(matching(value, _DECIMAL, item=item, expected='a decimal string such as "120"'))
    if found >= 1 << 63:
        refuse("bad_number", "the number does not fit 63 bits", item=item, expected="less than 2^63")
    return found


def a_span(value: object, *, item: str) -> Span:
    """`["start", "end"]`, half-open and not empty."""
    ends = a_list(value, lambda one, place: a_number(one, item=place), item=item)
    if len(ends) != 2 or ends[0] >= ends[1]:
        refuse("bad_extent", f"{value!r} is no extent", item=item, expected='["start", "end"], start < end')
    return ends[0], ends[1]


def span_json(span: Span) -> Json:
    """The span as it stands in an action."""
    return [str(span[0]), str(span[1])]


def id_list(ids: Iterable[bytes]) -> Json:
    """IDs as a list of texts, in their order."""
    return [uuid_text(one) for one in ids]


def ascending(keys: Sequence[Any], *, item: str, kind: str = "duplicate_item") -> None:
    """Refuse keys that do not strictly ascend: one twice, or another order than the canonical one."""
    for before, after in pairwise(keys):
        if before == after:
            refuse(kind, "the same item stands twice", item=item, expected="each once")
        if before > after:
            refuse("not_canonical", "the items do not ascend", item=item, expected="the canonical order")
