"""Addresses: written and read back, found in a release, refused where the release has no such place."""

import json

import pytest

from tekrar.core.address import Address, book_names, find_book, locate, parse_address
from tekrar.core.builder import ReleaseBuilder
from tekrar.core.text import TextRelease
from tekrar.corpus.structured import import_structured
from tekrar.errors import NotFoundError, UsageError
from tests.unit.reading_corpus import garden


@pytest.fixture(scope="module")
def release() -> TextRelease:
    data = json.dumps(garden()).encode()
    return import_structured(data, where="garden.json", edition=None, language=None).release


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Bahçe/1:2+4", Address("Bahçe", 1, 2, 4)),
        ("Bahçe/2/p1", Address("Bahçe", 2, 1, 0)),
        ("Sözler/Ek 2/10:1+13", Address("Sözler/Ek 2", 10, 1, 13)),
        ("a/1:2+3/4:5+6", Address("a/1:2+3", 4, 5, 6)),
        ("#2/1/p3", Address("#2", 1, 3, 0)),
    ],
)
def test_an_address_is_read_and_written_back(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert str(address) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Bahçe",
        "Bahçe/1",
        "Bahçe/1:2",
        "Bahçe/1:0+2",
        "Bahçe/1:2+0",
        "/1:2+3",
        "B/x:2+3",
        "B/١:2+3",
        "B/1:-2+3",
        "B/01:1+2",
        "B/1:01+2",
        "B/1:1+02",
        "B/01/p1",
        "B/1/p01",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_address(text)
    assert refusal.value.kind == "bad_address"


def test_places_are_found_by_ordinals_from_one(release: TextRelease) -> None:
    run = locate(parse_address("Yol/1:3+2"), release)
    assert (run.chapter, run.first, run.last, run.paragraph) == (2, 14, 16, None)
    assert release.text[release.sentence_start[14] : release.sentence_end[15]].decode().startswith("Kuyunun")
    empty = locate(parse_address("Bahçe/1/p3"), release)
    assert (empty.paragraph, empty.first, empty.last) == (2, 5, 5)
    after = locate(parse_address("Bahçe/1/p4"), release)
    assert (after.paragraph, after.first, after.last) == (3, 5, 6)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Dağ/1/p1", "no_such_book"),
        ("Bahçe/3/p1", "no_such_place"),
        ("Bahçe/0/p1", "no_such_place"),
        ("Bahçe/1/p5", "no_such_place"),
        ("Bahçe/1/p0", "no_such_place"),
        ("Bahçe/2:5+3", "no_such_place"),
    ],
)
def test_a_place_the_release_lacks_is_not_found(release: TextRelease, text: str, kind: str) -> None:
    with pytest.raises(NotFoundError) as refusal:
        locate(parse_address(text), release)
    assert refusal.value.kind == kind


def test_books_without_a_label_are_named_by_number() -> None:
    builder = ReleaseBuilder(edition="e", language="tr")
    for label in (None, "Yol", None):
        builder.begin_book(label)
        builder.begin_chapter()
        builder.add_paragraph(b"Bir.", sentences=[(0, 4)], after=b"\n\n", given=True)
    release = builder.finish(segmenter="source")
    assert book_names(release) == ["#1", "Yol", "#3"]
    assert find_book("#3", release) == 2
    with pytest.raises(NotFoundError):
        find_book("#2", release)
