"""What a caller states about a source, or leaves open: edition and language (contract C9)."""

from __future__ import annotations

from typing import Final

from tekrar.core.language import canonical_language
from tekrar.errors import UsageError

#: Edition of a release that nobody named; it cannot be published.
UNNAMED: Final = "unnamed"


def edition_or_unnamed(edition: str | None) -> str:
    """The edition as given, else `unnamed`.

    Raises:
        UsageError: it is an empty name.
    """
    if edition == "":
        raise UsageError(
            "the edition has an empty name",
            expected="a name",
            mend="leave it out for `unnamed`",
            kind="empty_name",
        )
    return UNNAMED if edition is None else edition


def required_language(language: str | None) -> str:
    """The language as given, in its canonical spelling.

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
    return canonical_language(language)
