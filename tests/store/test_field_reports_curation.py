"""Field reports on review, annotation and publication, row by row."""

from __future__ import annotations

import itertools
import json
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import psycopg
import pytest

from tekrar.store.curation.listing import Asker
from tekrar.store.curation.workflow import EditConflictError, apply, drafts, save_draft
from tekrar.store.evidence.loading import load_candidates
from tekrar.store.evidence.marks import Mark, mark_candidates
from tekrar.store.evidence.unresolved import EvidenceReader
from tekrar.store.read import Reader
from tekrar.store.repeats import RepeatsReader
from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.candidate_package import every_kind
from tests.store.curated import AUTHOR, Bench, people
from tests.store.schema_load import Loaded
from tests.store.schema_publication import new_load, plan_of, publish
from tests.store.test_curation_api import released

KEY = bytes(32)


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded) -> Bench:
    people(admin)
    return Bench(admin, actors)


@pytest.fixture
def connection(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=LOGIN)) as one:
        yield one


def told(act: Any) -> dict[str, Any]:
    with pytest.raises(psycopg.Error) as error:
        act()
    found: dict[str, Any] = json.loads(error.value.diag.message_detail or "{}")
    return found


def test_row_64_a_relation_on_a_part_is_never_shown_on_the_whole(
    bench: Bench, connection: Connection
) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "parca "))
    source, quoting = one.end(0, [(1, 4)]), one.end(1, [(1, 4)])
    one.decide(one.action("accept_quotation", "quotation", one.quotation(source, quoting)))
    release = released(one)
    (found,) = Asker(connection).quotations(release)
    stated = [int(edge) for span in source["ranges"] for edge in span]
    assert found["source_ranges"] == stated
    assert found["source_selection"] == source["selection"]
    whole = Reader(connection).occurrence(release, str(one.id_of(("o", 0))))
    assert whole["start_byte"] < stated[0] < stated[1] < whole["end_byte"]
    # Nothing else of the passage is related by it: not its class, not what lies around it.
    assert Asker(connection).families(release) == []


def test_row_65_a_passage_stands_once_in_a_structure(bench: Bench, connection: Connection) -> None:
    """Two runs that overlap are two members of one family, each listed once."""
    one = Bench(bench.admin, new_load(bench.admin, "bir kere "), "FS")
    rows = one.admin.execute(
        "SELECT a.row_no, b.row_no FROM repetition.occurrence a JOIN repetition.occurrence b"
        " USING (profile_key) WHERE a.profile_key = %s AND a.row_no < b.row_no"
        " AND b.start_byte < a.start_byte + a.extent"
        " AND a.part IN (1, 2, 3) AND b.part IN (1, 2, 3) AND a.class IS DISTINCT FROM b.class",
        (one.loaded.profiles["FS"],),
    ).fetchall()
    if not rows:
        pytest.skip("the tiny text has no runs that overlap")
    first, second = rows[0]
    (family,) = one.decide(one.accept(("o", first), ("o", second)))["structures"]
    release = publish(one.admin, plan_of(one.admin, one.loaded, "FS"))["releases"][0]["release"]
    reader = RepeatsReader(connection, key=KEY)
    for row in (first, second):
        found = reader.repeats(release, str(one.id_of(("o", row))), layers=["variant_family"])["repeats"]
        assert Counter((each["structure"], each["occurrence"]) for each in found) == {
            (family, str(one.id_of(("o", n)))): 1 for n in (first, second)
        }


