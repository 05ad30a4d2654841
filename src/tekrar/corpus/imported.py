"""What an importer hands over: a text release, the source's other facts, and the provenance of the import
(contracts C4, C9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tekrar.core.text import TextRelease

#: Tables of source metadata: one canonical JSON text (or None) for each book, chapter, paragraph and
#: annotation span.
METADATA_TABLES = ("books", "chapters", "paragraphs", "headings", "note_bodies", "note_markers")


@dataclass(frozen=True)
class SourceFile:
    """One file that was read: its name as stated (no directory), byte length, SHA-256 of its bytes as
    stored (hex), and how many of the books it held; None for all of them."""

    name: str
    bytes: int
    sha256: str
    books: int | None = None


@dataclass(frozen=True)
class Imported:
    """Result of one import.

    Attributes:
        release: the text release with its datasets.
        importer: `structured-json/1`, `paragraph-jsonl/1`, `plain-text/1` or `markdown/1`.
        sources: the files read, in book order.
        unread: names in a source folder that were not read, in byte order.
        parameters: what the caller stated (language, edition, format …), JSON values only, no path.
        metadata: source facts outside identity, by table (`METADATA_TABLES`); a table is as long as its
            elements, in document order, each entry canonical JSON text (sorted keys) or None.
    """

    release: TextRelease
    importer: str
    sources: tuple[SourceFile, ...]
    unread: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, list[str | None]] = field(default_factory=dict)
