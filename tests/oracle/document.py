"""A structured document as atoms, paragraphs and chapters, and the identity of its text release (section
4)."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.encoding import NONE, identity, json_bytes, lp, of_release, opt, root, selection, sha, u

SENTENCE, INTER_SENTENCE, INTER_PARAGRAPH = 0, 1, 2
DATASETS = ("headings", "note_bodies", "note_markers")


@dataclass(frozen=True)
class Atom:
    kind: int
    start: int
    end: int


@dataclass(frozen=True)
class Span:
    start: int
    end: int
    gap: bool = False
    link: str = ""


@dataclass
class Paragraph:
    ordinal: int
    address: str
    sentences: list[int] = field(default_factory=list)  # atom ordinals


@dataclass
class Chapter:
    address: str
    paragraphs: list[Paragraph] = field(default_factory=list)

    @property
    def sentences(self) -> list[int]:
        return [atom for paragraph in self.paragraphs for atom in paragraph.sentences]


@dataclass
class Document:
    """The document's text and tree; `books` holds (id, title, before, number of chapters)."""

    edition: str
    language: str
    text: bytes = b""
    atoms: list[Atom] = field(default_factory=list)
    chapters: list[Chapter] = field(default_factory=list)
    books: list[tuple[str, str | None, bool, int]] = field(default_factory=list)
    titles: list[str | None] = field(default_factory=list)
    spans: dict[str, list[Span]] = field(default_factory=dict)

    @property
    def paragraphs(self) -> list[Paragraph]:
        return [paragraph for chapter in self.chapters for paragraph in chapter.paragraphs]

    def add(self, kind: int, text: str) -> int:
        data = text.encode()
        self.atoms.append(Atom(kind, len(self.text), len(self.text) + len(data)))
        self.text += data
        return len(self.atoms) - 1


def read(source: dict[str, Any]) -> Document:
    """The document of a structured JSON value whose datasets are all present."""
    document = Document(source.get("edition", "unnamed"), source.get("language", "tr"))
    for book in source["corpus"]["books"]:
        document.books.append((book["id"], book.get("title"), "before" in book, len(book["chapters"])))
        if "before" in book:
            document.add(INTER_PARAGRAPH, book["before"])
        for number, chapter in enumerate(book["chapters"], 1):
            document.titles.append(chapter.get("title"))
            document.chapters.append(Chapter(f"{book['id']}/{number}"))
            for paragraph in chapter["paragraphs"]:
                _paragraph(document, paragraph)
    for kind in DATASETS:
        rows = source["annotations"][kind]
        document.spans[kind] = sorted(
            (
                Span(
                    s["start"],
                    s["end"],
                    s.get("status") == "source_gap",
                    "" if kind == "headings" else s.get("id", ""),
                )
                for s in rows
            ),
            key=lambda s: (s.start, s.end),
        )
    return document


def _paragraph(document: Document, source: dict[str, Any]) -> None:
    chapter = document.chapters[-1]
    address = f"{chapter.address}/p{len(chapter.paragraphs) + 1}"
    paragraph = Paragraph(len(document.paragraphs), address)
    for number, sentence in enumerate(source["sentences"]):
        if number:
            document.add(INTER_SENTENCE, source["seps"][number - 1])
        paragraph.sentences.append(document.add(SENTENCE, sentence))
    document.add(INTER_PARAGRAPH, source["after"])
    chapter.paragraphs.append(paragraph)


@dataclass(frozen=True)
class ReleaseIdentity:
    certified: bytes
    manifest_root: bytes
    id: uuid.UUID
    datasets: dict[str, bytes]


def release_identity(document: Document) -> ReleaseIdentity:
    """Certified digest, core release manifest root, release ID and dataset roots."""
    certified = root(
        "core-atoms",
        NONE,
        (
            (
                u(i, 8),
                u(a.kind, 1) + u(a.start, 8) + u(a.end - a.start, 8) + sha(document.text[a.start : a.end]),
            )
            for i, a in enumerate(document.atoms)
        ),
    )
    paragraphs = document.paragraphs
    text = [None if title is None else lp(title.encode()) for title in document.titles]
    manifest = {
        "format": "tekrar/core-release/v1",
        "certified_digest": certified.hex(),
        "tree": {
            "books": root(
                "core-books",
                NONE,
                ((u(i, 8), u(b[2], 1) + u(b[3], 4)) for i, b in enumerate(document.books)),
            ).hex(),
            "chapters": root(
                "core-chapters",
                NONE,
                ((u(i, 8), u(len(c.paragraphs), 4)) for i, c in enumerate(document.chapters)),
            ).hex(),
            "paragraphs": root(
                "core-paragraphs",
                NONE,
                (
                    (u(i, 8), u(len(p.sentences), 4) + u(bool(p.sentences), 1))
                    for i, p in enumerate(paragraphs)
                ),
            ).hex(),
        },
        "labels": {
            "books": root(
                "core-book-labels",
                NONE,
                (
                    (u(i, 8), opt(lp(b[0].encode())) + opt(None if b[1] is None else lp(b[1].encode())))
                    for i, b in enumerate(document.books)
                ),
            ).hex(),
            "chapters": root(
                "core-chapter-labels", NONE, ((u(i, 8), opt(None) + opt(t)) for i, t in enumerate(text))
            ).hex(),
            "paragraphs": root(
                "core-paragraph-labels",
                NONE,
                ((u(i, 8), opt(None) + opt(None)) for i in range(len(paragraphs))),
            ).hex(),
        },
        "language": document.language,
        "segmenter": "source",
        "books": len(document.books),
        "chapters": len(document.chapters),
        "paragraphs": len(paragraphs),
        "sentences": sum(len(p.sentences) for p in paragraphs),
        "bytes": len(document.text),
    }
    manifest_root = sha(json_bytes(manifest))
    edition = hashlib.sha256(document.edition.encode()).hexdigest()
    release = identity("text-release", ("edition", edition), ("root", manifest_root.hex()))
    return ReleaseIdentity(
        certified, manifest_root, release, {k: dataset_root(document, k, release) for k in DATASETS}
    )


def dataset_root(document: Document, kind: str, release: uuid.UUID) -> bytes:
    """Root of one annotation dataset; only markers carry a status."""
    rows = []
    for span in document.spans[kind]:
        status = u(span.gap, 1) if kind == "note_markers" else b""
        chosen = selection(release, span.start, span.end).bytes
        rows.append((u(span.start, 8) + u(span.end, 8), chosen + status + lp(span.link.encode())))
    return root("dataset-" + kind.replace("_", "-"), of_release(release), rows)
