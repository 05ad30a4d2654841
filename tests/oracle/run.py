"""Both ways for one document: the real import, package and build, and the oracle."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tekrar.build import BuildResult, ByteSource, build
from tekrar.corpus.release_package import write_release
from tekrar.corpus.structured import import_structured
from tests.oracle.compare import rules_of
from tests.oracle.document import read
from tests.oracle.evaluation import Evaluation

#: Hundreds of small packages are written and fsynced: in memory where the system has such a place.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def release_of(source: dict[str, Any], target: Path) -> Path:
    """A text-release package of a structured document."""
    data = json.dumps(source).encode()
    write_release(import_structured(data, where="document.json", edition=None, language=None), target)
    return target


def build_document(document: dict[str, Any], /, **options: Any) -> BuildResult:
    """Import, write and build a structured document with the reference engine in small tasks."""
    with TemporaryDirectory(dir=MEMORY) as place:
        release = release_of(document, Path(place) / "release")
        return build(release, **{"engine": "hashlib", "batch": 3, **options})


def both(
    source: dict[str, Any],
    *,
    unreadable: tuple[tuple[int, int], ...] = (),
    defer: tuple[str, ...] = (),
    digest: Any = None,
) -> tuple[BuildResult, Evaluation]:
    """The build's result and the oracle's for the same document and the same injections."""
    document = read(source)
    options: dict[str, Any] = {"defer": defer, "digest": digest}
    if unreadable:
        data = bytearray(document.text)
        for low, high in unreadable:
            data[low:high] = b"?" * len(data[low:high])
        options["source"] = ByteSource(bytes(data), unreadable)
    result = build_document(source, **options)
    given = {} if digest is None else {"digest": digest}
    evaluation = Evaluation(document, rules_of(result), unreadable=unreadable, defer=defer, **given)
    return result, evaluation
