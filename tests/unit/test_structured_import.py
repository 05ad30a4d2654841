"""The structured JSON document: taken byte for byte, refused at the JSON path (contract C9)."""

import hashlib
import json
import random
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tekrar.core.text import TextRelease
from tekrar.corpus.imported import Imported
from tekrar.corpus.structured import import_structured
from tekrar.errors import IntegrityError, SourceError, TekrarError, UsageError

from .structured_documents import book, chapter, document, encode, paragraph, sample


def imported(value: Any, *, edition: str | None = None, language: str | None = None) -> Imported:
    data = value if isinstance(value, bytes) else encode(value)
    return import_structured(data, where="s.json", edition=edition, language=language)


def release(value: Any, **stated: Any) -> TextRelease:
    return imported(value, **stated).release


def refused(value: Any) -> TekrarError:
    with pytest.raises(TekrarError) as caught:
        imported(value)
    assert caught.value.where.startswith("s.json")
    assert caught.value.mend
    return caught.value


def changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    value = sample()
    change(value)
    return value


class TestTaken:
    @pytest.mark.req("CORE-10")
    def test_bom_crlf_and_every_other_byte_survive(self) -> None:
        found = release(sample())
        assert found.text.decode() == "\ufeff\r\nKuyu\n\nSu[1] serindi. Kova ağırdı.\n\n\n\n[1] Not."
        assert found.text[:5] == b"\xef\xbb\xbf\r\n"

    def test_the_tree_and_the_labels_are_the_documents(self) -> None:
        found = release(sample())
        assert found.book_chapters.tolist() == [2, 1]
        assert found.book_before.tolist() == [1, 0]
        assert found.chapter_paragraphs.tolist() == [2, 0, 2]
        assert found.paragraph_sentences.tolist() == [1, 2, 0, 1]
        assert found.paragraph_given.tolist() == [1, 1, 0, 1]
        assert found.labels.book == ("Bahçe", "Yol")
        assert found.labels.book_title == ("Bahçe Defteri", None)
        assert found.labels.chapter_title == ("Kuyu", None, "Söz")
        assert found.labels.chapter_number == (None, None, None)
        assert found.segmenter == "source"

    def test_source_ids_are_metadata_in_document_order(self) -> None:
        found = imported(sample()).metadata
        assert found["chapters"] == ['{"id":"1"}', '{"id":"2"}', '{"id":"1"}']
        assert found["paragraphs"] == ['{"id":"p1"}', '{"id":"p2"}'] * 2
        assert found["headings"] == ['{"id":"h1"}']

    def test_spans_keep_status_and_note_id(self) -> None:
        datasets = release(sample()).datasets
        markers, bodies, headings = (datasets[k] for k in ("note_markers", "note_bodies", "headings"))
        assert markers is not None
        assert bodies is not None
        assert headings is not None
        assert (markers.start.tolist(), markers.end.tolist(), markers.status.tolist()) == ([13], [16], [1])
        assert (markers.link, bodies.link, headings.link) == (("n1",), ("n1",), ("",))

    def test_spans_are_ordered_whatever_order_they_come_in(self) -> None:
        text = paragraph("p", "a[1]b[2]c[3]d")
        spans = [{"start": s, "end": s + 3, "id": f"n{s}"} for s in (1, 5, 9)]
        wanted = release(document(book("b", chapter("c", text)), note_markers=spans)).datasets["note_markers"]
        random.Random(7).shuffle(spans)
        found = release(document(book("b", chapter("c", text)), note_markers=spans)).datasets["note_markers"]
        assert wanted is not None
        assert found is not None
        assert found.start.tolist() == [1, 5, 9]
        assert found.link == wanted.link == ("n1", "n5", "n9")

    def test_a_missing_dataset_stays_missing(self) -> None:
        found = release(sample(headings=None)).datasets
        assert found["headings"] is None
        assert found["note_markers"] is not None

    @pytest.mark.req("CORE-10")
    def test_separators_of_no_byte_are_legal(self) -> None:
        found = release(document(book("b", chapter("c", paragraph("p", "A.", "B.", seps=[""], after="")))))
        assert found.text == b"A.B."
        assert found.atom_length.tolist() == [2, 0, 2, 0]

    def test_empty_corpora_are_legal(self) -> None:
        for value in (
            document(),
            document(book("b")),
            document(book("b", chapter("c"))),
            document(book("b", before="")),
        ):
            assert release(value).text == b""
            assert release(value).segmenter == "source"

    def test_a_dataset_bound_to_the_right_release_is_taken(self) -> None:
        from tekrar.core.release import certified_digest

        root = certified_digest(release(sample())).hex()
        spans = sample()["annotations"]["headings"]
        found = release(sample(headings={"core_root": root, "spans": spans})).datasets["headings"]
        assert found is not None
        assert found.start.tolist() == [5]

    @pytest.mark.parametrize(
        ("own", "stated", "found"),
        [(None, None, "unnamed"), ("ilk", None, "ilk"), ("ilk", "iki", "iki"), (None, "iki", "iki")],
    )
    def test_edition_is_the_callers_else_the_documents(
        self, own: str | None, stated: str | None, found: str
    ) -> None:
        value = sample(**({} if own is None else {"edition": own}))
        assert release(value, edition=stated).edition == found

    @pytest.mark.parametrize(
        ("own", "stated", "found"),
        [(None, None, "tr"), ("EN-gb", None, "en-GB"), ("en", "AR-arab", "ar-Arab")],
    )
    def test_language_is_the_callers_else_the_documents_else_turkish(
        self, own: str | None, stated: str | None, found: str
    ) -> None:
        value = sample(**({} if own is None else {"language": own}))
        assert release(value, language=stated).language == found

    def test_provenance_names_the_file_and_its_digest(self) -> None:
        data = encode(sample())
        found = imported(data, language="tr")
        assert [(s.name, s.bytes, s.sha256) for s in found.sources] == [
            ("s.json", len(data), hashlib.sha256(data).hexdigest())
        ]
        assert found.parameters == {"language": "tr"}
        assert found.importer == "structured-json/1"


