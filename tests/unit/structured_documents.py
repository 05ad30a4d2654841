"""Small structured documents for tests, made from words of our own."""

from __future__ import annotations

import json
from typing import Any


def paragraph(
    own_id: str, *sentences: str, seps: list[Any] | None = None, after: Any = "\n\n"
) -> dict[str, Any]:
    """A paragraph whose sentences are parted by one space unless `seps` says otherwise."""
    between = [" "] * max(len(sentences) - 1, 0) if seps is None else seps
    return {"id": own_id, "sentences": list(sentences), "seps": between, "after": after}


def chapter(own_id: str, *paragraphs: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": own_id, "paragraphs": list(paragraphs), **more}


def book(own_id: str, *chapters: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": own_id, "chapters": list(chapters), **more}


def document(*books: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A document of books; `headings=…` and the like are datasets (else empty), the rest its keys."""
    annotations = {kind: more.pop(kind, []) for kind in ("headings", "note_bodies", "note_markers")}
    return {"corpus": {"books": list(books)}, "annotations": annotations, **more}


def sample(**more: Any) -> dict[str, Any]:
    """Two books: BOM, CRLF, an empty paragraph, an empty chapter, a heading, a note, a source gap."""
    first = book(
        "Bahçe",
        chapter(
            "1", paragraph("p1", "Kuyu"), paragraph("p2", "Su[1] serindi.", "Kova ağırdı."), title="Kuyu"
        ),
        chapter("2"),
        before="\ufeff\r\n",
        title="Bahçe Defteri",
    )
    second = book("Yol", chapter("1", paragraph("p1"), paragraph("p2", "[1] Not.", after=""), title="Söz"))
    spans = {
        "headings": [{"start": 5, "end": 9, "text": "Kuyu", "id": "h1"}],
        "note_markers": [{"start": 13, "end": 16, "text": "[1]", "status": "source_gap", "id": "n1"}],
        "note_bodies": [{"start": 45, "end": 53, "text": "[1] Not.", "id": "n1"}],
    }
    return document(first, second, **{**spans, **more})


def encode(value: Any) -> bytes:
    """The document as JSON bytes."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8")
