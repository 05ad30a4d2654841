"""A grant opens the database role to an actor's own login, and its end closes it (contract C5)."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tekrar.errors import DatabaseError
from tekrar.store.migrate import migrate, require_current, synchronize_roles
from tekrar.store.roles import SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.matrix import ADMINISTRATOR, AUDITOR, PUBLISHER, READER
from tests.store.schema_authority import NEAR, World
from tests.store.schema_logins import Logins, ask_as, error_of, memberships, prove_login
from tests.store.schema_publication import call, grant_that_is_over


@pytest.mark.req("CUR-06", "PUB-06")
def test_a_role_is_open_as_long_as_a_grant_of_it_is_left(world: World) -> None:
    login = world.logins.make()
    world.name(login, login)
    assert memberships(world.admin, login) == set()
    first, second = world.grant(login, PUBLISHER), world.grant(login, PUBLISHER, NEAR)
    future = world.grant(login, READER, start="2999-01-01")
    assert memberships(world.admin, login) == {"publisher", "reader"}
    world.revoke(first)
    assert memberships(world.admin, login) == {"publisher", "reader"}
    world.revoke(second)
    assert memberships(world.admin, login) == {"reader"}
    world.revoke(future)
    assert memberships(world.admin, login) == set()
    with pytest.raises(DatabaseError) as caught:
        world.logins.connect(world.place, login)
    assert caught.value.kind == "login_refused"  # nor may it connect any more
    assert memberships(world.admin, world.actor(READER, "all")) == {"reader"}


def test_what_is_over_is_closed_at_the_next_change(world: World) -> None:
    login = world.logins.make()
    world.name(login, login)
    grant_that_is_over(world.admin, login, "auditor", "*")
    assert memberships(world.admin, login) == {"auditor"}
    with world.logins.connect(world.place, login) as connection:
        assert error_of(connection, AUDITOR, "SELECT * FROM api.grants()").sqlstate == "TK031"
    world.grant(login, READER)
    assert memberships(world.admin, login) == {"reader"}


def test_a_refused_grant_opens_nothing(world: World) -> None:
    login = world.logins.make()
    world.name(login, login)
    with pytest.raises(psycopg.Error):
        world.grant(login, PUBLISHER, "*", "2031-01-02", "2031-01-01")
    with world.admin.transaction(force_rollback=True):
        world.admin.execute("SET LOCAL ROLE tekrar_owner")
        world.admin.execute("SELECT curation.synchronize_login(%s)", (login,))
    assert memberships(world.admin, login) == set()


@pytest.mark.req("CUR-06")
def test_the_login_inherits_nothing_and_takes_a_role_for_a_transaction(world: World) -> None:
    connection = world.connect(READER)
    login = world.actor(READER, "all")
    prove_login(connection, login, login)
    row = world.admin.execute(
        "SELECT pg_has_role(%s, 'tekrar_reader', 'MEMBER'), pg_has_role(%s, 'tekrar_reader', 'USAGE'),"
        " has_table_privilege(%s, 'core.release', 'SELECT')",
        (login, login, login),
    ).fetchone()
    assert row == (True, False, False)
    assert ask_as(connection, READER, "SELECT count(*) FROM api.releases()")[0][0] > 0


def test_a_migration_brings_memberships_to_what_the_ledger_says(world: World) -> None:
    lost, gained = world.actor(AUDITOR, "near"), world.actor(READER, "near")
    owner = "SET ROLE tekrar_owner"
    world.admin.execute(owner)
    world.admin.execute(f'REVOKE tekrar_auditor FROM "{lost}"'.encode())
    world.admin.execute(f'GRANT tekrar_publisher TO "{gained}"'.encode())
    world.admin.execute("RESET ROLE")
    assert memberships(world.admin, lost) == set()
    with open_target(of_embedded(world.place, user=SUPERUSER)) as connection:
        assert migrate(connection).applied == ()
        assert (memberships(connection, lost), memberships(connection, gained)) == ({"auditor"}, {"reader"})
        connection.execute(owner)
        connection.execute(f'REVOKE tekrar_auditor FROM "{lost}"'.encode())
        connection.execute("RESET ROLE")
        synchronize_roles(connection)  # what a restore does
        assert memberships(connection, lost) == {"auditor"}
    # tekrar_login keeps the roles that it always has.
    assert len(memberships(world.admin, "tekrar_login")) == 6


def test_a_login_that_is_gone_stops_nothing(world: World) -> None:
    login = world.logins.make()
    world.name(login, login)
    number = world.grant(login, READER)
    world.revoke(number)  # with it CONNECT went, so that nothing holds the role
    world.admin.execute(f'DROP ROLE "{login}"'.encode())
    world.grant(login, READER)
    with open_target(of_embedded(world.place, user=SUPERUSER)) as connection:
        synchronize_roles(connection)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (None, "no role of this server"),
        ("LOGIN NOINHERIT SUPERUSER", "a superuser"),
        ("LOGIN NOINHERIT BYPASSRLS", "bypasses"),
        ("LOGIN NOINHERIT CREATEROLE", "makes roles"),
        ("LOGIN NOINHERIT REPLICATION", "replicates"),
        ("NOLOGIN", "cannot log in"),
        ("LOGIN NOINHERIT IN ROLE tekrar_owner", "owner or builder"),
        ("LOGIN NOINHERIT IN ROLE tekrar_builder", "owner or builder"),
        ("LOGIN NOINHERIT IN ROLE pg_read_all_data", "reads or writes everything"),
        ("LOGIN NOINHERIT IN ROLE postgres", "a superuser"),
        ("LOGIN NOINHERIT IN ROLE pg_signal_backend", "a role of the server"),
        ("LOGIN NOINHERIT CREATEDB", "makes databases"),
        ("LOGIN INHERIT", "inherits"),
    ],
)
def test_a_login_that_can_do_more_is_no_actor_s(world: World, options: str | None, found: str) -> None:
    login = "nobody at all" if options is None else world.logins.make("fazla", options)
    before = world.admin.execute("SELECT count(*) FROM curation.ledger").fetchone()
    if options == "LOGIN INHERIT" and world.admin.info.server_version >= 160000:
        world.name(login, login)  # the membership itself says that it is not inherited
        world.grant(login, READER)
        with world.logins.connect(world.place, login) as connection:
            prove_login(connection, login, login)
        row = world.admin.execute("SELECT pg_has_role(%s, 'tekrar_reader', 'USAGE')", (login,)).fetchone()
        assert row == (False,)
        return
    with pytest.raises(psycopg.Error) as error:
        world.name("fazlası " + login, login)
    assert error.value.sqlstate == "TK035"
    assert found in str(error.value)
    assert error.value.diag.message_hint
    assert world.admin.execute("SELECT count(*) FROM curation.ledger").fetchone() == before
    for own in ("tekrar_reader", "tekrar_login", "tekrar_owner"):
        with pytest.raises(psycopg.Error) as error:
            world.name("kendisi " + own, own)
        assert error.value.sqlstate == "TK035"


def test_the_owner_of_the_database_is_no_actor(world: World) -> None:
    """Its settings, its schemas and the database itself are the owner's to change or drop."""
    login = world.logins.make("sahip")
    with world.admin.transaction(force_rollback=True):
        world.admin.execute(f"ALTER DATABASE {world.place.database} OWNER TO {login}".encode())
        world.admin.execute("SET LOCAL ROLE tekrar_owner")
        with pytest.raises(psycopg.Error) as error:
            world.admin.execute("SELECT curation.check_login(%s)", (login,))
    assert error.value.sqlstate == "TK035"
    assert "the owner of the database" in str(error.value)


