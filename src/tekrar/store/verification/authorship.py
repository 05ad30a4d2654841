"""Who did what of curation, and whether they might, from the entries alone (CUR-06, CUR-09 to CUR-11).

The functions of the database ask this when an entry is written; whoever writes an entry past them, with a
chain that fits, is found here: the model of core takes the entries one after the other, and every act of an
administrator, a curator or a reviewer needs a grant of theirs that was valid at its recorded time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tekrar.core.curation.ledger import entry_hash, payload_bytes
from tekrar.core.curation.refusal import CurationRefusal
from tekrar.core.curation.replay import Entry as Taken
from tekrar.core.curation.replay import Ledger
from tekrar.core.curation.transition import APPROVALS
from tekrar.store.session import Connection
from tekrar.store.verification.findings import Findings, rows_of
from tekrar.store.verification.ledger import Entry

_EDITIONS: Final = """
    SELECT DISTINCT p.profile::text AS profile, t.edition FROM repetition.profile p
    JOIN repetition.artifact a USING (artifact_key) JOIN core.release t USING (release_key)
"""


def check_authorship(connection: Connection, entries: Sequence[Entry], findings: Findings) -> None:
    """Every entry follows from those before it; the first that does not is named, and none after it."""
    policies = rows_of(connection, "SELECT policy, approvals FROM curation.review_policy")
    listed = {row["policy"]: row["approvals"] for row in policies}
    findings.same("authority", "curation.review_policy", expected=APPROVALS, found=listed)
    editions = {row["profile"]: row["edition"] for row in rows_of(connection, _EDITIONS)}
    ledger = Ledger()
    for entry in entries:
        findings.count("authority")
        try:
            _require(ledger, entry, editions)
            own = entry_hash(ledger.length, entry.kind, payload_bytes(entry.payload), previous=ledger.head)
            ledger.take(Taken(ledger.length, entry.kind, entry.payload, ledger.head, own))
        except CurationRefusal as refusal:
            findings.add(
                "authority",
                f"curation.ledger seq {entry.seq}",
                expected=refusal.expected or "an entry that follows from those before it",
                found=refusal.message,
            )
            return


def _require(ledger: Ledger, entry: Entry, editions: Mapping[str, str]) -> None:
    """Refuse what the model asks no grant of: acts of administrators, and marks of candidates."""
    payload, place = entry.payload, f"ledger entry {entry.seq}"
    if entry.kind in ("actor", "grant", "revocation", "freeze") and ledger.length:
        scope = payload.get("scope", "*")
        ledger.require(payload["by"], ("administrator",), scope, payload["recorded_at"], item=place)
    elif entry.kind == "disposition":
        edition = editions.get(payload["profile"], "*")
        ledger.require(payload["author"], ("curator",), edition, payload["recorded_at"], item=place)
