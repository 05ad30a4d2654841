"""Packages of candidates over an artifact that is loaded, made by hand from its rows: one of every kind.

They are written by the core's own records, which the store does not use, so that each is compared with the
other.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from tekrar.core.candidate import (
    Candidate,
    Evidence,
    Participants,
    Result,
    Side,
    candidate_of,
    checked_generator,
    evidence_of,
)
from tekrar.core.candidate import roots as rooted
from tekrar.core.candidate.record import Extent, sha
from tekrar.core.candidate.vectors import BOUNDS, sample_document
from tekrar.core.identity import parse_uuid
from tekrar.store.evidence.loading import CandidatePackage
from tekrar.store.evidence.stored_set import Occurrences, read_occurrences
from tekrar.store.session import Connection

_OVER = """
    SELECT p.profile_key, a.release_key, p.profile::text, p.predicate, r.text_release::text, r.manifest_root,
        a.artifact_root, e.root
    FROM repetition.profile p JOIN repetition.artifact a USING (artifact_key)
    JOIN core.release r USING (release_key)
    JOIN repetition.root e ON e.artifact_key = a.artifact_key
        AND e.name = concat_ws('/', p.projection, p.enumerator, p.predicate, 'evidence')
    WHERE a.artifact_root = %s AND p.short = 'FP'
"""
FEATURES = sha(b"features")


class Maker:
    """Makes candidates over the whole-paragraph profile of a loaded artifact.

    Args:
        connection: a superuser's.
        artifact_root: of the artifact.
        semver: of the generator; another one is another generator.
    """

    def __init__(self, connection: Connection, artifact_root: bytes, *, semver: str = "1.0.0") -> None:
        row = connection.execute(_OVER, (artifact_root,)).fetchone()
        assert row is not None
        key, release_key, self.profile, self.predicate, self.release, *roots = row
        self.core, self.artifact, self.fingerprints = (bytes(one) for one in roots)
        self.held: Occurrences = read_occurrences(connection, key, release_key)
        self.generator = checked_generator({**sample_document(), "semver": semver})
        self.made: list[tuple[Candidate, Evidence]] = []

    def extent(self, row: int, last: int | None = None) -> Extent:
        """The bytes of a row, or of several."""
        return int(self.held.start[row]), int(self.held.end[row if last is None else last])

    def add(
        self, *sides: Extent, kind: str = "pair", score: int = 900, exact: bytes | None = None
    ) -> Candidate:
        """One candidate of these places."""
        left, right = Side(*sides[0], exact), Side(*sides[1])
        result = Result(
            kind=kind,
            release=parse_uuid(self.release),
            features=FEATURES,
            fingerprints=self.fingerprints,
            left=left,
            right=right,
            segments=((sides[0], sides[1]),),
            places=sides if kind == "group" else (),
            metrics={"score": score},
            disposition="probable_variant",
            direction=None,
            why="enough",
        )
        spans = [self.held.touched(*side) for side in sides]
        who = Participants(tuple(tuple(self.held.id[a:b]) for a, b in spans))
        one = candidate_of(result, who, profile=parse_uuid(self.profile), generator=self.generator)
        facts = [
            (sha(self.held.text[start:end]), sha(b"".join(self.held.fingerprint[a:b])))
            for (start, end), (a, b) in zip(sides, spans, strict=True)
        ]
        self.made.append((one, evidence_of(one, facts, generator=self.generator)))
        return one

    def package(self, **bounds: Any) -> CandidatePackage:
        """The package of what was added, in that order."""
        stated = {**copy.deepcopy(BOUNDS), **bounds}
        profile = parse_uuid(self.profile)
        candidates, evidence = [one for one, _ in self.made], [one for _, one in self.made]
        roots = {
            "artifact": self.artifact,
            "text-release": self.core,
            "generator": self.generator.digest,
            "candidates": rooted.candidates_root(
                profile, self.predicate, ((c.id, sha(c.result)) for c in candidates)
            ),
            "order": rooted.order_root(profile, self.predicate, [c.id for c in candidates]),
            "evidence": rooted.evidence_root(
                profile, self.predicate, ((e.id, sha(e.payload)) for e in evidence)
            ),
            "features": FEATURES,
            "bounds": rooted.bounds_root(stated),
        }
        manifest = {
            "format": "tekrar/candidates/v1",
            "profile": {"name": "FP", "id": self.profile, "predicate": self.predicate},
            "release": {"text_release": self.release, "core_release_manifest_root": self.core.hex()},
            "generator": self.generator.document,
            "bounds": stated,
            "counts": {"candidates": len(candidates)},
            "roots": {name: root.hex() for name, root in roots.items()},
            "candidates_root": rooted.package_root(roots).hex(),
        }
        return CandidatePackage("made", manifest, rows_of(self.made))


def rows_of(made: Sequence[tuple[Candidate, Evidence]]) -> list[tuple[bytes, bytes, bytes, bytes, bytes]]:
    """Candidates with their evidence as rows of a package."""
    return [(c.id, c.participants, c.result, e.id, e.payload) for c, e in made]


def every_kind(connection: Connection, artifact_root: bytes, *, semver: str = "1.0.0") -> Maker:
    """A pair, another of the same participants, a repeat in one paragraph, a group, a stretch."""
    maker = Maker(connection, artifact_root, semver=semver)
    first, second, third = (maker.extent(row) for row in (0, 1, 2))
    maker.add(first, second)
    maker.add(first, second, score=-3)
    half = (first[0] + first[1]) // 2
    while maker.held.text[half] & 0xC0 == 0x80:
        half -= 1
    maker.add((first[0], half), (half, first[1]))
    maker.add(first, second, third, kind="group")
    maker.add(maker.extent(0, 1), maker.extent(2, 3), kind="stretch")
    return maker
