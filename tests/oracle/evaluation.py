"""The four profiles by their definitions: enumeration, exclusion, equality, uniqueness, dominance."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.document import SENTENCE, Document, ReleaseIdentity, release_identity
from tests.oracle.encoding import COORD, MASK_FORMAT, identity, lp, of_witness, root, selection, sha, u

Item = tuple[str, bytes]  # ("bytes", data) or ("mask", b"note_marker")
Digest = Callable[[str, bytes], bytes]
FULL, PROSE = "full_context_v1", "prose_only_v1"
PARAGRAPH, RUN = "whole_paragraph_v1", "sentence_run_2_12_v1"
PROFILES = {
    "FP": (FULL, PARAGRAPH, "exact_passage_bytes"),
    "FS": (FULL, RUN, "exact_sentence_sequence"),
    "PP": (PROSE, PARAGRAPH, "exact_passage_bytes"),
    "PS": (PROSE, RUN, "exact_sentence_sequence"),
}
HEADING, NOTE_BODY = 2, 3  # reasons
NIL = uuid.UUID(int=0)
REASONS = {1: "empty_core_extent", 2: "heading_marker_intersection", 3: "note_body_intersection"}


def plain_sha256(purpose: str, data: bytes) -> bytes:
    del purpose
    return sha(data)


@dataclass
class Occurrence:
    """One enumerated occurrence with everything the ADR says of it."""

    address: str
    start: int
    end: int
    chapter: int
    first: int  # ordinal in the chapter of the first sentence (runs) or of the paragraph
    length: int
    atoms: list[int]
    witness: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    reasons: list[tuple[int, int, int]] = field(default_factory=list)
    preimage: Any = None
    fingerprint: bytes = b""
    class_witness: bytes = b""
    selection: uuid.UUID = NIL
    id: uuid.UUID = NIL
    mask_root: bytes = b""
    state: str = ""
    code: str = ""


@dataclass
class Class:
    members: list[int]
    id: uuid.UUID | None = None
    witness: bytes = b""
    winner: int | None = None
    left: int = 0
    right: int = 0


@dataclass
class Truth:
    """One evaluated profile."""

    short: str
    profile: uuid.UUID
    rule: bytes
    occurrences: list[Occurrence]
    empty: list[int]
    classes: list[Class]
    partial: bool
    collided: bool
    whole: bool

    def rows(self, state: str) -> list[int]:
        return [i for i, o in enumerate(self.occurrences) if o.state == state]


class Evaluation:
    """The four truths of one document under a byte source, a deferral list and a digest function."""

    def __init__(
        self,
        document: Document,
        rules: dict[str, bytes],
        *,
        unreadable: Sequence[tuple[int, int]] = (),
        defer: Sequence[str] = (),
        digest: Digest = plain_sha256,
    ) -> None:
        self.document = document
        self.release: ReleaseIdentity = release_identity(document)
        self.unreadable = [(a, b) for a, b in unreadable if a < b]
        self.defer = set(defer)
        self.digest = digest
        self.profiles = {short: self._profile(short, rules[short]) for short in PROFILES}

    # -- enumeration --------------------------------------------------------------------------------------

    def _paragraphs(self) -> tuple[list[Occurrence], list[int]]:
        found, empty = [], []
        for c, chapter in enumerate(self.document.chapters):
            for n, paragraph in enumerate(chapter.paragraphs):
                if not paragraph.sentences:
                    empty.append(paragraph.ordinal)
                    continue
                low, high = paragraph.sentences[0], paragraph.sentences[-1]
                start, end = self.document.atoms[low].start, self.document.atoms[high].end
                atoms = list(range(low, high + 1))
                found.append(Occurrence(paragraph.address, start, end, c, n, 1, atoms))
        return found, empty

    def _runs(self) -> list[Occurrence]:
        found = []
        for c, chapter in enumerate(self.document.chapters):
            sentences = chapter.sentences
            for i in range(len(sentences)):
                for k in range(2, 13):
                    if i + k <= len(sentences):
                        low, high = sentences[i], sentences[i + k - 1]
                        start, end = self.document.atoms[low].start, self.document.atoms[high].end
                        address = f"{chapter.address}:{i + 1}+{k}"
                        found.append(Occurrence(address, start, end, c, i, k, list(range(low, high + 1))))
        return found

    # -- projection ---------------------------------------------------------------------------------------

    def _masks(self, projection: str, start: int, end: int) -> list[tuple[int, int]]:
        if projection == FULL:
            return []
        spans = self.document.spans["note_markers"]
        return [(s.start, s.end) for s in spans if s.start < end and s.end > start]

    def items(self, projection: str, start: int, end: int) -> tuple[Item, ...]:
        """Maximal non-empty BYTES items and one MASK item a marker."""
        out: list[Item] = []
        at = start
        for low, high in self._masks(projection, start, end):
            if low > at:
                out.append(("bytes", self.document.text[at:low]))
            out.append(("mask", b"note_marker"))
            at = high
        if at < end:
            out.append(("bytes", self.document.text[at:end]))
        return tuple(out)

    def _witness(self, o: Occurrence, projection: str) -> None:
        if projection == FULL:
            return
        table = (("headings", 1, 2, 2), ("note_bodies", 2, 2, 3), ("note_markers", 3, 3, 16))
        for kind, number, treatment, reason in table:
            for s in self.document.spans[kind]:
                if s.start < o.end and s.end > o.start:
                    o.witness.append((s.start, s.end, number, treatment, reason))
                    if treatment == 2:
                        o.reasons.append((reason, s.start, s.end))
        o.reasons.sort()

    # -- preimages ----------------------------------------------------------------------------------------

    def _separators(self, o: Occurrence, at: int, projection: str) -> list[tuple[int, tuple[Item, ...]]]:
        """The separator atoms right before the sentence at position `at` of the occurrence's atoms."""
        out = []
        for atom in reversed(o.atoms[:at]):
            a = self.document.atoms[atom]
            if a.kind == SENTENCE:
                break
            out.append((a.kind, self.items(projection, a.start, a.end)))
        return out[::-1]

    def members(self, o: Occurrence, projection: str) -> list[tuple[Any, tuple[Item, ...]]]:
        """Complete content of a run: for each sentence the separators before it (none for the first) and its
        items."""
        out: list[tuple[Any, tuple[Item, ...]]] = []
        for at, atom in enumerate(o.atoms):
            a = self.document.atoms[atom]
            if a.kind == SENTENCE:
                before = () if not out else tuple(self._separators(o, at, projection))
                out.append((before, self.items(projection, a.start, a.end)))
        return out

    def _run_bytes(self, members: list[tuple[Any, tuple[Item, ...]]], header: bytes, digest: Digest) -> bytes:
        out = header
        for number, (before, items) in enumerate(members):
            out += member_record(number, before, items, digest)
        return out + u(len(members), 4)

    def _preimages(self, o: Occurrence, short: str, profile: uuid.UUID) -> tuple[bytes, bytes]:
        """Fingerprint preimage, class witness."""
        projection, enumerator, _ = PROFILES[short]
        if enumerator == RUN:
            members = self.members(o, projection)
            o.preimage = tuple(members)
            head = b"tekrar/run-preimage/v1".ljust(44, b"\0") + u(2, 2) + profile.bytes + u(MASK_FORMAT, 2)
            other = b"tekrar/run-witness/v1".ljust(60, b"\0") + u(2, 2) + u(MASK_FORMAT, 2)
            return (
                self._run_bytes(members, head, self.digest),
                sha(self._run_bytes(members, other, self.digest)),
            )
        items = self.items(projection, o.start, o.end)
        o.preimage = items
        tail = u(MASK_FORMAT, 2) + u(1, 4) + u(projected_length(items), 8) + items_bytes(items)
        return (
            lp(b"tekrar/passage-preimage/v1") + u(1, 2) + profile.bytes + tail,
            sha(lp(b"tekrar/passage-witness/v1") + u(1, 2) + tail),
        )

    # -- one profile --------------------------------------------------------------------------------------

    def _profile(self, short: str, rule: bytes) -> Truth:
        projection, enumerator, predicate = PROFILES[short]
        profile = identity("repetition-profile", ("rule", sha(rule).hex()), ("semver", "1.0.0"))
        occurrences, empty = self._paragraphs() if enumerator == PARAGRAPH else (self._runs(), [])
        for o in occurrences:
            self._witness(o, projection)
            self._name(o, short, profile)
        for o in occurrences:
            if o.reasons:
                o.state = "excluded"
            elif any(a < o.end and b > o.start for a, b in self.unreadable):
                o.state, o.code = "failed", "missing_witness_bytes"
            elif o.address in self.defer or str(o.id) in self.defer:
                o.state, o.code = "not_evaluated", "pending_evaluation"
        standing = [o for o in occurrences if not o.state]
        for o in standing:
            preimage, o.class_witness = self._preimages(o, short, profile)
            o.fingerprint = self.digest("fingerprint", preimage)
        bad = self._colliding_members(projection) if enumerator == RUN else (set(), set())
        for o in standing:
            others = [x for x in standing if x.fingerprint == o.fingerprint and x.preimage != o.preimage]
            if others or self._has_bad_member(o, projection, bad):
                o.state, o.code = "failed", "digest_collision"
        partial = any(o.state in ("failed", "not_evaluated") for o in occurrences)
        classes = self._classes(occurrences, partial)
        collided = any(o.code == "digest_collision" for o in occurrences)
        whole = not any(o.code == "missing_witness_bytes" for o in occurrences)
        truth = Truth(short, profile, sha(rule), occurrences, empty, classes, partial, collided, whole)
        if not partial:
            self._issue(truth, predicate)
            if enumerator == RUN:
                dominate(truth)
        return truth

    def _name(self, o: Occurrence, short: str, profile: uuid.UUID) -> None:
        projection, enumerator, _ = PROFILES[short]
        release = self.release.id
        rows = [
            (u(s, 8) + u(e, 8) + u(kind, 1) + selection(release, s, e).bytes, u(treatment, 1) + u(reason, 1))
            for s, e, kind, treatment, reason in o.witness
        ]
        o.mask_root = root("mask-witness", of_witness(projection), sorted(rows))
        o.selection = selection(release, o.start, o.end)
        o.id = identity(
            "passage-occurrence",
            ("coord", COORD),
            ("profile", str(profile)),
            ("release", str(release)),
            ("granularity", "whole-paragraph" if enumerator == PARAGRAPH else "sentence-sequence"),
            ("mask", o.mask_root.hex()),
            ("selection", str(o.selection)),
        )

    def _colliding_members(self, projection: str) -> tuple[set[Any], set[Any]]:
        """Contents of readable sentences, and of folded members, whose digest another content of this
        projection has."""
        whole = Occurrence("", 0, 0, 0, 0, 0, [])
        sentences: list[Any] = []
        folds: list[Any] = []
        for chapter in self.document.chapters:
            inside = chapter.sentences
            if not inside:
                continue
            whole.atoms = list(range(inside[0], inside[-1] + 1))
            for (before, items), atom in zip(self.members(whole, projection), inside, strict=True):
                a = self.document.atoms[atom]
                if any(x < a.end and y > a.start for x, y in self.unreadable):
                    continue
                sentences.append(items)
                if before and not is_plain_gap(before):
                    folds.append((before, items))
        named = [(member_digest(x, self.digest), x) for x in sentences]
        folded = [(fold_digest(x[0], x[1], self.digest), x) for x in folds]
        return (
            {x for d, x in named if any(e == d and y != x for e, y in named)},
            {x for d, x in folded if any(e == d and y != x for e, y in folded)},
        )

    def _has_bad_member(self, o: Occurrence, projection: str, bad: tuple[set[Any], set[Any]]) -> bool:
        if not bad[0] and not bad[1]:
            return False
        members = self.members(o, projection)
        return any(items in bad[0] for _, items in members) or any(m in bad[1] for m in members[1:])

    def _classes(self, occurrences: list[Occurrence], partial: bool) -> list[Class]:
        """Classes of equal complete preimages by comparing every pair; the rest is unique, or pending in a
        partial profile."""
        classes: list[Class] = []
        standing = [i for i, o in enumerate(occurrences) if not o.state]
        for i in standing:
            if occurrences[i].state:
                continue
            equal = [j for j in standing if occurrences[j].preimage == occurrences[i].preimage]
            if len(equal) > 1:
                for j in equal:
                    occurrences[j].state = "matched"
                classes.append(Class(equal, witness=occurrences[i].class_witness))
            elif partial:
                occurrences[i].state, occurrences[i].code = "not_evaluated", "pending_peer_universe"
            else:
                occurrences[i].state = "evaluated_unique"
        return classes

    def _issue(self, truth: Truth, predicate: str) -> None:
        scope = root(
            "release-scope", b"\x00", [(u(0, 4), self.release.id.bytes + self.release.manifest_root)]
        )
        for c in truth.classes:
            c.id = identity(
                "exact-class",
                ("profile", str(truth.profile)),
                ("predicate", predicate),
                ("scope", scope.hex()),
                ("members", members_digest(truth, c).hex()),
                ("witness", c.witness.hex()),
            )


