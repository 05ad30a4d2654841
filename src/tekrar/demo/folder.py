"""The demo's folder: made by the demo, marked as its own, and replaced only when the mark is there."""

from __future__ import annotations

import os
import shutil
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
        for name in (KJV_SOURCE, SAMPLE_SOURCE, RELEASE, ARTIFACT, REPORT):
            path = folder / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif os.path.lexists(path):
                path.unlink()


def _foreign(folder: Path) -> UsageError:
    return UsageError(
        "there is something here that the demo did not make",
        where=str(folder),
        expected="a name that is free, an empty folder, or the folder of an earlier demo",
        mend="choose another place: tekrar demo --out DIR",
        kind="target_exists",
    )
