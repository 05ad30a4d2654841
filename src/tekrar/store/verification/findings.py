"""What a verification of the database found, and how much it compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg
from psycopg.rows import dict_row

from tekrar.errors import DatabaseError, IntegrityError, TekrarError
from tekrar.store.failures import database_error
from tekrar.store.session import Connection

Row = dict[str, Any]
#: What is compared, in the order in which it is done, and what each of it counts.
CHECKS: Final = {
    "schema": "facts of the schema: guards, policies, functions, constraints, privileges",
    "ledger": "entries of the ledger, their chain and the head",
    "authority": "actors, grants, revocations and freezes against their entries; who acted, and might",
    "heads": "moves of the heads, replayed",
    "texts": "rows of text releases: bytes, tree, datasets, digests",
    "artifacts": "rows of artifacts: every root, recomputed",
    "identities": "IDs of selections, occurrences and classes, made again from their facts",
    "members": "members of classes, compared byte by byte with the stored text",
    "candidates": "candidates, evidence, dispositions and diffs, made again from text and entries",
    "decisions": "proposals, reviews, decisions and what they made, against their entries",
    "publications": "releases: bound facts, IDs, control records, the publisher's grant",
    "pointers": "moves of the visibility pointers, replayed from the ledger",
    "sets": "release sets and their members",
    "closure": "rows that no seal, release or entry of the ledger accounts for",
}
#: SQLSTATE classes that say something of the server and nothing of the rows.
_SERVER: Final = ("08", "40", "53", "55", "57", "58")
#: Findings of one check that are listed.
LIMIT: Final = 20


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it should be.

    Attributes:
        check: a key of `CHECKS`.
        place: relation and key, or the object of the schema.
        expected, found: as text, digests in hex.
    """

    check: str
    place: str
    expected: str
    found: str

    def as_record(self) -> dict[str, str]:
        """The finding as a flat record."""
        return {"check": self.check, "place": self.place, "expected": self.expected, "found": self.found}


@dataclass
class Findings:
    """Collects findings and counts what was compared.

    Attributes:
        found: at most `LIMIT` a check.
        more: findings that were not listed.
        notices: what somebody should know of, and what no release and no decision rests on; at most `LIMIT`.
        counts: by check, how many things were compared.
    """

    found: list[Finding] = field(default_factory=list)
    more: int = 0
    notices: list[Finding] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CHECKS, 0))

    def add(self, check: str, place: str, *, expected: object, found: object) -> None:
        """Note a finding."""
        if sum(one.check == check for one in self.found) >= LIMIT:
            self.more += 1
            return
        self.found.append(Finding(check, place, as_text(expected), as_text(found)))

    def note(self, check: str, place: str, *, expected: object, found: object) -> None:
        """Note what is no finding and is worth a look."""
        if len(self.notices) < LIMIT:
            self.notices.append(Finding(check, place, as_text(expected), as_text(found)))

    def count(self, check: str, number: int = 1) -> None:
        """Note that some things more were compared."""
        self.counts[check] += number

    def same(self, check: str, place: str, *, expected: object, found: object) -> None:
        """Compare one thing."""
        self.count(check)
        if expected != found:
            self.add(check, place, expected=expected, found=found)

    def same_fields(self, check: str, place: str, *, expected: Mapping[str, Any], found: Row) -> None:
        """Compare the fields of a record that are expected, each by its name."""
        self.count(check)
        for name, value in expected.items():
            if found[name] != value:
                self.add(check, f"{place}, {name}", expected=value, found=found[name])

    @contextmanager
    def checking(self, connection: Connection, check: str, place: str) -> Iterator[None]:
        """Whatever stops a check is a finding too: rows that fit nothing, a table that is not there.

        Raises:
            DatabaseError: the server was lost or has no room.
        """
        try:
            with connection.transaction():
                yield
        except IntegrityError as error:
            self.add(
                check,
                error.where or place,
                expected=error.expected or "the published rows",
                found=error.message,
            )
        except DatabaseError:
            raise
        except TekrarError as error:
            self.add(check, place, expected=error.expected or "the published rows", found=error.message)
        except psycopg.Error as error:
            if error.sqlstate is None or error.sqlstate.startswith(_SERVER):
                raise database_error(error) from error
            self.add(check, place, expected="rows that can be read", found=str(error).partition("\n")[0])
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            self.add(
                check, place, expected="rows that fit each other", found=f"{type(error).__name__}: {error}"
            )


def rows_of(connection: Connection, query: str, parameters: tuple[Any, ...] = ()) -> list[Row]:
    """Rows by column name; bytes as bytes."""
    with connection.cursor(row_factory=dict_row, binary=True) as cursor:
        found = cursor.execute(query.encode(), parameters).fetchall()
    return [{k: bytes(v) if isinstance(v, memoryview) else v for k, v in row.items()} for row in found]


def as_text(value: object) -> str:
    """A value for a message: bytes in hex, nothing as `none`, the rest as Python shows it, shortened."""
    text = "none" if value is None else value.hex() if isinstance(value, bytes) else str(value)
    return text if len(text) <= 200 else text[:197] + "..."
