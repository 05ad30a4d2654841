"""The report page: right numbers, nothing hostile alive, equal bytes; stitching against a slow oracle."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tekrar.artifact.reader import Artifact
from tekrar.build import build
from tekrar.cli import main
from tekrar.core.text import TextRelease
from tekrar.corpus.release_package import open_release, write_release
from tekrar.corpus.structured import import_structured
from tekrar.errors import IntegrityError
from tekrar.view.report import open_pair, page_facts, report_page
from tekrar.view.report_text import head, is_worded, marked, tail, visible, word_count
from tekrar.view.stitch import published_groups, stitch
from tests.unit.structured_documents import book, chapter, document, paragraph

HOSTILE = '</style></script><script>alert(1)</script><img src="https://x.test/a.png" onerror=alert(2)>'
TURNED = "ters\u202eyüz\u2066 bir\u0000 söz"
DATA_NAMES = {"data-books", "data-twice", "data-pair", "data-language"}


def made(place: Path, source: dict[str, Any], **options: Any) -> tuple[Path, Path]:
    """A document's release and artifact on disk."""
    imported = import_structured(
        json.dumps(source).encode(), where="document.json", edition=None, language=None
    )
    place.mkdir(exist_ok=True)
    write_release(imported, place / "release")
    build(place / "release", out=place / "artifact", engine="hashlib", **options)
    return place / "artifact", place / "release"


def page_of(place: Path, source: dict[str, Any], **options: Any) -> tuple[str, dict[str, Any]]:
    artifact, opened = open_pair(*made(place, source, **options))
    page, _ = report_page(artifact, opened)
    return page.decode("utf-8"), page_facts(artifact, opened)


def garden(amount: int = 45) -> list[str]:
    return [f"Bahçenin {number}. köşesinde bir ağaç vardı." for number in range(amount)]


def two_books() -> dict[str, Any]:
    """Forty-five sentences in two books, ten of them in the first book again, and blank paragraphs."""
    same = garden()
    return document(
        book(
            "Birinci",
            chapter("1", paragraph("a", "Giriş."), paragraph("b", *same), title="Uzun Söz"),
            chapter("2", paragraph("c", *same[5:15]), paragraph("d", "***"), paragraph("e", "***")),
            title="Birinci Kitap",
        ),
        book(
            "İkinci",
            chapter("1", paragraph("f", "Başka giriş."), paragraph("g", *same), paragraph("h", "Son.")),
            chapter("2", paragraph("i", "***"), paragraph("j", "Ay.", "Gün."), paragraph("k", "***")),
        ),
        book("Üçüncü"),
        edition="deneme",
    )


