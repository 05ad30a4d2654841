"""Which files of a source are read, and in which order: the book order is stated, never found (contract C9,
Folders).

Serves ADR-009 *Annotation boundary* (order is a fact of the release): it comes from `--order FILE` or from
the byte order of file names; the order of arguments and of the directory never counts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from os.path import samestat
from pathlib import Path
from typing import Final

from tekrar.corpus.sources import require_utf8, source_name
from tekrar.errors import SourceError
from tekrar.package.storage import reading, regular_bytes

JSONL_SUFFIXES: Final = (".jsonl", ".jsonl.gz")
TEXT_SUFFIXES: Final = (".txt", ".md")


@dataclass(frozen=True)
class Listing:
    """Files to read in book order, and the names in the folder that are not read, in byte order."""

    files: tuple[Path, ...]
    unread: tuple[str, ...] = ()


def list_sources(paths: Sequence[Path], *, order: Path | None = None) -> Listing:
    """The files that sources name: one folder, or one or more files.

    Raises:
        NotFoundError: nothing at a path.
        SourceError: a folder among several sources, two files of one name, or as `list_folder`.
    """
    with reading(paths[0]):
        folders = [path for path in paths if path.is_dir()]
    if folders and len(paths) > 1:
        raise SourceError(
            "a folder among several sources",
            where=str(folders[0]),
            expected="one folder, or files",
            mend="name the folder alone, or its files",
            kind="mixed_sources",
        )
    if folders:
        return list_folder(folders[0], order=order)
    return Listing(ordered(paths, order=order))


def list_folder(folder: Path, *, order: Path | None = None) -> Listing:
    """The readable files of a folder, not recursively, in book order.

    Names that end in `.jsonl` or `.jsonl.gz` are read; where there is none, those that end in `.txt` or
    `.md`.

    Raises:
        SourceError: nothing readable; text and Markdown together; an order file that does not name every file
            once.
    """
    order_is = None
    if order is not None:
        with reading(order):
            order_is = order.stat()
    with reading(folder):
        entries = sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name))
        files = [Path(entry.path) for entry in entries if not entry.is_dir()]
        if order_is is not None:
            files = [path for path in files if not path.exists() or not samestat(path.stat(), order_is)]
    taken = [path for path in files if path.name.endswith(JSONL_SUFFIXES)]
    taken = taken or [path for path in files if path.name.endswith(TEXT_SUFFIXES)]
    if not taken:
        raise SourceError(
            "the folder holds no readable source",
            where=str(folder),
            expected="files ending in .jsonl or .jsonl.gz, or else in .txt or .md, in the folder itself",
            mend="name the folder that holds the files, or name a file",
            kind="no_source",
        )
    kinds = {path.suffix for path in taken if path.name.endswith(TEXT_SUFFIXES)}
    if len(kinds) > 1:
        raise two_formats(folder, "plain text (.txt) and Markdown (.md)")
    names = {path.name for path in taken}
    unread = tuple(_shown(entry.name) for entry in entries if entry.name not in names)
    return Listing(ordered(taken, order=order), unread)


def ordered(files: Sequence[Path], *, order: Path | None) -> tuple[Path, ...]:
    """Files in the order of an order file, else by the bytes of their names.

    Raises:
        SourceError: two files of one name, or the order file does not name every file exactly once.
    """
    by_name: dict[str, Path] = {}
    for path in files:
        name = source_name(path)
        if name in by_name:
            raise SourceError(
                f"two sources are named {name!r}",
                where=str(path),
                expected="file names that differ",
                mend="rename one of them",
                kind="duplicate_file_name",
            )
        by_name[name] = path
    if order is None:
        return tuple(by_name[name] for name in sorted(by_name, key=str.encode))
    return tuple(by_name[name] for name in _read_order(order, names=set(by_name)))


def two_formats(place: Path, found: str) -> SourceError:
    """The refusal of a source of two formats."""
    return SourceError(
        f"two formats in one source: {found}",
        where=str(place),
        expected="files of one format",
        mend="import them apart, or state --format for files that are told apart wrongly",
        kind="two_formats",
    )


def _read_order(order: Path, *, names: set[str]) -> list[str]:
    text = require_utf8(regular_bytes(order), where=str(order))
    found: dict[str, int] = {}
    for number, line in enumerate(re.split(r"\r?\n", text), start=1):
        if not line.strip(" \t"):
            continue
        if line in found:
            raise _bad_order(order, number, f"{line!r} stands in line {found[line]} already")
        if line not in names:
            raise _bad_order(order, number, f"{line!r} is none of the files to read")
        found[line] = number
    missing = sorted(names - set(found), key=str.encode)
    if missing:
        raise _bad_order(order, 0, f"{missing[0]!r} is not named ({len(missing)} missing)")
    return list(found)


def _bad_order(order: Path, line: int, message: str) -> SourceError:
    return SourceError(
        message,
        where=f"{order}:{line}" if line else str(order),
        expected="every file name exactly once, one a line",
        mend="correct the order file",
        kind="bad_order",
    )


def _shown(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace")
