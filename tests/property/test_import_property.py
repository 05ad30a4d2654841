"""Import of any source: no byte is lost, every span is sound, the order in which files come is nothing."""

import gzip
import hashlib
import json
import random
import re
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tekrar.core.annotation import check_datasets
from tekrar.core.release import certified_digest, core_manifest, manifest_root_of
from tekrar.core.text import TextRelease
from tekrar.corpus.folder import list_sources
from tekrar.corpus.imported import Imported
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.plaintext import import_text
from tekrar.corpus.sources import SourceText, read_source

PIECES = [
    "Kuş uçtu.", " ", "\n", "\r\n", "\r", "\t", "\ufeff", "# ", "### Söz", "[^a]", "[^b]: ", "    ", "`",
    "```\n", "~~~\n", "- ", "> ", "\\", "***", "…", "ﷺ", "بسم الله.", "o\u0308", "\u200d", "\u2028", "\x00",
    "(Not[1])", "M.Ö. 5.", "Hz. ", "!", "\U0001f426",
]  # fmt: skip
texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
)


def file_of(data: bytes, name: str) -> SourceText:
    return SourceText(name, data, hashlib.sha256(data).hexdigest(), len(data))


def root(release: TextRelease) -> bytes:
    return manifest_root_of(core_manifest(release, certified=certified_digest(release)))


def checked(imported: Imported) -> TextRelease:
    """The release, its atoms and spans checked."""
    release = imported.release
    release.check_tiling()
    check_datasets(release, certified=certified_digest(release))
    for table, column in (("paragraphs", release.paragraph_sentences), ("note_markers", None)):
        if table in imported.metadata:
            marks = release.datasets["note_markers"]
            assert marks is not None
            assert len(imported.metadata[table]) == len(marks.start if column is None else column)
    return release


@pytest.mark.req("CORE-10")
@given(books=st.lists(texts, min_size=1, max_size=3), markdown=st.booleans())
def test_each_book_of_text_has_the_bytes_of_its_file(books: list[str], markdown: bool) -> None:
    files = [file_of(text.encode(), f"{i}.md") for i, text in enumerate(books)]
    release = checked(import_text(files, edition=None, language="tr", markdown=markdown))
    assert release.text == "".join(books).encode()
    starts = release.chapter_extent[0][release.book_chapter_start[:-1]]
    at = 0
    for n, text in enumerate(books):
        found = re.search(r"[^ \t\r\n]", text.removeprefix("\ufeff"))
        if found:  # the book's first paragraph starts at the start of its first non-blank line
            lead = text.removeprefix("\ufeff")[: found.start()].rpartition("\n")
            offset = len((text[: len(text) - len(text.removeprefix("\ufeff"))] + lead[0] + lead[1]).encode())
            assert starts[n] == at + offset
        at += len(text.encode())


def oracle(text: str) -> list[str]:
    """Paragraphs of plain text by another way: runs of lines with something other than space, tab and CR."""
    runs = re.findall(r"(?:(?:[^\n]*[^ \t\r\n][^\n]*)(?:\n|\Z))+", text.removeprefix("\ufeff"))
    return [re.sub(r"\r?\n\Z", "", run) for run in runs]


@given(text=texts)
def test_paragraphs_of_plain_text_are_runs_of_lines_that_are_not_blank(text: str) -> None:
    release = checked(
        import_text([file_of(text.encode(), "a.txt")], edition=None, language="tr", markdown=False)
    )
    bounds = zip(release.paragraph_start, release.paragraph_end, strict=True)
    assert [release.text[a:b].decode() for a, b in bounds] == oracle(text)


@given(text=texts)
def test_markdown_spans_are_what_they_say(text: str) -> None:
    release = checked(
        import_text([file_of(text.encode(), "a.md")], edition=None, language="tr", markdown=True)
    )
    headings, bodies, markers = (release.datasets[k] for k in ("headings", "note_bodies", "note_markers"))
    assert headings is not None
    assert bodies is not None
    assert markers is not None
    paragraphs = set(zip(release.paragraph_start.tolist(), release.paragraph_end.tolist(), strict=True))
    for low, high in zip(headings.start.tolist(), headings.end.tolist(), strict=True):
        assert re.fullmatch(rb" {0,3}#{1,6}(?:[ \t\r][^\n]*)?", release.text[low:high])
        assert (low, high) in paragraphs
    for low, high, link in zip(bodies.start, bodies.end, bodies.link, strict=True):
        assert release.text[low:high].startswith(f"[^{link}]:".encode())
        assert release.text[high : high + 1] in (b"", b"\n", b"\r")
    for low, high, link, gap in zip(markers.start, markers.end, markers.link, markers.status, strict=True):
        assert release.text[low:high] == f"[^{link}]".encode()
        assert gap == (link not in bodies.link)


