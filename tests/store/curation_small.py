"""Two books that say some things twice, published once with nothing decided and everybody granted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tests.store.curation_scenario import Scenario

LIMAN = """Sabah erkenden limana inen gemi, yükünü boşaltmadan önce iki gün bekledi.

Denizde acele eden, karada pişman olur ve yolunu iki kere yürür.

Rüzgâr dönünce yelkeni değiştiren kaptan, limana herkesten önce varır.

Ağını sabırla ören balıkçı, denizden eli boş dönmez.
"""
TARLA = """Kaptan der ki: “Denizde acele eden, karada pişman olur ve yolunu iki kere yürür.” Herkes bilir.

Sabah erkenden limana inen büyük gemi, yükünü boşaltmadan önce iki gün bekledi!

Rüzgâr dönünce yelkenini değiştiren kaptan, limana herkesten evvel varır.

Ağını sabırla ören balıkçı, denizden eli boş dönmez.
"""


def packages(
    folder: Path,
    database: dict[str, str] | None = None,
    *,
    texts: Mapping[str, str] = MappingProxyType({"liman": LIMAN, "tarla": TARLA}),
) -> Scenario:
    """Release, artifact and candidates of the texts of books; the embedded server of the folder where no
    database is named."""
    (folder / "kitap").mkdir()
    for name, text in texts.items():
        (folder / "kitap" / f"{name}.txt").write_text(text, "utf-8")
    one = Scenario(folder, database or {"TEKRAR_DATA_DIR": str(folder / "data")})
    words = ("--language", "tr", "--edition", "liman", "--out", folder / "release")
    one.run("import", folder / "kitap", *words)
    one.run("build", folder / "release", "--out", folder / "artifact")
    one.run("candidates", "build", folder / "artifact", "--out", folder / "candidates")
    return one


def published(folder: Path) -> Scenario:
    """The same in a database, and a release."""
    one = packages(folder)
    one.authority()
    one.load()
    one.register("ilk", "ilk yer", rule="fullest_context")
    one.publish()
    return one
