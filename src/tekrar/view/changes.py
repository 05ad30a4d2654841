"""A diff for reading: its operations with their text, the kinds of change, counts of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tekrar.core.diff import PassageDiff, Units
from tekrar.core.diff.script import EQUAL, MOVE, NAMES
from tekrar.core.diff.units import WORD
from tekrar.view.change_kind import WORDS, form_of, invisible_names, kinds_between

_ORDER: Final = (WORDS, "moved")


@dataclass(frozen=True)
class Change:
    """One operation with the text it points at, cut from the release now and stored nowhere.

    Attributes:
        number: position in the script, from 1.
        op: name of the operation.
        left, right: byte ranges of either side's release.
        before, after: the texts of the ranges; "" for an empty one.
        kinds: kinds of change; () for equal and moved text.
        words: words on the left and on the right.
    """

    number: int
    op: str
    left: tuple[int, int]
    right: tuple[int, int]
    before: str
    after: str
    kinds: tuple[str, ...]
    words: tuple[int, int]

    @property
    def notes(self) -> list[str]:
        """What the eye cannot see in the change: invisible characters by name, and normal forms."""
        found = []
        for side, text in (("left", self.before), ("right", self.after)):
            found += [f"{side} holds {name}" for name in invisible_names(text)]
        if "normalisation" in self.kinds:
            forms = form_of(self.before) or "neither", form_of(self.after) or "neither"
            found.append(f"left is in {forms[0]}, right in {forms[1]}")
        return found


def changes_of(diff: PassageDiff) -> list[Change]:
    """Every operation of a diff, in its order."""
    return list(_changes(diff))


def _changes(diff: PassageDiff) -> Iterator[Change]:
    left, right = diff.left.units, diff.right.units
    for number, (code, a, b, c, d) in enumerate(diff.script.operations, 1):
        before, after = left.bytes_of(a, b).decode("utf-8"), right.bytes_of(c, d).decode("utf-8")
        kinds = () if code in (EQUAL, MOVE) else kinds_between(before, after)
        words = _words(left, a, b), _words(right, c, d)
        yield Change(number, NAMES[code], (a, b), (c, d), before, after, kinds, words)


def _words(units: Units, start: int, end: int) -> int:
    return units.kind[units.at(start) : units.at(end)].count(WORD)


def summary_of(changes: Sequence[Change]) -> dict[str, Any]:
    """Counts and kinds in words; for people, and in no record that is checked."""
    operations: dict[str, int] = {}
    kinds: set[str] = set()
    for change in changes:
        operations[change.op] = operations.get(change.op, 0) + 1
        kinds.update(change.kinds)
        if change.op == "move":
            kinds.add("moved")
    words = {
        "equal": sum(c.words[0] for c in changes if c.op == "equal"),
        "moved": sum(c.words[0] for c in changes if c.op == "move"),
        "left_only": sum(c.words[0] for c in changes if c.op not in ("equal", "move")),
        "right_only": sum(c.words[1] for c in changes if c.op not in ("equal", "move")),
    }
    masked = any(change.op in ("equal", "move") and change.before != change.after for change in changes)
    ordered = [k for k in _ORDER if k in kinds] + sorted(kinds.difference(_ORDER))
    return {"operations": operations, "words": words, "kinds": ordered, "said": _said(ordered, masked=masked)}


def _said(kinds: Sequence[str], *, masked: bool) -> str:
    """In words; `masked`: bytes differ under masks of one kind, which equal each other."""
    if not kinds and masked:
        return "the same under this profile: bytes differ only in what it masks"
    if not kinds:
        return "the two passages are the same, byte for byte"
    others = ["order" if kind == "moved" else kind for kind in kinds if kind != WORDS]
    if len(others) == len(kinds):
        return f"differs only in {_listed(others)}"
    return "differs in words" + (f"; elsewhere in {_listed(others)}" if others else "")


def _listed(kinds: Sequence[str]) -> str:
    return " and ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)