class Elements(HTMLParser):
    """Start tags with their attributes, and ids."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def values(self, name: str) -> list[str]:
        return [str(attributes[name]) for _, attributes in self.found if name in attributes]


# --- stitching -------------------------------------------------------------------------------------


def slow_stretches(release: TextRelease) -> set[tuple[int, tuple[int, ...]]]:
    """Every maximal equal stretch of two sentences or more, by looking at every pair of sentences."""
    start, end = release.sentence_start.tolist(), release.sentence_end.tolist()
    chapters = [
        chapter
        for chapter, (low, high) in enumerate(
            zip(release.chapter_sentence_start, release.chapter_sentence_start[1:], strict=False)
        )
        for _ in range(int(high - low))
    ]
    owner = [p for p, n in enumerate(release.paragraph_sentences.tolist()) for _ in range(n)]

    def gap(at: int) -> tuple[bool, bytes]:
        return owner[at] == owner[at + 1], release.text[end[at] : start[at + 1]]

    def same(one: int, other: int) -> bool:
        return release.text[start[one] : end[one]] == release.text[start[other] : end[other]]

    def joined(one: int, other: int) -> bool:
        inside = chapters[one] == chapters[one + 1] and chapters[other] == chapters[other + 1]
        return inside and gap(one) == gap(other) and same(one + 1, other + 1)

    groups: list[tuple[int, set[int]]] = []
    for one, other in combinations(range(len(start)), 2):
        if not same(one, other):
            continue
        if one and joined(one - 1, other - 1) and same(one - 1, other - 1):
            continue
        length = 1
        while other + length < len(start) and joined(one + length - 1, other + length - 1):
            length += 1
        if length < 2:
            continue
        touching = [g for g in groups if g[0] == length and g[1] & {one, other}]
        groups = [g for g in groups if g not in touching]
        groups.append((length, {one, other}.union(*(g[1] for g in touching))))
    return {(length, tuple(sorted(starts))) for length, starts in groups}


words = st.sampled_from(["A.", "B.", "C."])
paragraphs = st.lists(words, min_size=1, max_size=18)


@settings(max_examples=10)
@given(
    chapters=st.lists(st.lists(paragraphs, min_size=1, max_size=3), min_size=2, max_size=5),
    close=st.booleans(),
)
def test_stretches_are_the_maximal_equal_stretches(
    chapters: list[list[list[str]]], close: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = document(
        book(
            "b",
            *(
                chapter(
                    f"c{c}",
                    *(
                        paragraph(f"p{p}", *sentences, after="" if close and p == 0 else "\n\n")
                        for p, sentences in enumerate(found)
                    ),
                )
                for c, found in enumerate(chapters)
            ),
        )
    )
    artifact, release = made(tmp_path_factory.mktemp("stitch"), source)
    opened = open_release(release)
    groups = published_groups(
        Artifact(artifact).profile("FS"), paragraph_sentences=opened.release.paragraph_sentence_start
    )
    found = {(stretch.count, stretch.starts) for stretch in stitch(groups).stretches}
    assert found == slow_stretches(opened.release)


def test_a_lowered_pair_limit_still_joins_every_place(tmp_path: Path) -> None:
    source = document(book("b", *(chapter(f"c{c}", paragraph("p", *garden(20))) for c in range(9))))
    artifact, release = made(tmp_path, source)
    groups = published_groups(
        Artifact(artifact).profile("FS"),
        paragraph_sentences=open_release(release).release.paragraph_sentence_start,
    )
    full, limited = stitch(groups), stitch(groups, pair_limit=10)
    assert (full.all_pairs, limited.all_pairs) == (40, 8)
    assert full.stretches == limited.stretches
    assert [(s.count, len(s.starts)) for s in full.stretches] == [(20, 9)]


# --- what the page says ----------------------------------------------------------------------------


@pytest.mark.req("COV-12", "COV-14")
def test_numbers_of_a_known_corpus(tmp_path: Path) -> None:
    page, facts = page_of(tmp_path, two_books())
    longest = facts["repeats"][0]
    assert (longest.sentences, longest.places_total, longest.anchor) == (45, 2, "r1")
    assert [place.book_name for place in longest.places] == ["Birinci Kitap", "İkinci"]
    assert longest.places[0].chapter_name == "Uzun Söz"
    assert longest.places[1].chapter_name == "chapter 1"
    assert longest.texts[0][1] == "Giriş."
    assert longest.texts[1][3] == "Son."
    text = "".join(piece.text for piece in longest.texts[0][2].pieces)
    assert text.startswith("Bahçenin 0.")
    assert longest.texts[0][2].left_out > 0
    assert "bytes not shown here" in page
    # Ten sentences thrice: each sentence is counted once in a cell, however many classes hold it.
    sentences = {
        (cell.row, cell.column): cell.sentences
        for cell in facts["heat"]["cells"]
        if cell.column < 2 and cell.row < 2
    }
    # Book 1 with itself: 5..14 twice and nothing else; with book 2: the 45 and the ten;
    # back: the 45. Two separators stand in each book.
    assert sentences == {(0, 0): 22, (0, 1): 57, (1, 0): 47, (1, 1): 2}
    for one in facts["coverage"]:
        record = one["record"]
        parts = sum(record[key] for key, _, _ in facts["parts"])
        assert parts == record["emitted"]
        assert f"{record['emitted']:,} occurrences by part" in page
    assert "not assessed" in page
    assert facts["artifact_root"] in page
    assert facts["text_release"] in page
    assert "deneme" in page


def test_blank_passages_are_marked_for_the_toggle_and_stay_members(tmp_path: Path) -> None:
    page, facts = page_of(tmp_path, two_books())
    blank = [one for one in facts["classes"]["FP"] if not one.worded]
    assert [one.size for one in blank] == [4]
    assert 'class="blank"' in page
    assert 'id="hide-blank-FP"' in page


def test_every_link_in_the_page_has_a_target(tmp_path: Path) -> None:
    page, _ = page_of(tmp_path, two_books())
    elements = Elements(page)
    ids = elements.values("id")
    assert len(ids) == len(set(ids))
    links = {link for link in elements.values("href") if link != "data:,"}
    assert links
    assert {link[1:] for link in links} <= set(ids)
    assert all(link.startswith("#") for link in links)


def test_lists_are_cut_with_their_counts_stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tekrar.view import report_lists

    pairs = [[f"Su {n} aktı.", f"Taş {n} durdu."] for n in range(6)]
    chapters = [
        chapter(f"c{c}", *(paragraph(f"p{n}", *pair, f"Ara {c} {n}.") for n, pair in enumerate(pairs)))
        for c in range(2)
    ]
    artifact, opened = open_pair(*made(tmp_path, document(book("b", *chapters))))
    whole = report_lists.stretch_views
    monkeypatch.setattr(report_lists, "stretch_views", lambda found, places: whole(found, places, shown=4))
    page = report_page(artifact, opened)[0].decode()
    assert "4 of 6 repeats shown" in page
    assert 'href="#r4"' in page
    assert 'href="#r5"' not in page


def test_a_partial_artifact_publishes_nothing_and_says_so(tmp_path: Path) -> None:
    page, facts = page_of(tmp_path, two_books(), defer=["Birinci/1:2+2"])
    assert facts["partial"] == ["FS", "PS"]
    assert "Partial result." in page
    assert facts["stretches_total"] == 0
    assert "exact: partial" in page


def test_a_corpus_without_repeats_and_an_empty_one(tmp_path: Path) -> None:
    alone = document(book("tek", chapter("1", paragraph("p", "Bir.", "İki."))))
    page, facts = page_of(tmp_path / "alone", alone)
    assert facts["stretches_total"] == 0
    assert "No paragraph and no run of sentences recurs." in page
    page, _ = page_of(tmp_path / "empty", document(book("boş")))
    assert "Nothing recurs." in page


def test_a_lone_paragraph_is_listed_unless_a_stretch_tells_it(tmp_path: Path) -> None:
    alone, inside = "Değirmen döndü.", ["Su geldi.", "Taş döndü."]
    chapters = [
        chapter("1", paragraph("a", alone), paragraph("b", "Ara bir."), paragraph("c", *inside)),
        chapter("2", paragraph("d", *inside), paragraph("e", "Ara iki."), paragraph("f", alone)),
    ]
    _, facts = page_of(tmp_path, document(book("b", *chapters)))
    assert [(one.lone, one.sentences, one.places_total) for one in facts["repeats"]] == [
        (False, 2, 2),
        (True, 1, 2),
    ]
    entries = [entry for found in facts["books"][0]["chapters"].values() for entry in found]
    assert [(entry.anchor, entry.peers_total) for entry in entries] == [
        *(("r2", 1), ("r1", 1)),
        *(("r1", 1), ("r2", 1)),
    ]
    assert entries[0].peers[0].paragraph_address == "b/2/p3"


# --- hostile text ----------------------------------------------------------------------------------


def test_hostile_titles_and_texts_are_shown_and_do_nothing(tmp_path: Path) -> None:
    same = [HOSTILE, TURNED, '" onclick="x', "{{ 7 * 7 }} {% raw %}", "&lt;b&gt;", "بسم الله الرحمن"]
    books = [
        book(f"b{n}", chapter("1", paragraph("p", f"Baş {n}.", *same), title=HOSTILE), title=HOSTILE + TURNED)
        for n in range(2)
    ]
    page, _ = page_of(tmp_path, document(*books, edition=HOSTILE + TURNED))
    elements = Elements(page)
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == 1
    assert tags.count("style") == 1
    assert not {"img", "iframe", "object", "embed", "base"} & set(tags)
    for tag, attributes in elements.found:
        for name in attributes:
            assert not name.startswith("on"), (tag, name)
            assert name not in ("src", "srcset", "action", "style"), (tag, name)
            assert not name.startswith("data-") or name in DATA_NAMES, (tag, name)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u0000]", page)
    assert "U+202E" in page
    assert html.escape(HOSTILE, quote=True).replace("&#x27;", "&#39;").replace("&quot;", "&#34;") in page
    assert "{{ 7 * 7 }}" in page
    assert "&amp;lt;b&amp;gt;" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page


def test_text_is_cut_at_whole_words_and_controls_are_visible() -> None:
    arabic = "بِسْمِ اللهِ الرَّحْمٰنِ الرَّحِيمِ"
    parts = arabic.split()
    for limit in range(1, len(arabic)):
        if limit >= len(parts[0]) + 1:
            assert all(word in parts for word in head(arabic, limit).split())
        if limit >= len(parts[-1]) + 1:
            assert all(word in parts for word in tail(arabic, limit).split())
        assert len(head(arabic, limit)) <= limit
        assert len(tail(arabic, limit)) <= limit
    assert visible("a\u202eb\u200fc") == "a‹U+202E›b‹U+200F›c"
    assert "RIGHT-TO-LEFT OVERRIDE" in marked("\u202e")
    assert marked("<\u200cب\u200d>") == "&lt;\u200cب\u200d&gt;"
    assert [is_worded(text) for text in ("…", "***", " \u00a0", "", "٣", "م")] == [False] * 4 + [True] * 2
    assert word_count("Bir, *** iki … üç.") == 3


# --- the command -----------------------------------------------------------------------------------


def test_the_command_writes_once_and_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    artifact, release = made(tmp_path, two_books())
    out = tmp_path / "report.html"
    words = ["report", str(artifact), "--release", str(release), "--out", str(out)]
    assert main([*words, "--json"]) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert record["bytes"] == out.stat().st_size
    assert (record["stretches"], record["repeats"], record["repeats_shown"]) == (2, 2, 2)
    first = out.read_bytes()
    out.write_bytes(b"mine")
    assert main([*words, "--quiet"]) == 2
    assert out.read_bytes() == b"mine"
    assert main([*words, "--force", "--quiet"]) == 0
    assert out.read_bytes() == first
    os.mkfifo(pipe := tmp_path / "pipe")
    assert main([*words[:-1], str(pipe), "--force"]) == 2
    assert "usage_error/not_a_regular_file" in capsys.readouterr().err
    assert pipe.is_fifo()
    pipe.unlink()
    assert main([*words[:-1], str(artifact / "report.html")]) == 2
    assert main([*words[:-1], str(tmp_path)]) == 2
    assert main([*words[:-1], str(tmp_path / "no" / "report.html")]) == 6
    assert sorted(path.name for path in tmp_path.iterdir()) == ["artifact", "release", "report.html"]
    Artifact(artifact).package.check_transport()


def test_an_artifact_of_another_release_is_refused(tmp_path: Path) -> None:
    artifact, _ = made(tmp_path / "one", two_books())
    _, release = made(tmp_path / "other", document(book("b", chapter("1", paragraph("p", "Bir.")))))
    with pytest.raises(IntegrityError) as caught:
        open_pair(artifact, release)
    assert caught.value.kind == "other_release"


def test_a_flipped_byte_is_refused(tmp_path: Path) -> None:
    artifact, release = made(tmp_path, two_books())
    table = max((artifact / "objects").iterdir(), key=lambda path: path.stat().st_size)
    data = bytearray(table.read_bytes())
    data[len(data) // 2] ^= 1
    table.chmod(0o644)
    table.write_bytes(data)
    with pytest.raises(IntegrityError):
        open_pair(artifact, release)


def test_the_page_is_the_same_in_every_process_and_no_id_is_made(tmp_path: Path) -> None:
    artifact, release = made(tmp_path / "a", two_books())
    pages = []
    for number, facts in enumerate(
        ({"PYTHONHASHSEED": "1", "TZ": "UTC"}, {"PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo", "LC_ALL": "C"})
    ):
        out = tmp_path / f"page{number}.html"
        subprocess.run(
            [
                *(
                    sys.executable,
                    "-c",
                    "import sys; from tekrar.cli import main; sys.exit(main())",
                    "report",
                ),
                *(str(artifact), "--release", str(release), "--out", str(out), "--quiet"),
            ],
            check=True,
            env={**os.environ, **facts},
        )
        pages.append(out.read_bytes())
    assert pages[0] == pages[1]
    assert str(tmp_path).encode() not in pages[0]
    known = {str(Artifact(artifact).text_release)}
    for short in ("FS", "FP"):
        for raw in Artifact(artifact).profile(short).classes["class"]:
            text = bytes(raw).hex()
            known.add(f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}")
    uuids = set(re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", pages[0].decode()))
    assert uuids <= known
