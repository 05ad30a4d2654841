"""Tables and manifest of an artifact, as data (`docs/artifact.md`).

Digest columns are fixed-size binary, stored plain; row numbers are delta-encoded. No table holds a byte of
the text (ADR-009: "stores no replacement text"; CORE-06).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FORMAT: Final = "tekrar/artifact/v1"
PROFILES: Final = ("FP", "FS", "PP", "PS")
PARAGRAPH_PROFILES: Final = ("FP", "PP")


@dataclass(frozen=True)
class Column:
    """One column: Arrow type token and whether it is delta-encoded.

    `type` is `fixed16`, `fixed32`, `u8`, `i32` or `i64`.
    """

    name: str
    type: str

    @property
    def is_digest(self) -> bool:
        """Digest columns do not compress."""
        return self.type.startswith("fixed")


def _columns(*pairs: tuple[str, str]) -> tuple[Column, ...]:
    return tuple(Column(*pair) for pair in pairs)


#: Tables of the whole artifact. Sentences and paragraphs give the geometry every row is counted in.
COMMON_TABLES: Final[dict[str, tuple[Column, ...]]] = {
    "units/sentences": _columns(("start", "i64"), ("end", "i64"), ("reach", "i32")),
    "units/paragraphs": _columns(("ordinal", "i64"), ("start", "i64"), ("end", "i64")),
    "units/empty-paragraphs": _columns(("ordinal", "i64")),
    "selections/paragraphs": _columns(("selection", "fixed16")),
    "selections/runs": _columns(("selection", "fixed16")),
}

#: Tables of one profile, under its short name: `FS/occurrences` and so on.
PROFILE_TABLES: Final[dict[str, tuple[Column, ...]]] = {
    "occurrences": _columns(("occurrence", "fixed16"), ("fingerprint", "fixed32"), ("witness", "i32")),
    "matched": _columns(("row", "i64"), ("class", "i32")),
    "evaluated-unique": _columns(("row", "i64")),
    "not-evaluated": _columns(("row", "i64"), ("code", "u8")),
    "excluded": _columns(("row", "i64")),
    "failed": _columns(("row", "i64"), ("code", "u8")),
    "published": _columns(("row", "i64")),
    "dominated": _columns(("row", "i64")),
    "provisional": _columns(("row", "i64")),
    "classes": _columns(
        ("size", "i64"), ("witness", "fixed32"), ("winner", "i32"), ("left", "i32"), ("right", "i32")
    ),
    "class-ids": _columns(("class", "fixed16"), ("members", "fixed32")),
    "witnesses": _columns(("root", "fixed32")),
    "witness-spans": _columns(
        ("witness", "i32"),
        ("start", "i64"),
        ("end", "i64"),
        ("kind", "u8"),
        ("treatment", "u8"),
        ("reason", "u8"),
        ("selection", "fixed16"),
    ),
}


def table_columns(name: str) -> tuple[Column, ...]:
    """Columns of a table by its logical name."""
    return COMMON_TABLES.get(name) or PROFILE_TABLES[name.split("/", 1)[1]]


def table_names() -> list[str]:
    """Every table of an artifact."""
    return [*COMMON_TABLES, *(f"{short}/{name}" for short in PROFILES for name in PROFILE_TABLES)]