def test_an_actor_reads_the_schema_s_state_by_whatever_role_it_has(world: World) -> None:
    for role in (PUBLISHER, ADMINISTRATOR, READER):
        assert require_current(world.connect(role)).head > 0
    login = world.logins.make()
    world.admin.execute(f'GRANT CONNECT ON DATABASE {world.place.database} TO "{login}"'.encode())
    with world.logins.connect(world.place, login) as connection, pytest.raises(DatabaseError) as caught:
        require_current(connection)
    assert caught.value.kind == "permission_denied"
    assert "tekrar grant" in caught.value.mend


def roles_made_for(admin: Connection, migrator: str) -> None:
    """From 16 on a user who makes roles administers those that it made; here a superuser made them before."""
    if admin.info.server_version >= 160000:
        for role in (
            "owner",
            "builder",
            "reader",
            "curator",
            "reviewer",
            "publisher",
            "auditor",
            "administrator",
        ):
            admin.execute(f'GRANT tekrar_{role} TO "{migrator}" WITH ADMIN TRUE, INHERIT FALSE'.encode())
        admin.execute(f'GRANT tekrar_login TO "{migrator}" WITH ADMIN TRUE, INHERIT FALSE'.encode())


def test_a_migrator_who_only_makes_roles_is_enough(empty_database: Embedded, logins: Logins) -> None:
    """Neither superuser nor BYPASSRLS: CREATEROLE and the database are enough, also to open roles."""
    migrator, login = logins.make("goc", "LOGIN CREATEROLE"), logins.make()
    with open_target(of_embedded(empty_database, user=SUPERUSER)) as admin:
        admin.execute(f'ALTER DATABASE {empty_database.database} OWNER TO "{migrator}"'.encode())
        roles_made_for(admin, migrator)
        with logins.connect(empty_database, migrator) as connection:
            assert migrate(connection).head > 0
            assert migrate(connection).applied == ()
            with connection.transaction():
                connection.execute("SET LOCAL ROLE tekrar_owner")
                connection.execute("SELECT curation.init_administrator('yönetici', NULL)")
        call(admin, ADMINISTRATOR, "yönetici", "api.actor", login, login)
        words: tuple[Any, ...] = (login, "reader", "*", None, None)
        call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", *words)
        assert memberships(admin, login) == {"reader"}
        with logins.connect(empty_database, login) as connection:
            assert ask_as(connection, READER, "SELECT * FROM api.releases()") == []
        with logins.connect(empty_database, migrator) as connection:
            assert migrate(connection).applied == ()


def test_the_first_administrator_s_login_is_opened(empty_database: Embedded, logins: Logins) -> None:
    login = logins.make()
    with open_target(of_embedded(empty_database, user=SUPERUSER)) as admin:
        migrate(admin)
        with admin.transaction():
            admin.execute("SET LOCAL ROLE tekrar_owner")
            for wrong in ("hiç yok", "tekrar_owner"):
                with pytest.raises(psycopg.Error) as error, admin.transaction():
                    admin.execute("SELECT curation.init_administrator('ilk', %s)", (wrong,))
                assert error.value.sqlstate == "TK012"
            admin.execute("SELECT curation.init_administrator('ilk', %s)", (login,))
        assert memberships(admin, login) == {"administrator"}
        with logins.connect(empty_database, login) as connection:
            done = ask_as(connection, ADMINISTRATOR, "SELECT api.actor('öteki', NULL)")
            assert done[0][0]["outcome"] == "named"
