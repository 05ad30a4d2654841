"""Pinned roots of three small corpora of our own.

    python -m tests.golden            compare; exit 1 and name what differs
    python -m tests.golden --write    write `roots.json` anew (the only recipe; `make golden`)

A root that changes is a change of identity: by ADR-009 a successor profile, to be reviewed and announced in
the changelog section
Identity.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tekrar.artifact.reader import Artifact
from tekrar.build import build
from tekrar.core.identity import uuid_text
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.plaintext import import_text
from tekrar.corpus.release_package import open_release, write_release
from tekrar.corpus.sources import read_source
from tekrar.corpus.structured import import_structured

PLACE = Path(__file__).resolve().parent
ROOTS = PLACE / "roots.json"
CORPORA = ("annotated.json", "records.jsonl", "notes.md")


def import_golden(name: str, target: Path) -> Path:
    """A text-release package of one golden corpus."""
    file = read_source(PLACE / name)
    if name.endswith(".json"):
        made = import_structured(file.data, where=name, edition=None, language=None)
    elif name.endswith(".jsonl"):
        made = import_jsonl([file], edition=None, language="tr")
    else:
        made = import_text([file], edition="golden", language="en", markdown=True)
    write_release(made, target)
    return target


def roots_of(name: str) -> dict[str, Any]:
    """What is pinned of one corpus: release, IDs of profiles and classes, every root and count."""
    with TemporaryDirectory() as place:
        release = import_golden(name, Path(place) / "release")
        build(release, out=Path(place) / "artifact", engine="hashlib")
        artifact = Artifact(Path(place) / "artifact")
        opened = open_release(release)
        return {
            "text_release": uuid_text(opened.id),
            "core_release_manifest_root": opened.manifest_root.hex(),
            "artifact_root": artifact.artifact_root.hex(),
            "roots": {key: root.hex() for key, root in artifact.roots},
            "profiles": {
                short: {
                    "id": stated["id"],
                    "coverage": stated["coverage"],
                    "classes": [uuid_text(row.tobytes()) for row in artifact.profile(short).classes["class"]],
                    "first_occurrence": uuid_text(
                        artifact.profile(short).occurrences["occurrence"][0].tobytes()
                    ),
                }
                for short, stated in artifact.manifest["profiles"].items()
            },
        }


def differences(name: str) -> list[str]:
    """Paths at which a corpus differs from what is pinned."""
    pinned = json.loads(ROOTS.read_text("utf-8"))[name]
    found: list[str] = []

    def walk(path: str, old: Any, new: Any) -> None:
        if isinstance(old, dict) and isinstance(new, dict):
            for key in sorted(old.keys() | new.keys()):
                walk(f"{path}.{key}", old.get(key), new.get(key))
        elif old != new:
            found.append(f"{path}: pinned {old}, found {new}")

    walk(name, pinned, roots_of(name))
    return found


def write() -> None:
    """Pin what this checkout computes."""
    found = {name: roots_of(name) for name in CORPORA}
    ROOTS.write_text(json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
