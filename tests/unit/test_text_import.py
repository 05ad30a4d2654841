"""Import of plain text and Markdown: each rule of contract C9 on bytes that a person can check by eye."""

import hashlib
import time
from typing import Any

import pytest

from tekrar.core.annotation import check_datasets
from tekrar.core.release import certified_digest
from tekrar.corpus import segmenter
from tekrar.corpus.imported import Imported
from tekrar.corpus.plaintext import import_text
from tekrar.corpus.sources import SourceText
from tekrar.errors import SourceError, UsageError


def source(data: str | bytes, name: str = "kitap.md") -> SourceText:
    data = data.encode() if isinstance(data, str) else data
    return SourceText(name, data, hashlib.sha256(data).hexdigest(), len(data))


def load(*files: SourceText, markdown: bool, **options: Any) -> Imported:
    imported = import_text(files, markdown=markdown, **{"edition": None, "language": "tr"} | options)
    check_datasets(imported.release, certified=certified_digest(imported.release))
    return imported


def plain(data: str | bytes) -> Imported:
    return load(source(data, "kitap.txt"), markdown=False)


def markdown(data: str | bytes) -> Imported:
    imported = load(source(data), markdown=True)
    assert imported.release.text == (data.encode() if isinstance(data, str) else data)
    return imported


def paragraphs(imported: Imported) -> list[str]:
    release = imported.release
    return [
        release.text[low:high].decode()
        for low, high in zip(release.paragraph_start, release.paragraph_end, strict=True)
    ]


def spans(imported: Imported, dataset: str) -> list[str]:
    found = imported.release.datasets[dataset]
    assert found is not None
    return [imported.release.text[a:b].decode() for a, b in zip(found.start, found.end, strict=True)]


def markers(data: str) -> list[tuple[str, bool]]:
    """The markers of a Markdown text and whether each is a source gap."""
    found = markdown(data).release.datasets["note_markers"]
    assert found is not None
    return list(zip(found.link, (found.status == 1).tolist(), strict=True))


def marker_names(data: str) -> str:
    return "".join(name for name, _ in markers(data))


@pytest.mark.req("CORE-10")
@pytest.mark.parametrize(
    ("data", "before", "expected"),
    [
        ("Bir.\n\nİki.\n", False, ["Bir.", "İki."]),
        ("Bir\nsatır.\n \t\r\n\nİki.", False, ["Bir\nsatır.", "İki."]),
        ("\n\n  Bir. \t\n\n", True, ["  Bir. \t"]),
        ("\ufeffBir.\n", True, ["Bir."]),
        ("\ufeff \n\ufeffBir.\n", True, ["\ufeffBir."]),
        ("Bir.\r\nİki.\r\n\r\nÜç.\r\n", False, ["Bir.\r\nİki.", "Üç."]),
        ("Bir.\r\rİki.\r", False, ["Bir.\r\rİki.\r"]),
        ("Bir.\u2028\u00a0\n\u00a0\nİki.", False, ["Bir.\u2028\u00a0\n\u00a0\nİki."]),
        ("", False, []),
        ("\n \n", True, []),
        ("\ufeff", True, []),
        ("# Bir\n[^1]\n", False, ["# Bir\n[^1]"]),
    ],
)
def test_plain_text_is_parted_by_blank_lines_and_keeps_each_byte(
    data: str, before: bool, expected: list[str]
) -> None:
    release = plain(data).release
    assert release.text == data.encode()
    assert paragraphs(plain(data)) == expected
    assert release.book_before.tolist() == [before]
    assert release.chapter_paragraphs.tolist() == [len(expected)]
    assert all(d is not None and not len(d.start) for d in release.datasets.values())


def test_a_book_is_named_after_its_file() -> None:
    names = ["a.txt", "b.v2.txt", "c", "d.txt.gz", "e.md", ".txt"]
    imported = load(*(source("x", name) for name in names), markdown=False)
    assert imported.release.labels.book == ("a", "b.v2", "c", "d", "e", ".txt")
    assert imported.release.labels.chapter_title == (None,) * 6
    assert imported.release.labels.chapter_number == (None,) * 6
    assert imported.release.labels.para == (None,) * 6


def test_two_files_of_one_book_are_refused() -> None:
    with pytest.raises(SourceError) as caught:
        load(source("x", "a.md"), source("y", "a.markdown"), markdown=True)
    assert (caught.value.kind, caught.value.where) == ("duplicate_book", "a.markdown")


def test_what_is_stated_and_read_is_recorded() -> None:
    file = source("Bir.", "a.txt")
    imported = load(file, markdown=False, edition="ilk", unread=["b.pdf"])
    assert (imported.importer, imported.release.edition) == ("plain-text/1", "ilk")
    assert imported.unread == ("b.pdf",)
    assert [(s.name, s.bytes, s.sha256) for s in imported.sources] == [("a.txt", 4, file.sha256)]
    assert imported.release.segmenter == segmenter.IDENTITY
    assert markdown("x").importer == "markdown/1"
    assert markdown("x").release.edition == "unnamed"


