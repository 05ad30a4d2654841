"""What a superuser puts around the store's schemas is found (ID-09, T26)."""

from __future__ import annotations

import pytest

from tests.store.kept import Kept, tampering, verified

#: Statements of a superuser -> what the verification says of them.
AROUND = {
    "GRANT pg_read_all_data TO tekrar_reader": "role tekrar_reader is a member of pg_read_all_data",
    "ALTER ROLE tekrar_login SET search_path = public": "setting search_path=public of role tekrar_login",
    "ALTER ROLE tekrar_reader CREATEDB": "role tekrar_reader createdb",
    "ALTER FUNCTION curation.require_grant(integer, text, text) STRICT": "strict",
    "ALTER FUNCTION api.scopes(name) PARALLEL SAFE": "parallel safe",
    "CREATE FUNCTION tekrar_meta.et() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';"
    " CREATE EVENT TRIGGER evil ON ddl_command_start EXECUTE FUNCTION tekrar_meta.et()": "event trigger evil",
    "CREATE CAST (text AS uuid) WITH INOUT": "cast (text as uuid)",
    "CREATE OPERATOR core.=== (LEFTARG = int8, RIGHTARG = int4, FUNCTION = pg_catalog.int84eq)": (
        "operator core.==="
    ),
}


@pytest.mark.req("ID-09", "REL-10")
@pytest.mark.parametrize("statement", AROUND)
def test_what_was_put_around_the_store_is_found(
    kept: Kept, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tekrar.store.verification.findings.LIMIT", 10**6)
    with tampering(kept.admin) as connection:
        connection.execute(statement.encode())
        found = verified(connection)
    assert any(AROUND[statement] in str(one.found) for one in found.findings if one.check == "schema")


def test_an_ordinary_setting_of_a_server_is_no_finding(kept: Kept) -> None:
    with tampering(kept.admin) as connection:
        connection.execute("ALTER ROLE tekrar_login SET statement_timeout = '1h'")
        assert verified(connection).findings == ()
