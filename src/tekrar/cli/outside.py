"""What is written lies outside every package: with one more file in it a package is refused as altered."""

from __future__ import annotations

from pathlib import Path

from tekrar.errors import UsageError


def check_outside(place: Path, option: str) -> None:
    """Refuse a place inside a package, whichever package it is.

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