@pytest.mark.parametrize("is_markdown", [True, False])
@pytest.mark.parametrize("data", ["", "\n \n", "\ufeff\r\n"])
def test_a_file_without_text_had_nothing_to_segment(data: str, is_markdown: bool) -> None:
    assert load(source(data), markdown=is_markdown).release.segmenter == "source"
    both = load(source(data, "a.md"), source("x", "b.md"), markdown=is_markdown)
    assert both.release.segmenter == segmenter.IDENTITY


@pytest.mark.parametrize("language", [None, "und", "turkish", "eng"])
def test_a_language_must_be_named(language: str | None) -> None:
    with pytest.raises(UsageError):
        load(source("x"), markdown=True, language=language)


def test_the_language_is_written_canonically() -> None:
    imported = load(source("x"), markdown=False, language="EN-gb")
    assert imported.release.language == imported.parameters["language"] == "en-GB"


@pytest.mark.parametrize("is_markdown", [True, False])
def test_bytes_that_are_no_utf8_are_named(is_markdown: bool) -> None:
    with pytest.raises(SourceError) as caught:
        load(source("Bir.\nkuş".encode() + b"\xfe"), markdown=is_markdown)
    assert caught.value.kind == "invalid_utf8"
    assert "byte 9" in caught.value.message
    assert "line 2" in caught.value.message


def test_headings_are_paragraphs_sentences_and_spans_of_their_own() -> None:
    imported = markdown(
        "Giriş.\n# Bir. İki. ##  \r\nGövde.\n   ###### Altı\n#\n#yedi\n####### sekiz\n    # kod\n\\# dokuz"
    )
    assert paragraphs(imported) == [
        "Giriş.",
        "# Bir. İki. ##  ",
        "Gövde.",
        "   ###### Altı",
        "#",
        "#yedi\n####### sekiz\n    # kod\n\\# dokuz",
    ]
    assert spans(imported, "headings") == ["# Bir. İki. ##  ", "   ###### Altı", "#"]
    release = imported.release
    assert release.paragraph_sentences.tolist()[1] == 1
    assert release.labels.chapter_title == (None, "Bir. İki.", "")


@pytest.mark.parametrize(
    ("data", "sizes", "titles"),
    [
        ("# A\n## B\nx\n#### C\ny\n### D\n", [5, 1], ["A", "D"]),
        ("x\n\n# A\n", [1, 1], [None, "A"]),
        ("#### A\n# B\n\n# C\nx\n# D #\n", [4, 1], ["B", "D"]),
        ("#### A\nx\n##### B\n", [3], [None]),
        ("# A\n\n# B\n\n# C", [3], ["A"]),
        ("# A\n***\n# B", [2, 1], ["A", "B"]),
        ("x", [1], [None]),
        ("", [0], [None]),
        ("\ufeff# C#\nx\n#\tD ## \n", [2, 1], ["C#", "D"]),
    ],
)
def test_levels_one_to_three_open_chapters_behind_text(
    data: str, sizes: list[int], titles: list[str | None]
) -> None:
    release = markdown(data).release
    assert release.chapter_paragraphs.tolist() == sizes
    assert list(release.labels.chapter_title) == titles


@pytest.mark.parametrize(
    "fence",
    [
        "```\n{}\n```",
        "~~~ bilgi `\n{}\n~~~~  ",
        "   ````sql\n{}\n```\n{}\n  `````",
        "```\n{}\n    ```\n{}\n```",
        "~~~\n{}\n```\n{}\n~~~",
        "```\n\n{}\n\n```",
        "```\r\n{}\r\n```\r",
        "- madde\n\n    ```\n    x\n{}\n    ```",
        "1. ```\n{}\n   ```",
    ],
)
def test_nothing_counts_inside_fenced_code(fence: str) -> None:
    code = fence.format("# x [^c]", "# y [^c]")
    imported = markdown(f"{code}\n# A [^a]\n")
    assert spans(imported, "headings") == ["# A [^a]"]
    assert spans(imported, "note_markers") == ["[^a]"]


@pytest.mark.parametrize("line", ["``` a`b", "``", "~~", "\\```", "    ```"])
def test_what_is_no_fence_opens_no_code(line: str) -> None:
    assert spans(markdown(f"{line}\n# A\n"), "headings") == ["# A"]


def test_a_fence_that_nobody_closes_runs_to_the_end() -> None:
    assert spans(markdown("```\n# A\n\n# B"), "headings") == []


def test_a_fence_ends_with_its_block_quote_and_its_note() -> None:
    assert markers("[^n]: x\n\n    ```\n    [^a]\n\nb [^b]") == [("b", True)]
    assert markers("> ```\n> [^a]\nb [^b]") == [("b", True)]


