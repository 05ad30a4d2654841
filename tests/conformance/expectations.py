"""What a fixture states of one profile, asserted against what its artifact says.

Only the keys present are asserted, each exactly; class lists are sets of sets. `KEYS` is the vocabulary.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from tests.conformance.observed import Observed, ObservedClass, counts


@dataclass(frozen=True)
class Difference:
    """One statement that does not hold: where (round and profile), key, expected, found."""

    where: str
    key: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        expected, found = _shown(self.expected), _shown(self.found)
        return f"  {self.where}: {self.key}\n    expected: {expected}\n    found:    {found}"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=sorted)


class Malformed(Exception):
    """The value of a key is of no form that this runner knows."""


def check_profile(stated: dict[str, Any], seen: Observed, *, where: str) -> list[Difference]:
    """Assert every key that a fixture states of one profile; contradictions in the artifact count too."""
    found = [Difference(where, "artifact", "one consistent account", flaw) for flaw in seen.flaws]
    for key, value in stated.items():
        check = KEYS.get(key)
        if check is None:
            found.append(
                Difference(where, key, f"one of the keys {', '.join(KEYS)}", "unknown key, nothing asserted")
            )
            continue
        try:
            pairs = check(value, seen)
        except Malformed as error:
            pairs = [(f"a value of a known form: {error}", value)]
        found += [Difference(where, key, expected, got) for expected, got in pairs if expected != got]
    return found


Pairs = list[tuple[Any, Any]]
Check = Callable[[Any, Observed], Pairs]


def _class_list(*presentations: str, some: bool = False) -> Check:
    def check(value: Any, seen: Observed) -> Pairs:
        expected = _sets(value)
        found = sorted(sorted(one.members) for one in seen.shown(*presentations))
        if some:
            found = [members for members in found if members in expected]
        return [(expected, found)]

    return check


def _sets(value: Any) -> list[list[str]]:
    if not isinstance(value, list) or not all(isinstance(members, list) for members in value):
        raise Malformed("a list of classes, each a list of names")
    return sorted(sorted(members) for members in value)


def _names(part: Callable[[Observed], Iterable[str]], *, some: bool = False, ordered: bool = False) -> Check:
    def check(value: Any, seen: Observed) -> Pairs:
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise Malformed("a list of names")
        found = [name for name in part(seen) if not some or name in value]
        return [(value, found)] if ordered else [(sorted(value), sorted(found))]

    return check


def _coded(part: Callable[[Observed], dict[str, str]], *, some: bool = False) -> Check:
    """Items with one code each: `[name, code]`, or a bare name where the fixture leaves the code open."""

    def check(value: Any, seen: Observed) -> Pairs:
        expected = dict(_pair(entry) for entry in _entries(value))
        found = {name: code for name, code in part(seen).items() if not some or name in expected}
        shown = {name: None if expected.get(name, code) is None else code for name, code in found.items()}
        return [(sorted(expected.items()), sorted(shown.items()))]

    return check


def _excluded(*, some: bool) -> Check:
    """Items with their reasons in the ADR's order, each reason once unless it is repeated (AMB-11)."""

    def check(value: Any, seen: Observed) -> Pairs:
        expected: dict[str, Any] = {}
        for entry in _entries(value):
            name, reasons = _pair(entry)
            expected[name] = [reasons] if isinstance(reasons, str) else reasons
        shown: dict[str, Any] = {}
        for name, reasons in seen.excluded.items():
            if some and name not in expected:
                continue
            wanted = expected.get(name, [])
            each = (
                list(reasons) if wanted and len(set(wanted)) < len(wanted) else list(dict.fromkeys(reasons))
            )
            shown[name] = None if wanted is None else each
        return [(sorted(expected.items()), sorted(shown.items()))]

    return check


