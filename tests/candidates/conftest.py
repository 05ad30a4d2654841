"""A small invented corpus: a near repeat, a quotation, a contained unit, numerals, other Unicode forms."""

import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pytest

from tekrar.cli import main

#: Paragraphs by book; no sentence is anyone's.
BOOKS = {
    "liman": [
        "Sabah erkenden limana inen gemi, yükünü boşaltmadan önce iki gün bekledi.",
        "Denizde acele eden, karada pişman olur ve yolunu iki kere yürür.",
        "Kırk yıllık kaptanın defterinde yazılı kaldı: 1506 numaralı fıçı kayıptır ve aranmalıdır.",
        "Fırtınadan sonra ağlarını onaran balıkçılar, kıyıda ateş yakıp sabahı beklediler.",
    ],
    # In the reverse order, so that no two of them go on as one stretch.
    "tarla": [
        "Tarlada çalışan köylüler akşam olunca evlerine döndüler.",
        unicodedata.normalize(
            "NFD", "Fırtınadan sonra ağlarını onaran balıkçılar, kıyıda ateş yakıp sabahı beklediler."
        ),
        "Kırk yıllık kaptanın defterinde yazılı kaldı: 1507 numaralı fıçı kayıptır ve aranmalıdır.",
        "Kaptan der ki: “Denizde acele eden, karada pişman olur ve yolunu iki kere yürür.” Bunu köyde "
        "herkes bilir, fakat söylenene bakılırsa pek az kişi tutar, tutanlar da sonunda yorulur.",
        "Sabah erkenden limana inen büyük gemi, yükünü boşaltmadan önce iki gün bekledi!",
    ],
}


@dataclass(frozen=True)
class Place:
    """Where a corpus and what was made of it lie."""

    folder: Path

    @property
    def release(self) -> Path:
        return self.folder / "release"

    @property
    def artifact(self) -> Path:
        return self.folder / "artifact"

    @property
    def candidates(self) -> Path:
        return self.folder / "candidates"


def built(folder: Path, books: dict[str, list[str]], *, language: str = "tr") -> Place:
    """Import and build books of paragraphs."""
    source = folder / "source"
    source.mkdir(parents=True)
    for name, paragraphs in books.items():
        (source / f"{name}.txt").write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    place = Place(folder)
    words = ["import", source, "--language", language, "--out", place.release, "--quiet"]
    assert main([str(word) for word in words]) == 0
    assert main(["build", str(place.release), "--out", str(place.artifact), "--quiet"]) == 0
    return place


@pytest.fixture(scope="session")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The corpus with its candidates; tests read it and never write into it."""
    place = built(tmp_path_factory.mktemp("harbour"), BOOKS)
    assert main(["candidates", str(place.artifact), "--out", str(place.candidates), "--quiet"]) == 0
    return place
