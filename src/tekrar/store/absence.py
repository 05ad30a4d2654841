"""What is not there is `not_found` also when the database says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tekrar.errors import DatabaseError, NotFoundError


@contextmanager
def absence(kind: str = "not_published") -> Iterator[None]:
    """Turn a database's `not_found` into `NotFoundError` of a kind, with its own exit status."""
    try:
        yield
    except DatabaseError as error:
        if error.kind != "not_found":
            raise
        raise NotFoundError(
            error.message, where=error.where, expected=error.expected, mend=error.mend, kind=kind
        ) from error
