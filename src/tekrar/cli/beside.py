"""The text release of an artifact when none is named: looked for beside the artifact, told when used."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal, overload

from tekrar.cli.outcome import say
from tekrar.errors import IntegrityError, TekrarError, UsageError

RELEASE_HELP: Final = (
    "the text release it was built from (default: the one of that ID beside the artifact, in the same folder)"
)
#: Folders named in the refusal.
_NAMED: Final = 8


@overload
def release_for(args: argparse.Namespace, *, needed: Literal[True] = True) -> Path: ...
@overload
def release_for(args: argparse.Namespace, *, needed: bool) -> Path | None: ...
def release_for(args: argparse.Namespace, *, needed: bool = True) -> Path | None:
    """The release a verb works on: `--release`, else the one beside the artifact, which is told on stderr.

    Args:
        args: of a verb with `artifact` and `release`.
        needed: whether the verb can do nothing without it.

    Returns:
        the release's path; None when none is found and none is needed.

    Raises:
        UsageError: none is named and none is found; says what was looked at.
        NotFoundError, IntegrityError, StorageError: the artifact cannot be opened.
    """
    if args.release is not None:
        return Path(args.release)
    found, seen = find_release(args.artifact)
    if found is not None:
        if not (args.quiet or args.json):
            say(f"release  {found}  (found beside the artifact)", file=sys.stderr)
        return found
    if not needed:
        return None
    looked = "; ".join(seen[:_NAMED]) or "no text release"
    more = f"; and {len(seen) - _NAMED} more" if len(seen) > _NAMED else ""
    raise UsageError(
        "the text release is needed: texts and places stand in it",
        where=f"{_folder_of(args.artifact)}: {looked}{more}",
        expected="the text release the artifact is bound to, beside the artifact or named",
        mend="give --release RELEASE",
        kind="release_needed",
    )


def find_release(artifact: Path) -> tuple[Path | None, list[str]]:
    """The text release an artifact is bound to, among the direct children of the artifact's folder.

    Children are tried in byte order of their names; the first package of text-release form whose manifest
    states the release ID that the artifact states is taken. Its roots are checked by whoever opens it.

    Returns:
        its path or None, and what each package of that form was that is not the one.

    Raises:
        NotFoundError, IntegrityError, StorageError: the artifact cannot be opened, or its folder not read.
    """
    from tekrar.artifact.reader import Artifact
    from tekrar.corpus.release_package import FORMAT
    from tekrar.package import Package
    from tekrar.package.layout import MANIFEST

    stated = Artifact(artifact).manifest.get("release")
    wanted = stated.get("text_release") if isinstance(stated, dict) else None
    if not isinstance(wanted, str):
        raise IntegrityError(
            "the artifact names no text release",
            where=f"{artifact}/manifest.json",
            expected="release.text_release, a UUID",
            mend="take the artifact from its maker again, or build it anew",
            kind="bad_manifest",
        )
    folder = _folder_of(artifact)
    seen = []
    for name in _children(folder):
        place = folder / name
        if name == artifact.name or not (place / MANIFEST).is_file():
            continue
        try:
            package = Package(place, format=FORMAT)
        except TekrarError as error:
            foreign = error.kind == "wrong_format" and error.where.endswith(MANIFEST)
            if not foreign and error.kind != "not_a_package":
                seen.append(f"{name} cannot be read ({error.message})")
            continue
        if package.manifest.get("text_release") == wanted:
            return place, seen
        seen.append(f"{name} is {str(package.manifest.get('text_release'))[:80]}")
    return None, seen


def beside(
    package: Path, package_format: str, holds: Callable[[dict[str, Any]], bool], called: str, option: str
) -> Path:
    """The package of a format beside another one whose manifest holds what is wanted; first in byte order.

    Raises:
        UsageError: there is none.
        StorageError: the folder cannot be read.
    """
    from tekrar.package import Package
    from tekrar.package.layout import MANIFEST

    folder = _folder_of(package)
    for name in _children(folder):
        place = folder / name
        if name == package.name or not (place / MANIFEST).is_file():
            continue
        try:
            if holds(Package(place, format=package_format).manifest):
                return place
        except TekrarError:
            continue
    raise UsageError(
        f"the {called} is needed, and none that fits lies beside {package.name}",
        where=str(folder),
        expected=f"the {called} the candidates were made from, beside them or named",
        mend=f"give {option}",
        kind=f"{called.split()[-1]}_needed",
    )


def release_beside(package: Path, text_release: str) -> Path:
    """The release of an ID beside a package; errors as `beside`."""
    from tekrar.corpus.release_package import FORMAT

    return beside(
        package, FORMAT, lambda m: m.get("text_release") == text_release, "text release", "--release RELEASE"
    )


def lies_beside(package: Path, text_release: str) -> bool:
    """Whether a verb that reads a package finds its release without being told."""
    try:
        release_beside(package, text_release)
    except TekrarError:
        return False
    return True


def _folder_of(artifact: Path) -> Path:
    """The folder an artifact stands in."""
    return artifact.resolve().parent if artifact.name in ("", "..") else artifact.parent


def _children(folder: Path) -> list[str]:
    from tekrar.package.storage import reading

    with reading(folder):
        return sorted(os.listdir(folder), key=os.fsencode)
