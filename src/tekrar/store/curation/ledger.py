"""The ledger exported to canonical JSON lines, and replayed into a database without entries (contract C5).

The first line says what follows: `{"entries", "format", "head"}`; each other one is an entry, `{"hash",
"kind", "payload", "previous", "seq"}`, all strings but the payload, a flat object of strings. A replay makes
every state again from the entries and from the artifacts and candidates that were loaded before, checks each
entry as it was checked the first time, takes the diffs that proposals name from their entries (those of a
version before do not carry them: they are derived from the stored text), and compares every release's ID;
what is missing or altered is refused with its number, and then nothing is kept (CUR-09, ID-07, REB-01).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Literal, NoReturn

from tekrar.core.curation.carried import KEY, action_of, check_carried
from tekrar.core.curation.refusal import CurationRefusal
from tekrar.core.encoding import Json, canonical_json
from tekrar.core.strict_json import JsonFlaw, parse
from tekrar.errors import SourceError
from tekrar.store.curation.rederive import derive_named
from tekrar.store.permission import claims_of, require_role
from tekrar.store.roles import Role
from tekrar.store.session import Connection, ask, transaction

FORMAT: Final = "tekrar/ledger/v1"
#: Entries a round trip.
PAGE: Final = 1000
#: Entries of a replay at once. Each batch is a subtransaction, and the rows of actors that its foreign keys
#: lock are locked by every one of them: the fewer there are, the sooner such a row is seen through.
BATCH: Final = 6000
_KEYS: Final = ("hash", "kind", "payload", "previous", "seq")
_EXPORT: Final = (
    b"SELECT seq, kind, payload, previous, entry_hash FROM api.export_ledger(%s::bigint, %s::integer)"
)
_PROPOSALS: Final = (
    b"SELECT seq, payload FROM api.export_ledger(%s::bigint, %s::integer) WHERE kind = 'proposal'"
)
_COUNT_ROWS: Final = (
    b"ANALYZE curation.proposal, curation.review, curation.decision, curation.decision_review,"
    b" curation.family, curation.family_member, curation.family_diff, curation.effective_membership,"
    b" curation.quotation, curation.canonical_choice, curation.effective_choice, curation.compensation,"
    b" curation.supersession, curation.succession, curation.succession_member, curation.passage_diff,"
    b" curation.head_move, curation.ledger, curation.disposition, curation.choice_policy"
)
# The owner has no grant of the ledger and needs none.
_EXPORT_OWN: Final = (
    b"SELECT seq, kind, payload, previous, entry_hash FROM curation.ledger"
    b" WHERE seq >= %s::bigint ORDER BY seq LIMIT %s::integer"
)
_HEX: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_COUNT: Final = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)


@dataclass(frozen=True)
class Replayed:
    """What a replay left.

    Attributes:
        entries: how many were replayed.
        heads: name -> value in hex, of the heads that belong to no profile.
    """

    entries: int
    heads: dict[str, str]


@dataclass(frozen=True)
class _Entry:
    kind: str
    payload: bytes
    digest: bytes
    carries: bool
    previous: str


def export_ledger(
    connection: Connection,
    *,
    actor: str | None,
    role: Literal[Role.AUDITOR, Role.OWNER] = Role.AUDITOR,
    page: int = PAGE,
) -> Iterator[bytes]:
    """Lines of the export, each with its line feed, in one snapshot.

    Args:
        connection: of the store.
        actor: an auditor of all editions.
        role: `OWNER` for a login that may be the owner and is no actor's.
        page: entries a round trip.

    Raises:
        DatabaseError: the actor is no auditor of all editions, or the login may not be the owner.
    """
    query = _EXPORT
    if role is Role.OWNER:
        require_role(connection, role)
        query = _EXPORT_OWN
    with transaction(
        connection, role=role, claims=claims_of(actor), read_only=True, isolation="repeatable read"
    ):
        head = connection.execute(
            b"SELECT version, value FROM curation.head WHERE name = 'ledger' AND scope = ''"
        ).fetchone()
        entries, value = (0, bytes(32)) if head is None else (int(head[0]), bytes(head[1]))
        yield _line({"entries": str(entries), "format": FORMAT, "head": value.hex()})
        start = 0
        while True:
            rows = connection.execute(query, (start, page)).fetchall()
            for seq, kind, payload, previous, digest in rows:
                yield _line(
                    {
                        "hash": bytes(digest).hex(),
                        "kind": kind,
                        "payload": json.loads(bytes(payload)),
                        "previous": bytes(previous).hex(),
                        "seq": str(seq),
                    }
                )
            start += len(rows)
            if len(rows) < page:
                break


def replay_ledger(connection: Connection, lines: Iterable[bytes], *, name: str = "ledger") -> Replayed:
    """Replay an export, whole or not at all.

    Args:
        connection: of a user who may be the owner; the database has no entry, and what the entries rest on
            is loaded.
        lines: of `export_ledger`.
        name: of the file, for messages.

    Raises:
        SourceError: a line is none of an export, or one is missing.
        DatabaseError: an entry does not hold; `where` gives its number.
    """
    require_role(connection, Role.OWNER)
    stream = iter(lines)
    entries, head = _first(next(stream, b""), name)
    with transaction(connection, role=Role.OWNER):
        connection.execute(b"SELECT api.replay_begin()")
        done, counted = 0, 1
        batch: list[_Entry] = []
        for batch in _ahead(_batches(stream, name)):
            derive_named(connection, [e.payload for e in batch if e.kind == "proposal" and not e.carries])
            connection.execute(
                b"SELECT api.replay_entries(%s::text[], %s::bytea[], %s::bytea[])",
                ([e.kind for e in batch], [e.payload for e in batch], [e.digest for e in batch]),
            )
            done += len(batch)
            if done >= counted:  # plans were made over empty tables: they are made again as these grow
                connection.execute(_COUNT_ROWS)
                counted = 4 * done
        row = connection.execute(b"SELECT api.replay_end(%s::bigint, %s)", (entries, head)).fetchone()
    heads = dict(row[0]) if row else {}
    return Replayed(int(heads.pop("entries", done)), heads)


def verify_chain(connection: Connection, *, actor: str | None) -> tuple[int, int | None, bool]:
    """Entries of the ledger, the first that does not follow (None: all do), and whether the head is theirs.

    A proposal that carries other diffs than its action names does not follow either.

    Raises:
        DatabaseError: the actor is no auditor of all editions.
    """
    query = b"SELECT entries, first_broken, head_matches FROM api.verify_ledger()"
    row = ask(connection, query, role=Role.AUDITOR, claims=claims_of(actor))[0]
    broken = [] if row[1] is None else [int(row[1])]
    for start in range(0, int(row[0]), PAGE):
        pages = ask(connection, _PROPOSALS, (start, PAGE), role=Role.AUDITOR, claims=claims_of(actor))
        broken += [seq for seq, payload in pages if not _carries_its_own(json.loads(bytes(payload)), seq)][:1]
    return int(row[0]), min(broken, default=None), bool(row[2])


def _carries_its_own(payload: dict[str, str], seq: int) -> bool:
    try:
        check_carried(payload, action_of(payload), item=f"ledger entry {seq}")
    except CurationRefusal:
        return False
    return True


def _ahead(batches: Iterator[list[_Entry]]) -> Iterator[list[_Entry]]:
    """The same batches, each read while the server is at the one before."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, batches, None)
            yield batch