def test_row_68_an_old_id_names_the_old_release_and_nothing_by_itself(
    bench: Bench, connection: Connection
) -> None:
    """The text is restructured: what was said of the old one answers under the old release, as it was."""
    old = Bench(bench.admin, new_load(bench.admin, "eski ", edition="tarla"), edition="tarla")
    (family,) = old.decide(old.accept(("o", 1), ("o", 3)))["structures"]
    first = released(old)
    new = Bench(bench.admin, new_load(bench.admin, "yeni ", edition="tarla"), edition="tarla")
    second = released(new)
    asker = Asker(connection)
    found = asker.resolve(family, release=first)
    assert (found["state"], found["record"]["text_release"]) == ("effective", str(old.loaded.text_release))
    assert asker.resolve(family, release=second)["record"] == found["record"]
    assert [row["family"] for row in asker.families(first)] == [family]
    assert asker.families(second) == []
    assert [one["id"] for one in found["record"]["members"]] == sorted(
        str(old.id_of(("o", row))) for row in (1, 3)
    )
    # It waits for people: the successor says so and moves no member.
    waiting = EvidenceReader(connection, key=KEY).unresolved(second)["families"]["listed"]
    assert [one["family"] for one in waiting] == [family]


def test_row_70_a_count_is_the_list(bench: Bench, connection: Connection) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "sayı "))
    one.decide(one.accept(("c", 0), ("o", 2), ("o", 3)))
    release = released(one)
    asker = Asker(connection)
    (family,) = asker.families(release)
    pages, after = [], -1
    while page := asker.members(release, family["family"], after=after, page=1):
        pages += page
        after = page[-1]["row_no"]
    assert len(pages) == family["size"] == 4
    assert sum(row["tag"] == "class" for row in pages) == 2
    reader = RepeatsReader(connection, key=KEY)
    listed = reader.repeats(release, pages[0]["occurrence"], layers=["variant_family"])["repeats"]
    assert [row["row_no"] for row in listed] == [row["row_no"] for row in pages]


