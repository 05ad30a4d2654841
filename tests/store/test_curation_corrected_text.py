"""A text is corrected after decisions: what its families became, from the command line to a clean rebuild."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tekrar.store.server.launcher import Launcher
from tests.store.curation_scenario import Scenario
from tests.store.place import settings_in

BOOKS = {
    "ambar": "Ambarın anahtarı, kapının üstündeki çiviye asılır.\n\nYağmur dinince dere yatağına döner.\n\n"
    "Kervan şafakta yola çıkar, öğle üzeri konaklar.\n\nTuz, ekmeğin hatırını bilenin sofrasında durur.\n",
    "bağ": "Ambarın anahtarı, kapının ardındaki çiviye asılır.\n\nYağmur dinince dere yatağına döner.\n\n"
    "Kervan şafakta yola çıkar, ikindi üzeri konaklar.\n\nYağmur kesilince dere yatağına döner.\n",
}
WHY = {"rationale": "Metin düzeltildi.", "reason": "Eski metnin ailesi."}


def shown(one: Scenario, number: int) -> str:
    """Publish the paragraphs of what was built; the release."""
    words = ("publish", one.folder / f"artifact-{number}", "--profile", "FP")
    (done,) = one.run(*words, actor="basan")["releases"]
    return str(done["release"])


def published(one: Scenario, number: int) -> tuple[str, Path]:
    """Import, build and publish the text as it now stands; the release and the text release's folder."""
    release, artifact = one.folder / f"release-{number}", one.folder / f"artifact-{number}"
    one.run("import", one.folder / "books", "--language", "tr", "--edition", "ambar", "--out", release)
    one.run("build", release, "--out", artifact)
    one.run("load", artifact, "--release", release)
    return shown(one, number), release


@pytest.mark.req("CUR-07", "FAM-10", "ID-10", "ID-11", "QRY-02", "REB-01")
def test_families_of_a_corrected_text_are_replaced_and_both_texts_are_rebuilt(
    tmp_path: Path, launcher: Launcher
) -> None:
    """A member of the old text is named by its ID, a class too; nothing is carried over (AMB-28).

    Field-report row 68: what was said of the old text stays of the old text.
    """
    one = Scenario(tmp_path, {"TEKRAR_DATA_DIR": str(tmp_path / "data")})
    (tmp_path / "books").mkdir()
    try:
        for name, text in BOOKS.items():
            (tmp_path / "books" / f"{name}.txt").write_text(text, "utf-8")
        one.authority()
        first, old_text = published(one, 1)
        exact = one.run("release", "classes", first)["classes"][0]["class"]
        said: dict[str, Any] = {"operation": "accept_family", "kind": "variant", "rationale": "Aynı söz."}
        rain, caravan = one.decide(
            one.propose(
                {**said, "members": [exact, "bağ/1/p4"]}, {**said, "members": ["ambar/1/p3", "bağ/1/p3"]}
            )
        )
        held = one.members(rain)
        with_both = shown(one, 1)
        one.folder.joinpath("books", "ambar.txt").write_text(BOOKS["ambar"].replace("Tuz", "Su"), "utf-8")
        second, new_text = published(one, 2)
        assert one.lines("families", second) == []
        again = one.run("release", "classes", second)["classes"][0]["class"]
        assert again != exact
        part = {"kind": "variant", "members": [again, "bağ/1/p4"]}
        line = {"operation": "replace", "predecessors": [rain], "successors": [part], **WHY}
        file = tmp_path / "left-out.jsonl"
        file.write_text(json.dumps(line), "utf-8")
        error = one.run("propose", file, "--release", second, actor="yazar", status=2)["error"]
        assert (error["kind"], error["where"].split()[-1]) == ("incomplete_mapping", "$.predecessors[0]")
        moves = [{"member": member, "to": [0]} for member in held]
        whole = one.propose(
            line | {"mapping": moves},
            {"operation": "retire", "predecessors": [caravan], **WHY},
            release=second,
        )
        (successor,) = one.decide(whole)
        third = shown(one, 2)
        assert [row["family"] for row in one.lines("families", third)] == [successor]
        # As the public is told: the old release as it was, and what took its place.
        assert [row["family"] for row in one.lines("families", with_both)] == [rain, caravan]
        assert one.run("resolve", rain, "--release", with_both)["state"] == "effective"
        assert one.run("resolve", rain, "--release", third, "--current")["current"]["current"] == successor
        assert one.run("resolve", caravan, "--current")["current"]["status"] == "retired"
        assert one.run("resolve", rain)["successors"] == [successor]
        done = one.run("rebuild", "--check", old_text, new_text, actor="bakan")
        assert done["compared"]["structures"] == 3
    finally:
        Launcher(settings_in(tmp_path / "data")).stop()
