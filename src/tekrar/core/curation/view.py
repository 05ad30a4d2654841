"""What rules ask of the world: facts of occurrences, classes, text, diffs, candidates and structures.

A view is anything that answers these questions: an artifact with a text release, a database, a model in a
test. Rules see nothing else, so the check before a proposal is written and the one at apply are the same
function.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tekrar.core.curation.choice import Choice
from tekrar.core.curation.family import Family
from tekrar.core.curation.quotation import Quotation


@dataclass(frozen=True)
class ProfileFacts:
    """A repetition profile: its text release (16 bytes) and the edition that this is one of."""

    text_release: bytes
    edition: str


@dataclass(frozen=True)
class OccurrenceFacts:
    """One occurrence.

    Attributes:
        profile: repetition-profile UUID (16 bytes).
        start, end: its bytes in the text release.
        witness: mask witness root (32 bytes).
        status: evaluated, not_evaluated, excluded or failed.
        exact: UUID of the exact class it is a member of, or None.
        group: witness of the provisional group that it is a member of (32 bytes), or None.
    """

    profile: bytes
    start: int
    end: int
    witness: bytes
    status: str = "evaluated"
    exact: bytes | None = None
    group: bytes | None = None

    @property
    def same(self) -> bytes | None:
        """What it has in common with the occurrences that are exactly equal to it; None where none is."""
        return self.exact or self.group


@dataclass(frozen=True)
class ClassFacts:
    """One exact class: profile, all members (any order), class witness, whether it is dominated."""

    profile: bytes
    members: tuple[bytes, ...]
    witness: bytes
    dominated: bool = False


@dataclass(frozen=True)
class DiffFacts:
    """One diff: ordered occurrences and the witness roots of both at the time it was made."""

    left: bytes
    right: bytes
    left_witness: bytes
    right_witness: bytes


@dataclass(frozen=True)
class CandidateFacts:
    """One candidate: profile, digests of generator and participants, current disposition, hash of the event
    that says so (None where the generator's own word stands), and the occurrences that its sides touch."""

    profile: bytes
    generator: bytes
    participants: bytes
    disposition: str
    event: bytes | None
    touched: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class StructureFacts:
    """One structure that a decision brought.

    Attributes:
        profile: repetition-profile UUID (16 bytes).
        body: what the decision says of it.
        state: effective, superseded, retired or compensated.
        expansion: every occurrence of a family; empty for others.
    """

    profile: bytes
    body: Family | Quotation | Choice
    state: str
    expansion: frozenset[bytes] = frozenset()


@dataclass(frozen=True)
class PolicyFacts:
    """One version of a choice policy: digest of its text (32 bytes), its rule, and whether the text is kept.

    One whose text is not kept is known from a choice of before texts were."""

    document: bytes
    rule: str
    registered: bool = True


class View(Protocol):
    """The questions. IDs and digests are bytes; an answer of None means that there is no such record."""

    def profile(self, profile: bytes) -> ProfileFacts | None:
        """A repetition profile."""

    def occurrence(self, occurrence: bytes) -> OccurrenceFacts | None:
        """An occurrence."""

    def exact_class(self, exact: bytes) -> ClassFacts | None:
        """An exact class."""

    def text(self, release: bytes, start: int, end: int) -> bytes:
        """Bytes of a text release; fewer where it ends before."""

    def diff(self, diff: bytes) -> DiffFacts | None:
        """A stored diff."""

    def candidate(self, candidate: bytes) -> CandidateFacts | None:
        """A stored candidate."""

    def has_evidence(self, evidence: bytes) -> bool:
        """Whether this evidence is stored."""

    def family_of(self, occurrence: bytes) -> bytes | None:
        """The family in force that the occurrence is in, directly or through a class."""

    def structure(self, structure: bytes) -> StructureFacts | None:
        """A family, quotation or choice."""

    def choice_in_force(self, structure: bytes, policy: str) -> bytes | None:
        """The choice in force for a structure under the policy of this name."""

    def choice_policy(self, policy: str, version: str) -> PolicyFacts | None:
        """A version of a choice policy, as it was registered, or as the first decision under it named it."""

    def policy_versions(self, policy: str) -> tuple[str, ...]:
        """Versions of a choice policy whose texts are registered."""

    def released(self, release: bytes, structure: bytes) -> bool | None:
        """Whether a published repetition release holds a class or family; None for no such release."""
