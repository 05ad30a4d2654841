"""The source file of every book, from the provenance of an import: name and SHA-256, nothing else (CORE-08).

What else the provenance says (parameters, names that were not read) is not public and does not enter the
database.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tekrar.core.encoding import canonical_json
from tekrar.errors import IntegrityError
from tekrar.store.load.text import Sources


def public_sources(provenance: Mapping[str, Any], *, books: int) -> list[dict[str, Any]]:
    """The files in book order, each with `books`, how many of the books are from it; null where not known.

    Args:
        provenance: of a release package.
        books: of the release.

    Raises:
        IntegrityError: a file without a name or digest.
    """
    files = provenance.get("sources")
    if not isinstance(files, list) or not all(map(_is_file, files)):
        raise IntegrityError(
            "the provenance names no source files",
            where="manifest.json, provenance",
            expected="sources, each with name and sha256",
            mend="import the source again",
            kind="bad_table",
        )
    counts = [file.get("books") for file in files]
    if len(files) == 1:
        counts = [books]
    elif None in counts and len(files) == books:  # made before files said how many books they held
        counts = [1] * books
    return [
        {"books": count, "name": file["name"], "sha256": file["sha256"]}
        for count, file in zip(counts, files, strict=True)
    ]


def book_sources(document: Any, *, books: int) -> Sources:
    """Name and digest of the source file of every book, from the document that `public_sources` made."""
    found: list[tuple[bytes, bytes] | None] = []
    for file in document:
        one = (file["name"].encode(), bytes.fromhex(file["sha256"]))
        found += [one] * (file["books"] or 0)
    return found if len(found) == books else [None] * books


def sources_bytes(sources: Sequence[Any]) -> bytes:
    """The document as `core.release.sources` holds it."""
    return canonical_json(list(sources))


def _is_file(file: Any) -> bool:
    return (
        isinstance(file, dict)
        and isinstance(file.get("name"), str)
        and re.fullmatch("[0-9a-f]{64}", str(file.get("sha256"))) is not None
        and (file.get("books") is None or (type(file["books"]) is int and file["books"] >= 0))
    )