def members_digest(truth: Truth, c: Class) -> bytes:
    ids = sorted(truth.occurrences[i].id.bytes for i in c.members)
    return sha(u(len(ids), 8) + b"".join(ids))


def projected_length(items: tuple[Item, ...]) -> int:
    return sum(len(data) for kind, data in items if kind == "bytes")


def items_bytes(items: tuple[Item, ...]) -> bytes:
    return u(len(items), 4) + b"".join(
        (b"\x01" if kind == "bytes" else b"\x02") + lp(data) for kind, data in items
    )


def member_digest(items: tuple[Item, ...], digest: Digest) -> bytes:
    return digest("member", lp(b"tekrar/sentence/v1") + u(MASK_FORMAT, 2) + items_bytes(items))


def fold_digest(before: Any, items: tuple[Item, ...], digest: Digest) -> bytes:
    atoms = b"".join(u(kind, 1) + items_bytes(parts) for kind, parts in before)
    head = lp(b"tekrar/fold/v1") + u(MASK_FORMAT, 2) + u(len(before), 4)
    return digest("member", head + atoms + member_digest(items, digest))


def is_plain_gap(before: Any) -> bool:
    """Exactly one separator, unmasked, of at most 26 bytes."""
    if len(before) != 1:
        return False
    parts = before[0][1]
    return all(kind == "bytes" for kind, _ in parts) and projected_length(parts) <= 26