def _batches(lines: Iterable[bytes], name: str) -> Iterator[list[_Entry]]:
    batch: list[_Entry] = []
    before = bytes(32)
    for seq, line in enumerate(lines):
        batch.append(_entry(line, seq, name))
        if batch[-1].previous != before.hex():
            _refuse(f"entry {seq} does not name the hash of the one before", f"{name}:{seq + 2}")
        before = batch[-1].digest
        if len(batch) >= min(BATCH, max(PAGE, seq // 2)):  # small at first, while plans know little
            yield batch
            batch = []
    if batch:
        yield batch


def _first(line: bytes, name: str) -> tuple[int, bytes]:
    found = _object(line, f"{name}:1", ("entries", "format", "head"))
    if (
        found["format"] != FORMAT
        or not _COUNT.fullmatch(found["entries"])
        or not _HEX.fullmatch(found["head"])
    ):
        _refuse("this is no export of a ledger", f"{name}:1")
    return int(found["entries"]), bytes.fromhex(found["head"])


def _entry(line: bytes, seq: int, name: str) -> _Entry:
    place = f"{name}:{seq + 2}"
    found = _object(line, place, _KEYS)
    payload = found["payload"]
    if found["seq"] != str(seq):
        _refuse(f"entry {seq} is missing: entry {found['seq']} stands here", place)
    flat = isinstance(payload, dict) and all(isinstance(value, str) for value in payload.values())
    if not flat or not _HEX.fullmatch(found["hash"]) or not isinstance(found["kind"], str):
        _refuse(f"entry {seq} is no entry of a ledger", place)
    carries = False
    if found["kind"] == "proposal" and KEY in payload:
        carries = True
        try:
            check_carried(payload, action_of(payload), item=f"entry {seq}")
        except CurationRefusal as refusal:
            _refuse(f"entry {seq}: {refusal.message}", place)
    try:
        data = canonical_json(payload)
        written = _line({**found, "payload": {}}).replace(b'"payload":{}', b'"payload":' + data, 1)
    except ValueError:
        _refuse(f"entry {seq} holds half a character", place)
    if written.removesuffix(b"\n") != line.removesuffix(b"\n"):
        _refuse(f"entry {seq} is not written as it was exported", place)
    return _Entry(found["kind"], data, bytes.fromhex(found["hash"]), carries, found["previous"])


def _object(line: bytes, place: str, keys: tuple[str, ...]) -> dict[str, Any]:
    try:
        found = parse(line.removesuffix(b"\n"))
    except JsonFlaw as flaw:
        _refuse(flaw.message, place)
    if not isinstance(found, dict) or tuple(sorted(found)) != keys:
        _refuse("this line is none of an export of a ledger", place)
    for key, value in found.items():
        if key != "payload" and not isinstance(value, str):
            _refuse(f"{key} is no string", place)
    return found


def _refuse(message: str, place: str) -> NoReturn:
    raise SourceError(
        message,
        where=place,
        expected="lines of tekrar ledger export, every one of them, as they were written",
        mend="export the ledger again",
        kind="ledger_line",
    )


def _line(document: dict[str, Json]) -> bytes:
    return canonical_json(document) + b"\n"
