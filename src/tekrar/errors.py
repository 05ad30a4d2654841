"""Every error a user can meet: one code, one exit status, one way to mend it.

A `TekrarError` names what was wrong, where (file and place), what was expected and how to mend it.
`EXIT_STATUS` is the only table from codes to exit statuses; `docs/errors.md` is made from it. Query and route
statuses are values, not errors (ADR-009, *Query behavior*).
"""

from __future__ import annotations

from typing import ClassVar, Final

EXIT_OK: Final = 0
EXIT_BUG: Final = 1

#: code -> (exit status, what it means)
EXIT_STATUS: Final[dict[str, tuple[int, str]]] = {
    "usage_error": (2, "the command line or an argument is wrong"),
    "source_error": (3, "a source to import is malformed, ambiguous or unreadable"),
    "integrity_error": (4, "bytes, roots, datasets or digests disagree; nothing was accepted"),
    "not_found": (5, "no such release, artifact, profile, occurrence or class"),
    "storage_error": (6, "a file could not be written or read: disk full, permission, path"),
    "verification_failed": (7, "an artifact or proof does not hold; the message names the first place"),
    "database_error": (8, "the database cannot be reached or used, or refuses; nothing in it was changed"),
    "interrupted": (130, "stopped by the user; nothing half-written remains"),
    "terminated": (143, "ended from outside by SIGTERM; nothing half-written remains"),
}


#: Characters of one field of an error that are said at most; what is longer keeps its beginning and its end.
MOST_SAID: Final = 1200
_END_SAID: Final = 200


def shortened(text: str) -> str:
    """A field of an error as it is said: a longer one without its middle, and how long that was."""
    if len(text) <= MOST_SAID:
        return text
    begin = text[: MOST_SAID - _END_SAID]
    left_out = len(text) - MOST_SAID
    return f"{begin} … [{left_out:,} of {len(text):,} characters left out] … {text[-_END_SAID:]}"


class TekrarError(Exception):
    """Base of all errors shown to a user.

    Args:
        message: what is wrong, in one sentence.
        where: file and place (line, byte, record), or "".
        expected: what would have been right, or "".
        mend: what the user can do, or "".
        kind: a finer machine-readable name inside the code, e.g. "overlapping_annotation".
    """

    code: ClassVar[str] = "source_error"

    def __init__(
        self, message: str, *, where: str = "", expected: str = "", mend: str = "", kind: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.expected = expected
        self.mend = mend
        self.kind = kind

    @property
    def exit_status(self) -> int:
        """Process exit status of this error's code."""
        return EXIT_STATUS[self.code][0]

    def as_record(self) -> dict[str, str]:
        """The error as a flat record with the keys code, kind, message, where, expected, mend."""
        return {
            "code": self.code,
            "kind": self.kind,
            "message": self.message,
            "where": self.where,
            "expected": self.expected,
            "mend": self.mend,
        }

    def __str__(self) -> str:
        parts = [f"{self.where}: {self.message}" if self.where else self.message]
        if self.expected:
            parts.append(f"expected: {self.expected}")
        if self.mend:
            parts.append(f"mend: {self.mend}")
        return "\n  ".join(parts)


class UsageError(TekrarError):
    """The caller's words are off: unknown profile, missing language, a target that exists."""

    code = "usage_error"


class SourceError(TekrarError):
    """A source to import breaks a rule of contract C9."""

    code = "source_error"


class IntegrityError(TekrarError):
    """Roots, digests, geometry or witness bytes disagree (ADR-009: `integrity_error`)."""

    code = "integrity_error"


class NotFoundError(TekrarError):
    """A named thing does not exist in the given release or artifact."""

    code = "not_found"


class StorageError(TekrarError):
    """The file system refused: disk full, file-size limit, permission, unsafe path."""

    code = "storage_error"


class VerificationError(TekrarError):
    """An artifact or a proof was checked and does not hold."""

    code = "verification_failed"


class DatabaseError(TekrarError):
    """The database cannot be reached, started or used, or refuses; nothing in it was changed."""

    code = "database_error"


class Interrupted(TekrarError):
    """The user stopped the work; nothing half-written remains."""

    code = "interrupted"


class Terminated(TekrarError):
    """SIGTERM ended the work; nothing half-written remains."""

    code = "terminated"
