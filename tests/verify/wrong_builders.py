"""Builders that are wrong in one place each: they finish, root their wrong content, and publish it.

Each patches the real pipeline. A certification that would notice (a closed formula, a byte check) is switched
off with it, for a wrong builder would not have it. Where the artifact agrees with itself (`quick`), only the
text can tell it from a right one.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from tekrar.build import engine as engine_module
from tekrar.build import pipeline, universe
from tekrar.build import records as build_records
from tekrar.core import atoms, dominance, exact, projection
from tekrar.core.encoding import canonical_json, sha256
from tekrar.core.occurrence import Paragraphs
from tekrar.core.preimage import passage_head, sentence_preimage
from tekrar.core.projection import NEVER, Projection
from tests.verify.corpus import GATE

Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Wrong:
    """One wrong builder: what it patches, and which (profile, kind) the verifier must name.

    Attributes:
        patch: makes the pipeline wrong.
        options: arguments of `build`.
        first: profile and kind of the first difference; further: others that must be listed.
        quick: whether `verify --quick` finds nothing wrong with it.
    """

    patch: Patch
    first: tuple[str, str]
    further: tuple[tuple[str, str], ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    quick: bool = True


def bound(longest: int) -> Patch:
    """Runs of 2..longest sentences; everything in the pipeline agrees on the bound."""

    def patch(to: pytest.MonkeyPatch) -> None:
        for name, module in list(sys.modules.items()):
            if name.startswith(("tekrar.core.", "tekrar.build.")) and hasattr(module, "MAX_RUN"):
                to.setattr(module, "MAX_RUN", longest)
        to.setattr(engine_module, "_TRAILERS", [n.to_bytes(4, "big") for n in range(longest + 1)])

    return patch


def missing_exclusion(to: pytest.MonkeyPatch) -> None:
    """Headings and notes are compared under prose_only like any text."""
    to.setattr(Projection, "excluded_from", lambda self, start: np.full(len(start), NEVER, np.int64))


def bridged_heading(to: pytest.MonkeyPatch) -> None:
    """A run that begins before a heading and ends after it is no longer excluded."""
    real = Projection.excluded_from

    def excluded_from(self: Projection, start: Any) -> Any:
        first = real(self, start)
        return np.where(first == start, first, NEVER)

    to.setattr(Projection, "excluded_from", excluded_from)


def trimmed_mask(to: pytest.MonkeyPatch) -> None:
    """A masked span is cut out and the text on its two sides put together."""

    def masked_items(data: bytes, masks: Any) -> tuple[bytes, int]:
        kept, at = b"", 0
        for low, high in masks:
            kept, at = kept + data[at:low], high
        kept += data[at:]
        return b"\x00\x00\x00\x01\x01" + len(kept).to_bytes(4, "big") + kept, len(kept)

    real = atoms.AtomNamer.masked

    def masked(self: Any, plain: Any, masks: Any) -> Any:
        named = real(self, plain, masks)
        for i, spans in named.masks.items():
            data = masked_items(_sentence(self, i), spans)[0][9:]
            _rename(self, named, i, data)
        return named

    to.setattr(sys.modules["tekrar.build.paragraphs"], "masked_items", masked_items)
    to.setattr(atoms.AtomNamer, "masked", masked)
    to.setattr(pipeline, "verify_atoms", lambda *args, **more: None)


def _sentence(namer: Any, i: int) -> bytes:
    release = namer.release
    return bytes(release.text[release.sentence_start[i] : release.sentence_end[i]])


def _rename(namer: Any, named: Any, i: int, data: bytes) -> None:
    """Let sentence i have the name and the member records of a sentence of other bytes."""
    same = [j for j in range(len(named.sentence)) if j not in named.masks and _sentence(namer, j) == data]
    named.sentence[i] = named.sentence[same[0]] if same else named.sentence[i]
    items = b"\x00\x00\x00\x01\x01" + len(data).to_bytes(4, "big") + data
    digest = np.frombuffer(sha256(sentence_preimage(items)), np.uint8)
    for records in (named.first, named.inner):
        records[i, 2:6] = np.frombuffer(len(data).to_bytes(4, "big"), np.uint8)
        records[i, 32:] = digest


def dropped_separator_kind(to: pytest.MonkeyPatch) -> None:
    """Every separator is an inter_sentence one, so the same bytes are the same gap."""
    real = atoms.AtomNamer.__init__

    def init(self: Any, release: Any, text: Any, **more: Any) -> None:
        real(self, replace(release, atom_kind=np.minimum(release.atom_kind, 1)), text, **more)

    to.setattr(atoms.AtomNamer, "__init__", init)


def raw_digest(to: pytest.MonkeyPatch) -> None:
    """Runs under prose_only take the digests of the raw sentences: masking changes nothing (AMB-04)."""
    to.setattr(atoms.AtomNamer, "masked", lambda self, plain, masks: plain)


def highest_on_ties(to: pytest.MonkeyPatch) -> None:
    """Of two longest dominators the highest class ID wins."""
    real = dominance.dominate

    def dominate(*, rank: Any, **more: Any) -> Any:
        return real(rank=rank.max(initial=0) - rank, **more)

    to.setattr(sys.modules["tekrar.build.classes"], "dominate", dominate)


def nearest(to: pytest.MonkeyPatch) -> None:
    """A class is dominated by the next longer one, in a chain (AMB-17)."""

    def dominate(*, length: Any, size: Any, sentence: Any, rank: Any, class_at: Any) -> Any:
        winner = np.full(len(length), -1, np.int64)
        left, right = np.zeros(len(length), np.int64), np.zeros(len(length), np.int64)
        for number in np.flatnonzero(length < 12).tolist():
            longer = class_at[int(length[number]) + 1]
            for step in (1, 0):
                at = int(sentence[number]) - step
                found = int(longer[at]) if at >= 0 else -1
                if found >= 0 and size[found] == size[number]:
                    winner[number], left[number], right[number] = found, step, 1 - step
        return dominance.Dominated(winner, left, right)

    to.setattr(sys.modules["tekrar.build.classes"], "dominate", dominate)


def gate_collides(purpose: str, data: bytes) -> bytes:
    """SHA-256, but the heading `Gate heading` has the fingerprint of the two gate paragraphs."""
    if (
        purpose == "fingerprint"
        and data.endswith(b"Gate heading")
        and data.startswith(passage_head(b"")[:28])
    ):
        text = " ".join(GATE).encode()
        items = b"\x00\x00\x00\x01\x01" + len(text).to_bytes(4, "big") + text
        head = data[: len(passage_head(bytes(16)))]
        data = head + len(text).to_bytes(8, "big") + items
    return atoms.standard_digest(purpose, data)


def split_bucket(to: pytest.MonkeyPatch) -> None:
    """Of a colliding bucket the equal pair becomes a class and only the odd one fails (AMB-13)."""
    real = exact.colliding_rows

    def colliding_rows(fingerprint: Any, groups: Any, single: Any, **more: Any) -> Any:
        found = real(fingerprint, groups, single, **more)
        return found[np.isin(found, single)]

    to.setattr(universe, "colliding_rows", colliding_rows)


def unique_as_difference(to: pytest.MonkeyPatch) -> None:
    """Whatever is in no class and not excluded is called unique, deferred items among it (COV-04)."""
    real = universe.decide

    def decide(*, states: Any, **more: Any) -> Any:
        decided, _ = real(states=states, **more)
        states.deferred[:] = False
        rest = ~states.excluded
        rest[decided.groups.rows] = False
        none = np.empty(0, np.int64)
        return replace(decided, unique=np.flatnonzero(rest), pending_peer=none), False

    to.setattr(pipeline, "decide", decide)


def swapped_members(to: pytest.MonkeyPatch) -> None:
    """Two classes of one size exchange their last members; every count stays (REL-10)."""
    real = universe.decide

    def decide(**more: Any) -> Any:
        decided, partial = real(**more)
        offset, rows = decided.groups.offset, decided.groups.rows.copy()
        if len(rows) > 100:  # the run profiles
            for number in range(len(offset) - 2):
                (a, b), (c, d) = offset[number : number + 2], offset[number + 1 : number + 3]
                if b - a == d - c and rows[b - 1] < rows[d - 1] and rows[d - 1] - rows[b - 1] == 1:
                    rows[b - 1], rows[d - 1] = rows[d - 1], rows[b - 1]
                    break
            else:
                raise AssertionError("no two neighbouring classes of one size")
        return replace(decided, groups=replace(decided.groups, rows=rows)), partial

    to.setattr(pipeline, "decide", decide)


def normalising(to: pytest.MonkeyPatch) -> None:
    """Sentences are compared after NFC (EX-04)."""
    real = atoms.AtomNamer.plain

    def plain(self: Any) -> Any:
        named = real(self)
        for i in range(len(named.sentence)):
            data = _sentence(self, i)
            composed = unicodedata.normalize("NFC", data.decode()).encode()
            if composed != data:
                _rename(self, named, i, composed)
        return named

    to.setattr(atoms.AtomNamer, "plain", plain)
    to.setattr(pipeline, "verify_atoms", lambda *args, **more: None)


def deduplicated(to: pytest.MonkeyPatch) -> None:
    """A paragraph that was seen before is not enumerated again (CORE-05, EN-02)."""
    real = pipeline.enumerate_paragraphs

    def enumerate_paragraphs(release: Any) -> Paragraphs:
        found = real(release)
        texts = [release.text[a:b] for a, b in zip(found.start, found.end, strict=True)]
        first = np.array([texts.index(text) == i for i, text in enumerate(texts)])
        return Paragraphs(found.ordinal[first], found.start[first], found.end[first], found.empty)

    to.setattr(pipeline, "enumerate_paragraphs", enumerate_paragraphs)
    _without_inventory_check(to)


def joined_chapters(to: pytest.MonkeyPatch) -> None:
    """Runs go on over the end of a chapter (EN-09)."""
    real = pipeline.enumerate_runs

    def enumerate_runs(release: Any) -> Any:
        runs = real(release)
        count = len(runs.reach)
        return replace(runs, reach=np.minimum(12, count - np.arange(count)))

    to.setattr(pipeline, "enumerate_runs", enumerate_runs)
    _without_inventory_check(to)


def _without_inventory_check(to: pytest.MonkeyPatch) -> None:
    def certify_inventory(release: Any, found: Any) -> bytes:
        empty = len(getattr(found, "empty", ()))
        counts = {"emitted": found.rows, "enumeration_exclusions": empty, "inventory": found.rows + empty}
        return sha256(canonical_json({**counts}))

    to.setattr(build_records, "certify_inventory", certify_inventory)


def touching(to: pytest.MonkeyPatch) -> None:
    """Spans that only touch an extent are listed in its witness, and exclude it (AMB-08)."""
    real = projection.first_hit

    def counters(found: Projection, start: Any, end: Any) -> Any:
        low = [np.searchsorted(t.end, start, side="left") for t in found.treated]
        high = [np.searchsorted(t.start, end, side="right") for t in found.treated]
        return low, high

    def first_hit(start: Any, span_start: Any, span_end: Any) -> Any:
        found = real(start - 1, span_start, span_end)
        return np.where(found == NEVER, NEVER, np.maximum(found - 1, start))

    to.setattr(sys.modules["tekrar.core.witness"], "_counters", counters)
    to.setattr(projection, "first_hit", first_hit)


DEFER = ("b1/1/p6", "b1/1:2+2")

WRONG: dict[str, Wrong] = {
    "bound_13": Wrong(bound(13), ("FS,PS", "work"), (("FS", "work"), ("PS", "work")), quick=False),
    "bound_11": Wrong(bound(11), ("FS,PS", "work"), (("FS", "work"), ("PS", "work"))),
    "joined_chapters": Wrong(joined_chapters, ("FS,PS", "work"), (("FS", "work"), ("PS", "work"))),
    "deduplicated": Wrong(deduplicated, ("FP,PP", "work"), (("FP", "matched"), ("PP", "matched"))),
    "missing_exclusion": Wrong(missing_exclusion, ("PP", "excluded"), (("PS", "excluded"),)),
    "bridged_heading": Wrong(bridged_heading, ("PS", "excluded")),
    "touching": Wrong(touching, ("PP", "excluded"), (("PP", "inventory"), ("PS", "inventory"))),
    "trimmed_mask": Wrong(trimmed_mask, ("PP", "evidence"), (("PS", "evidence"),)),
    "raw_digest": Wrong(raw_digest, ("PS", "evidence"), (("PS", "matched"),)),
    "dropped_separator_kind": Wrong(
        dropped_separator_kind, ("FS", "evidence"), (("FS", "matched"), ("PS", "evidence"))
    ),
    "normalising": Wrong(normalising, ("FS", "evidence"), (("FS", "matched"), ("PS", "matched"))),
    "highest_on_ties": Wrong(highest_on_ties, ("FS", "dominated-classes"), (("PS", "dominated-classes"),)),
    "nearest": Wrong(nearest, ("FS", "dominated-classes"), (("PS", "dominated-classes"),), quick=False),
    "swapped_members": Wrong(swapped_members, ("FS", "matched"), (("PS", "matched"),), quick=False),
    "split_bucket": Wrong(split_bucket, ("FP", "failed"), options={"digest": gate_collides}),
    "unique_as_difference": Wrong(
        unique_as_difference,
        ("FP", "evidence"),
        (("FP", "matched"), ("FS", "matched")),
        options={"defer": DEFER},
    ),
}
