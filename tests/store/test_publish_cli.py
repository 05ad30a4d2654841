"""From a loaded artifact to a published release, by the command line, and back out of sight."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tekrar.build import build
from tekrar.core.identity import uuid_text
from tekrar.corpus.release_package import open_release, write_release
from tekrar.corpus.structured import import_structured
from tekrar.errors import NotFoundError, UsageError
from tekrar.store.cursor import KEY_FILE, cursor_key, read_cursor, write_cursor
from tekrar.store.cursor import Place as CursorPlace
from tekrar.store.publish import plan_from_json
from tekrar.store.read import Reader
from tekrar.store.roles import LOGIN, Role
from tekrar.store.session import open_target
from tekrar.store.target import Embedded, of_embedded
from tekrar.view.answer import answer_for
from tekrar.view.open import Corpus, open_corpus
from tests.store.load_corpus import make, source
from tests.store.place import settings_in, tekrar, url_of


class Place:
    """A database with a loaded artifact, an administrator and a publisher."""

    def __init__(self, database: Embedded, folder: Path) -> None:
        self.folder = folder
        self.urls = {"login": url_of(database, user=LOGIN), "superuser": url_of(database)}
        self.release, self.artifact = make(folder / "made")

    def run(self, *words: str, user: str = "login", status: int = 0, actor: str = "") -> dict[str, Any]:
        """The JSON that a command prints, which must end with a status."""
        more = {"TEKRAR_DATABASE_URL": self.urls[user], "TEKRAR_CURSOR_KEY": "ab" * 32}
        done = tekrar(self.folder, *words, "--json", **more, **({"TEKRAR_ACTOR": actor} if actor else {}))
        assert done.returncode == status, (words, done.stdout, done.stderr)
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    def refused(self, *words: str, status: int = 8, actor: str = "") -> str:
        """The kind of the error with which a command is refused."""
        return str(self.run(*words, status=status, actor=actor)["error"]["kind"])


@pytest.fixture(scope="module")
def place(database: Embedded, tmp_path_factory: pytest.TempPathFactory) -> Place:
    one = Place(database, tmp_path_factory.mktemp("publish"))
    one.run("db", "init", "--administrator", "Defne", "--login", LOGIN, user="superuser")
    one.run("load", str(one.artifact), "--release", str(one.release), user="superuser")
    one.run("actor", "Ege", actor="Defne")
    one.run("grant", "Ege", "publisher", actor="Defne")
    return one


@pytest.fixture(scope="module")
def published(place: Place) -> dict[str, str]:
    """Release of each profile."""
    done = place.run("publish", "--all", str(place.artifact), "--as", "Ege")
    assert done["outcome"] == "published"
    assert len(done["release_set"]) == 64
    return {row["profile"]: row["release"] for row in done["releases"]}


@pytest.fixture(scope="module")
def corpus(place: Place) -> Corpus:
    return open_corpus(place.artifact, place.release)


@pytest.fixture(scope="module")
def reader(database: Embedded) -> Iterator[Reader]:
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        yield Reader(connection, key=b"k" * 32)


def example(corpus: Corpus, short: str, status: str) -> str:
    """An occurrence of a profile with a status."""
    (view,) = corpus.views(short)
    for row in range(view.rows):
        if str(answer_for(view, row).status) == status:
            return uuid_text(view.ids[row].tobytes())
    raise AssertionError(f"no {status} occurrence in {short}")


@pytest.mark.req("REL-04")
def test_a_prepared_plan_holds_its_facts_and_reads_back(place: Place) -> None:
    file = place.folder / "plan.json"
    root = place.run("publish", "--profile", "FP", str(place.artifact), "--plan", str(file), actor="Ege")
    assert root["outcome"] == "prepared"
    plan = plan_from_json(file.read_bytes())
    assert plan.as_json() == file.read_bytes()
    facts = plan.publications[0].facts
    assert {"visible", "freeze-epoch", "publisher-grant", "repetition-head", "seal"} <= set(facts)
    with pytest.raises(UsageError) as error:
        plan_from_json(file.read_bytes() + b" ")
    assert error.value.kind == "bad_plan"


@pytest.mark.req("REL-01", "REL-05")
def test_all_profiles_become_visible_together(place: Place, published: dict[str, str]) -> None:
    found = place.run("releases")["releases"]
    assert {one["short"]: one["release"] for one in found} == published
    assert list(published) == ["FP", "FS", "PP", "PS"]
    assert {one["state"] for one in found} == {"visible"}
    assert len({one["release_set"] for one in found}) == 1
    shown = place.run("release", "show", published["FP"])
    assert shown["bound"]["artifact-root"] == found[0]["artifact_root"]


@pytest.mark.req("REL-05")
def test_publishing_again_is_a_typed_nothing(place: Place, published: dict[str, str]) -> None:
    before = place.run("releases")
    again = place.run("publish", "--all", before["releases"][0]["artifact_root"], actor="Ege")
    assert again["outcome"] == "already_visible"
    assert {row["profile"]: row["release"] for row in again["releases"]} == published
    assert place.run("releases") == before


@pytest.mark.req("QRY-02", "QRY-03", "CORE-03")
def test_every_occurrence_of_every_profile_answers_as_the_artifact(
    place: Place, corpus: Corpus, reader: Reader, published: dict[str, str]
) -> None:
    text = open_release(place.release).release.text
    seen = set()
    for view in corpus.views(None):
        starts, ends = view.extents(np.arange(view.rows))
        for row in range(view.rows):
            id, wanted = uuid_text(view.ids[row].tobytes()), answer_for(view, row)
            found = reader.status(published[view.short], id)
            assert found["status"] == str(wanted.status)
            assert found["presentation"] == (
                None if wanted.presentation is None else str(wanted.presentation)
            )
            seen.add(found["status"])
            whole = reader.occurrence(published[view.short], id)
            assert whole["content"] == text[starts[row] : ends[row]]
            assert (whole["status"], whole["class"]) == (found["status"], found["class"])
    assert seen == {"matched", "unique", "excluded"}


@pytest.mark.req("QRY-03")
def test_what_a_release_does_not_hold_is_an_error_and_never_unique(
    place: Place, reader: Reader, published: dict[str, str], corpus: Corpus
) -> None:
    run = example(corpus, "FS", "unique")
    assert reader.status(published["FS"], run)["status"] == "unique"
    with pytest.raises(NotFoundError):
        reader.status(published["FP"], run)
    with pytest.raises(NotFoundError):
        reader.duplicates(published["FP"], run)
    with pytest.raises(NotFoundError):
        reader.status(run, run)
    assert place.refused("status", published["FP"], run, status=5) == "not_published"
    assert place.refused("status", published["FP"], "x", status=2) == "bad_id"


@pytest.mark.req("QRY-01", "QRY-05")
def test_duplicates_come_in_pages_with_cursors_of_their_own(
    place: Place, corpus: Corpus, published: dict[str, str]
) -> None:
    release, id = published["FP"], example(corpus, "FP", "matched")
    whole = place.run("duplicates", release, id)
    assert whole["next"] is None
    assert len(whole["members"]) == whole["size"] > 1
    assert id in {one["occurrence"] for one in whole["members"]}
    members, cursor = [], None
    while True:
        words = ["--page", "1", *(["--cursor", cursor] if cursor else [])]
        page = place.run("duplicates", release, id, *words)
        members += page["members"]
        cursor = page["next"]
        if cursor is None:
            break
        last = cursor
    assert members == whole["members"]
    assert place.run("duplicates", release, whole["class"])["members"] == members
    forged = last[:-1] + ("A" if last[-1] != "A" else "B")
    assert place.refused("duplicates", release, id, "--cursor", forged, status=2) == "bad_cursor"
    other = published["PP"], example(corpus, "PP", "matched")
    assert place.refused("duplicates", *other, "--cursor", last, status=2) == "foreign_cursor"


def test_an_unmatched_occurrence_has_a_status_and_not_an_empty_list_alone(
    place: Place, corpus: Corpus, published: dict[str, str]
) -> None:
    unique = place.run("duplicates", published["FP"], example(corpus, "FP", "unique"))
    assert (unique["status"], unique["members"]) == ("unique", [])
    excluded = place.run("duplicates", published["PP"], example(corpus, "PP", "excluded"))
    assert excluded["status"] == "excluded"
    assert excluded["reasons"]


def test_why_is_an_account_with_roots_and_counts(
    place: Place, corpus: Corpus, published: dict[str, str]
) -> None:
    for short, status, word in (
        ("FP", "matched", "Matched"),
        ("FS", "unique", "Unique"),
        ("PP", "excluded", "Excluded"),
    ):
        found = place.run("why", published[short], example(corpus, short, status))
        account = "\n".join(found["account"])
        assert account.startswith(f"{word} under {short} (")
        assert published[short] in account
        assert found["roots"]["work"] in account
        assert found["artifact_root"] in account
        assert "Counted of the whole universe" in account


def test_an_occurrence_shows_its_exact_bytes(place: Place, corpus: Corpus, published: dict[str, str]) -> None:
    id = example(corpus, "FP", "matched")
    found = place.run("occurrence", published["FP"], id)
    text = open_release(place.release).release.text
    assert base64.b64decode(found["content"]) == text[found["start_byte"] : found["end_byte"]]
    coverage = place.run("release", "coverage", published["FP"])
    assert (coverage["exact_status"], coverage["semantic_status"]) == ("complete", "not_assessed")
    assert coverage["counted"]


@pytest.mark.req("CUR-06", "CUR-11")
def test_grants_and_freeze_hold_at_the_command_line(place: Place, published: dict[str, str]) -> None:
    assert place.refused("publish", "--all", str(place.artifact), actor="Defne") == "grant_missing"
    assert place.refused("publish", "--all", str(place.artifact), actor="Nobody") == "unknown_actor"
    assert place.refused("publish", "--profile", "XX", str(place.artifact), status=2) == "unknown_profile"
    assert place.refused("publish", "--all", "00" * 32, actor="Ege", status=5) == "not_published"
    assert place.refused("freeze", "--reason", "no right", actor="Ege") == "grant_missing"
    assert place.run("freeze", "--reason", "a look", actor="Defne")["epoch"] == 1
    place.run("actor", "Su", actor="Defne")
    given = str(place.run("grant", "Su", "publisher", "--scope", "bahçe", actor="Defne")["grant"])
    assert place.run("publish", "--all", str(place.artifact), actor="Su")["outcome"] == "already_visible"
    assert place.run("revoke", given, actor="Defne")["outcome"] == "revoked"
    assert place.refused("publish", "--all", str(place.artifact), actor="Su") == "grant_revoked"
    states = {str(one["grant"]): one["state"] for one in place.run("grant", actor="Defne")["grants"]}
    assert states[given] == "revoked"


def test_cursors_belong_to_one_key_release_query_and_role(tmp_path: Path) -> None:
    key = cursor_key(settings_in(tmp_path))
    assert cursor_key(settings_in(tmp_path)) == key
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600
    place = CursorPlace("r", "q", Role.READER)
    cursor = write_cursor(key, place, (7, 2))
    assert read_cursor(key, place, cursor) == (7, 2)
    for other in (
        CursorPlace("s", "q", Role.READER),
        CursorPlace("r", "p", Role.READER),
        CursorPlace("r", "q", Role.AUDITOR),
    ):
        with pytest.raises(UsageError) as error:
            read_cursor(key, other, cursor)
        assert error.value.kind == "foreign_cursor"
    for wrong_key, text in (
        (b"x" * 32, cursor),
        (key, ""),
        (key, "é"),
        (key, cursor[:-4]),
        (key, cursor + "AAAA"),
    ):
        with pytest.raises(UsageError) as error:
            read_cursor(wrong_key, place, text)
        assert error.value.kind == "bad_cursor"


@pytest.mark.req("QRY-05", "REL-05")
def test_a_successor_leaves_the_pages_of_the_earlier_release(
    place: Place, corpus: Corpus, published: dict[str, str]
) -> None:
    release, id = published["FS"], example(corpus, "FS", "matched")
    first = place.run("duplicates", release, id, "--page", "1")
    whole = place.run("duplicates", release, id)
    text, artifact = make(place.folder / "second", more="Yeni bir söz.")
    place.run("load", str(artifact), "--release", str(text), user="superuser")
    done = place.run("publish", "--profile", "FS", str(artifact), actor="Ege")
    successor = done["releases"][0]["release"]
    states = {one["release"]: one["state"] for one in place.run("releases")["releases"]}
    assert (states[successor], states[release]) == ("visible", "earlier")
    second = place.run("duplicates", release, id, "--page", "1", "--cursor", first["next"])
    assert second["members"] == whole["members"][1:2]
    refused = place.refused("duplicates", successor, id, "--cursor", first["next"], status=2)
    assert refused == "foreign_cursor"
    before = "publish", "--profile", "FS", str(place.artifact)
    assert place.refused(*before, actor="Ege") == "already_published"  # not made visible again


def test_an_unnamed_edition_and_a_change_of_language_are_refused(
    place: Place, published: dict[str, str]
) -> None:
    for name, facts, kind in (
        ("unnamed", {**source("unnamed")}, "unnamed_edition"),
        ("other tag", {**source(), "language": "tr-CY"}, "series_language"),
    ):
        before = place.run("releases")
        text, artifact = made_from(place.folder / name, facts)
        place.run("load", str(artifact), "--release", str(text), user="superuser")
        assert place.refused("publish", "--profile", "FS", str(artifact), actor="Ege") == kind
        assert place.run("releases") == before


def made_from(folder: Path, document: dict[str, Any]) -> tuple[Path, Path]:
    """Release and artifact of a structured document."""
    folder.mkdir()
    imported = import_structured(json.dumps(document).encode(), where="x.json", edition=None, language=None)
    write_release(imported, folder / "release")
    build(folder / "release", out=folder / "artifact", engine="hashlib")
    return folder / "release", folder / "artifact"


def test_a_withdrawn_release_stays_and_answers_integrity_error(
    place: Place, corpus: Corpus, published: dict[str, str]
) -> None:
    release, id = published["FP"], example(corpus, "FP", "unique")
    assert place.run("withdraw", release, "--reason", "a wrong page", actor="Ege")["outcome"] == "withdrawn"
    again = place.run("withdraw", release, "--reason", "once more", actor="Ege")
    assert again["outcome"] == "already_withdrawn"
    shown = place.run("release", "show", release)
    assert [shown[name] for name in ("state", "incident_cause", "incident_reason")] == [
        "withdrawn",
        "exact",
        "a wrong page",
    ]
    found = place.run("status", release, id)
    assert (found["status"], found["code"]) == ("integrity_error", "withdrawn_release")
    assert "withdrawn" in place.run("why", release, id)["account"][0]
    assert place.run("duplicates", release, id)["status"] == "integrity_error"
    matched = example(corpus, "FP", "matched")
    more = {"TEKRAR_DATABASE_URL": place.urls["login"], "TEKRAR_CURSOR_KEY": "ab" * 32}
    for words in (
        *((verb, release, one) for verb in ("status", "occurrence", "duplicates") for one in (id, matched)),
        ("occurrence", release, id, "--text"),
        ("release", "classes", release),
        ("release", "coverage", release),
    ):
        done = tekrar(place.folder, *words, **more)
        told = f"tekrar: release {release} was withdrawn (exact): a wrong page\n"
        assert (done.returncode, done.stderr) == (0, told), words
        if "--text" not in words and len(words) == 3 and words[0] != "release":
            assert place.run(*words)["presentation"] is None, words
    assert (
        tekrar(place.folder, "status", published["PP"], example(corpus, "PP", "unique"), **more).stderr == ""
    )
    assert place.refused("publish", "--all", str(place.artifact), actor="Ege") == "withdrawn"