@pytest.mark.parametrize(
    "ranges",
    [None, [], [[None, None]], [[]], [["5", "5"]], [["9", "5"]], [["5"]], [["-1", "5"]],
     [["5", "7"], ["6", "8"]], [["0", "99999999"]], "all"],
)  # fmt: skip
def test_row_74_a_selection_of_nothing_is_refused_and_never_the_whole(bench: Bench, ranges: Any) -> None:
    action = json.loads(
        bench.action(
            "accept_quotation",
            "quotation",
            bench.quotation(bench.end(0), bench.end(1), kind="adapted_quotation"),
        )
    )
    action["quotation"]["source"]["ranges"] = ranges
    before = bench.value("SELECT count(*) FROM curation.ledger")
    data = json.dumps(action, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    kind = told(lambda: bench.submit(data))["kind"]
    assert kind in {"malformed", "not_canonical", "bad_extent", "outside_occurrence", "selection_mismatch"}
    assert bench.value("SELECT count(*) FROM curation.ledger") == before


@pytest.mark.req("CUR-01")
def test_row_79_of_two_who_save_the_same_both_texts_are_kept(bench: Bench, database: Embedded) -> None:
    """Two windows of one author save at the same instant, again and again: one is told of the other's text,
    saves on top of it, and no text is lost."""
    assert bench.loaded
    meet, rounds = Barrier(2), 12
    seen: list[tuple[str, str]] = []

    def window(name: str) -> list[str]:
        mine = []
        with open_target(of_embedded(database, user=LOGIN)) as connection:
            known = 0
            for number in range(rounds):
                text = f"{name} {number}"
                meet.wait(30)
                while True:
                    try:
                        known = save_draft(connection, "ortak", text.encode(), version=known, actor=AUTHOR)
                        break
                    except EditConflictError as conflict:
                        known = conflict.version
                        seen.append((conflict.yours, conflict.theirs))
                mine.append(text)
        return mine

    with ThreadPoolExecutor(2) as pool:
        both = [done.result(120) for done in [pool.submit(window, name) for name in ("sabah", "gece")]]
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        kept = [one.document.decode() for one in drafts(connection, "ortak", actor=AUTHOR)]
    assert sorted(kept) == sorted(itertools.chain(*both))
    assert len(kept) == 2 * rounds
    assert seen
    assert all(yours in kept and theirs in kept and yours != theirs for yours, theirs in seen)
    assert [text for text in reversed(kept) if text.startswith("sabah")] == both[0]


def test_row_80_all_wrong_is_an_end_of_the_work(bench: Bench, connection: Connection) -> None:
    """Every candidate rejected: none waits, each is kept with who said it, and no structure came of it."""
    one = Bench(bench.admin, new_load(bench.admin, "hepsi yanlış "))
    maker = every_kind(one.admin, one.loaded.artifact_root)
    load_candidates(one.admin, maker.package())
    names = [str(uuid.UUID(bytes=made.id)) for made, _ in maker.made]
    reader = EvidenceReader(connection, key=KEY)
    before = reader.unresolved(released(one))["semantic"]
    assert (before["pending"], before["rejected"], before["candidates"]) == (len(names), 0, len(names))
    mark_candidates(connection, [Mark(name, "false_positive", "yanlış") for name in names], actor=AUTHOR)
    found = reader.unresolved(released(one))
    done = found["semantic"]
    assert (done["pending"], done["rejected"], done["candidates"]) == (0, len(names), len(names))
    assert {row["status"] for row in found["candidates"]} == {"rejected"}
    assert reader.unresolved(found["release"], status="pending")["candidates"] == []
    # All was judged, which does not say that all was found (COV-13).
    assert done["status"] == "open"
    assert one.value("SELECT count(*) FROM curation.family WHERE profile = %s", one.profile) == 0


@pytest.mark.req("CUR-04", "CUR-09")
def test_row_82_no_decision_of_two_in_a_loop_is_lost(bench: Bench, database: Embedded) -> None:
    """Two apply at once what touches nothing in common: both stand, the head moved once for each."""
    worlds = [Bench(bench.admin, new_load(bench.admin, f"döngü {n} ")) for n in range(2)]
    pairs = [(("o", 0), ("o", 2)), (("o", 1), ("o", 3))]
    proposals = []
    for one in worlds:
        mine = [one.submit(one.accept(*refs)) for refs in pairs]
        for proposal in mine:
            one.review(proposal)
        proposals.append(mine)
    version = "SELECT version FROM curation.head WHERE name = 'curation'"
    before = bench.value(version)
    meet = Barrier(2)

    def applying(mine: list[str]) -> list[str]:
        with open_target(of_embedded(database, user=LOGIN)) as connection:
            structures = []
            for proposal in mine:
                meet.wait(30)
                structures += apply(connection, proposal, actor=AUTHOR).structures
        return structures

    with ThreadPoolExecutor(2) as pool:
        made = [done.result(120) for done in [pool.submit(applying, mine) for mine in proposals]]
    assert bench.value(version) == before + 4
    kept = {str(row[0]) for row in bench.admin.execute("SELECT family FROM curation.family").fetchall()}
    assert set(itertools.chain(*made)) <= kept
    assert len({*made[0], *made[1]}) == 4


@pytest.mark.req("REL-04", "REL-05", "CAN-09")
def test_row_83_a_choice_that_lands_while_a_release_is_staged(bench: Bench, connection: Connection) -> None:
    """The plan was made before the choice: it publishes nothing and says which fact moved; one more plan, and
    no storm of retries, publishes all, with the choice."""
    one = Bench(bench.admin, new_load(bench.admin, "sahnede "))
    first = uuid.UUID(released(one))
    plan = plan_of(one.admin, one.loaded, "FP")
    body = one.choice(first, ("c", 0), one.id_of(("o", 0)))
    (choice,) = one.decide(one.action("choose_canonical", "choice", body))["structures"]
    before = bench.value("SELECT count(*) FROM repetition.repetition_release")
    found = told(lambda: publish(one.admin, plan))
    assert (found["kind"], found["fact"]) == ("fact_mismatch", "head/canonical-choices")
    assert bench.value("SELECT count(*) FROM repetition.repetition_release") == before
    assert Asker(connection).choices(str(first)) == []
    second = publish(one.admin, plan_of(one.admin, one.loaded, "FP"))["releases"][0]["release"]
    assert [row["choice"] for row in Asker(connection).choices(second)] == [choice]
    assert [row["choice"] for row in Asker(connection).choices(str(first))] == []