@st.composite
def record_books(draw: st.DrawFn) -> list[list[dict[str, Any]]]:
    """Books of records with notes, markers of every place, and sentences of the source now and then."""
    books = []
    for b in range(draw(st.integers(1, 3))):
        records: list[dict[str, Any]] = []
        for n in range(draw(st.integers(0, 5))):
            text = draw(texts)
            kind = draw(st.sampled_from(["heading", "body", "note", "separator", "empty"]))
            record: dict[str, Any] = {
                "book": f"b{b}",
                "chapter": 1 + n // 2,
                "para": n,
                "kind": kind,
                "text": text,
            }
            if kind == "note":
                record["note_id"] = f"n{n}"
            spots = sorted(draw(st.sets(st.integers(0, len(text)), max_size=4)))
            pairs = list(zip(spots[::2], spots[1::2], strict=False))
            record["note_markers"] = [
                {
                    "start": at(text, a),
                    "end": at(text, b),
                    "surface": text[a:b],
                    "resolved": False,
                    "note_id": "x",
                }
                for a, b in draw(st.permutations(pairs))
            ]
            if draw(st.booleans()):
                inside = {p for a, b in pairs for p in range(a + 1, b)}
                cuts = sorted(draw(st.sets(st.integers(1, max(1, len(text) - 1)), max_size=3)) - inside)
                edges = [0, *(c for c in cuts if c < len(text)), len(text)]
                record["sents"] = [[at(text, a), at(text, b)] for a, b in pairwise(edges) if a < b]
            records.append(
                record | draw(st.dictionaries(st.sampled_from("äxyz"), st.integers() | texts, max_size=2))
            )
        books.append(records)
    return books


def at(text: str, index: int) -> int:
    return len(text[:index].encode())


def lines_of(records: list[dict[str, Any]], *, escaped: bool = False) -> bytes:
    return "".join(json.dumps(r, ensure_ascii=escaped) + "\n" for r in records).encode()


@pytest.mark.req("CORE-10")
@given(books=record_books(), escaped=st.booleans())
def test_records_come_back_byte_for_byte(books: list[list[dict[str, Any]]], escaped: bool) -> None:
    files = [file_of(lines_of(b, escaped=escaped), f"{i}.jsonl") for i, b in enumerate(books)]
    imported = import_jsonl(files, edition=None, language="tr")
    release = checked(imported)
    records = [r for book in books for r in book]
    assert release.text == "".join(r["text"] + "\n\n" for r in records).encode()
    markers = release.datasets["note_markers"]
    assert markers is not None
    surfaces = [m["surface"] for r in records for m in sorted(r["note_markers"], key=lambda m: m["start"])]
    assert [
        release.text[low:high].decode() for low, high in zip(markers.start, markers.end, strict=True)
    ] == surfaces
    for n, record in enumerate(records):
        rest = json.loads(imported.metadata["paragraphs"][n] or "{}")
        assert rest == {
            k: v
            for k, v in record.items()
            if k not in {"book", "chapter", "para", "text", "note_markers", "sents"}
        }
        if "sents" in record and record["text"]:
            low, high = release.paragraph_sentence_start[n : n + 2]
            start = release.paragraph_start[n]
            bounds = zip(release.sentence_start[low:high], release.sentence_end[low:high], strict=True)
            assert [[int(a - start), int(b - start)] for a, b in bounds] == record["sents"]


@settings(max_examples=25)
@given(books=record_books(), seed=st.integers(0, 2**16), packed=st.booleans())
def test_the_order_in_which_files_come_counts_for_nothing(
    books: list[list[dict[str, Any]]], seed: int, packed: bool
) -> None:
    with TemporaryDirectory() as folder:
        for i, book in enumerate(books):
            data = lines_of(book)
            name = f"{'çab'[i]}.jsonl"
            Path(folder, name + ".gz" if packed else name).write_bytes(
                gzip.compress(data) if packed else data
            )
        paths = sorted(Path(folder).iterdir())
        random.Random(seed).shuffle(paths)
        shuffled, whole = list_sources(paths), list_sources([Path(folder)])
        roots = {
            root(import_jsonl([read_source(p) for p in listing.files], edition=None, language="tr").release)
            for listing in (shuffled, whole)
        }
    assert len(roots) == 1