def _at(value: Any, path: str) -> tuple[Any, Any]:
    """The container and the key of a path such as corpus.books.0.id."""
    *above, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in above:
        value = value[part]
    return value, last


def put(path: str, new: Any) -> Callable[[dict[str, Any]], None]:
    def change(value: dict[str, Any]) -> None:
        container, key = _at(value, path)
        container[key] = new

    return change


def drop(path: str) -> Callable[[dict[str, Any]], None]:
    def change(value: dict[str, Any]) -> None:
        container, key = _at(value, path)
        del container[key]

    return change


REFUSED_FIXTURES = {"int-04-empty-span", "int-08-missing-separator", "int-15-stale-note-dataset"}

P2 = "corpus.books.0.chapters.0.paragraphs.1"
P2_PATH = "$.corpus.books[0].chapters[0].paragraphs[1]"

REFUSALS = [
    (put("more", 1), "unknown_key", "$"),
    (drop("annotations"), "missing_key", "$"),
    (put("corpus.more", 1), "unknown_key", "$.corpus"),
    (put("corpus.books", None), "wrong_type", "$.corpus.books"),
    (put("corpus.books.0.more", 1), "unknown_key", "$.corpus.books[0]"),
    (put("corpus.books.0.before", None), "wrong_type", "$.corpus.books[0].before"),
    (put("corpus.books.0.title", ""), "empty_name", "$.corpus.books[0].title"),
    (put("corpus.books.1.id", "Bahçe"), "duplicate_id", "$.corpus.books[1].id"),
    (put("corpus.books.0.id", 1), "wrong_type", "$.corpus.books[0].id"),
    (put("corpus.books.0.chapters.1.id", "1"), "duplicate_id", "$.corpus.books[0].chapters[1].id"),
    (put(f"{P2}.id", "p1"), "duplicate_id", f"{P2_PATH}.id"),
    (put(f"{P2}.id", True), "wrong_type", f"{P2_PATH}.id"),
    (put(f"{P2}.more", 1), "unknown_key", P2_PATH),
    (put(f"{P2}.seps", []), "separator_count", f"{P2_PATH}.seps"),
    (put(f"{P2}.seps", [" ", " "]), "separator_count", f"{P2_PATH}.seps"),
    (put(f"{P2}.seps", [None]), "missing_separator", f"{P2_PATH}.seps[0]"),
    (put(f"{P2}.after", None), "missing_separator", f"{P2_PATH}.after"),
    (drop(f"{P2}.after"), "missing_key", P2_PATH),
    (put(f"{P2}.sentences.1", ""), "empty_sentence", f"{P2_PATH}.sentences[1]"),
    (put(f"{P2}.sentences.1", "a\ud800b"), "lone_surrogate", f"{P2_PATH}.sentences[1]"),
    (put(f"{P2}.sentences.0", 1.5), "float", f"{P2_PATH}.sentences[0]"),
    (put(f"{P2}.sentences.0", float("nan")), "float", f"{P2_PATH}.sentences[0]"),
    (put("edition", ""), "empty_name", "$.edition"),
    (put("edition", "\udfff"), "lone_surrogate", "$.edition"),
    (put("language", "und"), "bad_language", "$.language"),
    (put("language", "Türkçe"), "bad_language", "$.language"),
    (put("language", "turkish"), "bad_language", "$.language"),
    (put("language", "tur"), "bad_language", "$.language"),
    (put("annotations", None), "wrong_type", "$.annotations"),
    (put("annotations.more", []), "unknown_key", "$.annotations"),
    (put("annotations.headings", "none"), "wrong_type", "$.annotations.headings"),
    (put("annotations.headings", {"spans": []}), "missing_key", "$.annotations.headings"),
    (put("annotations.headings.0.more", 1), "unknown_key", "$.annotations.headings[0]"),
    (put("annotations.headings.0.start", True), "wrong_type", "$.annotations.headings[0].start"),
    (put("annotations.headings.0.start", "5"), "wrong_type", "$.annotations.headings[0].start"),
    (put("annotations.headings.0.start", 5.0), "float", "$.annotations.headings[0].start"),
    (put("annotations.headings.0.start", 10**19), "bad_number", "$.annotations.headings[0].start"),
    (put("annotations.headings.0.end", None), "wrong_type", "$.annotations.headings[0].end"),
    (put("annotations.headings.0.text", "kuyu"), "span_text_differs", "$.annotations.headings[0].text"),
    (
        put("annotations.headings.0.status", "source_gap"),
        "unknown_status",
        "$.annotations.headings[0].status",
    ),
    (
        put("annotations.note_markers.0.status", "lost"),
        "unknown_status",
        "$.annotations.note_markers[0].status",
    ),
    (put("annotations.note_markers.0.status", []), "unknown_status", "$.annotations.note_markers[0].status"),
    (put("annotations.note_markers.0.id", ""), "empty_name", "$.annotations.note_markers[0].id"),
    (put("annotations.headings.0.id", ""), "empty_name", "$.annotations.headings[0].id"),
    (
        put(
            "annotations.note_markers",
            [{"start": 13, "end": 14, "id": "n"}, {"start": 14, "end": 16, "id": "n"}],
        ),
        "duplicate_id",
        "$.annotations.note_markers[1].id",
    ),
    (
        put(
            "annotations.note_bodies", {"core_root": "0", "spans": [{"start": 45, "end": 46, "id": "n"}] * 2}
        ),
        "duplicate_id",
        "$.annotations.note_bodies.spans[1].id",
    ),
    (
        put("annotations.headings", [{"start": 5, "end": 6, "id": "n"}, {"start": 6, "end": 7, "id": "n"}]),
        "duplicate_id",
        "$.annotations.headings[1].id",
    ),
]


