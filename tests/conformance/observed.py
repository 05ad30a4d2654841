"""What an artifact on disk says of one profile, in the names of the fixture.

Everything is read from the artifact's tables and manifest. Names are counted from the fixture's document, so
a row that the artifact counts otherwise gets a name that nobody expects. What the artifact says twice is
compared, and contradictions are listed as `flaws`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tekrar.artifact import Artifact, ArtifactProfile
from tests.conformance.fixture import Places

#: Numbers of docs/encoding.md, section 2.
REASONS: Final = {1: "empty_core_extent", 2: "heading_marker_intersection", 3: "note_body_intersection"}
PENDING: Final = {1: "pending_evaluation", 2: "pending_peer_universe", 3: "pending_verification"}
FAILURES: Final = {1: "missing_witness_bytes", 2: "digest_collision"}
EXCLUDED_FROM_EXTENT: Final = 2


@dataclass(frozen=True)
class ObservedClass:
    """One class, or provisional group (`id` is None).

    Attributes:
        members: names in the artifact's order.
        presentation: published, dominated or provisional.
        winner: number of the dominating class, -1 if there is none.
        left, right: sentences by which the winner goes on to either side.
    """

    id: bytes | None
    members: tuple[str, ...]
    presentation: str
    winner: int
    left: int
    right: int


@dataclass
class Observed:
    """One profile of an artifact; see the tables of `docs/artifact.md`."""

    enumerated: tuple[str, ...]
    unique: tuple[str, ...]
    excluded: dict[str, tuple[str, ...]]
    failed: dict[str, str]
    not_evaluated: dict[str, str]
    classes: tuple[ObservedClass, ...]
    enumeration_exclusions: dict[str, str]
    coverage: dict[str, Any]
    flaws: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether the artifact calls the profile's exact status complete."""
        return bool(self.coverage["exact_status"] == "complete")

    def shown(self, *presentations: str) -> list[ObservedClass]:
        """The classes of the given presentations."""
        return [found for found in self.classes if found.presentation in presentations]

    def partition(self) -> dict[str, Any]:
        """Everything that two builds of the same text must agree on, whatever the IDs."""
        return {
            "enumerated": list(self.enumerated),
            "unique": sorted(self.unique),
            "excluded": sorted(self.excluded.items()),
            "failed": sorted(self.failed.items()),
            "not_evaluated": sorted(self.not_evaluated.items()),
            "classes": sorted((found.presentation, found.members) for found in self.classes),
            "enumeration_exclusions": sorted(self.enumeration_exclusions.items()),
            "exact_status": self.coverage["exact_status"],
        }


def observe(artifact: Artifact, short: str, places: Places) -> Observed:
    """Read one profile."""
    profile = artifact.profile(short)
    names = _names(profile, places)
    flaws = _geometry(artifact, places)
    parts = {
        part: [names[row] for row in profile.table(part)["row"].tolist()]
        for part in ("matched", "evaluated-unique", "not-evaluated", "excluded", "failed")
    }
    placed = sorted(name for part in parts.values() for name in part)
    if placed != sorted(names):
        flaws.append("the five parts are not the universe, each item once")
    seen = Observed(
        enumerated=tuple(names),
        unique=tuple(parts["evaluated-unique"]),
        excluded=_excluded(profile, names),
        failed=_coded(profile, "failed", names, FAILURES),
        not_evaluated=_coded(profile, "not-evaluated", names, PENDING),
        classes=tuple(_classes(profile, names, flaws)),
        enumeration_exclusions={} if profile.is_runs else _empty(artifact, places),
        coverage=dict(profile.manifest["coverage"]),
        flaws=flaws,
    )
    if seen.complete and profile.partial:
        flaws.append("exact_status is complete, yet the profile is partial")
    if not seen.complete and not profile.partial and seen.classes:
        flaws.append("exact_status is not complete, yet classes have IDs (AMB-22, AMB-44)")
    for key, number in counts(seen).items():
        stated = seen.coverage.get(key, number)
        if key in _SAME_IN_PARTIAL and stated != number:
            flaws.append(f"coverage states {key} {stated}, the tables give {number}")
    return seen


_SAME_IN_PARTIAL: Final = (
    "matched evaluated_unique not_evaluated excluded failed emitted inventory enumeration_exclusions "
    "dominated_items dominated_classes provisional_items provisional_groups"
).split()


