"""A small artifact with headings, notes and a U+0000, for the tests of `tekrar load`; all invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tekrar.build import build
from tekrar.corpus.release_package import write_release
from tekrar.corpus.structured import import_structured
from tests.small import document, mark

_FIRST = ["Su akar.", "Taş durur.", "Kuş uçar.", "Gül\0solar.", "Kum kayar."]
CHAPTERS = [
    [["Kuyu"], _FIRST, [], ["Kova ağırdı[1].", "İp kısaydı."], _FIRST, ["Su akar."]],
    [_FIRST, ["[1] Kova bakırdandı."], ["Yol uzundu.", "Su akar.", "Taş durur."], _FIRST[:4], ["Su akar."]],
]


def source(edition: str = "bahçe", *, more: str = "") -> dict[str, Any]:
    """The structured document; `more` is a further paragraph, so that another text comes of it."""
    chapters = [*CHAPTERS, [[more]]] if more else CHAPTERS
    found = document(chapters, edition=edition, language="tr")
    found = mark(found, "headings", "Kuyu")
    found = mark(found, "note_markers", "[1]", only=0)
    return mark(found, "note_bodies", "[1] Kova bakırdandı.")


def make(place: Path, *, defer: list[str] | None = None, **facts: Any) -> tuple[Path, Path]:
    """Release and artifact of the document under a folder."""
    place.mkdir(parents=True, exist_ok=True)
    data = json.dumps(source(**facts)).encode()
    imported = import_structured(data, where="bahce.json", edition=None, language=None)
    write_release(imported, place / "release")
    build(place / "release", out=place / "artifact", engine="hashlib", defer=defer or [])
    return place / "release", place / "artifact"