class TestRefused:
    @pytest.mark.parametrize(("change", "kind", "path"), REFUSALS)
    def test_the_path_and_the_kind_are_named(
        self, change: Callable[[dict[str, Any]], None], kind: str, path: str
    ) -> None:
        value = changed(change)
        error = refused(json.dumps(value).encode())
        assert (type(error), error.kind, error.where) == (SourceError, kind, f"s.json: {path}")

    @pytest.mark.parametrize(
        ("data", "kind", "place"),
        [
            (b"", "malformed", "byte 0"),
            (b'{"corpus": ', "malformed", "byte"),
            (b'{"corpus": {}} x', "malformed", "byte 15"),
            (b"\xef\xbb\xbf{}", "bom", "byte 0"),
            (b'{"corpus": "\xff"}', "not_utf8", "byte 12"),
            (b'{"corpus": 1, "corpus": 2, "annotations": {}}', "duplicate_key", "$.corpus"),
            (b'{"corpus": {"books": [], "books": []}, "annotations": {}}', "duplicate_key", "$.corpus.books"),
            (b"[]", "wrong_type", "$"),
            (b"1e400", "float", "$"),
            (b"-Infinity", "float", "$"),
            (b'{"corpus": "\x00"}', "malformed", "byte 12"),
        ],
    )
    def test_broken_json_is_refused_with_its_place(self, data: bytes, kind: str, place: str) -> None:
        error = refused(data)
        assert (type(error), error.kind) == (SourceError, kind)
        assert place in error.where

    @pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"corpus":{"books":['])
    def test_deep_nesting_is_a_typed_error(self, opening: bytes) -> None:
        error = refused(opening * 100_000)
        assert (type(error), error.kind) == (SourceError, "too_deep")
        assert "byte" in error.where

    def test_the_depth_is_bounded_by_64_levels_whatever_the_parser_could_hold(self) -> None:
        assert refused(b"[" * 65 + b"]" * 65).kind == "too_deep"
        assert refused(b'[{"a":' * 32 + b"[]" + b"}]" * 32).where.endswith("byte 192")
        assert refused(b"[" * 64 + b"]" * 64).kind == "wrong_type"
        assert refused(b"[" + b"[],".join([b""] * 100) + b"[]]").kind == "wrong_type"
        assert refused(b'["' + b"[" * 100 + b'\\"' + b"{" * 100 + b'"]').kind == "wrong_type"

    @pytest.mark.parametrize(
        ("kind", "spans", "found"),
        [
            ("headings", [(5, 5)], "empty_span"),
            ("headings", [(9, 5)], "empty_span"),
            ("headings", [(-1, 3)], "span_out_of_range"),
            ("headings", [(5, 10**15)], "span_out_of_range"),
            ("headings", [(1, 5)], "split_character"),
            ("headings", [(5, 9), (8, 12)], "overlapping_annotations"),
            ("note_bodies", [(30, 50)], "outside_chapter"),
            ("note_markers", [(5, 11)], "marker_across_boundary"),
            ("note_markers", [(20, 28)], "marker_across_boundary"),
        ],
    )
    @pytest.mark.req("PRJ-02", "PRJ-11")
    def test_bad_geometry_is_an_integrity_error_with_its_place(
        self, kind: str, spans: list[tuple[int, int]], found: str
    ) -> None:
        error = refused(sample(**{kind: [{"start": start, "end": end} for start, end in spans]}))
        assert (type(error), error.kind) == (IntegrityError, found)
        assert f"$.annotations.{kind}" in error.where

    def test_touching_spans_are_legal(self) -> None:
        release(sample(headings=[{"start": 5, "end": 7}, {"start": 7, "end": 9}]))

    @pytest.mark.req("PRJ-02")
    @pytest.mark.parametrize("root", ["1" * 64, "", "A" * 64])
    def test_a_dataset_of_another_release_is_stale(self, root: str) -> None:
        error = refused(sample(headings={"core_root": root, "spans": []}))
        assert (type(error), error.kind) == (IntegrityError, "stale_dataset")
        assert error.where == "s.json: $.annotations.headings.core_root"

    @pytest.mark.parametrize("language", ["und", "", "x", "turkish", "tur"])
    def test_a_language_without_a_policy_is_a_usage_error(self, language: str) -> None:
        with pytest.raises(UsageError):
            imported(sample(), language=language)

    def test_an_edition_stated_without_a_name_is_a_usage_error(self) -> None:
        with pytest.raises(UsageError):
            imported(sample(), edition="")

    def test_a_huge_key_makes_a_short_message(self) -> None:
        assert len(str(refused(sample(**{"k" * 1_000_000: 1})))) < 1000


class TestSchema:
    """The published schema says what the importer does; checked by walking it, without a schema library."""

    SCHEMA = json.loads(files("tekrar.corpus").joinpath("data/structured.schema.json").read_bytes())

    def valid(self, value: Any, rule: dict[str, Any]) -> bool:
        if "$ref" in rule:
            return self.valid(value, self.SCHEMA["$defs"][rule["$ref"].rpartition("/")[2]])
        if "oneOf" in rule:
            return sum(self.valid(value, one) for one in rule["oneOf"]) == 1
        if "const" in rule or "enum" in rule:
            return value in rule.get("enum", [rule.get("const")])
        kinds = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None)}
        if not isinstance(value, kinds[rule["type"]]) or isinstance(value, bool):
            return False
        if isinstance(value, dict):
            known = rule["properties"]
            return set(rule.get("required", ())) <= set(value) <= set(known) and all(
                self.valid(item, known[key]) for key, item in value.items()
            )
        if isinstance(value, list):
            return all(self.valid(item, rule["items"]) for item in value)
        if isinstance(value, str):
            return len(value) >= rule.get("minLength", 0) and bool(re.search(rule.get("pattern", ""), value))
        return value is None or value >= rule.get("minimum", value)

    def test_it_takes_what_is_imported(self) -> None:
        assert self.valid(sample(), self.SCHEMA)
        assert self.valid(sample(headings=None, edition="ilk", language="en"), self.SCHEMA)

    def test_it_refuses_what_a_schema_can_see(self) -> None:
        beyond = {
            "duplicate_id",
            "separator_count",
            "lone_surrogate",
            "span_text_differs",
            "bad_language",
            "bad_number",
        }
        for change, kind, path in REFUSALS:
            if kind not in beyond and not (kind == "float" and path.endswith("start")):
                assert not self.valid(changed(change), self.SCHEMA), (kind, path)

    @pytest.mark.shared
    def test_the_fixtures_fit_it_and_are_imported_or_refused_as_they_say(self, shared_dir: Path) -> None:
        seen = 0
        for path in sorted((shared_dir / "conformance" / "exact").glob("*.json")):
            fixture = json.loads(path.read_bytes())
            value = {key: fixture[key] for key in ("corpus", "annotations")}
            seen += 1
            if path.stem in REFUSED_FIXTURES:
                refused(value)
                assert fixture["outcome"] == "integrity_failure"
                continue
            found = release(value)
            assert self.valid(value, self.SCHEMA), path.name
            words = [
                sentence
                for b in value["corpus"]["books"]
                for c in b["chapters"]
                for p in c["paragraphs"]
                for sentence in p["sentences"]
            ]
            assert len(found.sentence_start) == len(words)
            spans = zip(found.sentence_start, found.sentence_end, words, strict=True)
            assert all(found.text[low:high].decode() == word for low, high, word in spans)
        assert seen > 30