def test_references_are_markers_and_definitions_are_bodies() -> None:
    data = (
        "Kuş[^1] uçtu.[^not] Köpek[^yok].\n\n"
        "[^1]: Serçe.\n[^not]: Uzun\n    not[^1].\n\n    Sonu.\n\nGövde.\n"
    )
    imported = markdown(data)
    assert spans(imported, "note_bodies") == ["[^1]: Serçe.", "[^not]: Uzun\n    not[^1].\n\n    Sonu."]
    assert markers(data) == [("1", False), ("not", False), ("yok", True), ("1", False)]
    bodies = imported.release.datasets["note_bodies"]
    assert bodies is not None
    assert bodies.link == ("1", "not")


@pytest.mark.parametrize(
    ("data", "bodies"),
    [
        ("  [^a]: x\n\ty\n", ["[^a]: x\n\ty"]),
        ("[^a]: x\n   y\n", ["[^a]: x"]),
        ("[^a]:\n\n\n    y\n\n    z \nw\n", ["[^a]:\n\n\n    y\n\n    z "]),
        ("[^a]: x\r\n    y\r\n", ["[^a]: x\r\n    y"]),
        ("[^a]: x\n# B\n    y\n", ["[^a]: x"]),
        ("[^a]: x\n\n    ```\n    [^b]: y\n# z\n", ["[^a]: x\n\n    ```\n    [^b]: y"]),
        ("x [^a]: y\n", []),
        ("    [^a]: y\n", []),
        ("```\n[^a]: y\n```\n", []),
        ("[^a] : y\n[^a b]: y\n[^]: y\n[a]: y\n", []),
    ],
)
def test_a_body_is_its_line_and_the_lines_indented_by_four(data: str, bodies: list[str]) -> None:
    assert spans(markdown(data), "note_bodies") == bodies


def test_one_label_defined_twice_gives_two_bodies() -> None:
    assert spans(markdown("[^1]: a\n\nx[^1]\n\n[^1]: b"), "note_bodies") == ["[^1]: a", "[^1]: b"]


@pytest.mark.req("PRJ-09")
def test_a_reference_without_definition_is_a_source_gap_without_body() -> None:
    assert markers("Kuş[^1].") == [("1", True)]
    assert spans(markdown("Kuş[^1]."), "note_bodies") == []


def test_definitions_join_inside_one_file_only() -> None:
    imported = load(source("x[^1]\n", "a.md"), source("[^1]: y\n\nz[^1]\n", "b.md"), markdown=True)
    found = imported.release.datasets["note_markers"]
    assert found is not None
    assert found.status.tolist() == [1, 0]
    assert spans(imported, "note_markers") == ["[^1]", "[^1]"]
    assert spans(imported, "note_bodies") == ["[^1]: y"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`[^a]` [^b]", "b"),
        ("``[^a] ` [^b]`` [^c]", "c"),
        ("`x\ny [^a]` [^b]", "b"),
        ("` [^a]\n\n` [^b]", "ab"),
        ("`` [^a] ` [^b]", "ab"),
        ("\\`[^a]` [^b]", "ab"),
        ("`a\\` [^b] `c`", "b"),
        ("\\[^a] \\\\[^b]", "b"),
        ("# `[^a]` [^b]", "b"),
        ("    [^a]\n\nx\n    [^b]", "b"),
        ("x\n\n\t[^a]\n    [^a]\n\n[^b]", "b"),
        ("- x\n\n    [^b]\n\ny\n\n    [^a]", "b"),
        ("* * *\n\n    [^a]\n\n[^b]", "b"),
        ("# x\n    [^a]\n", ""),
        ("[^a][^b] [^c](d) ![^e]", "abce"),
        ("[^x y] [^] [x] ^[n] [^[a] [^b]]", "b"),
        ("[^n]: `[^a]` [^b]\n    ``[^a]\n    [^a]``\n\n        [^a]\n", "b"),
        ("<code>[^a]</code>", "a"),
    ],
)
@pytest.mark.req("PRJ-12")
def test_markers_are_found_outside_code_only(text: str, names: str) -> None:
    assert marker_names(text) == names


def test_a_marker_stays_in_the_sentence_it_follows() -> None:
    release = markdown("Kuş uçtu.[^1] Köpek koştu.").release
    first = release.text[release.sentence_start[0] : release.sentence_end[0]]
    assert first.decode() == "Kuş uçtu.[^1]"


def test_front_matter_and_html_are_body_bytes() -> None:
    imported = markdown("---\nad: x\n---\n\n<!-- a\nb -->\n\nGövde\n===\n")
    assert paragraphs(imported) == ["---\nad: x\n---", "<!-- a\nb -->", "Gövde\n==="]
    assert spans(imported, "headings") == []


@pytest.mark.parametrize(
    "piece", ["`", "[^", "\\", "> ", "#", " ", "- ", "[^a]", "`` ` ", "* ", "~~~\n", "\t", "[^a]:\n", "1) "]
)
def test_hostile_repetition_stays_linear(piece: str) -> None:
    begin = time.process_time()
    markdown(piece * 20_000)
    markdown("x " + piece * 20_000 + "x")
    assert time.process_time() - begin < 5
