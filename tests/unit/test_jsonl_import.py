"""Import of paragraph JSON lines: each rule of contract C9, and each bad line with its place."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tekrar.core.annotation import check_datasets
from tekrar.core.release import certified_digest
from tekrar.corpus import segmenter
from tekrar.corpus.imported import Imported
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.sources import SourceText, read_source
from tekrar.errors import SourceError, UsageError


def record(para: int = 1, text: str = "Kuş uçtu.", **keys: Any) -> dict[str, Any]:
    """A body record of chapter 1 of book `b`."""
    return {
        "book": "b",
        "chapter": 1,
        "chapter_title": "Bir",
        "para": para,
        "ord": para,
        "kind": "body",
        "text": text,
        "note_markers": [],
    } | keys


def source(*records: dict[str, Any] | str | bytes, name: str = "b.jsonl") -> SourceText:
    """A file of records; a string or bytes stands as the line it is."""
    lines = [r if isinstance(r, str | bytes) else json.dumps(r, ensure_ascii=False) for r in records]
    data = b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
    return SourceText(name, data, hashlib.sha256(data).hexdigest(), len(data))


def load(*records: dict[str, Any] | str | bytes, **options: Any) -> Imported:
    return load_files(source(*records), **options)


def load_files(*files: SourceText, **options: Any) -> Imported:
    imported = import_jsonl(files, **{"edition": None, "language": "tr"} | options)
    check_datasets(imported.release, certified=certified_digest(imported.release))
    return imported


def refused(*records: dict[str, Any] | str | bytes, kind: str, where: str, **options: Any) -> SourceError:
    with pytest.raises(SourceError) as caught:
        load(*records, **options)
    error = caught.value
    assert (error.kind, error.where) == (kind, where)
    assert error.expected
    assert error.mend
    return error


def spans(imported: Imported, dataset: str) -> list[tuple[str, int, str]]:
    """The text, status and link of every span of a dataset."""
    found = imported.release.datasets[dataset]
    assert found is not None
    text = imported.release.text
    return [
        (text[low:high].decode(), int(status), link)
        for low, high, status, link in zip(found.start, found.end, found.status, found.link, strict=True)
    ]


def sentences(imported: Imported) -> list[str]:
    release = imported.release
    return [
        release.text[low:high].decode()
        for low, high in zip(release.sentence_start, release.sentence_end, strict=True)
    ]


def note(para: int, text: str, note_id: str | None = "p#1", **keys: Any) -> dict[str, Any]:
    return record(para, text, kind="note", **({} if note_id is None else {"note_id": note_id}), **keys)


def marked(para: int, text: str, surface: str, /, **keys: Any) -> dict[str, Any]:
    """A body record whose marker is the first `surface` of its text."""
    start = text.encode().index(surface.encode())
    marker = {"start": start, "end": start + len(surface.encode()), "note_id": "p#1"} | keys
    return record(para, text, note_markers=[marker])


@pytest.mark.req("CORE-10")
def test_every_byte_of_a_text_stays_and_two_line_feeds_follow_each_paragraph() -> None:
    texts = ["  Kuş uçtu.  Köpek koştu. ", "\u200bNFD: o\u0308\r\n", "", " ", "***"]
    imported = load(*(record(i, text) for i, text in enumerate(texts, start=1)))
    assert imported.release.text == "".join(text + "\n\n" for text in texts).encode()
    assert sentences(imported)[:2] == ["  Kuş uçtu.", "Köpek koştu. "]
    assert imported.release.paragraph_sentences.tolist() == [2, 1, 0, 1, 1]


def test_a_white_space_paragraph_is_a_sentence_whatever_its_kind_and_an_empty_one_is_none() -> None:
    imported = load(
        record(1, " ", kind="empty"), record(2, "", kind="heading"), record(3, "", kind="separator")
    )
    assert imported.release.paragraph_sentences.tolist() == [1, 0, 0]
    assert spans(imported, "headings") == []


def test_sentences_of_the_source_are_taken_as_given() -> None:
    imported = load(record(text="Bir. İki- üç", sents=[[0, 5], [10, 15]]), language="tr")
    assert sentences(imported) == ["Bir. ", " üç"]
    assert imported.release.segmenter == "source"
    assert imported.release.paragraph_given.tolist() == [1]


def test_the_segmenter_is_named_once_it_cut_anything() -> None:
    given = record(1, "Kuş.", sents=[[0, 5]])
    assert load(given, record(2, "", kind="empty")).release.segmenter == "source"
    assert load(given, record(2, "Uçtu.")).release.segmenter == segmenter.IDENTITY
    assert load(given, record(2, "Başlık", kind="heading")).release.segmenter == segmenter.IDENTITY


@pytest.mark.parametrize("records", [[], [record(text="")], [record(1, "", kind="heading", sents=[])]])
def test_a_source_without_text_had_nothing_to_segment(records: list[dict[str, Any]]) -> None:
    assert load(*records).release.segmenter == "source"
    assert load(*records, ignore_sents=True).release.segmenter == "source"


def test_sents_can_be_set_aside_and_stay_on_record() -> None:
    imported = load(record(text="Kuş. Köpek.", sents=[[0, 12]]), ignore_sents=True)
    assert sentences(imported) == ["Kuş.", "Köpek."]
    assert imported.release.segmenter == segmenter.IDENTITY
    assert imported.parameters == {"edition": None, "ignore_sents": True, "language": "tr"}
    assert json.loads(imported.metadata["paragraphs"][0] or "")["sents"] == [[0, 12]]


def test_a_heading_is_one_sentence_and_one_span_unless_the_source_cut_it() -> None:
    imported = load(
        record(1, "Birinci Söz. İkinci Söz.", kind="heading", level=1),
        record(2, "Bir. İki.", kind="heading", sents=[[0, 4], [5, 10]]),
    )
    assert sentences(imported) == ["Birinci Söz. İkinci Söz.", "Bir.", "İki."]
    assert [text for text, *_ in spans(imported, "headings")] == ["Birinci Söz. İkinci Söz.", "Bir. İki."]


def test_a_source_without_annotations_has_three_empty_datasets() -> None:
    imported = load(record())
    assert {kind: len(d.start) for kind, d in imported.release.datasets.items() if d is not None} == {
        "headings": 0,
        "note_bodies": 0,
        "note_markers": 0,
    }


def test_a_note_body_runs_from_its_label_to_its_last_continuation() -> None:
    imported = load(
        marked(1, "Kuş[1] uçtu.", "[1]"),
        note(2, "[1] Serçe."),
        record(3, "", kind="empty"),
        note(4, "Küçük bir kuş.", note_cont=True),
        record(5, "Uzaklara."),
        record(6, "Not: Dönmedi.", kind="note", note_inline=True),
    )
    assert spans(imported, "note_bodies") == [
        ("[1] Serçe.\n\n\n\nKüçük bir kuş.", 0, "p#1"),
        ("Not: Dönmedi.", 0, ""),
    ]
    assert spans(imported, "note_markers") == [("[1]", 0, "p#1")]


def test_continuation_and_inline_may_also_be_kinds() -> None:
    imported = load(
        note(1, "a"),
        record(2, "b", kind="note_cont"),
        note(3, "c", "p#2"),
        record(4, "d", kind="note_inline"),
    )
    assert [text for text, *_ in spans(imported, "note_bodies")] == ["a\n\nb", "c", "d"]


def inline(para: int, text: str, **keys: Any) -> dict[str, Any]:
    return record(para, text, kind="note", note_inline=True, **keys)


def test_an_inline_note_is_one_paragraph_and_leaves_the_open_note_open() -> None:
    bodies = [("a", 0, "p#1"), ("b", 0, "x"), ("c", 0, "")]
    assert spans(load(note(1, "a"), inline(2, "b", note_id="x"), inline(3, "c")), "note_bodies") == bodies
    behind = load(note(1, "a"), record(2, "b", kind="note_cont"), inline(3, "c"))
    assert spans(behind, "note_bodies") == [("a\n\nb", 0, "p#1"), ("c", 0, "")]
    empty = load(note(1, "a"), inline(2, ""), record(3, "b", kind="note_cont"))
    assert spans(empty, "note_bodies") == [("a\n\n\n\nb", 0, "p#1")]


def test_a_note_that_would_go_on_over_an_inline_note_overlaps_it() -> None:
    error = refused(
        note(1, "a"),
        inline(2, "b"),
        record(3, "c"),
        record(4, "d", kind="note_cont"),
        kind="overlapping_annotations",
        where="b.jsonl:4",
    )
    assert "b.jsonl:1" in error.message
    assert "b.jsonl:2" in error.message
    again = load(note(1, "a"), inline(2, "b"), note(3, "c", "x"), record(4, "d", kind="note_cont"))
    assert [text for text, *_ in spans(again, "note_bodies")] == ["a", "b", "c\n\nd"]


def test_an_inline_note_answers_a_marker() -> None:
    imported = load(marked(1, "Kuş[1].", "[1]"), inline(2, "Not.", note_id="p#1"))
    assert spans(imported, "note_bodies") == [("Not.", 0, "p#1")]


def test_a_continuation_belongs_to_the_last_note() -> None:
    imported = load(note(1, "a", "x"), note(2, "b", "y"), record(3, "c", kind="note_cont"))
    assert spans(imported, "note_bodies") == [("a", 0, "x"), ("b\n\nc", 0, "y")]


def test_an_empty_continuation_adds_no_separator_at_the_end() -> None:
    assert spans(load(note(1, "a"), record(2, "", kind="note_cont")), "note_bodies") == [("a", 0, "p#1")]


def test_a_note_without_a_byte_is_no_body() -> None:
    assert spans(load(note(1, "")), "note_bodies") == []
    refused(marked(1, "Kuş[1].", "[1]"), note(2, ""), kind="marker_without_body", where="b.jsonl:1")


@pytest.mark.parametrize(
    ("records", "line", "kind"),
    [
        ([record(1, "a", kind="note_cont")], 1, "continuation_without_note"),
        ([note(1, "a"), record(1, "b", kind="note_cont", chapter=2)], 2, "continuation_without_note"),
        ([note(1, "a"), note(1, "b", chapter=2, note_cont=True, book="c")], 2, "continuation_without_note"),
        ([note(1, "a"), note(2, "b", "p#2", note_cont=True)], 2, "continuation_of_another_note"),
        ([note(1, "a"), note(2, "b")], 2, "duplicate_note_id"),
        ([note(1, "a"), inline(2, "b", note_id="p#1")], 2, "duplicate_note_id"),
        ([inline(1, "a", note_id="x"), note(2, "b", "x")], 2, "duplicate_note_id"),
        ([inline(1, "a"), record(2, "b", kind="note_cont")], 2, "continuation_without_note"),
        ([inline(1, "a", note_id="x"), note(2, "b", "x", note_cont=True)], 2, "continuation_without_note"),
        ([record(1, "a", note_cont=True)], 1, "contradicting_kind"),
        ([note(1, "a", note_cont=True, note_inline=True)], 1, "contradicting_kind"),
    ],
)
def test_broken_notes_name_their_line(records: list[dict[str, Any]], line: int, kind: str) -> None:
    refused(*records, kind=kind, where=f"b.jsonl:{line}")


def test_markers_and_bodies_join_inside_one_book_in_whatever_chapter() -> None:
    far = load(note(1, "Not."), marked(1, "Kuş[1].", "[1]") | {"chapter": 2})
    assert spans(far, "note_markers") == [("[1]", 0, "p#1")]
    refused(
        marked(1, "Kuş[1].", "[1]"),
        note(1, "Not.") | {"book": "c"},
        kind="marker_without_body",
        where="b.jsonl:1",
    )
    both = load_files(
        source(marked(1, "Kuş[1].", "[1]"), note(2, "Not."), name="a.jsonl"),
        source(note(1, "Not.") | {"book": "c"}, name="c.jsonl"),
    )
    assert len(spans(both, "note_bodies")) == 2


@pytest.mark.req("PRJ-09")
def test_an_unresolved_marker_is_a_source_gap_and_makes_no_body() -> None:
    imported = load(marked(1, "Kuş[1].", "[1]", resolved=False))
    assert spans(imported, "note_markers") == [("[1]", 1, "p#1")]
    assert spans(imported, "note_bodies") == []


@pytest.mark.req("PRJ-12")
def test_text_that_looks_like_a_marker_is_text() -> None:
    assert spans(load(record(text="Kuş[1] uçtu (*).")), "note_markers") == []


def test_the_mask_is_the_visible_marker_and_the_bare_reference_is_metadata() -> None:
    text = "Kuş(Not[1]) uçtu."
    imported = load(
        marked(1, text, "(Not[1])", ref_start=8, ref_end=11, surface="(Not[1])"), note(2, "[1] a")
    )
    assert spans(imported, "note_markers") == [("(Not[1])", 0, "p#1")]
    assert imported.metadata["note_markers"] == ['{"ref_end":11,"ref_start":8,"surface":"(Not[1])"}']


def test_markers_in_headings_and_in_notes_are_legal_and_stand_in_document_order() -> None:
    heading = marked(1, "Söz[1]", "[1]", n=1) | {"kind": "heading"}
    twice = record(
        2,
        "a[1][2]",
        note_markers=[
            {"start": 4, "end": 7, "note_id": "p#2", "n": 3},
            {"start": 1, "end": 4, "note_id": "p#1", "n": 2},
        ],
    )
    inside = marked(4, "[2] b[1]", "[1]", n=4) | {"kind": "note", "note_id": "p#2"}
    imported = load(heading, twice, note(3, "[1] a"), inside)
    assert [text for text, *_ in spans(imported, "note_markers")] == ["[1]", "[1]", "[2]", "[1]"]
    assert imported.metadata["note_markers"] == [f'{{"n":{n}}}' for n in (1, 2, 3, 4)]


def test_a_marker_stays_in_the_sentence_it_follows() -> None:
    imported = load(marked(1, "Kuş uçtu. [1] Köpek koştu.", "[1]"), note(2, "Not."))
    assert sentences(imported)[:2] == ["Kuş uçtu. [1]", "Köpek koştu."]


@pytest.mark.parametrize(
    ("markers", "kind"),
    [
        ([(3, 6), (5, 8)], "overlapping_annotations"),
        ([(3, 6), (3, 6)], "overlapping_annotations"),
        ([(3, 3)], "span_out_of_range"),
        ([(6, 3)], "span_out_of_range"),
        ([(-1, 3)], "span_out_of_range"),
        ([(3, 99)], "span_out_of_range"),
        ([(0, 2)], "split_character"),
        ([(2, 4)], "split_character"),
        ([(4, 7)], "marker_across_boundary"),
        ([(4, 6)], "marker_across_boundary"),
        ([(5, 7)], "marker_across_boundary"),
    ],
)
@pytest.mark.req("PRJ-11")
def test_bad_marker_geometry_names_its_line(markers: list[tuple[int, int]], kind: str) -> None:
    bad = record(
        2,
        "aş[].  bcd.",  # bytes: a 0, ş 1..3, [] 3..5, . 5, spaces 6..8
        sents=[[0, 5], [6, 12]],
        note_markers=[{"start": low, "end": high, "resolved": False} for low, high in markers],
    )
    refused(record(1), bad, kind=kind, where="b.jsonl:2")


def test_touching_markers_and_a_marker_in_a_separator_are_legal() -> None:
    imported = load(
        record(
            text="a[1][2] b",
            sents=[[0, 1], [8, 9]],
            note_markers=[
                {"start": 1, "end": 4, "resolved": False},
                {"start": 4, "end": 7, "resolved": False},
            ],
        )
    )
    assert [text for text, *_ in spans(imported, "note_markers")] == ["[1]", "[2]"]


def test_offsets_that_count_characters_are_told_by_the_surface() -> None:
    error = refused(
        record(text="Kuş[1].", note_markers=[{"start": 3, "end": 6, "surface": "[1]", "resolved": False}])
        | {"text": "Kuşş[1]."},
        kind="split_character",
        where="b.jsonl:1",
    )
    assert "UTF-8" in error.expected
    refused(
        record(text="Kuşa[1].", note_markers=[{"start": 4, "end": 7, "surface": "[1]", "resolved": False}]),
        kind="surface_mismatch",
        where="b.jsonl:1",
    )


@pytest.mark.parametrize(
    ("sents", "kind"),
    [
        ([[0, 5], [4, 10]], "sentence_tiling"),
        ([[1, 10]], "sentence_tiling"),
        ([[0, 9]], "sentence_tiling"),
        ([], "sentence_tiling"),
        ([[5, 10], [0, 5]], "sentence_tiling"),
        ([[0, 11]], "span_out_of_range"),
        ([[0, 3], [3, 10]], "split_character"),
        ([[0, 0], [0, 10]], "span_out_of_range"),
        ([[0.0, 9]], "wrong_type"),
        ([[0, 9, 1]], "wrong_type"),
        ([[False, 9]], "wrong_type"),
        ("0-9", "wrong_type"),
    ],
)
def test_sents_that_do_not_tile_are_refused(sents: Any, kind: str) -> None:
    with pytest.raises(SourceError) as caught:
        load(record(1), record(2, "Kuş uçt.", sents=sents))
    assert (caught.value.kind, caught.value.where) == (kind, "b.jsonl:2")


def broken(**keys: Any) -> str:
    return json.dumps({k: v for k, v in (record() | keys).items() if v != "drop"})


@pytest.mark.parametrize(
    ("line", "kind", "place"),
    [
        ('{"book": "b", "chapter"', "broken_json", ""),
        ("[1, 2]", "not_an_object", ""),
        ("7", "not_an_object", ""),
        ('{"a": 1} {"b": 2}', "broken_json", ""),
        ("\ufeff" + broken(), "broken_json", ""),
        (broken(text="a\ud800b"), "lone_surrogate", ""),
        (broken(**{"\udfff": 1}), "lone_surrogate", ""),
        (broken(x=float("nan")), "broken_json", ""),
        (broken(x=float("-inf")), "broken_json", ""),
        (broken()[:-1] + ', "text": "b"}', "duplicate_key", ""),
        (broken()[:-1] + ', "x": {"y": 1, "y": 1}}', "duplicate_key", ""),
        (broken()[:-1] + ', "x": ' + "[" * 100_000 + "}", "too_deep", ""),
        (broken()[:-1] + ', "x": ' + "9" * 641 + "}", "long_number", ""),
        (broken()[:-1] + ', "x": 0.' + "9" * 640 + "}", "long_number", ""),
        (broken()[:-1] + ', "x": ' + "[" * 64 + "]" * 64 + "}", "too_deep", ""),
        (b'{"book": "b\xff"}', "invalid_utf8", ", byte {}"),
        (broken().replace("u\\u015f", "u\t").encode(), "broken_json", ""),
        *(
            (broken(**{key: "drop"}), "missing_key", "")
            for key in ("book", "chapter", "para", "kind", "text")
        ),
        (broken(text=None), "wrong_type", ""),
        (broken(text=5), "wrong_type", ""),
        (broken(book=""), "wrong_value", ""),
        (broken(chapter="1"), "wrong_type", ""),
        (broken(chapter=True), "wrong_type", ""),
        (broken(para=1.0), "wrong_type", ""),
        (broken(para=2**63), "wrong_type", ""),
        (broken(ord="1"), "wrong_type", ""),
        (broken(chapter_title=3), "wrong_type", ""),
        (broken(book_title=[]), "wrong_type", ""),
        (broken(edition=1), "wrong_type", ""),
        (broken(edition=""), "wrong_value", ""),
        (broken(kind="notes"), "unknown_kind", ""),
        (broken(note_markers={}), "wrong_type", ""),
        (broken(note_markers=[5]), "wrong_type", ""),
        (broken(note_markers=[{"start": 0}]), "missing_key", ""),
        (broken(note_markers=[{"start": 0, "end": 1}]), "marker_without_body", ""),
        (broken(note_markers=[{"start": 0, "end": 1, "resolved": 0}]), "wrong_type", ""),
        (broken(note_cont=1), "wrong_type", ""),
    ],
)
def test_a_broken_line_is_named_with_its_number(line: str | bytes, kind: str, place: str) -> None:
    first = source(record(1)).data
    refused(
        "",
        json.dumps(record(1), ensure_ascii=False),
        line,
        kind=kind,
        where="b.jsonl:3" + place.format(len(first) + 12),
    )


def test_a_byte_order_mark_is_refused() -> None:
    refused(b"\xef\xbb\xbf" + json.dumps(record()).encode(), kind="byte_order_mark", where="b.jsonl:1")


def test_blank_lines_crlf_and_a_missing_last_line_feed_are_no_fault() -> None:
    data = b"\r\n \t\n" + json.dumps(record(1)).encode() + b"\r\n\n" + json.dumps(record(2)).encode()
    imported = load_files(SourceText("b.jsonl", data, "0" * 64, len(data)))
    assert imported.release.labels.para == (1, 2)


def test_escaped_pairs_and_odd_characters_survive() -> None:
    text = "\U0001f426 \u2028 \x00 \u200d"
    assert load(json.dumps(record(text=text))).release.text == text.encode() + b"\n\n"


@pytest.mark.parametrize(
    "second", [record(1), record(2) | {"chapter": 0}, record(0), record(5) | {"chapter": -3}]
)
def test_chapter_and_paragraph_ascend_inside_a_book(second: dict[str, Any]) -> None:
    refused(record(1), second, kind="order", where="b.jsonl:2")


def test_places_may_skip_and_start_anywhere() -> None:
    imported = load(record(7) | {"chapter": 3}, record(9) | {"chapter": 3}, record(1) | {"chapter": 8})
    assert imported.release.labels.chapter_number == (3, 8)
    assert imported.release.labels.para == (7, 9, 1)
    assert imported.release.chapter_paragraphs.tolist() == [2, 1]


def test_a_book_that_returns_or_stands_in_two_files_is_refused() -> None:
    other = record(1) | {"book": "c"}
    error = refused(record(1), other, record(2), kind="duplicate_book", where="b.jsonl:3")
    assert "b.jsonl:1" in error.expected
    with pytest.raises(SourceError) as caught:
        load_files(source(record(1)), source(record(2), name="c.jsonl"))
    assert (caught.value.kind, caught.value.where) == ("duplicate_book", "c.jsonl:1")


def test_books_of_one_file_keep_their_order() -> None:
    imported = load(*(record(1) | {"book": book, "book_title": book.upper()} for book in "zay"))
    assert imported.release.labels.book == ("z", "a", "y")
    assert imported.release.labels.book_title == ("Z", "A", "Y")


def test_labels_are_copied_and_absent_ones_stay_absent() -> None:
    bare = {
        key: value for key, value in record().items() if key not in ("ord", "chapter_title", "note_markers")
    }
    labels = load(bare).release.labels
    assert (labels.ord, labels.chapter_title, labels.book_title) == ((None,), (None,), (None,))
    assert load(record(ord=41)).release.labels.ord == (41,)


def test_the_edition_is_stated_or_carried_by_all_or_unnamed() -> None:
    one, two = record(1, edition="1. baskı"), record(2, edition="1. baskı")
    assert load(one, two).release.edition == "1. baskı"
    assert load(one, two, edition="x").release.edition == "x"
    assert load(record(1)).release.edition == "unnamed"
    partly = load(one, record(2))
    assert partly.release.edition == "unnamed"
    assert '"edition":"1. baskı"' in (partly.metadata["paragraphs"][0] or "")
    refused(one, record(2, edition="2. baskı"), kind="two_editions", where="b.jsonl:2")
    kept = load(one, record(2, edition="2. baskı"), edition="x")
    assert [json.loads(m or "")["edition"] for m in kept.metadata["paragraphs"]] == ["1. baskı", "2. baskı"]


@pytest.mark.parametrize("language", [None, "und", "", "und-Latn", "turkish", "tur", "tr_TR"])
def test_a_language_must_be_named(language: str | None) -> None:
    with pytest.raises(UsageError):
        load(record(), language=language)


def test_one_language_is_one_release() -> None:
    loud, quiet = load(record(), language="TR-latn"), load(record(), language="tr-Latn")
    assert loud.release.language == quiet.release.language == "tr-Latn"
    assert loud.parameters == quiet.parameters


def test_an_edition_stated_has_a_name() -> None:
    with pytest.raises(UsageError) as caught:
        load(record(), edition="")
    assert caught.value.kind == "empty_name"


def test_unknown_keys_are_kept_as_canonical_metadata() -> None:
    imported = load(
        json.dumps(record(kind="heading", level=2, z=[1, {"b": None, "a": "ş"}]))[:-1]
        + ', "big": 3.14159265358979323846, "half": 0.50, "far": 1e-99999999999999999999}'
    )
    assert imported.metadata["paragraphs"] == [
        '{"big":"3.14159265358979323846","far":"1e-99999999999999999999","half":0.5,"kind":"heading","level":2,'
        '"z":[1,{"a":"ş","b":null}]}'
    ]


def test_titles_that_change_inside_a_book_or_chapter_are_not_lost() -> None:
    imported = load(
        record(1, book_title="T"), record(2, book_title="U"), record(3, book_title="T", chapter_title="İki")
    )
    assert imported.release.labels.book_title == ("T",)
    rest = [json.loads(m or "{}") for m in imported.metadata["paragraphs"]]
    assert [r.get("book_title") for r in rest] == [None, "U", None]
    assert [r.get("chapter_title") for r in rest] == [None, None, "İki"]


def test_provenance_names_the_files_in_book_order() -> None:
    files = source(record(1)), source(record(1) | {"book": "c"}, name="c.jsonl")
    imported = load_files(*files, unread=["notes.tsv"])
    assert [(s.name, s.bytes, s.sha256) for s in imported.sources] == [
        (f.name, len(f.data), hashlib.sha256(f.data).hexdigest()) for f in files
    ]
    assert (imported.importer, imported.unread) == ("paragraph-jsonl/1", ("notes.tsv",))


def test_a_file_without_records_gives_an_empty_release() -> None:
    imported = load("")
    assert imported.release.text == b""
    assert len(imported.release.book_chapters) == 0


def test_ten_thousand_empty_paragraphs_are_ten_thousand_paragraphs() -> None:
    empty = [record(n, "", kind="empty") for n in range(1, 10_001)]
    release = load(*empty, record(10_001)).release
    assert len(release.paragraph_sentences) == 10_001
    assert int(release.paragraph_sentences.sum()) == 1


def test_progress_ends_at_the_last_byte() -> None:
    told: list[tuple[int, int]] = []
    files = source(*(record(n) for n in range(1, 3000))), source(record(1) | {"book": "c"}, name="c.jsonl")
    load_files(*files, progress=lambda done, total: told.append((done, total)))
    total = sum(len(f.data) for f in files)
    assert len(told) > 1
    assert told == sorted(told)
    assert told[-1] == (total, total)


def counts(imported: Imported) -> tuple[int, ...]:
    release = imported.release
    found = [d for d in release.datasets.values() if d is not None]
    return len(release.book_chapters), len(release.paragraph_sentences), *(len(d.start) for d in found)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("pattern", "language", "expected"),
    [
        ("risale-docx/*.jsonl.gz", "tr", (14, 21_562, 790, 420, 396)),
        ("risale-epub/*.jsonl.gz", "tr", (3, 2_925, 124, 54, 54)),
        ("quran/quran-ar*.jsonl.gz", "ar", (1, 6_236, 0, 0, 0)),
        ("quran/quran-tr*.jsonl.gz", "tr", (1, 6_236, 0, 0, 0)),
        ("bible/kjv.jsonl.gz", "en", (66, 31_102, 0, 0, 0)),
    ],
)
def test_real_corpora_are_imported_whole(
    shared_dir: Path, pattern: str, language: str, expected: tuple[int, ...]
) -> None:
    paths = sorted((shared_dir / "corpora").glob(pattern))
    imported = load_files(*(read_source(path) for path in paths), language=language)
    assert counts(imported) == expected
    texts = [
        json.loads(line)["text"] for path in paths for line in gzip.decompress(path.read_bytes()).splitlines()
    ]
    assert imported.release.text == "".join(text + "\n\n" for text in texts).encode()
