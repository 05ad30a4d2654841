"""Every value and row of the tables of curation: changed, deleted or added behind the guards, it is found."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tekrar.store.embedded import database_of
from tekrar.store.roles import SUPERUSER
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, open_target
from tekrar.store.target import of_embedded
from tests.store.kept import guarded, of_rows, tampering, unguarded, verified
from tests.store.place import settings_in
from tests.store.ten_operations import decide_all, prepare
from tests.store.test_verification import added_row, unconstrained
from tests.store.test_verification_columns import EMPTY, changed, columns_of

#: Drafts are scratch and in no ledger; nothing in the store writes a policy of propagation yet.
OUTSIDE = {"curation.draft", "curation.propagation_policy"}
AUDITOR = "bakan"
TABLES = sorted(EMPTY - OUTSIDE)


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory, launcher: Launcher) -> Iterator[Connection]:
    """A superuser's connection to a database in which each of the ten operations was applied."""
    folder = tmp_path_factory.mktemp("decided")
    settings = settings_in(folder / "data")
    try:
        decide_all(prepare(folder))
        with open_target(of_embedded(database_of(settings), user=SUPERUSER)) as connection:
            yield connection
    finally:
        Launcher(settings).stop()


def test_every_table_has_rows_and_nothing_is_found(decided: Connection) -> None:
    for table in (*TABLES, "curation.draft"):
        assert decided.execute(f"SELECT FROM {table} LIMIT 1".encode()).rowcount == 1, table
    with tampering(decided) as connection:
        assert verified(connection, actor=AUDITOR).findings == ()


@pytest.mark.faults
@pytest.mark.req("CUR-05", "ID-09", "REL-10")
@pytest.mark.parametrize("table", TABLES)
def test_a_change_of_any_value_is_found(decided: Connection, table: str) -> None:
    unseen = []
    for relation, name, kind, identity in columns_of(decided):
        if relation != table:
            continue
        assert not identity
        with tampering(decided) as connection:
            assert changed(connection, relation, name, kind), name
            if not of_rows(verified(connection, actor=AUDITOR)):
                unseen.append(name)
    assert unseen == []


@pytest.mark.req("CUR-05", "ID-09", "REL-10")
@pytest.mark.parametrize("table", TABLES)
def test_a_deleted_row_is_found(decided: Connection, table: str) -> None:
    with tampering(decided) as connection:
        unguarded(connection, table)
        query = f"DELETE FROM {table} WHERE ctid = (SELECT ctid FROM {table} LIMIT 1)"
        assert connection.execute(query.encode()).rowcount == 1
        guarded(connection, table)
        assert of_rows(verified(connection, actor=AUDITOR))


@pytest.mark.req("CUR-05", "ID-09")
def test_an_added_row_is_found_or_refused(decided: Connection) -> None:
    """The first row once more, with other values wherever an index wants them unique."""
    unseen, refused = [], {}
    for table in TABLES:
        statement = added_row(decided, table, table)
        try:
            with tampering(decided) as connection:
                unguarded(connection, table)
                connection.execute(statement.encode())
                guarded(connection, table)
                found = verified(connection, actor=AUDITOR)
        except psycopg.errors.IntegrityError as error:
            refused[table] = str(error.diag.constraint_name)
            found = unconstrained(decided, statement, table, table, actor=AUDITOR)
        if not of_rows(found):
            unseen.append(table)
    assert unseen == []
    # Closed lists, and a document that names itself, take no other value of a key.
    assert refused == {
        "curation.choice_policy": "choice_policy_version_check",
        "curation.decision": "decision_check",
        "curation.review": "review_outcome_check",
        "curation.succession_member": "succession_member_tag_check",
    }
