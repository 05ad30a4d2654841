"""A small corpus of our own for the reading verbs: headings, masks, an empty paragraph, two scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import Artifact
from tekrar.artifact.schema import table_names
from tekrar.artifact.writer import ArtifactWriter
from tekrar.cli import main
from tests.unit.structured_documents import book, chapter, document, paragraph

A, B, C, D = "Kuyunun suyu serindi.", "Kova yavaşça indi.", "Ip gıcırdadı.", "Sonra sustu."
ARABIC = "الباب\u200cمفتوح."
ORNAMENT = "…"


def garden(*, marked: bool = True, extra: str = "Kapı açıktı.") -> dict[str, Any]:
    """Two books that repeat runs, paragraphs, an ornament, and one that differs in its marker only.

    Bahçe 1: heading | A B C D | (empty) | ornament. Bahçe 2: A B C D extra | ornament.
    Yol 1:   Arabic | "Su[1] az." | A B | C D. Yol 2: Arabic | "Su[2] az."
    """
    first = book(
        "Bahçe",
        chapter(
            "1",
            paragraph("p1", "Kuyu Başı"),
            paragraph("p2", A, B, C, D),
            paragraph("p3"),
            paragraph("p4", ORNAMENT),
        ),
        chapter("2", paragraph("p1", A, B, C, D, extra), paragraph("p2", ORNAMENT)),
    )
    second = book(
        "Yol",
        chapter(
            "1",
            paragraph("p1", ARABIC),
            paragraph("p2", "Su[1] az."),
            paragraph("p3", A, B),
            paragraph("p4", C, D),
        ),
        chapter("2", paragraph("p1", ARABIC), paragraph("p2", "Su[2] az.")),
    )
    found = document(first, second, edition="bahce-1")
    text = text_of(found)
    spans = {"headings": [_span(text, "Kuyu Başı")]}
    if marked:
        spans["note_markers"] = [_span(text, "[1]"), _span(text, "[2]")]
    found["annotations"] |= spans
    return found


def text_of(source: dict[str, Any]) -> bytes:
    pieces = []
    for one in source["corpus"]["books"]:
        for part in one["chapters"]:
            for p in part["paragraphs"]:
                seps = [*p["seps"], ""]
                pieces += [s + sep for s, sep in zip(p["sentences"], seps, strict=False)] + [p["after"]]
    return "".join(pieces).encode()


def _span(text: bytes, needle: str) -> dict[str, int]:
    at = text.index(needle.encode())
    return {"start": at, "end": at + len(needle.encode())}


def imported(source: dict[str, Any], place: Path) -> Path:
    """The document imported by the command line; the release's path."""
    place.mkdir(parents=True, exist_ok=True)
    file = place / "source.json"
    file.write_text(json.dumps(source, ensure_ascii=False), "utf-8")
    assert main(["import", str(file), "--out", str(place / "release"), "--quiet"]) == 0
    return place / "release"


def built(source: dict[str, Any], place: Path, *options: str) -> tuple[Path, Path]:
    """The document imported and built by the command line: (artifact, release)."""
    release = imported(source, place)
    assert main(["build", str(release), "--out", str(place / "artifact"), "--quiet", *options]) == 0
    return place / "artifact", release


def altered(artifact: Path, target: Path, table: str, columns: dict[str, NDArray[Any]]) -> Path:
    """A copy of an artifact in which one table has other columns and whose file list is right again."""
    source = Artifact(artifact)
    with ArtifactWriter(target) as writer:
        for name in table_names():
            held = dict(source.columns(name))
            writer.table(name, held | columns if name == table else held)
        writer.document("provenance", source.package.read_bytes("provenance"))
        writer.commit(source.manifest)
    return target


def without(artifact: Path, target: Path, *, table: str, row: int) -> Path:
    """A copy of an artifact in which one row of a part is missing."""
    held = Artifact(artifact).columns(table)
    keep = np.asarray(held["row"] != row)
    assert not keep.all()
    return altered(artifact, target, table, {name: values[keep] for name, values in held.items()})