def member_record(number: int, before: Any, items: tuple[Item, ...], digest: Digest) -> bytes:
    """One 64-byte record."""
    kind, gap, value = 0, b"", member_digest(items, digest)
    if number:
        if is_plain_gap(before):
            kind, gap = before[0][0], b"".join(data for _, data in before[0][1])
        else:
            kind, value = 3, fold_digest(before, items, digest)
    record = u(kind, 1) + u(len(gap), 1) + u(projected_length(items), 4) + gap.ljust(26, b"\0") + value
    assert len(record) == 64
    return record


def dominate(truth: Truth) -> None:
    """Winners by the definition: a bijection of complete inventories, every member extended alike."""
    places = []
    for c in truth.classes:
        members = [truth.occurrences[i] for i in c.members]
        places.append({(o.chapter, o.first, o.length) for o in members})
    for s, short in enumerate(truth.classes):
        found = []
        for d, longer in enumerate(truth.classes):
            extension = dominates(places[d], places[s])
            if extension is not None:
                assert longer.id is not None
                length = truth.occurrences[longer.members[0]].length
                found.append((-length, longer.id.bytes, d, *extension))
        if found:
            _, _, short.winner, short.left, short.right = min(found)


def dominates(
    longer: set[tuple[int, int, int]], shorter: set[tuple[int, int, int]]
) -> tuple[int, int] | None:
    """The strict (left, right) extension under which `longer` maps one to one onto `shorter`, or None."""
    k, m = next(iter(longer))[2], next(iter(shorter))[2]
    found = [
        (left, k - m - left)
        for left in range(k - m + 1)
        if k > m
        and {(c, first + left, m) for c, first, _ in longer} == shorter
        and len(longer) == len(shorter)
    ]
    assert len(found) <= 1
    return found[0] if found else None
