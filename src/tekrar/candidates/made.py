"""From what the generator found to candidate records, best first."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from tekrar.candidates.basis import Basis
from tekrar.core.candidate import (
    Candidate,
    Evidence,
    Generator,
    Participants,
    Result,
    Side,
    candidate_of,
    evidence_of,
)
from tekrar.core.candidate import roots as rooted
from tekrar.core.candidate.record import Extent, Value, sha
from tekrar.discover.assemble import tokens_at
from tekrar.discover.entries import GROUP, KINDS, PAIR, STRETCH
from tekrar.discover.extents import with_marks
from tekrar.discover.judge import Judge, Judgement
from tekrar.discover.pipeline import Generated, generate

#: Told between this many records, so that a stop is heard and a bar moves.
STEP: Final = 512
#: Facts of sides kept at hand; changes nothing.
_KNOWN: Final = 1 << 14


@dataclass(frozen=True)
class Made:
    """Candidates of one run, best first, with their evidence and what the bounds left out.

    Attributes:
        generator: what found them.
        candidates, evidence: record by record.
        bounds: the generator's bounds report.
        roots: name -> root (32 bytes).
    """

    generator: Generator
    candidates: list[Candidate]
    evidence: list[Evidence]
    bounds: dict[str, Any]
    roots: dict[str, bytes] = field(default_factory=dict)


def make(
    basis: Basis,
    generator: Generator,
    tell: Callable[[int, int], None] = lambda done, total: None,
    *,
    workers: int = 1,
) -> Made:
    """Generate and record the candidates of a release.

    Args:
        basis: the artifact with its release.
        generator: the document of the generator at work.
        tell: called with records done and in all.
        workers: processes; their number changes no byte.
    """
    generated = generate(basis.source, workers=workers)
    total = len(generated.entries.kind)
    candidates: list[Candidate] = []
    evidence: list[Evidence] = []
    known: set[bytes] = set()
    facts = _Facts(basis)
    for number, (result, sides) in enumerate(_Recorder(basis, generated).results()):
        if number % STEP == 0:
            tell(number, total)
        who = Participants(tuple(facts.occurrences(*rows) for rows in sides))
        one = candidate_of(result, who, profile=basis.profile_id, generator=generator)
        if one.id in known:
            continue
        known.add(one.id)
        candidates.append(one)
        evidence.append(evidence_of(one, facts.of(result.sides, sides), generator=generator))
    tell(total, total)
    bounds = _bounds(generated, total - len(candidates))
    made = Made(generator, candidates, evidence, bounds)
    made.roots.update(roots_of(basis, made))
    return made


def roots_of(basis: Basis, made: Made) -> dict[str, bytes]:
    """Every root of a set of candidates."""
    profile, predicate = basis.profile_id, basis.predicate
    return {
        "artifact": basis.artifact.artifact_root,
        "text-release": basis.opened.manifest_root,
        "generator": made.generator.digest,
        **listed_roots(profile, predicate, made.candidates, made.evidence),
        "features": basis.features_root,
        "bounds": rooted.bounds_root(made.bounds),
    }


def listed_roots(
    profile: bytes, predicate: str, candidates: list[Candidate], evidence: list[Evidence]
) -> dict[str, bytes]:
    """The roots that a package's own rows give: candidates, order, evidence."""
    return {
        "candidates": rooted.candidates_root(profile, predicate, ((c.id, sha(c.result)) for c in candidates)),
        "order": rooted.order_root(profile, predicate, [c.id for c in candidates]),
        "evidence": rooted.evidence_root(profile, predicate, ((e.id, sha(e.payload)) for e in evidence)),
    }


def _bounds(generated: Generated, twice: int) -> dict[str, Any]:
    """The bounds report as JSON of integers, with what this room adds to it."""
    told: dict[str, Any] = dict(generated.bounds)
    if "left_out" not in told:
        told = {"left_out": told, "thresholds": vars(generated.thresholds)}
    left_out = {**told.get("left_out", {}), "entries_recorded_once": twice}
    told["left_out"] = {name: int(count) for name, count in sorted(left_out.items())}
    told["thresholds"] = {name: int(value) for name, value in sorted(told["thresholds"].items())}
    return dict(sorted(told.items()))


class _Facts:
    """What records say of sides; neighbours in the list speak of the same sides again and again."""

    def __init__(self, basis: Basis) -> None:
        self._basis = basis
        self.occurrences = lru_cache(maxsize=_KNOWN)(self._occurrences)
        self._words = lru_cache(maxsize=_KNOWN)(self._digest_of_words)
        self._prints = lru_cache(maxsize=_KNOWN)(self._digest_of_prints)

    def of(self, extents: tuple[Extent, ...], rows: list[tuple[int, int]]) -> list[tuple[bytes, bytes]]:
        """Digests of the bytes and of the fingerprints of every side."""
        return [(self._words(*extent), self._prints(*row)) for extent, row in zip(extents, rows, strict=True)]

    def _occurrences(self, first: int, last: int) -> tuple[bytes, ...]:
        return tuple(row.tobytes() for row in self._basis.occurrence[first : last + 1])

    def _digest_of_words(self, start: int, end: int) -> bytes:
        return sha(self._basis.opened.release.text[start:end])

    def _digest_of_prints(self, first: int, last: int) -> bytes:
        return sha(self._basis.fingerprint[first : last + 1].tobytes())


