"""What appeared, went and changed between the classes of two artifacts, and what became of a class that went.

Classes are matched inside a profile by their class witness, which holds neither profile nor release (a
crosswalk: it matches, it makes no identity and no member). Where both artifacts stand on one text the
rows are the same places, so the state of every row is compared too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.view.classes import class_record
from tekrar.view.profile import PUBLISHED, ProfileView
from tekrar.view.status import STATUS_OF_PART

Ints = NDArray[np.int64]
PARTS: Final = tuple(STATUS_OF_PART)
_NOWHERE: Final = len(PARTS)


@dataclass(frozen=True)
class States:
    """Part and class of every row of one profile: `part` an index of `PARTS`, `number` -1 outside matched."""

    part: NDArray[np.uint8]
    number: NDArray[np.int32]


def states(view: ProfileView) -> States:
    """The state of every row; a row in no part keeps none and is no part's."""
    part = np.full(view.rows, _NOWHERE, np.uint8)
    for index, name in enumerate(PARTS):
        rows = view.profile.table(name)["row"]
        if len(rows) and (int(rows.min()) < 0 or int(rows.max()) >= view.rows):
            raise view.broken(f"part {name} has a row outside the universe", expected=f"0 to {view.rows - 1}")
        part[rows] = index
    number = np.full(view.rows, -1, np.int32)
    number[view.profile.matched["row"]] = view.profile.matched["class"]
    return States(part, number)


@dataclass
class ProfileDifference:
    """Changes of one profile from A to B.

    Attributes:
        a, b: the profiles.
        same_places: rows mean the same places in both.
        changes: one record a class that appeared, went or changed, in document order of A, then of B.
        transitions: rows by (part in A, part in B) where the part differs; only with `same_places`.
        unchanged: classes with equal members, presentation and dominator.
    """

    a: ProfileView
    b: ProfileView
    same_places: bool
    changes: list[dict[str, Any]] = field(default_factory=list)
    transitions: dict[tuple[str, str], int] = field(default_factory=dict)
    unchanged: int = 0

    def counts(self) -> dict[str, int]:
        """Classes by kind of change."""
        found = {"unchanged": self.unchanged}
        for change in self.changes:
            found[change["change"]] = found.get(change["change"], 0) + 1
        return found

    def as_record(self) -> dict[str, Any]:
        """Counts of classes and of rows that went to another part."""
        return {
            "profile": self.a.short,
            "classes_a": self.a.count,
            "classes_b": self.b.count,
            "changes": self.counts(),
            "rows": None
            if not self.same_places
            else [{"from": a, "to": b, "rows": n} for (a, b), n in sorted(self.transitions.items())],
        }


def compare(a: ProfileView, b: ProfileView, *, same_places: bool) -> ProfileDifference:
    """Compare the classes, and with equal geometry the rows, of one profile in two artifacts."""
    result = ProfileDifference(a, b, same_places)
    where_a = {key: number for number, key in enumerate(_witnesses(a))}
    where_b = {key: number for number, key in enumerate(_witnesses(b))}
    moved: tuple[States, States] | None = None
    recast: set[int] = set()
    if same_places and a.rows == b.rows:
        moved = states(a), states(b)
        result.transitions = _transitions(*moved)
    for key, number in where_a.items():
        other = where_b.get(key)
        if other is None:
            twin = None if moved is None else _twin(result, number, moved[1])
            if twin is not None:
                recast.add(twin)
                why = ["the same members compare by other bytes: masks or treatments differ"]
                result.changes.append(_changed(result, number, twin, why) | {"change": "recast"})
                continue
            fate = None if moved is None else _fate(a.profile.class_members(number), moved[1])
            result.changes.append(_gone(a, number, fate))
            continue
        details = list(_details(result, number, other))
        if details:
            result.changes.append(_changed(result, number, other, details))
        else:
            result.unchanged += 1
    for key, number in where_b.items():
        if key not in where_a and number not in recast:
            origin = None if moved is None else _fate(b.profile.class_members(number), moved[0])
            result.changes.append(_appeared(b, number, origin))
    return result


def _witnesses(view: ProfileView) -> Iterator[bytes]:
    data = view.classes["witness"].tobytes()
    return (data[at : at + 32] for at in range(0, len(data), 32))


