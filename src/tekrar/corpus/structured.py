"""The structured JSON document: a corpus with its sentences, separators and annotations given (contract C9).

The document is `{corpus, annotations, edition?, language?}`; `data/structured.schema.json` is its published
schema and `docs/formats.md` its description. It is read strictly: a key that is not known, given twice or of
another type is refused with its JSON path. Sentences and separators are taken byte for byte; nothing is
segmented, trimmed or normalized (CORE-10).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tekrar.core import strict_json
from tekrar.core.annotation import check_spans
from tekrar.core.builder import ReleaseBuilder
from tekrar.core.encoding import canonical_json
from tekrar.core.language import canonical_language
from tekrar.core.text import DATASETS, Dataset, TextRelease
from tekrar.corpus.imported import Imported, SourceFile
from tekrar.corpus.release_package import stale_dataset
from tekrar.corpus.stated import edition_or_unnamed
from tekrar.errors import IntegrityError, SourceError, UsageError

IMPORTER: Final = "structured-json/1"
DEFAULT_LANGUAGE: Final = "tr"
STATUSES: Final = {"matched": False, "source_gap": True}

_TYPES: Final = {dict: "an object", list: "an array", str: "a string", int: "an integer"}
_MEND: Final = "correct the document; docs/formats.md and structured.schema.json describe it"


class _Place:
    """Where in which document a value stands; raises the errors."""

    def __init__(self, where: str) -> None:
        self.where = where

    def at(self, path: str) -> str:
        return f"{self.where}: {path}" if self.where else path

    def refuse(self, path: str, message: str, *, kind: str, expected: str = "") -> SourceError:
        return SourceError(message, where=self.at(path), expected=expected, mend=_MEND, kind=kind)

    def typed(self, value: Any, kind: type, path: str) -> Any:
        if not isinstance(value, kind) or isinstance(value, bool):
            shown = "null" if value is None else type(value).__name__
            raise self.refuse(path, f"{shown} is no value here", kind="wrong_type", expected=_TYPES[kind])
        return value

    def members(self, value: Any, path: str, *, needed: str = "", optional: str = "") -> dict[str, Any]:
        """The object at a path, once its keys are known to be the right ones."""
        found: dict[str, Any] = self.typed(value, dict, path)
        required, allowed = needed.split(), [*needed.split(), *optional.split()]
        for key in found:
            if key not in allowed:
                raise self.refuse(
                    path, f"unknown key {_shown(key)}", kind="unknown_key", expected=", ".join(allowed)
                )
        for key in required:
            if key not in found:
                raise self.refuse(path, f"the key {key!r} is missing", kind="missing_key")
        return found

    def text(self, value: Any, path: str) -> bytes:
        try:
            return strict_json.encoded(self.typed(value, str, path), path=path)
        except strict_json.JsonFlaw as flaw:
            raise self.refuse(path, flaw.message, kind=flaw.kind) from None

    def name(self, value: Any, path: str) -> str:
        if not self.text(value, path):
            raise self.refuse(path, "an empty name", kind="empty_name", expected="at least one character")
        return str(value)

    def own_id(self, value: Any, path: str, seen: dict[str, str]) -> str:
        found = self.name(value, path)
        if found in seen:
            raise self.refuse(
                path, f"the id {_shown(found)} stands at {seen[found]} already", kind="duplicate_id"
            )
        seen[found] = path
        return found


def import_structured(
    data: bytes,
    *,
    where: str,
    edition: str | None,
    language: str | None,
    source: SourceFile | None = None,
) -> Imported:
    """Read a structured JSON document.

    Args:
        data: its bytes.
        where: the file's name, for messages.
        edition: edition name stated by the caller; else the document's, else `unnamed`.
        language: BCP 47 language stated by the caller; else the document's, else `tr`.
        source: the file as stored, when `data` was unpacked from it.

    Returns:
        The release; a dataset that the document gives as null is None in it, and a build will refuse it.

    Raises:
        SourceError: the document breaks a rule of the format; the JSON path is named.
        IntegrityError: an annotation is of bad geometry, or a dataset was made for another release
            (`stale_dataset`).
        UsageError: the language stated is refused, or the edition stated has no name.
    """
    place = _Place(where)
    try:
        document = strict_json.parse(data)
    except strict_json.JsonFlaw as flaw:
        raise place.refuse(flaw.place, flaw.message, kind=flaw.kind) from None
    root = place.members(document, "$", needed="corpus annotations", optional="edition language")
    release, metadata = _Reader(place, root, edition=edition, language=language).read()
    stated = {"edition": edition, "language": language and release.language}
    return Imported(
        release=release,
        importer=IMPORTER,
        sources=(
            source or SourceFile(where.rpartition("/")[2], len(data), hashlib.sha256(data).hexdigest()),
        ),
        parameters={key: value for key, value in stated.items() if value is not None},
        metadata=metadata,
    )


class _Reader:
    """Walks one parsed document in document order."""

    def __init__(
        self, place: _Place, root: dict[str, Any], *, edition: str | None, language: str | None
    ) -> None:
        self.place = place
        self.root = root
        self.metadata: dict[str, list[str | None]] = {"books": [], "chapters": [], "paragraphs": []}
        own_edition = place.name(root["edition"], "$.edition") if "edition" in root else None
        self.builder = ReleaseBuilder(
            edition=edition_or_unnamed(own_edition if edition is None else edition),
            language=self._language(language),
        )

    def read(self) -> tuple[TextRelease, dict[str, list[str | None]]]:
        self._corpus()
        spans = self._annotations()
        release = self.builder.finish(segmenter="source")
        for kind in DATASETS:
            if spans[kind] is None:
                release.datasets[kind] = None
        self._check_datasets(release, spans)
        return release, self.metadata

    def _language(self, stated: str | None) -> str:
        own = self.place.name(self.root["language"], "$.language") if "language" in self.root else None
        if stated is not None or own is None:
            return canonical_language(DEFAULT_LANGUAGE if stated is None else stated)
        try:
            return canonical_language(own)
        except UsageError as error:
            raise SourceError(
                error.message,
                where=self.place.at("$.language"),
                expected=error.expected,
                mend=error.mend,
                kind=error.kind,
            ) from None

    # -- corpus ------------------------------------------------------------

    def _corpus(self) -> None:
        place = self.place
        corpus = place.members(self.root["corpus"], "$.corpus", needed="books")
        seen: dict[str, str] = {}
        for number, value in enumerate(place.typed(corpus["books"], list, "$.corpus.books")):
            path = f"$.corpus.books[{number}]"
            book = place.members(value, path, needed="id chapters", optional="title before")
            self.builder.begin_book(
                place.own_id(book["id"], f"{path}.id", seen),
                title=self._title(book, path),
                before=place.text(book["before"], f"{path}.before") if "before" in book else None,
            )
            self.metadata["books"].append(None)
            self._chapters(place.typed(book["chapters"], list, f"{path}.chapters"), f"{path}.chapters")

    def _chapters(self, chapters: list[Any], above: str) -> None:
        place = self.place
        seen: dict[str, str] = {}
        for number, value in enumerate(chapters):
            path = f"{above}[{number}]"
            chapter = place.members(value, path, needed="id paragraphs", optional="title")
            own = place.own_id(chapter["id"], f"{path}.id", seen)
            self.builder.begin_chapter(title=self._title(chapter, path))
            self.metadata["chapters"].append(_fact(own))
            paragraphs = place.typed(chapter["paragraphs"], list, f"{path}.paragraphs")
            inside: dict[str, str] = {}
            for index, item in enumerate(paragraphs):
                self._paragraph(item, f"{path}.paragraphs[{index}]", inside)

    def _title(self, element: Mapping[str, Any], path: str) -> str | None:
        return self.place.name(element["title"], f"{path}.title") if "title" in element else None

    def _paragraph(self, value: Any, path: str, seen: dict[str, str]) -> None:
        place = self.place
        paragraph = place.members(value, path, needed="id sentences seps after")
        own = place.own_id(paragraph["id"], f"{path}.id", seen)
        sentences = place.typed(paragraph["sentences"], list, f"{path}.sentences")
        seps = place.typed(paragraph["seps"], list, f"{path}.seps")
        between = max(len(sentences) - 1, 0)
        if len(seps) != between:
            raise place.refuse(
                f"{path}.seps",
                f"{len(seps)} separators for {len(sentences)} sentences",
                kind="separator_count",
                expected=f"{between}: one between each two sentences",
            )
        text = bytearray()
        spans = []
        for index, sentence in enumerate(sentences):
            if index:
                text += self._separator(seps[index - 1], f"{path}.seps[{index - 1}]")
            words = place.text(sentence, f"{path}.sentences[{index}]")
            if not words:
                raise place.refuse(
                    f"{path}.sentences[{index}]",
                    "a sentence of no byte",
                    kind="empty_sentence",
                    expected="at least one byte; an empty paragraph has no sentence",
                )
            spans.append((len(text), len(text) + len(words)))
            text += words
        self.builder.add_paragraph(
            bytes(text),
            sentences=spans,
            after=self._separator(paragraph["after"], f"{path}.after"),
            given=True,
            where=place.at(path),
        )
        self.metadata["paragraphs"].append(_fact(own))

    def _separator(self, value: Any, path: str) -> bytes:
        if value is None:
            raise self.place.refuse(
                path,
                "the separator is unknown (null)",
                kind="missing_separator",
                expected='the exact bytes as a string; "" where there is none',
            )
        return self.place.text(value, path)

    # -- annotations ------------------------------------------------------------

    def _annotations(self) -> dict[str, list[tuple[dict[str, Any], str]] | None]:
        """For each dataset its span objects with their paths in document order; None where missing."""
        place = self.place
        found: dict[str, list[tuple[dict[str, Any], str]] | None] = {}
        annotations = place.members(self.root["annotations"], "$.annotations", optional=" ".join(DATASETS))
        for kind in DATASETS:
            value, path = annotations.get(kind), f"$.annotations.{kind}"
            if value is None:
                found[kind] = None
                continue
            if isinstance(value, dict):
                dataset = place.members(value, path, needed="core_root spans")
                place.typed(dataset["core_root"], str, f"{path}.core_root")
                value, path = dataset["spans"], f"{path}.spans"
            items = enumerate(place.typed(value, list, path))
            seen: dict[str, str] = {}
            spans = [(self._span(item, f"{path}[{i}]", kind, seen), f"{path}[{i}]") for i, item in items]
            spans.sort(key=lambda span: (span[0]["start"], span[0]["end"]))
            found[kind] = spans
            for span, _ in spans:
                link = "" if kind == "headings" else span.get("id", "")
                gap = STATUSES[span.get("status", "matched")]
                self.builder.annotate(kind, span["start"], span["end"], source_gap=gap, link=link)
            self.metadata[kind] = [
                _fact(span["id"]) if kind == "headings" and "id" in span else None for span, _ in spans
            ]
        return found

    def _span(self, value: Any, path: str, kind: str, seen: dict[str, str]) -> dict[str, Any]:
        place = self.place
        span = place.members(value, path, needed="start end", optional="text status id")
        for key in ("start", "end"):
            place.typed(span[key], int, f"{path}.{key}")
        if "text" in span:
            place.text(span["text"], f"{path}.text")
        if "id" in span:
            place.own_id(span["id"], f"{path}.id", seen)
        status = span.get("status", "matched")
        allowed = list(STATUSES) if kind == "note_markers" else ["matched"]
        if not isinstance(status, str) or status not in allowed:
            raise place.refuse(
                f"{path}.status",
                f"unknown status {_shown(str(status))}",
                kind="unknown_status",
                expected=" or ".join(allowed),
            )
        return span

    def _check_datasets(
        self, release: TextRelease, spans: Mapping[str, list[tuple[dict[str, Any], str]] | None]
    ) -> None:
        for kind, dataset in _present(release):
            value = self.root["annotations"][kind]
            if isinstance(value, dict) and value["core_root"] != dataset.core_root.hex():
                raise stale_dataset(
                    kind,
                    expected=dataset.core_root,
                    found=_shown(value["core_root"]),
                    where=self.place.at(f"$.annotations.{kind}.core_root"),
                )
            try:
                check_spans(release, dataset)
            except IntegrityError as error:
                error.where = self.place.at(f"$.annotations.{kind}, {error.where}")
                raise
            for span, path in spans[kind] or ():
                held = release.text[span["start"] : span["end"]]
                if "text" in span and span["text"].encode("utf-8") != held:
                    raise self.place.refuse(
                        f"{path}.text",
                        f"the text is not what stands at bytes {span['start']}..{span['end']}",
                        kind="span_text_differs",
                        expected=repr(held[:80].decode("utf-8", "replace")),
                    )


def _present(release: TextRelease) -> Iterator[tuple[str, Dataset]]:
    for kind in DATASETS:
        dataset = release.datasets[kind]
        if dataset is not None:
            yield kind, dataset


def _shown(text: str) -> str:
    """A quoted text of the document, short enough for a message."""
    return repr(text if len(text) <= 80 else text[:77] + "...")


def _fact(own_id: str) -> str:
    return canonical_json({"id": own_id}).decode("utf-8")
