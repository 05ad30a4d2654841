"""What a verification found: single differences, and the refusal that carries them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tekrar.errors import VerificationError

#: Differences that are listed; the first one is the message, the rest is for a program.
LIMIT: Final = 20
#: Differences listed of one profile; one a kind, so that a shifted table does not hide the others.
LIMIT_A_PROFILE: Final = 5


@dataclass(frozen=True)
class Difference:
    """One place where the artifact differs from what its release gives.

    Attributes:
        profile: FP, FS, PP, PS; two joined by a comma for a table that two share; "" for the whole artifact.
        kind: the manifest of docs/encoding.md section 8 it belongs to (`work`, `matched` ...), or `document`.
        place: table and column, root name, or path in manifest.json.
        row: row number in that table, or None.
        expected, found: as text, digests in hex.
    """

    profile: str
    kind: str
    place: str
    row: int | None
    expected: str
    found: str

    def as_record(self) -> dict[str, Any]:
        """The difference as a flat record."""
        return {
            "profile": self.profile,
            "kind": self.kind,
            "place": self.place,
            "row": self.row,
            "expected": self.expected,
            "found": self.found,
        }

    def __str__(self) -> str:
        profile = f"profile {self.profile}, " if self.profile else ""
        row = "" if self.row is None else f" row {self.row}"
        return f"{profile}{self.kind}: {self.place}{row}"


class ArtifactDiffers(VerificationError):
    """An artifact that does not follow from its release; the message names the first difference.

    Attributes:
        differences: up to `LIMIT` of them, in the order they were found.
    """

    def __init__(self, differences: Sequence[Difference], *, where: str, truncated: bool) -> None:
        first = differences[0]
        more = len(differences) - 1
        rest = f" (and {'at least ' if truncated else ''}{more} more)" if more else ""
        super().__init__(
            f"{first} differs{rest}",
            where=where,
            expected=f"{first.expected}, found {first.found}",
            mend="do not use this artifact; build it again from the release",
            kind="artifact_differs",
        )
        self.differences = tuple(differences)


@dataclass
class Findings:
    """Collects differences and counts what was compared.

    Attributes:
        differences: at most `LIMIT`; `truncated` says that there were more.
        rows: rows compared over all tables; `roots`: roots compared.
    """

    differences: list[Difference] = field(default_factory=list)
    truncated: bool = False
    rows: int = 0
    roots: int = 0

    def add(
        self, *, profile: str, kind: str, place: str, row: int | None = None, expected: object, found: object
    ) -> None:
        """Note one difference."""
        mine = [one for one in self.differences if one.profile == profile]
        told = any(one.kind == kind for one in mine)
        if told or len(mine) >= LIMIT_A_PROFILE or len(self.differences) >= LIMIT:
            self.truncated = True
            return
        self.differences.append(Difference(profile, kind, place, row, as_text(expected), as_text(found)))

    def raise_if_any(self, *, where: str) -> None:
        """Refuse the artifact when something differs.

        Raises:
            ArtifactDiffers: names the first difference and carries the others.
        """
        if self.differences:
            raise ArtifactDiffers(self.differences, where=where, truncated=self.truncated)


def as_text(value: object) -> str:
    """A value for a message: digests in hex, the rest as Python shows it, shortened."""
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text if len(text) <= 200 else text[:197] + "..."


@dataclass(frozen=True)
class Verification:
    """An artifact that holds.

    Attributes:
        mode: full or quick.
        artifact, release: paths as given; release is "" in quick mode without one.
        artifact_root: 32 bytes.
        roots, rows: how many were compared.
        status: exact status of each profile.
    """

    mode: str
    artifact: str
    release: str
    artifact_root: bytes
    roots: int
    rows: int
    status: dict[str, str]

    def as_record(self) -> dict[str, Any]:
        """The outcome as one JSON record."""
        return {
            "verified": True,
            "mode": self.mode,
            "artifact": self.artifact,
            "release": self.release,
            "artifact_root": self.artifact_root.hex(),
            "roots": self.roots,
            "rows": self.rows,
            "status": self.status,
        }
