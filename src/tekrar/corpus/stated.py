"""What a caller states about a source, or leaves open: edition and language (contract C9)."""

from __future__ import annotations

from typing import Final

from tekrar.core.policy import primary_subtag
from tekrar.errors import UsageError

#: Edition of a release that nobody named; it cannot be published.
UNNAMED: Final = "unnamed"


def required_language(language: str | None) -> str:
    """The language as given.

    Raises:
        UsageError: there is none, or it names no language.
    """
    if language is None:
        raise UsageError(
            "this source does not say its language",
            expected="a BCP 47 tag such as tr, en or ar",
            mend="give --language",
            kind="missing_language",
        )
    primary_subtag(language)
    return language