def counts(seen: Observed) -> dict[str, int]:
    """Every count a fixture may state, counted from the tables.

    In a partial profile `published` means the provisional groups (AMB-22), here as in the class lists.
    """
    published = seen.shown("published", "provisional")
    dominated, provisional = seen.shown("dominated"), seen.shown("provisional")
    size = {id(found): len(found.members) for found in seen.classes}
    emitted, empty = len(seen.enumerated), len(seen.enumeration_exclusions)
    return {
        "work_items": emitted,
        "emitted": emitted,
        "enumerated": emitted,
        "inventory": emitted + empty,
        "enumeration_exclusions": empty,
        "matched": sum(size.values()),
        "evaluated_unique": len(seen.unique),
        "unique": len(seen.unique),
        "not_evaluated": len(seen.not_evaluated),
        "pending": len(seen.not_evaluated),
        "excluded": len(seen.excluded),
        "failed": len(seen.failed),
        "published": sum(size[id(found)] for found in published),
        "published_items": sum(size[id(found)] for found in published),
        "dominated_items": sum(size[id(found)] for found in dominated),
        "provisional_items": sum(size[id(found)] for found in provisional),
        "published_classes": len(published),
        "dominated_classes": len(dominated),
        "provisional_groups": len(provisional),
        "provisional_classes": len(provisional),
        "classes": len(seen.classes),
        "exact_classes": len(seen.classes),
        "discovered_classes": len(seen.classes),
    }


def _names(profile: ArtifactProfile, places: Places) -> list[str]:
    units = [profile.unit(row) for row in range(profile.rows)]
    if profile.is_runs:
        return [places.run_name(first, length) for first, length in units]
    return [places.paragraphs[ordinal].name for ordinal, _ in units]


def _geometry(artifact: Artifact, places: Places) -> list[str]:
    """Whether sentences and non-empty paragraphs stand at the bytes counted from the document."""
    filled = [unit for unit in places.paragraphs if unit.end > unit.start]
    flaws = []
    for what, table, units in (
        ("sentences", artifact.sentences, places.sentences),
        ("paragraphs", artifact.paragraphs, filled),
    ):
        found = list(zip(table["start"].tolist(), table["end"].tolist(), strict=True))
        if found != [(unit.start, unit.end) for unit in units]:
            flaws.append(f"the {what} do not stand where the document has them")
    return flaws


def _empty(artifact: Artifact, places: Places) -> dict[str, str]:
    ordinals = artifact.columns("units/empty-paragraphs")["ordinal"].tolist()
    return {places.paragraphs[ordinal].name: REASONS[1] for ordinal in ordinals}


def _coded(profile: ArtifactProfile, part: str, names: list[str], codes: dict[int, str]) -> dict[str, str]:
    table = profile.table(part)
    rows, numbers = table["row"].tolist(), table["code"].tolist()
    return {
        names[row]: codes.get(code, f"unknown code {code}") for row, code in zip(rows, numbers, strict=True)
    }


def _excluded(profile: ArtifactProfile, names: list[str]) -> dict[str, tuple[str, ...]]:
    """Reasons of each excluded item, one for each excluding span, in the ADR's order."""
    spans = profile.table("witness-spans")
    found = {}
    for row in profile.table("excluded")["row"].tolist():
        witness = profile.occurrences["witness"][row]
        mine = (spans["witness"] == witness) & (spans["treatment"] == EXCLUDED_FROM_EXTENT)
        numbers = np.sort(spans["reason"][mine]).tolist()
        found[names[row]] = tuple(REASONS.get(number, f"unknown reason {number}") for number in numbers)
    return found


def _classes(profile: ArtifactProfile, names: list[str], flaws: list[str]) -> list[ObservedClass]:
    table = profile.classes
    presentation = {
        row: name
        for name in ("published", "dominated", "provisional")
        for row in profile.table(name)["row"].tolist()
    }
    if sorted(presentation) != sorted(profile.matched["row"].tolist()):
        flaws.append("published, dominated and provisional are not the matched items")
    found = []
    for number in range(len(table["size"])):
        rows = profile.class_members(number).tolist()
        shown = {presentation.get(row, "absent") for row in rows}
        winner = int(table["winner"][number])
        fits = shown == ({"provisional"} if profile.partial else {"published" if winner < 0 else "dominated"})
        if not fits or len(rows) < 2 or len(rows) != table["size"][number]:
            flaws.append(
                f"class {number}: size {table['size'][number]}, rows {rows}, {sorted(shown)}, winner {winner}"
            )
        if rows != sorted(set(rows)):
            flaws.append(f"class {number}: its members are not in document order, each once")
        found.append(
            ObservedClass(
                id=None if profile.partial else table["class"][number].tobytes(),
                members=tuple(names[row] for row in rows),
                presentation=min(shown, default="absent"),
                winner=winner,
                left=int(table["left"][number]),
                right=int(table["right"][number]),
            )
        )
    return found
