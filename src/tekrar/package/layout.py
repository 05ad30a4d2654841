"""Names inside a package: what a logical name, an object and a temporary folder may be called (threat T9)."""

from __future__ import annotations

import re
from typing import Final

from tekrar.errors import IntegrityError

MANIFEST: Final = "manifest.json"
FILES: Final = "files.json"
OBJECTS: Final = "objects"
LOCK: Final = ".lock"
FILES_FORMAT: Final = 1

#: A document larger than this is no manifest of ours; it is refused before it is read.
MAX_DOCUMENT_BYTES: Final = 64 << 20
MAX_NAME_CHARACTERS: Final = 200

_SEGMENT = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?"
_NAME = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT})*", re.ASCII)
_OBJECT = re.compile(r"objects/([0-9a-f]{64})(?:\.[a-z]{1,12})?", re.ASCII)
_TEMPORARY = re.compile(r"\..+\.tmp-[0-9a-f]{16}", re.ASCII | re.DOTALL)


def is_logical_name(name: str) -> bool:
    """Whether a name is relative, ASCII, short and free of `..`, empty parts and NUL."""
    return len(name) <= MAX_NAME_CHARACTERS and _NAME.fullmatch(name) is not None


def object_digest(object_name: str) -> str | None:
    """The SHA-256 in an object's path, or None where the path is not one of ours."""
    match = _OBJECT.fullmatch(object_name)
    return match.group(1) if match else None


def temporary_prefix(name: str) -> str:
    """What the names of all temporaries of a target start with."""
    return f".{name}.tmp-"


def is_temporary(name: str) -> bool:
    """Whether a folder's name is that of an unfinished package."""
    return _TEMPORARY.fullmatch(name) is not None


def unsafe_name(name: object, *, where: str) -> IntegrityError:
    """The refusal of a name that could leave the package or mean another file elsewhere."""
    shown = repr(name)
    return IntegrityError(
        f"unsafe or malformed name {shown if len(shown) <= 120 else shown[:117] + '...'}",
        where=where,
        expected="relative ASCII names without `..`, NUL or empty parts, of at most 200 characters",
        mend="take the package from its maker again; nothing of it was read",
        kind="unsafe_path",
    )
