"""The closed vocabulary of answers and the fixed map from partition parts (ADR-009 *Query behavior*; AMB-38).

A status is read from the part that holds the row. An empty member list decides nothing (QRY-03), and a
row in no part is an integrity error, never unique (COV-11).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class QueryStatus(StrEnum):
    """Status of an occurrence in an answer: the ADR's nine and the positive tenth, matched.

    An exact artifact answers with matched, unique, not_evaluated, excluded and integrity_error; the
    others belong to curated releases.
    """

    MATCHED = "matched"
    UNIQUE = "unique"
    NOT_EVALUATED = "not_evaluated"
    EXCLUDED = "excluded"
    PENDING = "pending"
    UNSELECTED = "unselected"
    REJECTED = "rejected"
    RETIRED = "retired"
    AMBIGUOUS = "ambiguous"
    INTEGRITY_ERROR = "integrity_error"


class NoOccurrence(StrEnum):
    """The answer where no enumerator emits an occurrence: neither unique nor an error (PRO-04)."""

    NOT_COVERED = "not_covered"


class Presentation(StrEnum):
    """How a matched item or its class is presented; suppression is not rejection (DOM-08)."""

    PUBLISHED = "published"
    DOMINATED = "dominated"
    PROVISIONAL = "provisional"


#: Part of the partition -> status of the answer.
STATUS_OF_PART: Final[dict[str, QueryStatus]] = {
    "matched": QueryStatus.MATCHED,
    "evaluated-unique": QueryStatus.UNIQUE,
    "not-evaluated": QueryStatus.NOT_EVALUATED,
    "excluded": QueryStatus.EXCLUDED,
    "failed": QueryStatus.INTEGRITY_ERROR,
}
