"""Diffs that proposals of a replay name, derived from the stored text: the ledger holds their IDs alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tekrar.core.diff.record import diff_of
from tekrar.core.diff.script import ALGORITHM
from tekrar.core.identity import uuid_text
from tekrar.store.evidence.diffs import read_endpoints
from tekrar.store.session import Connection

_MISSING: Final = b"""
    SELECT n.profile, n.a, n.b, n.diff
    FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[]) AS n(profile, a, b, diff)
    WHERE NOT EXISTS (SELECT FROM curation.passage_diff p WHERE p.diff = n.diff::uuid)
"""
_KEYS: Final = b"SELECT profile_key FROM repetition.profile WHERE profile = %s::uuid ORDER BY 1"
_INSERT: Final = b"""
    INSERT INTO curation.passage_diff (diff, left_occurrence, right_occurrence, left_witness,
        right_witness, algorithm, script_digest, script)
    VALUES (%s::uuid, %s::uuid, %s::uuid, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
"""


def derive_named(connection: Connection, payloads: Sequence[bytes]) -> None:
    """Store the diffs that these proposals name and that are not there, derived from the text.

    One that does not come out with the ID that is named is left out: the entry that names it is then refused
    as `stale_diff`, by its number.

    Args:
        connection: inside a transaction of the owner.
        payloads: of `proposal` entries.
    """
    named = sorted({one for payload in payloads for one in _named(payload)})
    if not named:
        return
    rows = connection.execute(_MISSING, [list(column) for column in zip(*named, strict=True)]).fetchall()
    for profile in sorted({row[0] for row in rows}):
        mine = [row for row in rows if row[0] == profile]
        wanted = {name for row in mine for name in row[1:3]}
        found: dict[str, Any] = {}
        for (key,) in connection.execute(_KEYS, (profile,)).fetchall():
            found |= read_endpoints(connection, key, wanted - set(found))
        with connection.cursor() as cursor:
            cursor.executemany(_INSERT, list(_derived(mine, found)))


def _derived(rows: Sequence[tuple[Any, ...]], found: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for _, left, right, diff in rows:
        if left not in found or right not in found:
            continue
        made = diff_of(found[left], found[right])
        if made.id is not None and uuid_text(made.id) == diff:
            roots = (made.left.witness_root, made.right.witness_root)
            yield (diff, left, right, *roots, ALGORITHM, made.script.digest, made.script.encoded)


def _named(payload: bytes) -> Iterator[tuple[str, str, str, str]]:
    """(profile, left, right, diff) of every diff that an action names; nothing of one that is none."""
    try:
        action = json.loads(json.loads(payload)["action"])
        bodies = [action, *action.get("supersession", {}).get("successors", [])]
        for body in bodies:
            for one in body.get("family", {}).get("diffs", []):
                yield action["profile"], one["left"], one["right"], one["diff"]
            quotation = body.get("quotation", {})
            if "diff" in quotation:
                ends = (quotation["source"]["occurrence"], quotation["quoting"]["occurrence"])
                yield (action["profile"], *ends, quotation["diff"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return
