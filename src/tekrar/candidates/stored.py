"""The package of candidates on disk: `tekrar/candidates/v1`, content-addressed, checked when it is opened.

The manifest names the artifact, the release, the profile and the generator document, and states every root;
no clock, host or path is in it. Opening hashes every file and makes the roots of the rows again.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from tekrar.candidates.basis import PROFILE, Basis
from tekrar.candidates.made import Made, listed_roots
from tekrar.core.candidate import Candidate, Evidence, Generator, Result, checked_generator, decode_result
from tekrar.core.candidate.evidence import EVIDENCE_TAG, KIND
from tekrar.core.candidate.record import Heading, candidate_id, evidence_id, heading_of, sha
from tekrar.core.candidate.roots import ROOTS, bounds_root, package_root
from tekrar.core.encoding import lp
from tekrar.core.identity import parse_uuid, uuid_text
from tekrar.errors import IntegrityError, NotFoundError, TekrarError, UsageError
from tekrar.package import Package, PackageWriter

FORMAT: Final = "tekrar/candidates/v1"
TABLE: Final = "candidates"
_COLUMNS: Final = ("candidate", "participants", "result", "evidence", "payload")
_KEYS: Final = ("format", "profile", "release", "generator", "bounds", "counts", "roots", "candidates_root")


@dataclass(frozen=True)
class Stored:
    """An opened package of candidates.

    Attributes:
        path: the folder.
        manifest: its canonical manifest.
        generator: the generator it states, checked.
        candidates, evidence: best first.
    """

    path: Path
    manifest: dict[str, Any]
    generator: Generator
    candidates: list[Candidate]
    evidence: list[Evidence]

    @property
    def profile(self) -> bytes:
        """Repetition-profile UUID (16 bytes)."""
        return parse_uuid(self.manifest["profile"]["id"])

    @property
    def predicate(self) -> str:
        """Predicate token of the profile."""
        return str(self.manifest["profile"]["predicate"])

    @property
    def text_release(self) -> str:
        """Text-release UUID as text."""
        return str(self.manifest["release"]["text_release"])

    @property
    def root(self) -> str:
        """The one root of the package, in hex."""
        return str(self.manifest["candidates_root"])

    def result(self, position: int) -> Result:
        """What the candidate at a position (rank - 1) says.

        Raises:
            IntegrityError: its bytes are no result, or its ID is not that of its facts.
        """
        one = self.candidates[position]
        own = candidate_id(self.profile, sha(one.participants), self.generator.digest, sha(one.result))
        if own != one.id:
            self.refuse(f"candidate {position + 1} has an ID that is not its own", "candidate_id")
        found = decode_result(one.result, self.generator)
        for name, value, stated in (
            ("text release", uuid_text(found.release), self.text_release),
            ("features root", found.features.hex(), self.manifest["roots"]["features"]),
        ):
            if value != stated:
                self.refuse(f"candidate {position + 1} has another {name}: {value}", "bad_result", stated)
        return found

    def evidence_of(self, position: int) -> bytes:
        """UUID (16 bytes) of a candidate's evidence, whose payload is checked (CND-10).

        Raises:
            IntegrityError: the ID is not that of its facts, or the payload is of another result.
        """
        one, evidence = self.candidates[position], self.evidence[position]
        who = sha(one.participants)
        own = evidence_id(KIND, who, self.generator.digest, sha(evidence.payload))
        if own != evidence.id or not evidence.payload.startswith(lp(EVIDENCE_TAG) + sha(one.result)):
            self.refuse(f"the evidence of candidate {position + 1} is not its own", "candidate_id")
        return own

    def heading(self, position: int) -> Heading:
        """Kind, disposition and extents of the candidate at a position, without decoding the rest.

        Raises:
            IntegrityError: its bytes are no result.
        """
        try:
            return heading_of(self.candidates[position].result)
        except (IndexError, ValueError, struct.error):
            self.refuse(f"the bytes of candidate {position + 1} are no result", "bad_result")

    def position(self, words: str) -> int:
        """Position of a candidate by its rank or its ID.

        Raises:
            UsageError: neither a rank nor an ID.
            NotFoundError: there is none such here.
        """
        if words.isascii() and words.isdigit() and len(words) < 12:
            if 1 <= int(words) <= len(self.candidates):
                return int(words) - 1
        else:
            own = parse_uuid(words, what="candidate")
            for at, one in enumerate(self.candidates):
                if one.id == own:
                    return at
        raise NotFoundError(
            f"no candidate {words}",
            where=str(self.path),
            expected=f"a rank from 1 to {len(self.candidates)}, or an ID of this package",
            mend="tekrar candidates list",
            kind="no_such_candidate",
        )

    def refuse(self, message: str, kind: str, expected: str = "") -> NoReturn:
        """Refuse the package."""
        raise IntegrityError(
            message,
            where=f"{self.path}",
            expected=expected,
            mend="make the candidates anew: tekrar candidates ARTIFACT --out CANDIDATES",
            kind=kind,
        )


def manifest_of(basis: Basis, made: Made) -> dict[str, Any]:
    """The manifest document of a set of candidates."""
    return {
        "format": FORMAT,
        "profile": {"name": PROFILE, "id": uuid_text(basis.profile_id), "predicate": basis.predicate},
        "release": {
            "text_release": uuid_text(basis.opened.id),
            "core_release_manifest_root": basis.opened.manifest_root.hex(),
        },
        "generator": made.generator.document,
        "bounds": made.bounds,
        "counts": {"candidates": len(made.candidates)},
        "roots": {name: made.roots[name].hex() for name in ROOTS},
        "candidates_root": package_root(made.roots).hex(),
    }


def write_stored(basis: Basis, target: Path, work: Callable[[], Made]) -> dict[str, Any]:
    """Make candidates and write them as a package, whole or not at all.

    Args:
        basis: what they are made from.
        target: the folder to make; an equal package that exists is success, anything else is refused.
        work: makes them; called when the target is known to be writable.

    Returns:
        the manifest.
    """
    import pyarrow as pa

    with PackageWriter(target, format=FORMAT, exist_ok=True) as writer:
        made = work()
        columns = {
            "candidate": pa.array([c.id for c in made.candidates], pa.binary(16)),
            "participants": pa.array([c.participants for c in made.candidates], pa.large_binary()),
            "result": pa.array([c.result for c in made.candidates], pa.large_binary()),
            "evidence": pa.array([e.id for e in made.evidence], pa.binary(16)),
            "payload": pa.array([e.payload for e in made.evidence], pa.large_binary()),
        }
        writer.add_table(TABLE, pa.table(columns), compression="zstd")
        manifest = manifest_of(basis, made)
        writer.commit(manifest)
    return manifest


def open_stored(path: Path) -> Stored:
    """Open a package of candidates.

    Raises:
        NotFoundError: nothing at the path.
        IntegrityError: it is no such package, a file was altered, or a root is not that of its rows.
    """
    package = Package(path, format=FORMAT)
    package.check_transport()
    manifest = package.manifest
    if sorted(manifest) != sorted(_KEYS) or package.names != (TABLE,):
        _broken(path, "the manifest or the file list has other keys", ", ".join(_KEYS))
    try:
        generator = checked_generator(manifest["generator"])
        profile, predicate = parse_uuid(manifest["profile"]["id"]), str(manifest["profile"]["predicate"])
        stated = {name: bytes.fromhex(manifest["roots"][name]) for name in ROOTS}
        parse_uuid(manifest["release"]["text_release"])
        bounds = bounds_root(manifest["bounds"])
    except (AttributeError, KeyError, TypeError, ValueError, UsageError) as error:
        told = error.message if isinstance(error, TekrarError) else repr(error)
        _broken(path, f"the manifest is malformed: {told}", "a manifest as tekrar candidates writes it")
    table = package.read_table(TABLE, list(_COLUMNS))
    columns = [table.column(name).to_pylist() for name in _COLUMNS]
    if any(None in column for column in columns):
        _broken(path, "the table has empty cells", "bytes in every cell")
    candidates = [Candidate(*row) for row in zip(*columns[:3], strict=True)]
    evidence = [Evidence(*row) for row in zip(*columns[3:], strict=True)]
    try:
        found = listed_roots(profile, predicate, candidates, evidence)
    except ValueError as error:
        _broken(path, f"a candidate stands twice: {error}", "every candidate once")
    found |= {"generator": generator.digest, "bounds": bounds}
    for key, wanted in (
        ("counts", {"candidates": len(candidates)}),
        ("release", manifest["release"] | {"core_release_manifest_root": stated["text-release"].hex()}),
        ("profile", manifest["profile"] | {"name": PROFILE}),
    ):
        if manifest[key] != wanted:
            _broken(path, f"{key} is {manifest[key]}", f"{wanted}, as the rows and roots give it")
    for name, root in found.items():
        if stated[name] != root:
            _broken(path, f"root {name} is {stated[name].hex()}", f"{root.hex()}, as the rows give it")
    if package_root(stated).hex() != manifest["candidates_root"]:
        _broken(path, "candidates_root is not that of the roots", package_root(stated).hex())
    return Stored(path, manifest, generator, candidates, evidence)


def _broken(path: Path, message: str, expected: str) -> NoReturn:
    raise IntegrityError(
        message,
        where=f"{path}/manifest.json",
        expected=expected,
        mend="make the candidates anew: tekrar candidates ARTIFACT --out CANDIDATES",
        kind="candidates_differ",
    )
