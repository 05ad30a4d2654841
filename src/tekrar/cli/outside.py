"""Where a verb may write: outside every package, and where nothing else stands; asked before the work."""

from __future__ import annotations

import os
from pathlib import Path

from tekrar.errors import TekrarError, UsageError


def check_outside(place: Path, option: str) -> None:
    """Refuse a place inside a package, whichever package it is.

    With one more file in it, a package is refused as altered.

    Args:
        place: what is to be made or written; it need not exist.
        option: what named it, such as `--out`.

    Raises:
        UsageError: a folder above it, links followed, is a package (kind inside_package).
    """
    from tekrar.package.layout import FILES, MANIFEST

    for folder in place.resolve().parents:
        if all((folder / name).is_file() for name in (MANIFEST, FILES)):
            raise UsageError(
                f"{place} lies inside the package {folder}",
                expected="a place outside every package",
                mend=f"choose another place for {option}; one more file there would break the package",
                kind="inside_package",
            )


def check_package_target(out: Path, package_format: str) -> None:
    """Refuse before the work what can only fail after it: something else stands where a package is to be.

    Args:
        out: the folder to make.
        package_format: the format of the package; one of that format may stand there.

    Raises:
        UsageError: it lies inside a package (inside_package), or something else stands there (target_exists).
    """
    from tekrar.package import Package
    from tekrar.package.atomic import target_exists

    check_outside(out, "--out")
    if not os.path.lexists(out):
        return
    try:
        Package(out, format=package_format)
    except TekrarError as error:
        raise target_exists(out) from error