class _Recorder:
    """Turns entries into results."""

    def __init__(self, basis: Basis, generated: Generated) -> None:
        self._basis, self._generated, self._source = basis, generated, basis.source
        self._judge = Judge(basis.source, generated)
        release = basis.opened.id
        self._bound = {
            "release": release,
            "features": basis.features_root,
            "fingerprints": basis.fingerprints_root,
        }
        self._first = self._source.tokens.first.tolist()
        self._start, self._end = self._source.tokens.start, self._source.tokens.end

    def results(self) -> Iterator[tuple[Result, list[tuple[int, int]]]]:
        """Result by result with the first and last row that each side touches."""
        entries = self._generated.entries
        names = ("kind", "a0", "a1", "b0", "b1", "equal", "first", "count")
        columns = [getattr(entries, name).tolist() for name in names]
        for number, (kind, a0, a1, b0, b1, equal, first, count) in enumerate(zip(*columns, strict=True)):
            found = self._judge.of(number)
            rows = [self._rows(a0, a1), self._rows(b0, b1)]
            places: tuple[Extent, ...] = ()
            if kind == GROUP:
                where = tokens_at(
                    self._generated.stream, self._generated.formulas.place[first : first + count]
                )
                each = [(token, token + equal) for token in where.tolist()]
                rows = [self._rows(*span) for span in each]
                places = tuple(self._extent(*span) for span in each)
            segments = self._segments(kind, (a0, b0), first, count)
            yield self._result(kind, found, (rows[0], rows[1]), segments, places), rows

    def _result(
        self,
        kind: int,
        found: Judgement,
        rows: tuple[tuple[int, int], tuple[int, int]],
        segments: tuple[tuple[Extent, Extent], ...],
        places: tuple[Extent, ...],
    ) -> Result:
        sides = [
            Side(*extent, self._exact(*touched) if kind == PAIR else None)
            for extent, touched in zip((found.left, found.right), rows, strict=True)
        ]
        return Result(
            kind=KINDS[kind],
            **self._bound,
            left=sides[0],
            right=sides[1],
            segments=segments,
            places=places,
            metrics={_unversioned(key): _value(one) for key, one in found.metrics.items() if key != "kind"},
            disposition=found.disposition,
            direction=found.direction,
            why=found.why,
        )

    def _rows(self, first: int, end: int) -> tuple[int, int]:
        return bisect_right(self._first, first) - 1, bisect_right(self._first, end - 1) - 1

    def _extent(self, first: int, end: int) -> Extent:
        low, high = self._rows(first, end)
        source = self._source
        return with_marks(
            source.release.text,
            int(self._start[first]),
            int(self._end[end - 1]),
            low=int(source.start[low]),
            high=int(source.end[high]),
        )

    def _exact(self, low: int, high: int) -> bytes | None:
        number = int(self._source.exact[low]) if low == high else -1
        return self._source.class_id[number].tobytes() if number >= 0 else None

    def _segments(
        self, kind: int, begin: tuple[int, int], first: int, count: int
    ) -> tuple[tuple[Extent, Extent], ...]:
        """Matched extents, in the order of the left side; a group has none beside its places."""
        if kind == GROUP:
            return ()
        spans = self._of_links(first, count) if kind == STRETCH else self._of_pair(first, begin)
        return tuple(
            (
                (int(self._start[a]), int(self._end[b - 1])),
                (int(self._start[c]), int(self._end[d - 1])),
            )
            for a, b, c, d in sorted(spans)
        )

    def _of_links(self, first: int, count: int) -> list[tuple[int, int, int, int]]:
        links = self._generated.links
        mine = self._generated.chains.link[first : first + count]
        columns = (
            links.a0[mine].tolist(),
            links.a1[mine].tolist(),
            links.b0[mine].tolist(),
            links.b1[mine].tolist(),
        )
        return list(zip(*columns, strict=True))

    def _of_pair(self, number: int, begin: tuple[int, int]) -> list[tuple[int, int, int, int]]:
        """Segments of a pair, moved to the members of the exact classes that the entry speaks of."""
        pairs, stream = self._generated.pairs, self._generated.stream
        rows = [self._rows(token, token + 1)[0] for token in begin]
        own = (int(pairs.left[number]), int(pairs.right[number]))
        turned = [int(self._source.first[row]) for row in rows] != [int(stream.row[one]) for one in own]
        held = pairs.segments
        columns = (held.score, held.a0, held.a1, held.b0, held.b1)
        first, second = (int(stream.first[one]) for one in own)
        left, right = (self._first[row] for row in rows)
        found = []
        for score, a0, a1, b0, b1 in zip(*(column[number].tolist() for column in columns), strict=True):
            if score <= 0:
                continue
            a0, a1, b0, b1 = a0 - first, a1 - first, b0 - second, b1 - second
            if turned:
                a0, a1, b0, b1 = b0, b1, a0, a1
            found.append((left + a0, left + a1, right + b0, right + b1))
        return found


@lru_cache(maxsize=256)
def _unversioned(key: str) -> str:
    return key.rpartition(".")[0]


def _value(value: Any) -> Value:
    """A metric of the generator as a record has it: a whole number, a ratio, names."""
    if type(value) is int:
        return value
    if isinstance(value, list) and value and isinstance(value[0], str):
        return tuple(value)
    if isinstance(value, list):
        return int(value[0]), int(value[1])
    return int(value)
