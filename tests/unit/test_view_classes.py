"""Class listings: contract C10's records, filters, order and paging."""

import json
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.errors import NotFoundError, UsageError
from tekrar.view.classes import Choice, choose, class_records, is_blank, page_of
from tekrar.view.open import Corpus, open_corpus
from tests.unit.reading_corpus import built, garden

CLASS_KEYS = ["class_id", "profile", "predicate", "length", "size", "status", "group", "dominator", "members"]
MEMBER_KEYS = (
    "id book chapter para ord end_ord chapter_no para_no sentence start end para_start para_end".split()
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return open_corpus(*built(garden(), tmp_path_factory.mktemp("garden")))


def listed(corpus: Corpus, profile: str, **choice: Any) -> list[dict[str, Any]]:
    view = corpus.view(profile)
    return list(class_records(corpus, view, choose(corpus, view, Choice(**choice))))


def texts(corpus: Corpus, records: list[dict[str, Any]]) -> list[str]:
    return [corpus.places.text(r["members"][0]["start"], r["members"][0]["end"]) for r in records]


def test_records_have_the_keys_of_the_contract_in_its_order(corpus: Corpus) -> None:
    records = [r for view in corpus.views() for r in listed(corpus, view.short, status="all")]
    assert records
    for record in records:
        assert list(record) == CLASS_KEYS
        assert record["size"] == len(record["members"]) >= 2
        assert record["group"] is None
        for member in record["members"]:
            assert list(member) == MEMBER_KEYS


def test_a_member_says_where_it_stands(corpus: Corpus) -> None:
    (pair,) = [r for r in listed(corpus, "FS") if r["size"] == 3 and r["members"][0]["sentence"] == 4]
    third = pair["members"][2]
    text = corpus.release.text
    c, d = text.rindex(b"Ip "), text.rindex(b"Sonra sustu.") + len("Sonra sustu.")
    assert {k: third[k] for k in MEMBER_KEYS if k != "id"} == {
        "book": "Yol",
        "chapter": None,
        "para": None,
        "ord": None,
        "end_ord": None,
        "chapter_no": 1,
        "para_no": 4,
        "sentence": 5,
        "start": c,
        "end": d,
        "para_start": 0,
        "para_end": d - c,
    }
    first = pair["members"][0]
    assert (first["para_no"], first["para_start"]) == (
        2,
        len("Kuyunun suyu serindi. Kova yavaşça indi. ".encode()),
    )


def test_source_numbers_and_bytes_in_paragraphs_are_those_of_the_source(tmp_path: Path) -> None:
    rows = []
    for chapter in (4, 9):
        for number, text in enumerate(("Su durdu. Taş ıslak.", "", "Gece uzun."), 3):
            sents = [[0, 9], [10, len(text.encode())]] if number == 3 else None
            row: dict[str, Any] = {
                "book": "Göl",
                "chapter": chapter,
                "para": number,
                "ord": 100 * chapter + number,
                "text": text,
            }
            row |= {"kind": "body" if text else "empty"} | ({"sents": sents} if sents else {})
            rows.append(json.dumps(row, ensure_ascii=False))
    (tmp_path / "göl.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    words = [
        "import",
        str(tmp_path / "göl.jsonl"),
        "--out",
        str(tmp_path / "r"),
        "--language",
        "tr",
        "--quiet",
    ]
    assert main(words) == 0
    assert main(["build", str(tmp_path / "r"), "--out", str(tmp_path / "a"), "--quiet"]) == 0
    corpus = open_corpus(tmp_path / "a", tmp_path / "r")
    (record,) = [r for r in listed(corpus, "FS", status="all") if r["members"][0]["sentence"] == 2]
    member = record["members"][1]
    assert [member[k] for k in ("chapter", "chapter_no", "para", "para_no")] == [9, 2, 3, 1]
    assert [member[k] for k in ("ord", "end_ord", "sentence")] == [903, 905, 2]
    assert (member["para_start"], member["para_end"]) == (10, len(b"Gece uzun."))
    text = corpus.release.text[member["start"] : member["end"]].decode()
    assert text == "Taş ıslak.\n\n\n\nGece uzun."


@pytest.mark.req("DOM-07")
def test_statuses_add_up_to_the_counts_of_the_manifest(corpus: Corpus) -> None:
    for view in corpus.views():
        counts = view.coverage
        sizes = {
            s: len(listed(corpus, view.short, status=s)) for s in ("published", "dominated", "provisional")
        }
        assert sizes["published"] == counts["published_classes"]
        assert sizes["dominated"] == counts["dominated_classes"]
        assert sum(sizes.values()) == len(listed(corpus, view.short, status="all")) == view.count
        items = sum(r["size"] for r in listed(corpus, view.short, status="dominated"))
        assert items == counts["dominated_items"]
    assert corpus.view("FS").coverage["dominated_classes"] == 3
    assert corpus.view("FS").coverage["published_classes"] == 3


def test_dominators_are_listed_classes(corpus: Corpus) -> None:
    published = {r["class_id"] for r in listed(corpus, "FS")}
    dominated = listed(corpus, "FS", status="dominated")
    assert {r["dominator"] for r in dominated} <= published
    assert all(r["dominator"] is None for r in listed(corpus, "FS"))


def test_filters(corpus: Corpus) -> None:
    assert {r["length"] for r in listed(corpus, "FS", status="all", min_length=3)} == {3, 4}
    assert {r["length"] for r in listed(corpus, "FS", status="all", max_length=2)} == {2}
    assert {r["size"] for r in listed(corpus, "FS", min_size=3)} == {3}
    assert {r["size"] for r in listed(corpus, "FS", status="all", max_size=2)} == {2}
    assert texts(corpus, listed(corpus, "FP", books=("Yol",))) == ["الباب\u200cمفتوح."]
    assert len(listed(corpus, "FP", books=("Yol", "Bahçe"))) == 2
    assert texts(corpus, listed(corpus, "FP", hide_blank=True)) == ["الباب\u200cمفتوح."]
    assert len(listed(corpus, "FS", text="suyu")) == 2
    assert len(listed(corpus, "FS", text="Kuyunun suyu serindi. Kova", status="all")) == 3
    assert listed(corpus, "FS", text="kuyunun") == []
    assert len(listed(corpus, "PP", text="Su[2]")) == 1
    blank = corpus.view("FP")
    assert [is_blank(corpus, blank, n) for n in range(2)] == [True, False]


def test_a_text_over_a_members_end_is_not_in_it(corpus: Corpus) -> None:
    assert listed(corpus, "FS", max_length=2, text="indi. Ip", min_size=3) == []
    assert listed(corpus, "FS", text="sustu.\n") == []


def test_orders(corpus: Corpus) -> None:
    by_length = [(r["length"], r["size"]) for r in listed(corpus, "FS", status="all")]
    assert by_length == sorted(by_length, reverse=True)
    by_size = [(r["size"], r["length"]) for r in listed(corpus, "FS", status="all", sort="size")]
    assert by_size == sorted(by_size, reverse=True)
    starts = [r["members"][0]["start"] for r in listed(corpus, "FS", status="all", sort="order")]
    assert starts == sorted(starts)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_pages_hold_every_class_once(corpus: Corpus, size: int) -> None:
    chosen = [(view, choose(corpus, view, Choice(status="all"))) for view in corpus.views()]
    wanted = [(view.short, n) for view, numbers in chosen for n in numbers.tolist()]
    seen: list[tuple[str, int]] = []
    page = 1
    while got := page_of(chosen, page=page, size=size):
        here = [(view.short, n) for view, numbers in got for n in numbers.tolist()]
        assert len(here) <= size
        seen += here
        page += 1
    assert seen == wanted
    assert page_of(chosen, page=1, size=0) == chosen


def test_bad_choices_are_refused(corpus: Corpus) -> None:
    view = corpus.view("FS")
    for choice, kind in (
        (Choice(status="rejected"), "unknown_status"),
        (Choice(sort="id"), "unknown_sort"),
        (Choice(text=""), "empty_text"),
        (Choice(text="\ud800"), "bad_text"),
    ):
        with pytest.raises(UsageError) as refusal:
            choose(corpus, view, choice)
        assert refusal.value.kind == kind
    with pytest.raises(NotFoundError):
        choose(corpus, view, Choice(books=("Dağ",)))
    for page, size in ((0, 5), (1, -1)):
        with pytest.raises(UsageError):
            page_of([], page=page, size=size)
    with pytest.raises(UsageError) as needed:
        choose(open_corpus(corpus.artifact.path), view, Choice(text="su"))
    assert needed.value.kind == "release_needed"
