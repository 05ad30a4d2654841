"""How to mend a package that is refused: what a reader most likely named, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_MEND: Final = "take the package from its maker again, or make it anew"
#: format -> what such a package is called, and the command that makes one.
_CALLED: Final = {
    "tekrar/text-release/v1": ("text release", "tekrar import SOURCE --language TAG --out RELEASE"),
    "tekrar/artifact/v1": ("artifact", "tekrar build RELEASE --out ARTIFACT"),
    "tekrar/candidates/v1": ("package of candidates", "tekrar candidates ARTIFACT --out CANDIDATES"),
}


def called(package_format: str) -> str:
    """What a package of a format is called, with its article."""
    name = _CALLED[package_format][0] if package_format in _CALLED else f"package of format {package_format}"
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def mend_for(kind: str, path: Path, name: str, *, wanted: str, found: str = "") -> str:
    """What a user can do about a refused package.

    Args:
        kind: the refusal's kind.
        path: the package.
        name: the entry of it that is refused, or "".
        wanted, found: the format that was to be opened, and the one that stands there.
    """
    if kind == "extra_file":
        return f"remove this file: {path / name}"
    if wanted not in _CALLED or kind not in ("not_a_package", "wrong_format"):
        return _MEND
    if found in _CALLED:
        return f"name {called(wanted)} here; this is {called(found)}: the two may be swapped"
    if kind == "wrong_format":
        return _MEND
    making = _CALLED[wanted][1].replace("SOURCE", str(path))
    if wanted == "tekrar/text-release/v1":
        return f"if this is a source, import it first: {making}"
    return f"name the folder that `tekrar build` made, or make one: {making}"
