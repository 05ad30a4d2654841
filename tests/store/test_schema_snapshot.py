"""The schema of a fresh database is the committed one: a change is seen, and meant
(`src/tekrar/store/sql/schema.snapshot`), against which `tekrar release verify` compares.
"""

from __future__ import annotations

import difflib
import os

from tekrar.store.session import Connection
from tekrar.store.snapshot import snapshot
from tekrar.store.verification.schema import EXPECTED


def test_the_schema_is_the_committed_one(admin: Connection) -> None:
    found = snapshot(admin)
    if os.environ.get("TEKRAR_SCHEMA_SNAPSHOT") == "write":
        EXPECTED.write_text(found, "utf-8")
    changed = difflib.unified_diff(
        EXPECTED.read_text("utf-8").splitlines(), found.splitlines(), lineterm="", n=0
    )
    # When it is meant: TEKRAR_SCHEMA_SNAPSHOT=write pytest tests/store/test_schema_snapshot.py
    assert list(changed) == []


def test_a_changed_policy_changes_the_snapshot(admin: Connection) -> None:
    before = snapshot(admin)
    with admin.transaction(force_rollback=True):
        admin.execute("DROP POLICY reads_published ON core.sentence")
        assert snapshot(admin) != before
    assert snapshot(admin) == before
