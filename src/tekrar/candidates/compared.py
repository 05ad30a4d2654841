"""Verifying a package of candidates: made again from artifact and release, and compared root by root."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tekrar.candidates.basis import Basis
from tekrar.candidates.made import make
from tekrar.candidates.present import present_generator
from tekrar.candidates.stored import Stored, manifest_of
from tekrar.core.candidate.record import candidate_id, sha
from tekrar.core.identity import uuid_text
from tekrar.errors import IntegrityError, UsageError, VerificationError


def check_bound(stored: Stored, basis: Basis) -> None:
    """Refuse an artifact or release that a package was not made from.

    Raises:
        IntegrityError: names the first of the two that differs.
    """
    found = {
        "artifact": (basis.artifact.path, basis.artifact.artifact_root.hex()),
        "text-release": (basis.opened.path, basis.opened.manifest_root.hex()),
    }
    for name, (path, root) in found.items():
        stated = stored.manifest["roots"][name]
        if stated != root:
            raise IntegrityError(
                f"the candidates were made from another {name.replace('-', ' ')}",
                where=f"{path}: {name} {root}",
                expected=f"{name} {stated}, as {stored.path} states",
                mend="name the artifact and release that they were made from, or make candidates anew",
                kind=f"other_{name.replace('-', '_')}",
            )


def verify_ids(stored: Stored) -> None:
    """Make every ID of a package again from its facts.

    Raises:
        VerificationError: names the first candidate whose ID is not that of its facts.
    """
    generator = stored.generator.digest
    for at, one in enumerate(stored.candidates):
        if candidate_id(stored.profile, sha(one.participants), generator, sha(one.result)) != one.id:
            _refuse(stored, f"candidate {at + 1} has an ID that is not its own", uuid_text(one.id))
        try:
            stored.evidence_of(at)
        except IntegrityError as error:
            _refuse(stored, error.message, "")


def verify(
    stored: Stored, basis: Basis, tell: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, Any]:
    """Make the candidates again and compare.

    Returns:
        what was compared.

    Raises:
        IntegrityError: another artifact or release.
        UsageError: another generator than this version's; its candidates cannot be made again here.
        VerificationError: names the first fact that differs.
    """
    check_bound(stored, basis)
    generator = present_generator(basis.opened.release.language)
    if stored.generator.digest != generator.digest:
        raise UsageError(
            f"the candidates were made by {stored.generator.label} ({stored.generator.digest.hex()[:12]})",
            where=str(stored.path),
            expected=f"{generator.label} ({generator.digest.hex()[:12]}), the generator of this version",
            mend="verify with the version of tekrar that made them, or make candidates anew",
            kind="other_generator",
        )
    verify_ids(stored)
    made = make(basis, generator, tell)
    found = manifest_of(basis, made)
    for rank, (mine, theirs) in enumerate(zip(made.candidates, stored.candidates, strict=False), 1):
        if mine != theirs:
            _refuse(stored, f"candidate {rank} differs", uuid_text(mine.id))
    for name, root in found["roots"].items():
        if stored.manifest["roots"][name] != root:
            _refuse(stored, f"root {name} is {stored.manifest['roots'][name]}", root)
    if found != stored.manifest:
        odd = sorted(key for key in found if found[key] != stored.manifest[key])
        _refuse(stored, f"the manifest differs in {odd[0]}", "what the candidates give")
    return {
        "verified": True,
        "candidates": len(made.candidates),
        "generator": generator.label,
        "candidates_root": found["candidates_root"],
    }


def _refuse(stored: Stored, message: str, expected: str) -> None:
    raise VerificationError(
        message,
        where=str(stored.path),
        expected=expected,
        mend="make the candidates anew: tekrar candidates ARTIFACT --out CANDIDATES",
        kind="candidates_differ",
    )