def _entries(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Malformed("a list of items")
    names = [entry if isinstance(entry, str) else entry[0] for entry in value if entry]
    if len(set(names)) != len(value):
        raise Malformed("a list of different items")
    return value


def _pair(entry: Any) -> tuple[str, Any]:
    if isinstance(entry, str):
        return entry, None
    if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str):
        return entry[0], entry[1]
    raise Malformed("a name, or a pair of name and code")


def _dominated(*, some: bool) -> Check:
    """Dominated classes with their winners; without `some` these are all dominated classes."""

    def check(value: Any, seen: Observed) -> Pairs:
        if not isinstance(value, list):
            raise Malformed("a list of dominated classes")
        entries = [entry if isinstance(entry, dict) else {"members": entry} for entry in value]
        for entry in entries:
            if "members" not in entry or set(entry) - {"members", "by_any_of", "left", "right"}:
                raise Malformed("objects with members, by_any_of and, where wanted, left and right")
        expected = _sets([entry["members"] for entry in entries])
        found = {tuple(sorted(one.members)): one for one in seen.shown("dominated")}
        listed = sorted(list(members) for members in found if not some or list(members) in expected)
        pairs: Pairs = [(expected, listed)]
        for entry in entries:
            one = found.get(tuple(sorted(entry["members"])))
            if one is not None:
                pairs += _winner(entry, one, seen)
        return pairs

    return check


def _winner(entry: dict[str, Any], one: ObservedClass, seen: Observed) -> Pairs:
    """The winner is the class with the lowest ID among all the longest qualifying dominators (AMB-16)."""
    pairs: Pairs = []
    if "by_any_of" in entry:
        candidates = _sets(entry["by_any_of"])
        by_members = {tuple(sorted(other.members)): other for other in seen.classes}
        known = [by_members[tuple(members)] for members in candidates if tuple(members) in by_members]
        lowest = min(known, key=lambda other: other.id or b"", default=None)
        winner = sorted(seen.classes[one.winner].members)
        label = f"{sorted(one.members)} by "
        if len(known) < len(candidates) or lowest is None or sorted(lowest.members) != winner:
            pairs.append((f"{label}the lowest class ID of {candidates}", f"{label}{winner}"))
    for side in ("left", "right"):
        if side in entry:
            pairs.append(
                (f"{one.members} {side} {entry[side]}", f"{one.members} {side} {getattr(one, side)}")
            )
    return pairs


def _counts(value: Any, seen: Observed) -> Pairs:
    if not isinstance(value, dict):
        raise Malformed("an object of counts")
    found = {**seen.coverage, **counts(seen)}
    return [
        ({name: number}, {name: found.get(name, "unknown count, nothing asserted")})
        for name, number in value.items()
    ]


def _status(value: Any, seen: Observed) -> Pairs:
    return [(value, seen.coverage["exact_status"])]


#: key of a fixture -> its check. In a partial profile `published` means the provisional groups (AMB-22).
KEYS: Final[dict[str, Check]] = {
    "published": _class_list("published", "provisional"),
    "published_some": _class_list("published", "provisional", some=True),
    "provisional": _class_list("provisional"),
    "classes": _class_list("published", "dominated", "provisional"),
    "dominated": _dominated(some=False),
    "dominated_some": _dominated(some=True),
    "enumerated": _names(lambda seen: seen.enumerated, ordered=True),
    "matched": _names(lambda seen: (name for one in seen.classes for name in one.members)),
    "unique": _names(lambda seen: seen.unique),
    "evaluated_unique": _names(lambda seen: seen.unique),
    "unique_some": _names(lambda seen: seen.unique, some=True),
    "excluded": _excluded(some=False),
    "excluded_some": _excluded(some=True),
    "failed": _coded(lambda seen: seen.failed),
    "failed_some": _coded(lambda seen: seen.failed, some=True),
    "not_evaluated": _coded(lambda seen: seen.not_evaluated),
    "not_evaluated_some": _coded(lambda seen: seen.not_evaluated, some=True),
    "enumeration_exclusions": _coded(lambda seen: seen.enumeration_exclusions),
    "exact_status": _status,
    "counts": _counts,
}
