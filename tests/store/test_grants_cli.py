"""Actors, grants and freezes at the command line: bad input is refused typed, with nothing changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tekrar.store.roles import LOGIN
from tests.store.place import tekrar, url_of
from tests.store.schema_authority import FAR, NEAR, World
from tests.store.schema_logins import everything_kept

Run = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def run(world: World, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a command as the program's login, or as a login of an actor's own, and gives its JSON."""
    folder = tmp_path_factory.mktemp("grants")

    def one(*words: str, status: int = 0, actor: str = "yönetici", user: str = LOGIN) -> dict[str, Any]:
        more = {"TEKRAR_DATABASE_URL": url_of(world.place, user=user), "TEKRAR_CURSOR_KEY": "ab" * 32}
        done = tekrar(folder, *words, "--json", **more, **({"TEKRAR_ACTOR": actor} if actor else {}))
        assert done.returncode == status, (words, done.stdout, done.stderr)
        # Nothing but the error reaches standard error: no traceback, and no word of the driver.
        told = ("tekrar: error [", "  where:", "  expected:", "  mend:")
        assert [line for line in done.stderr.splitlines() if not line.startswith(told)] == []
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    return one


@pytest.fixture(scope="module")
def named(world: World) -> str:
    """An actor with a login and a revoked grant."""
    login = world.logins.make()
    world.name(login, login)
    return login


@pytest.mark.parametrize(
    ("words", "status", "kind"),
    [
        (("grant", "{actor}", "reader", "--to", "2001-01-01T00:00:00Z"), 8, "bad_argument"),
        (
            ("grant", "{actor}", "reader", "--from", "2031-01-02T00:00Z", "--to", "2031-01-01T00:00Z"),
            2,
            "bad_arguments",
        ),
        (
            ("grant", "{actor}", "reader", "--from", "2031-01-02T00:00Z", "--to", "2031-01-02T00:00Z"),
            2,
            "bad_arguments",
        ),
        (("grant", "{actor}", "reader", "--to", "2031-01-01T00:00:00"), 2, "bad_arguments"),
        (("grant", "{actor}", "reader", "--to", "2031-01-01"), 2, "bad_arguments"),
        (("grant", "{actor}", "reader", "--from", "soon"), 2, "bad_arguments"),
        (("grant", "{actor}", "reader", "--from", "2031-02-30T00:00:00Z"), 2, "bad_arguments"),
        (("grant", "{actor}", "owner"), 2, "unknown_role"),
        (("grant", "{actor}", "tekrar_reader"), 2, "unknown_role"),
        (("grant", "{actor}", "Reader"), 2, "unknown_role"),
        (("grant", "{actor}"), 2, "bad_arguments"),
        (("grant", "{actor}", "reader", "--scope", ""), 8, "bad_argument"),
        (("grant", "nobody", "reader"), 8, "unknown_actor"),
        (("actor", "{actor}", "--login", "another"), 8, "actor_login"),
        (("actor", "{actor}"), 8, "actor_login"),
        (("actor", "fresh", "--login", "{actor}"), 8, "actor_login"),
        (("actor", "fresh", "--login", "no such role"), 8, "actor_login"),
        (("actor", "fresh", "--login", "postgres"), 8, "actor_login"),
        (("actor", "fresh", "--login", "tekrar_login"), 8, "actor_login"),
        (("actor", "fresh", "--login", "tekrar_owner"), 8, "actor_login"),
        (("actor", ""), 2, "bad_arguments"),
        (("actor", "two\nlines"), 8, "bad_argument"),
        (("freeze", "--reason", ""), 2, "bad_arguments"),
        (("freeze", "--reason", "  "), 2, "bad_arguments"),
        (("freeze",), 2, "bad_arguments"),
        (("revoke", "999999999"), 5, "not_published"),
        (("revoke", "0"), 2, "bad_arguments"),
        (("revoke", "1.0"), 2, "bad_arguments"),
        (("revoke", "all"), 2, "bad_arguments"),
    ],
)
def test_bad_input_changes_nothing(
    world: World, run: Run, named: str, words: tuple[str, ...], status: int, kind: str
) -> None:
    before = everything_kept(world.admin)
    error = run(*(word.format(actor=named) for word in words), status=status)["error"]
    assert error["kind"] == kind
    assert error["message"]
    assert error["mend"] or kind == "actor_login"
    assert everything_kept(world.admin) == before


