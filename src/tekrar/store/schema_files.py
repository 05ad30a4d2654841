"""The SQL files of the schema, read and numbered; see `tekrar.store.migrate` for what becomes of them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from tekrar.errors import DatabaseError
from tekrar.package.storage import reading

#: This program's schema.
FOLDER: Final = Path(__file__).resolve().parent / "sql"

_NAME: Final = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")


@dataclass(frozen=True)
class Code:
    """One SQL file.

    Attributes:
        name: its name, without a folder.
        text: its bytes; UTF-8.
        where: the file for messages, from the schema's folder on.
    """

    name: str
    text: bytes
    where: str

    @cached_property
    def sha256(self) -> bytes:
        """SHA-256 of the bytes."""
        return hashlib.sha256(self.text).digest()


@dataclass(frozen=True)
class Migration:
    """A migration: its number, from 1, and its file."""

    n: int
    file: Code


@dataclass(frozen=True)
class SchemaFiles:
    """A schema: roles, the runner's own tables, migrations in order, functions, policies."""

    roles: Code
    meta: Code
    migrations: tuple[Migration, ...]
    functions: tuple[Code, ...]
    policies: tuple[Code, ...]

    @cached_property
    def code_digest(self) -> bytes:
        """SHA-256 over the names and digests of everything that is applied again by every run."""
        digest = hashlib.sha256()
        for file in (self.roles, self.meta, *self.functions, *self.policies):
            digest.update(hashlib.sha256(file.where.encode()).digest() + file.sha256)
        return digest.digest()


def program_schema() -> SchemaFiles:
    """This program's schema."""
    return read_schema(FOLDER)


def read_schema(folder: Path) -> SchemaFiles:
    """Read a schema; `roles.sql` and `meta.sql` are this program's where the folder has none.

    Raises:
        DatabaseError: a gap or a doubled number among the migrations, a wrong name (`migration_gap`,
            `bad_migration`).
        StorageError: a file cannot be read.
    """
    migrations = []
    for place, file in enumerate(_sorted(folder, "migrations"), 1):
        matched = _NAME.fullmatch(file.name)
        if matched is None:
            raise DatabaseError(
                "not the name of a migration",
                where=file.where,
                expected="NNNN_name.sql, lower case",
                mend="rename the file",
                kind="bad_migration",
            )
        if int(matched[1]) != place:
            raise DatabaseError(
                f"migration {place:04} is missing or doubled",
                where=file.where,
                expected="numbers from 0001 without a gap",
                mend="restore the missing file; tekrar may be installed by half",
                kind="migration_gap",
            )
        migrations.append(Migration(place, file))
    return SchemaFiles(
        _single(folder, "roles.sql"),
        _single(folder, "meta.sql"),
        tuple(migrations),
        tuple(_sorted(folder, "functions")),
        tuple(_sorted(folder, "policies")),
    )


def _single(folder: Path, name: str) -> Code:
    path = folder / name
    return _read(path if path.exists() else FOLDER / name, name)


def _sorted(folder: Path, kind: str) -> list[Code]:
    # By code points, so that no locale decides an order.
    paths = sorted((folder / kind).glob("*.sql"), key=lambda path: path.name)
    return [_read(path, f"{kind}/{path.name}") for path in paths]


def _read(path: Path, place: str) -> Code:
    with reading(path):
        return Code(path.name, path.read_bytes(), f"sql/{place}")
