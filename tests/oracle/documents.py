"""Random structured documents, small alphabets on purpose: repeats, overlaps and odd geometry are the
rule."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.document import read

SENTENCES = [
    "A.", "A.", "B.", "C.", "A. B.", "x[1]y", "x[9]y", "xy", "[1]", "[1][22]", " ", "\n\n",
    "e\u0301", "\u00e9", "xş", "xŝ", "\x00", "\x02\x00\x00\x00\x0bnote_marker", "tekrar/sentence/v1", "***",
]  # fmt: skip
SEPARATORS = [
    " ", " ", " ", "", "\n\n", "[1]", "a[1]b", "[1][1]", "x" * 26, "x" * 27, "ş" * 13, "ş" * 14,
    "\x00", "\ufeff", "\x00\x00\x00\x01\x02\x00\x00\x00\x0bnote_marker",
]  # fmt: skip
ENDS = ["\n\n", "\n\n", "\n\n", "", " ", "[1]", "=" * 30, "\x00\x00"]


@st.composite
def paragraphs(draw: st.DrawFn, plain: bool = False) -> dict[str, Any]:
    alphabet = SENTENCES[:4] if plain else SENTENCES
    count = draw(st.integers(0, 3))
    sentences = [draw(st.sampled_from(alphabet)) for _ in range(count)]
    between = [" "] if plain else SEPARATORS
    seps = [draw(st.sampled_from(between)) for _ in range(max(count - 1, 0))]
    return {"sentences": sentences, "seps": seps, "after": draw(st.sampled_from(["\n\n"] if plain else ENDS))}


@st.composite
def corpora(draw: st.DrawFn) -> dict[str, Any]:
    """Books whose chapters are drawn from a small pool of paragraphs, so that long runs return."""
    plain = draw(st.booleans())
    pool = draw(st.lists(paragraphs(plain), min_size=1, max_size=4))
    books = []
    for b in range(draw(st.integers(1, 2))):
        chapters = []
        for c in range(draw(st.integers(0, 3))):
            chosen = draw(st.lists(st.sampled_from(pool), max_size=6))
            parts = [{"id": f"p{i}", **p} for i, p in enumerate(chosen)]
            chapter: dict[str, Any] = {"id": f"c{c}", "paragraphs": parts}
            if draw(st.booleans()):
                chapter["title"] = "Bölüm"
            chapters.append(chapter)
        book: dict[str, Any] = {"id": f"b{b}", "chapters": chapters}
        if draw(st.integers(0, 3)) == 0:
            book["before"] = draw(st.sampled_from(["", "\ufeff", "\n"]))
        books.append(book)
    return {"books": books}


@st.composite
def documents(draw: st.DrawFn, *, markers: bool = True) -> dict[str, Any]:
    """A corpus with legal annotations: disjoint spans of one dataset, inside a chapter, markers inside an
    atom."""
    source: dict[str, Any] = {
        "corpus": draw(corpora()),
        "annotations": {"headings": [], "note_bodies": [], "note_markers": []},
        "edition": draw(st.sampled_from(["unnamed", "baskı 1"])),
    }
    document = read(source)
    text = document.text
    boundary = [i for i in range(len(text) + 1) if i == len(text) or text[i] & 0xC0 != 0x80]
    chapters = _chapter_extents(document)
    for kind in ("headings", "note_bodies"):
        spans: list[tuple[int, int]] = []
        if chapters:
            for _ in range(draw(st.integers(0, 2))):
                low, high = draw(st.sampled_from(chapters))
                places = [i for i in boundary if low <= i <= high]
                a, b = draw(st.sampled_from(places)), draw(st.sampled_from(places))
                _keep(spans, min(a, b), max(a, b))
        source["annotations"][kind] = [{"start": a, "end": b} for a, b in sorted(spans)]
    if markers:
        source["annotations"]["note_markers"] = _markers(draw, document, chapters, boundary)
    return source


def _chapter_extents(document: Any) -> list[tuple[int, int]]:
    """Byte extents of chapters with text, the separators after their paragraphs included."""
    found, at = [], 0
    atoms = iter(document.atoms)
    chapters = iter(document.chapters)
    for _, _, before, count in document.books:
        if before:
            at = next(atoms).end
        for _ in range(count):
            low = at
            for paragraph in next(chapters).paragraphs:
                for _ in range(max(2 * len(paragraph.sentences), 1)):
                    at = next(atoms).end
            if at > low:
                found.append((low, at))
    return found


def _keep(spans: list[tuple[int, int]], low: int, high: int) -> None:
    if low < high and all(high <= a or low >= b for a, b in spans):
        spans.append((low, high))


def _markers(
    draw: st.DrawFn, document: Any, chapters: list[tuple[int, int]], boundary: list[int]
) -> list[dict[str, Any]]:
    spans: list[tuple[int, int]] = []
    atoms = [a for a in document.atoms if any(low <= a.start and a.end <= high for low, high in chapters)]
    every = draw(st.booleans())
    for atom in atoms:
        held = document.text[atom.start : atom.end]
        at = held.find(b"[")
        while at >= 0:
            if every or draw(st.booleans()):
                end = held.index(b"]", at) + 1
                _keep(spans, atom.start + at, atom.start + end)
            at = held.find(b"[", at + 1)
    if atoms and draw(st.integers(0, 4)) == 0:
        atom = draw(st.sampled_from(atoms))
        places = [i for i in boundary if atom.start <= i <= atom.end]
        a, b = draw(st.sampled_from(places)), draw(st.sampled_from(places))
        _keep(spans, min(a, b), max(a, b))
    statuses = st.sampled_from(["matched", "source_gap"])
    return [{"start": a, "end": b, "status": draw(statuses), "id": f"n{a}"} for a, b in sorted(spans)]