def test_who_is_nobody_or_not_an_administrator_changes_nothing(world: World, run: Run, named: str) -> None:
    before = everything_kept(world.admin)
    for words in (
        ("grant", named, "reader"),
        ("actor", "x"),
        ("revoke", "1"),
        ("freeze", "--reason", "x"),
        ("grant",),
    ):
        assert run(*words, actor="", status=8)["error"]["kind"] == "unknown_actor"
        assert run(*words, actor="nobody", status=8)["error"]["kind"] == "unknown_actor"
        assert run(*words, actor="yayıncı", status=8)["error"]["kind"] == "grant_missing"
        # The actor's own login speaks for the actor alone, whatever is claimed.
        kind = run(*words, user=world.actor("tekrar_administrator", "all"), status=8)["error"]["kind"]
        assert kind == "unknown_actor"
    assert everything_kept(world.admin) == before


@pytest.mark.req("CUR-06")
def test_who_works_alone_grants_to_himself_and_the_ledger_says_so(world: World, run: Run) -> None:
    given = run("grant", "yönetici", "curator", "--scope", NEAR)
    assert given["outcome"] == "granted"
    (entry,) = world.admin.execute(
        "SELECT convert_from(payload, 'UTF8')::jsonb FROM curation.ledger WHERE kind = 'grant'"
        " ORDER BY seq DESC LIMIT 1"
    ).fetchone() or (None,)
    assert (entry["actor"], entry["by"]) == ("yönetici", "yönetici")


def test_revoking_again_is_a_typed_nothing(world: World, run: Run, named: str) -> None:
    given = run("grant", named, "reader", "--scope", NEAR)
    number = str(given["grant"])
    assert run("revoke", number)["outcome"] == "revoked"
    before = everything_kept(world.admin)
    assert run("revoke", number)["outcome"] == "already_revoked"
    assert run("actor", named, "--login", named)["outcome"] == "already_named"
    assert everything_kept(world.admin) == before


@pytest.mark.req("PUB-06", "CUR-06")
def test_an_actor_works_by_its_own_login(world: World, run: Run) -> None:
    login = world.logins.make()
    run("actor", login, "--login", login)
    opened = run("grant", login, "reader", "--scope", FAR)["grant"]
    shown = run("releases", user=login, actor="")["releases"]
    assert {one["edition"] for one in shown} == {FAR}
    release, hidden = str(world.far_releases["FP"]), str(world.releases["FP"])
    id = str(world.far.exact_class("FP", 0))
    page = run("duplicates", release, id, "--page", "1", user=login, actor="")
    assert run("duplicates", hidden, id, user=login, actor="", status=5)["error"]["kind"] == "not_published"
    # Without the grant of publisher there is no such role for the login; with it, for its edition.
    root = world.far.artifact_root.hex()
    publish = ("publish", "--profile", "FP", root)
    assert run(*publish, user=login, actor="", status=8)["error"]["kind"] == "permission_denied"
    number = run("grant", login, "publisher", "--scope", FAR)["grant"]
    assert run(*publish, user=login, actor="")["outcome"] == "already_visible"
    other = ("publish", "--profile", "FP", world.near.artifact_root.hex())
    assert run(*other, user=login, actor="", status=5)["error"]["kind"] == "not_published"
    run("grant", login, "publisher", "--from", "2999-01-01T00:00:00Z")
    run("revoke", str(number))
    assert run(*publish, user=login, actor="", status=8)["error"]["kind"] in (
        "grant_revoked",
        "grant_not_yet_valid",
    )
    run("revoke", str(opened))
    refused = run("duplicates", release, id, "--cursor", page["next"], user=login, actor="", status=8)
    assert refused["error"]["kind"] == "permission_denied"


def test_the_public_reads_without_a_name(world: World, run: Run, tmp_path: Path) -> None:
    for actor in ("", "yönetici", "nobody"):
        assert len(run("releases", actor=actor)["releases"]) == 8
    release, id = str(world.releases["FP"]), str(world.near.occurrence("FP", 0))
    assert run("status", release, id, actor="")["status"] == "matched"
