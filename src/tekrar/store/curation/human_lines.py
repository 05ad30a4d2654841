"""Proposals as people write them: JSON lines with closed keys, one proposal a line (docs/curation.md).

A reference is an ID, an address, or a side of a candidate. Numbers may be numbers here; in the action that is
made they are decimal strings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from tekrar.core.curation import fields
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.vocabulary import OPERATIONS, SUPERSESSIONS
from tekrar.core.strict_json import JsonFlaw, parse
from tekrar.errors import TekrarError, UsageError

#: Bytes of a line, and of a file of proposals.
MOST_LINE: Final = 8 << 20
MOST_FILE: Final = 64 << 20

_FAMILY: Final = (("kind", "members"), ("allow_dominated",))
_QUOTATION: Final = (("kind", "source", "quoting", "attribution"), ("mapping", "diff"))
_COMMON: Final = (
    "release", "profile", "draft", "revises", "candidates", "evidence", "policy_of_review",
)  # fmt: skip
#: Operation -> (keys that must be there, keys that may).
KEYS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "accept_family": _FAMILY,
    "accept_quotation": _QUOTATION,
    "choose_canonical": (("structure", "member", "policy"), ("supersedes", "allow_dominated")),
    "compensate_choice": (("choice", "reason"), ()),
    "override_false_positive": (("candidate",), ()),
    **{
        one: (("predecessors", "successors", "reason"), ("mapping", "residue"))
        for one in SUPERSESSIONS
        if one != "retire"
    },
    "retire": (("predecessors", "reason"), ()),
}
#: How a part of an occurrence is named: bytes of the release, its text, or numbers of its words.
PARTS: Final = ("ranges", "text", "words")
#: How the occurrence itself is named beside them.
WHOLES: Final = ("at", "occurrence")
Object = dict[str, Any]


@dataclass(frozen=True)
class HumanLine:
    """One line: its number from 1, the operation, and what it says."""

    number: int
    operation: str
    said: Object


def read_lines(data: bytes, *, name: str) -> list[HumanLine]:
    """All lines, or the first that is wrong.

    Args:
        data: of the file.
        name: of the file, for messages.

    Raises:
        TekrarError: with `FILE:LINE` in `where`: no JSON, a key twice, a float, an unknown key or operation.
    """
    if len(data) > MOST_FILE:
        raise UsageError(
            f"{len(data)} bytes of proposals",
            where=name,
            expected=f"at most {MOST_FILE}",
            mend="propose in several files",
            kind="too_large",
        )
    lines = []
    for number, raw in enumerate(data.split(b"\n"), 1):
        if raw.strip(b" \t\r"):
            with placed(name, number):
                lines.append(_read(raw, number))
    if not lines:
        raise UsageError(
            "there is no proposal", where=name, expected="one JSON object a line", kind="no_proposal"
        )
    return lines


@contextmanager
def placed(name: str, number: int) -> Iterator[None]:
    """Name file and line before the place of whatever is refused."""
    try:
        yield
    except TekrarError as error:
        error.where = f"{name}:{number}" + (f" {error.where}" if error.where else "")
        raise


def family_of(value: object, item: str) -> Object:
    """The object of a family that comes in a supersession."""
    return dict(fields.an_object(value, item=item, required=_FAMILY[0], optional=_FAMILY[1]))


def quotation_of(value: object, item: str) -> Object:
    """The object of a quotation that comes in a supersession."""
    return dict(fields.an_object(value, item=item, required=_QUOTATION[0], optional=_QUOTATION[1]))


def is_allowed(held: Object, item: str) -> bool:
    """`allow_dominated`: true or "yes"."""
    value = held.get("allow_dominated", False)
    if value in (True, "yes"):
        return True
    if value is not False:
        refuse("malformed", f"{value!r} allows nothing", item=f"{item}.allow_dominated", expected="true")
    return False


def part_of(value: Object, item: str) -> tuple[object, Object]:
    """The reference of an end of a quotation, `at` or `occurrence` or a side of a candidate, and the part of
    it that is meant.

    Raises:
        CurationRefusal: the part is named in two ways.
    """
    part: Object = {key: value[key] for key in PARTS if key in value}
    rest = {key: one for key, one in value.items() if key not in PARTS}
    if len(part) > 1:
        refuse("unknown_key", f"{' and '.join(part)} name one part", item=item, expected=" or ".join(PARTS))
    for key in WHOLES:
        if key in rest:
            return fields.an_object(rest, item=item, required=(key,))[key], part
    return rest, part


def spans_of(value: object, item: str) -> tuple[fields.Span, ...]:
    """`[[start, end], …]` in bytes of the release, as numbers or decimal strings."""
    return fields.a_list(value, span_of, item=item)


def span_of(value: object, item: str) -> fields.Span:
    """`[start, end]`."""
    texts = [str(one) if type(one) is int else one for one in value] if isinstance(value, list) else value
    return fields.a_span(texts, item=item)


def _read(raw: bytes, number: int) -> HumanLine:
    if len(raw) > MOST_LINE:
        refuse("too_large", f"the line has {len(raw)} bytes", item="", expected=f"at most {MOST_LINE}")
    try:
        said = parse(raw.strip(b" \t\r"))
    except JsonFlaw as flaw:
        refuse(flaw.kind, flaw.message, item=flaw.place, expected="one JSON object, each key once, no float")
    if not isinstance(said, dict):
        refuse("malformed", "a proposal is an object", item="$", expected='{"operation": …}')
    if "operation" not in said:
        refuse(
            "missing_key", "operation is not given", item="$", expected=f"operation: {', '.join(OPERATIONS)}"
        )
    operation = fields.one_of(said["operation"], OPERATIONS, item="$.operation", kind="unknown_operation")
    required, optional = KEYS[operation]
    held = fields.an_object(
        said, item="$", required=("operation", "rationale", *required), optional=(*_COMMON, *optional)
    )
    return HumanLine(number, operation, dict(held))
