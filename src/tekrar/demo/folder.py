"""The demo's folder: made by the demo, marked as its own, and replaced only when the mark is there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tekrar.errors import UsageError
from tekrar.package.atomic import write_file
from tekrar.package.storage import storing

MARK: Final = ".tekrar-demo"
_MARK_TEXT: Final = b"Made by `tekrar demo`, which replaces what it made here when it runs again.\n"
#: What the demo makes in its folder; nothing else in it is ever touched.
KJV_SOURCE: Final = "kjv.jsonl"
SAMPLE_SOURCE: Final = "sample.jsonl"
RELEASE: Final = "release"
ARTIFACT: Final = "artifact"
REPORT: Final = "report.html"
#: Data folder of the demo's own PostgreSQL server: kept by the next demo, which finds its release there.
DATABASE: Final = "database"


@contextmanager
def made(folder: Path) -> Iterator[None]:
    """The folder, made or emptied of what an earlier demo made, for the time of one demo.

    A demo that fails or is stopped leaves nothing: neither what it made nor a folder that was not there.

    Raises:
        UsageError: the path is something that no demo made; it is left as it is.
        StorageError: the file system refuses.
    """
    new = _missing(folder)
    try:
        prepare(folder)
        yield
    except BaseException:
        _remove(folder, new)
        raise


def prepare(folder: Path) -> None:
    """Make the folder, or empty it of what an earlier demo made.

    Raises:
        UsageError: the path is something that no demo made; it is left as it is.
        StorageError: the file system refuses.
    """
    with storing(folder):
        if os.path.lexists(folder):
            if folder.is_symlink() or not folder.is_dir():
                raise _foreign(folder)
            if not (folder / MARK).is_file():
                if any(folder.iterdir()):
                    raise _foreign(folder)
                write_file(folder / MARK, _MARK_TEXT)
        else:
            folder.mkdir(parents=True)
            write_file(folder / MARK, _MARK_TEXT)
        clear(folder)


def clear(folder: Path) -> None:
    """Remove what a demo made in its folder, the mark and the database excepted."""
    for name in (KJV_SOURCE, SAMPLE_SOURCE, RELEASE, ARTIFACT, REPORT):
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif os.path.lexists(path):
            path.unlink()


def _missing(folder: Path) -> list[Path]:
    """The folder and those above it that are not there yet, the innermost first."""
    absolute = Path(os.path.abspath(folder))
    return [path for path in (absolute, *absolute.parents) if not os.path.lexists(path)]


def _remove(folder: Path, new: list[Path]) -> None:
    """Take back what the demo made; what the file system keeps stays, marked as the demo's own."""
    with suppress(OSError):
        if (folder / MARK).is_file():  # else nothing was made yet, and what is there is someone's own
            clear(folder)
            if all(path.name == MARK for path in folder.iterdir()):
                (folder / MARK).unlink()
        for path in new:
            path.rmdir()


def _foreign(folder: Path) -> UsageError:
    return UsageError(
        "there is something here that the demo did not make",
        where=str(folder),
        expected="a name that is free, an empty folder, or the folder of an earlier demo",
        mend="choose another place: tekrar demo --out DIR",
        kind="target_exists",
    )
