"""The corpora of a run: the shared ones where their folder is there, else what it can make itself.

Sources and releases are kept in `bench-out/`. A release is kept under the digest of its source and of the
code that imports, so that another version of the code makes its own.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.process import measured
from bench.synthetic import write_corpus

ROOT = Path(__file__).resolve().parent.parent
MILLION = 1_000_000
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Corpus:
    """A corpus by name, its millions of words (0: not one of the graded sizes), and how its source is had."""

    name: str
    millions: int
    language: str
    source: Callable[[Path], Path]


def shared_place() -> Path | None:
    """The shared corpora: under TEKRAR_SHARED, else beside the checkout; None where they are absent."""
    place = Path(os.environ.get("TEKRAR_SHARED") or ROOT.parent / "shared") / "corpora"
    whole = (place / "risale-docx").is_dir() and (place / "tools" / "gen_planted.py").is_file()
    return place if whole else None


def corpora(*, quick: bool) -> list[Corpus]:
    """The corpora of a run in the order they are measured."""
    place = shared_place()
    if quick:
        return [Corpus("synthetic-small", 0, "en", lambda cache: _synthetic(cache, 60_000))]
    sizes = (1, 3, 10)
    if place is None:
        found = [Corpus(f"synthetic-{n}m", n, "en", _synthetic_of(n)) for n in sizes]
        return [Corpus("kjv", 0, "en", _kjv), *found] if _kjv_installed() else found
    return [
        Corpus("risale", 0, "tr", lambda cache: place / "risale-docx"),
        *(Corpus(f"planted-{n}m", n, "tr", _planted_of(place, n)) for n in sizes),
    ]


def missing_line() -> str:
    """The one line that says what stands in for the shared corpora, or nothing."""
    if shared_place() is not None:
        return ""
    return "no shared corpora: " + (
        "the demo's KJV and generated texts stand in" if _kjv_installed() else "generated texts stand in"
    )


def _synthetic_of(millions: int) -> Callable[[Path], Path]:
    return lambda cache: _synthetic(cache, millions * MILLION)


def _synthetic(cache: Path, count: int) -> Path:
    target = cache / f"synthetic-{count}.jsonl"
    return _once(target, lambda part: write_corpus(part, count=count))


def _planted_of(place: Path, millions: int) -> Callable[[Path], Path]:
    def source(cache: Path) -> Path:
        def make(part: Path) -> None:
            tool, model = place / "tools" / "gen_planted.py", place / "risale-docx" / "sozler.jsonl.gz"
            learned = ["--source", str(model), "--seed", "1", "--words", str(millions * MILLION)]
            measured([sys.executable, str(tool), *learned, "--out", str(part), "--gz"])

        return _once(cache / f"planted-{millions}m", make) / "corpus.jsonl.gz"

    return source


def _kjv_installed() -> bool:
    from tekrar.demo.kjv import installed_module
    from tekrar.errors import TekrarError

    try:
        installed_module()
    except TekrarError:
        return False
    return True


def _kjv(cache: Path) -> Path:
    from tekrar.demo.kjv import installed_module, read_bible, source_bytes

    return _once(cache / "kjv.jsonl", lambda part: _write(part, source_bytes(read_bible(installed_module()))))


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _once(target: Path, make: Callable[[Path], None]) -> Path:
    """Make a file or folder under another name and rename it, so that an interrupted run leaves no half."""
    if target.exists():
        return target
    part = target.with_name(target.name + ".part")
    remove(part)
    try:
        make(part)
        part.rename(target)
    finally:
        remove(part)
    return target


def remove(path: Path) -> None:
    """Remove a file or folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def release_of(corpus: Corpus, cache: Path, *, tell: Tell) -> Path:
    """The release of a corpus in the cache; imported when there is none of this source and code.

    Raises:
        CommandFailed: the generator or the import failed.
    """
    tell(f"{corpus.name}: source")
    source = corpus.source(cache)
    target = cache / f"release-{corpus.name}-{_digest(source)[:12]}"
    if not target.exists():
        for stale in cache.glob(f"release-{corpus.name}-*"):
            remove(stale)
        tell(f"{corpus.name}: import")
        measured(
            tekrar("import", str(source), "--language", corpus.language, "--out", str(target), "--quiet")
        )
    return target


def tekrar(*arguments: str) -> list[str]:
    """The command as its users start it: the console script of this Python where there is one."""
    script = Path(sys.executable).with_name("tekrar")
    if script.is_file():
        return [str(script), *arguments]
    return [sys.executable, "-c", "import sys; from tekrar.cli import main; sys.exit(main())", *arguments]


def _digest(source: Path) -> str:
    """Digest of the source's bytes and of the code that a release depends on."""
    spec = importlib.util.find_spec("tekrar")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    package = Path(next(iter(spec.submodule_search_locations)))
    code = [
        path
        for folder in ("core", "corpus", "package")
        for path in sorted((package / folder).rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    ]
    files = sorted(path for path in source.iterdir() if path.is_file()) if source.is_dir() else [source]
    whole = hashlib.sha256()
    for path in [*code, *files]:
        with path.open("rb") as file:
            whole.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()
