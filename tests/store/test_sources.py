"""Where members come from and where they stand: source files, numbers in the book, repeats in a row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tekrar.artifact import Artifact
from tekrar.build import build
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.release_package import open_release, write_release
from tekrar.corpus.sources import SourceText
from tekrar.errors import IntegrityError
from tekrar.store.curate import grant, initialize, name_actor
from tekrar.store.load import load
from tekrar.store.load.sources import book_sources, public_sources
from tekrar.store.publish import prepare, publish
from tekrar.store.read import Reader
from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded

SAME, REFRAIN = "Su akar, taş durur.", "Gel de dinle."
#: File -> paragraphs by book, each with its chapter and its number in the source.
FILES = {
    "birinci.jsonl": {"bağ": [(7, 70, "Kuş uçar."), (7, 71, SAME)]},
    "ikinci.jsonl": {
        "bahçe": [(3, 30, "Yol uzun."), (4, 40, SAME), (4, 41, REFRAIN), (4, 42, REFRAIN)],
        "bostan": [(1, 10, REFRAIN), (1, 11, "Kum kayar."), (2, 20, REFRAIN)],
    },
}


def _file(name: str, books: dict[str, list[tuple[int, int, str]]]) -> SourceText:
    rows = [
        {
            "book": book,
            "chapter": chapter,
            "chapter_title": "",
            "para": para,
            "ord": para * 2,
            "kind": "body",
            "text": text,
            "note_markers": [],
        }
        for book, paragraphs in books.items()
        for chapter, para, text in paragraphs
    ]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return SourceText(name, data, hashlib.sha256(data).hexdigest(), len(data))


@pytest.fixture(scope="module")
def asked(database: Embedded, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Reader, str]]:
    """A reader and the published release of whole paragraphs."""
    place = tmp_path_factory.mktemp("sources")
    files = [_file(name, books) for name, books in FILES.items()]
    imported = import_jsonl(files, edition="iki kaynak", language="tr", unread=("gizli-not.txt",))
    write_release(imported, place / "release")
    build(place / "release", out=place / "artifact", engine="hashlib")
    with open_target(of_embedded(database, user="postgres")) as admin:
        done = load(admin, Artifact(place / "artifact"), open_release(place / "release"))
        initialize(admin, "yönetici", None)
    with open_target(of_embedded(database, user=LOGIN)) as login:
        name_actor(login, "yayıncı", None, actor="yönetici")
        grant(login, "yayıncı", "publisher", actor="yönetici")
        plan = prepare(login, done.artifact_root.hex(), None, actor="yayıncı")
        published = publish(login, plan, actor="yayıncı")
        releases = {short: release for short, release, _ in published.releases}
        yield Reader(login, key=bytes(32)), releases["FP"]


def members(asked: tuple[Reader, str], text: str, **paging: Any) -> list[dict[str, Any]]:
    """The members whose exact bytes are the text, every page."""
    reader, release = asked
    for one in reader.classes(release)["classes"]:
        found = reader.duplicates(release, one["class"])["members"]
        if reader.occurrence(release, found[0]["occurrence"])["content"].decode() == text:
            break
    else:
        raise AssertionError(f"no class of {text!r}")
    if not paging:
        return list(found)
    pages, cursor = [], None
    while True:
        page = reader.duplicates(release, one["class"], cursor=cursor, **paging)
        pages += page["members"]
        if (cursor := page["next"]) is None:
            return pages


@pytest.mark.req("CORE-08")
def test_equal_words_of_two_sources_are_two_members_with_their_sources(asked: tuple[Reader, str]) -> None:
    digests = {name: _file(name, books).sha256 for name, books in FILES.items()}
    found = members(asked, SAME)
    assert [(one["book_label"], one["source"]) for one in found] == [
        ("bağ", {"name": "birinci.jsonl", "sha256": digests["birinci.jsonl"]}),
        ("bahçe", {"name": "ikinci.jsonl", "sha256": digests["ikinci.jsonl"]}),
    ]
    assert len({one["occurrence"] for one in found}) == 2
    for one in found:  # asked for one by one they say the same
        alone = asked[0].occurrence(asked[1], one["occurrence"])
        assert alone["content"].decode() == SAME
        assert alone["source"] == one["source"]


def test_of_the_provenance_only_name_and_digest_are_in_the_database(
    asked: tuple[Reader, str], administrator: Connection
) -> None:
    rows = administrator.execute("SELECT sources FROM core.release").fetchall()
    (listed,) = (json.loads(row[0]) for row in rows)
    assert [(one["name"], one["books"]) for one in listed] == [("birinci.jsonl", 1), ("ikinci.jsonl", 2)]
    assert {key for one in listed for key in one} == {"books", "name", "sha256"}


def test_places_are_numbered_in_book_and_chapter_beside_the_source_s_numbers(
    asked: tuple[Reader, str],
) -> None:
    first, second = members(asked, SAME)
    names = ("chapter_no", "para_no", "chapter_number", "para", "ord", "chapter", "paragraph")
    assert [first[name] for name in names] == [1, 2, 7, 71, 142, 0, 1]
    assert [second[name] for name in names] == [2, 1, 4, 40, 80, 2, 3]
    alone = asked[0].occurrence(asked[1], second["occurrence"])
    assert [alone[name] for name in names] == [2, 1, 4, 40, 80, 2, 3]


@pytest.mark.parametrize("page", [None, 1, 2, 3])
def test_repeats_in_a_row_are_told_whatever_the_page(asked: tuple[Reader, str], page: int | None) -> None:
    """Two paragraphs one after the other are a refrain; across books and chapters they are not."""
    found = members(asked, REFRAIN, **({"page": page} if page else {}))
    assert [(one["para"], one["adjacent"]) for one in found] == [
        (41, False),
        (42, True),
        (10, False),
        (20, False),
    ]


@pytest.mark.parametrize(
    ("files", "books", "expected"),
    [
        ([{"name": "a", "sha256": "0" * 64}], 3, ["a", "a", "a"]),
        ([{"name": "a", "sha256": "0" * 64}, {"name": "b", "sha256": "1" * 64}], 2, ["a", "b"]),
        ([{"name": "a", "sha256": "0" * 64}, {"name": "b", "sha256": "1" * 64}], 3, [None] * 3),
        (
            [{"name": "a", "sha256": "0" * 64, "books": 2}, {"name": "b", "sha256": "1" * 64, "books": 1}],
            3,
            ["a", "a", "b"],
        ),
        ([], 0, []),
    ],
)
def test_a_book_s_file_is_told_where_the_provenance_says_it(
    files: list[dict[str, Any]], books: int, expected: list[str | None]
) -> None:
    found = book_sources(public_sources({"sources": files}, books=books), books=books)
    assert [None if one is None else one[0].decode() for one in found] == expected


@pytest.mark.parametrize("files", [None, {}, [{"name": "a"}], [{"name": 1, "sha256": "0" * 64}]])
def test_a_provenance_without_files_is_refused(files: Any) -> None:
    with pytest.raises(IntegrityError):
        public_sources({"sources": files}, books=1)


def test_the_verbs_say_places_as_people_count_them(asked: tuple[Reader, str]) -> None:
    from tekrar.cli.duplicates import _lines

    reader, release = asked
    first, second = members(asked, REFRAIN)[:2]
    assert (first["occurrence"], second["adjacent"]) != (second["occurrence"], False)
    said = _lines(reader.duplicates(release, first["occurrence"]))
    assert "chapter 2  paragraph 2  [chapter 4, para 41, ord 82, end_ord 82]" in said[1]
    assert said[1].endswith("from \u2068ikinci.jsonl\u2069")
    assert said[2].endswith("repeated in a row")
    assert said[-1].startswith("repeated in a row")


def test_a_path_is_no_name_of_a_source(tmp_path: Path, asked: tuple[Reader, str]) -> None:
    for one in members(asked, SAME):
        assert "/" not in one["source"]["name"]