def _transitions(a: States, b: States) -> dict[tuple[str, str], int]:
    names = (*PARTS, "in no part")
    code = a.part.astype(np.int64) * len(names) + b.part
    counts = np.bincount(code[a.part != b.part], minlength=len(names) ** 2)
    return {
        (names[at // len(names)], names[at % len(names)]): int(counts[at])
        for at in np.flatnonzero(counts).tolist()
    }


def _fate(rows: Ints, other: States) -> dict[str, int]:
    """How the rows of a class stand in the other artifact: rows by part, and in how many classes."""
    names = (*PARTS, "in no part")
    part = other.part[rows]
    found = {name: int((part == index).sum()) for index, name in enumerate(names) if (part == index).any()}
    if "matched" in found:
        found["classes"] = len(np.unique(other.number[rows[part == 0]]))
    return found


def _twin(result: ProfileDifference, number: int, other: States) -> int | None:
    """The class of B that has exactly the members of a class of A, if there is one."""
    rows = result.a.profile.class_members(number)
    twin = int(other.number[rows[0]])
    return twin if twin >= 0 and np.array_equal(result.b.profile.class_members(twin), rows) else None


def _told(fate: dict[str, int] | None, *, side: str) -> str:
    """A fate in words."""
    if fate is None:
        return (
            f"in {side} no class holds this passage: it is not there, stands there once, or is not compared"
        )
    parts = [f"{count} {name.replace('-', ' ')}" for name, count in fate.items() if name != "classes"]
    split = f" in {fate['classes']} class{'es' if fate['classes'] > 1 else ''}" if "classes" in fate else ""
    return f"in {side} its members are: {', '.join(parts)}{split}"


def _gone(view: ProfileView, number: int, fate: dict[str, int] | None) -> dict[str, Any]:
    kind = "split" if fate and fate.get("classes", 0) > 1 else "gone"
    return _change(kind, view.short, a=class_facts(view, number), rows=fate, why=_told(fate, side="B"))


def _appeared(view: ProfileView, number: int, origin: dict[str, int] | None) -> dict[str, Any]:
    kind = "joined" if origin and origin.get("classes", 0) > 1 else "appeared"
    return _change(kind, view.short, b=class_facts(view, number), rows=origin, why=_told(origin, side="A"))


def _changed(result: ProfileDifference, number: int, other: int, details: list[str]) -> dict[str, Any]:
    size_a, size_b = int(result.a.classes["size"][number]), int(result.b.classes["size"][other])
    kind = "grown" if size_b > size_a else "shrunk" if size_b < size_a else "changed"
    return _change(
        kind,
        result.a.short,
        a=class_facts(result.a, number),
        b=class_facts(result.b, other),
        why="; ".join(details),
    )


def _change(
    kind: str,
    profile: str,
    *,
    why: str,
    a: dict[str, Any] | None = None,
    b: dict[str, Any] | None = None,
    rows: dict[str, int] | None = None,
) -> dict[str, Any]:
    return {"change": kind, "profile": profile, "a": a, "b": b, "rows": rows, "why": why}


def class_facts(view: ProfileView, number: int) -> dict[str, Any]:
    """A class without its members: its C10 facts, its witness and the byte range of its first member."""
    start, end = view.extents(view.first_member[number : number + 1])
    return {
        **class_record(view, number),
        "witness": view.classes["witness"][number].tobytes().hex(),
        "start": int(start[0]),
        "end": int(end[0]),
    }


def _details(result: ProfileDifference, number: int, other: int) -> Iterator[str]:
    a, b = result.a, result.b
    size_a, size_b = int(a.classes["size"][number]), int(b.classes["size"][other])
    if size_a != size_b:
        yield f"{size_a} members in A, {size_b} in B"
    elif result.same_places and not np.array_equal(
        a.profile.class_members(number), b.profile.class_members(other)
    ):
        yield "as many members at other places"
    shown = a.presentation(number), b.presentation(other)
    if shown[0] is not shown[1]:
        yield f"{shown[0]} in A, {shown[1]} in B"
    elif _winner(a, number) != _winner(b, other):
        yield "dominated by another class"


def _winner(view: ProfileView, number: int) -> tuple[bytes, int, int] | None:
    """Witness and strict extension of the dominator: comparable between releases, as IDs are not."""
    winner = int(view.classes["winner"][number])
    if winner == PUBLISHED:
        return None
    witness = view.classes["witness"][winner].tobytes()
    return witness, int(view.classes["left"][number]), int(view.classes["right"][number])
