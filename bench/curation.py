"""Curation's part of `make bench`: applies beside pgbench, a large family, a long ledger, its look-ups.

python -m bench.curation [--runs N] [--quick] [--json] measures it alone.
"""

from __future__ import annotations

import importlib.util
import random
import re
import statistics
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.corpora import Tell, tekrar
from bench.process import measured
from bench.table import Row

if TYPE_CHECKING:
    from bench.curation_made import Pair
    from tekrar.store.curation.facts import Basis
    from tekrar.store.session import Connection
    from tekrar.store.target import Embedded

CURATION = "curation"
APPLY_OF_PGBENCH, EIGHT_OF_ONE = 0.25, 1.0
FAMILY_SECONDS, REPLAY_SECONDS, P99_MILLISECONDS = 10.0, 300.0, 10.0
CONNECTIONS = 8


@dataclass(frozen=True)
class Size:
    """How much is made: members of the family, decisions of the ledger, applies of a round, look-ups."""

    members: int = 10_000
    decisions: int = 100_000
    applies: int = 200
    lookups: int = 2_000
    seconds: int = 10

    def pairs(self, *, runs: int) -> int:
        """Pairs that the ledger and all rounds need."""
        return self.decisions * 4 // 10 + 2 + runs * (1 + CONNECTIONS) * self.applies


QUICK = Size(members=200, decisions=400, applies=16, lookups=100, seconds=2)


def measure_curation(work: Path, *, runs: int, quick: bool, tell: Tell) -> list[Row]:
    """Everything about curation; nothing where driver, server or pgbench is missing, with a line."""
    if importlib.util.find_spec("psycopg") is None:
        tell("curation: not measured, the extra `store` is not installed")
        return []
    from bench.store_server import pgbench_program, scratch_server
    from tekrar.errors import DatabaseError

    if pgbench_program() is None:
        tell("curation: not measured, there is no pgbench")
        return []
    size = QUICK if quick else Size()
    try:
        with scratch_server(work / "curation-server") as server:
            return _measure(server, work, size, runs=runs, tell=tell)
    except DatabaseError as error:
        if error.kind != "no_server_binaries":
            raise
        tell("curation: not measured, no PostgreSQL is installed")
        return []


def _measure(server: Embedded, work: Path, size: Size, *, runs: int, tell: Tell) -> list[Row]:
    from bench.curation_made import AUDITOR, AUTHOR, Ledger, pairs_of, write_text
    from bench.store_server import connection_to, fresh_database
    from tekrar.store.curation.facts import basis_of
    from tekrar.store.curation.ledger import export_ledger
    from tekrar.store.permission import claims_of
    from tekrar.store.roles import LOGIN, Role
    from tekrar.store.session import transaction

    pairs_made = size.pairs(runs=runs)
    tell(f"curation: a text of {pairs_made:,} pairs and a family of {size.members:,}")
    source, release, artifact = (work / f"curation-{name}" for name in ("text.jsonl", "release", "artifact"))
    write_text(source, pairs=pairs_made, members=size.members)
    words = ["--language", "en", "--edition", "bench", "--out", str(release), "--quiet"]
    measured(tekrar("import", str(source), *words))
    measured(tekrar("build", str(release), "--out", str(artifact), "--quiet"))
    live = fresh_database(server, "curation")
    _load(live, artifact, release)
    _authority(live, artifact)
    with connection_to(live, user=LOGIN) as connection:
        lines = list(export_ledger(connection, actor=AUDITOR))
        tell("curation: diffs of all pairs")
        with transaction(connection, role=Role.CURATOR, claims=claims_of(AUTHOR), read_only=True):
            basis = basis_of(connection, release=None)
            pairs = pairs_of(connection, basis)
        rows = [_family(connection, size, tell)]
    used = size.decisions * 4 // 10 + 2
    rows += _applies(server, live, basis, pairs[used:], size, runs=runs, tell=tell)
    return rows + _ledger(server, (artifact, release), basis, pairs[:used], Ledger(lines), size, tell)


def _load(place: Embedded, artifact: Path, release: Path) -> None:
    from bench.store_server import connection_to
    from tekrar.artifact import Artifact
    from tekrar.corpus.release_package import open_release
    from tekrar.store.load import load

    with connection_to(place) as connection:
        load(connection, Artifact(artifact), open_release(release))


def _authority(place: Embedded, artifact: Path) -> None:
    from bench.curation_made import ADMINISTRATOR, AUDITOR, AUTHOR, PUBLISHER, REVIEWER
    from bench.store_server import connection_to
    from tekrar.artifact import Artifact
    from tekrar.store.curate import grant, initialize, name_actor
    from tekrar.store.publish import prepare, publish
    from tekrar.store.roles import LOGIN

    with connection_to(place) as connection:
        initialize(connection, ADMINISTRATOR, LOGIN)
    with connection_to(place, user=LOGIN) as connection:
        roles = {AUTHOR: "curator", REVIEWER: "reviewer", PUBLISHER: "publisher", AUDITOR: "auditor"}
        for name, role in roles.items():
            name_actor(connection, name, None, actor=ADMINISTRATOR)
            grant(connection, name, role, actor=ADMINISTRATOR)
        plan = prepare(connection, Artifact(artifact).artifact_root.hex(), ["FP"], actor=PUBLISHER)
        publish(connection, plan, actor=PUBLISHER)


def _family(connection: Connection, size: Size, tell: Tell) -> Row:
    """From the line that somebody wrote to the family in force."""
    from bench.curation_made import AUTHOR, REVIEWER
    from tekrar.store.curation.human_lines import HumanLine
    from tekrar.store.curation.propose import Wording, draft_lines, submit_all
    from tekrar.store.curation.workflow import apply, review

    tell(f"curation: a family of {size.members:,} expanded members")
    said = {"kind": "variant", "members": _classes(connection), "rationale": "The same but for a word."}
    line = HumanLine(1, "accept_family", said)
    began = time.perf_counter()
    drafted = draft_lines(connection, [line], Wording("bench", lambda word: b""), actor=AUTHOR)
    (done,) = submit_all(connection, drafted, actor=AUTHOR)
    review(connection, done.proposal, "approve", actor=REVIEWER)
    apply(connection, done.proposal, actor=AUTHOR)
    seconds = time.perf_counter() - began
    what = f"family of {size.members:,} proposed, reviewed, applied"
    return Row(CURATION, what, seconds, FAMILY_SECONDS, "s")


def _classes(connection: Connection) -> list[str]:
    from bench.curation_made import AUTHOR
    from tekrar.store.permission import claims_of
    from tekrar.store.roles import Role
    from tekrar.store.session import ask

    query = b"""SELECT c.class::text FROM repetition.class c JOIN repetition.profile p USING (profile_key)
        WHERE p.short = 'FP' ORDER BY c.size DESC LIMIT 2"""
    return [row[0] for row in ask(connection, query, role=Role.CURATOR, claims=claims_of(AUTHOR))]


def _applies(
    server: Embedded,
    live: Embedded,
    basis: Basis,
    pairs: list[Pair],
    size: Size,
    *,
    runs: int,
    tell: Tell,
) -> list[Row]:
    """Applies a second from one connection and from eight, each round beside a run of pgbench."""
    from bench.store_server import fresh_database

    simple = fresh_database(server, "simple", migrated=False)
    tell("curation: tables of pgbench")
    _pgbench(simple, "-i", "-q", "-s", "10")
    left = iter(pairs)
    base: list[float] = []
    one: list[float] = []
    eight: list[float] = []
    for number in range(runs):
        tell(f"curation: round {number + 1} of {runs}: pgbench -N, then applies")
        told = _pgbench(simple, "-N", "-n", "-c", "1", "-T", str(size.seconds))
        base.append(float(re.findall(r"tps = ([\d.]+)", told)[0]))
        for found, connections in ((one, 1), (eight, CONNECTIONS)):
            groups = [
                _approved(live, basis, [next(left) for _ in range(size.applies)]) for _ in range(connections)
            ]
            found.append(_rate(live, groups))
    ratio = statistics.median(a / b for a, b in zip(one, base, strict=True))
    more = statistics.median(a / b for a, b in zip(eight, one, strict=True))
    return [
        Row(CURATION, "pgbench -N -c 1", statistics.median(base), None, "/s"),
        Row(CURATION, "applies, one connection", statistics.median(one), None, "/s"),
        Row(CURATION, "applies / pgbench -N -c 1", ratio, APPLY_OF_PGBENCH, "x", at_least=True),
        Row(CURATION, f"applies, {CONNECTIONS} connections / one", more, EIGHT_OF_ONE, "x", at_least=True),
    ]


def _approved(live: Embedded, basis: Basis, pairs: list[Pair]) -> list[str]:
    """Digests of approved proposals, one a pair."""
    from bench.curation_made import AUTHOR, REVIEWER, family_action
    from bench.store_server import connection_to
    from tekrar.core.identity import uuid_text
    from tekrar.store.curation.workflow import review, submit
    from tekrar.store.evidence.diffs import store_diffs
    from tekrar.store.roles import LOGIN

    ends = [(uuid_text(one.left.id), uuid_text(one.right.id)) for one in pairs]
    with connection_to(live, user=LOGIN) as connection:
        store_diffs(connection, uuid_text(basis.profile), ends, actor=AUTHOR)
        found = [submit(connection, family_action(basis, one), actor=AUTHOR).proposal for one in pairs]
        for one in found:
            review(connection, one, "approve", actor=REVIEWER)
    return found


def _rate(live: Embedded, groups: list[list[str]]) -> float:
    """Applies a second, each group through a connection of its own."""
    from bench.curation_made import AUTHOR
    from bench.store_server import connection_to
    from tekrar.store.curation.workflow import apply_all
    from tekrar.store.roles import LOGIN

    connections = [connection_to(live, user=LOGIN) for _ in groups]
    warm = [group[:4] for group in groups]
    rest = [group[4:] for group in groups]

    def work(connection: Connection, proposals: list[str]) -> None:
        for _ in apply_all(connection, proposals, actor=AUTHOR):
            pass

    try:
        with ThreadPoolExecutor(len(groups)) as pool:
            list(pool.map(work, connections, warm))
            began = time.perf_counter()
            list(pool.map(work, connections, rest))
            return sum(map(len, rest)) / (time.perf_counter() - began)
    finally:
        for one in connections:
            one.close()


def _ledger(
    server: Embedded,
    packages: tuple[Path, Path],
    basis: Basis,
    pairs: list[Pair],
    ledger: Any,
    size: Size,
    tell: Tell,
) -> list[Row]:
    """Replay of a long ledger, then history and resolution of any ID at its size."""
    from bench.curation_made import AUTHOR, fill
    from bench.store_server import connection_to, fresh_database
    from tekrar.store.curation.ledger import replay_ledger
    from tekrar.store.curation.listing import Asker
    from tekrar.store.roles import LOGIN, Role

    tell(f"curation: a ledger of {size.decisions:,} decisions")
    touched = fill(ledger, basis, pairs, decisions=size.decisions)
    again = fresh_database(server, "replayed")
    _load(again, *packages)
    tell("curation: its replay")
    with connection_to(again) as connection:
        began = time.perf_counter()
        done = replay_ledger(connection, ledger.export())
        seconds = time.perf_counter() - began
        if done.heads["curation"] != ledger.head.hex():
            raise RuntimeError("the replay has another head of curation")
        connection.execute(b"ANALYZE")
    pick = random.Random(1)
    rows = [Row(CURATION, f"replay of {size.decisions:,} decisions", seconds, REPLAY_SECONDS, "s")]
    with connection_to(again, user=LOGIN) as connection:
        asker = Asker(connection, Role.CURATOR, AUTHOR)
        questions: dict[str, tuple[Callable[[str], Any], list[str]]] = {
            "history of a structure": (asker.history, ledger.structures),
            "history of an occurrence": (asker.history, touched),
            "resolution of a structure": (asker.resolve, ledger.structures),
        }
        for what, (question, known) in questions.items():
            tell(f"curation: {what}")
            delays = _delays(question, [pick.choice(known) for _ in range(size.lookups)])
            rows.append(Row(CURATION, f"{what}, p99", delays, P99_MILLISECONDS, "ms"))
    return rows


def _delays(question: Callable[[str], Any], ids: list[str]) -> float:
    """The 99th of 100 answers, in milliseconds, after some to warm up."""
    for one in ids[:20]:
        question(one)
    delays = []
    for one in ids:
        began = time.perf_counter()
        question(one)
        delays.append(1000 * (time.perf_counter() - began))
    return sorted(delays)[int(0.99 * len(delays))]


def _pgbench(place: Embedded, *words: str) -> str:
    from bench.store_server import login_words, pgbench_program

    program = pgbench_program()
    assert program is not None
    command = [program, *words, *login_words(place, user="postgres")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main(argv: list[str] | None = None) -> int:
    """Measure curation alone, as `python -m bench --only curation` does."""
    import sys

    from bench.__main__ import main as whole

    return whole(["--only", CURATION, *(sys.argv[1:] if argv is None else argv)])


if __name__ == "__main__":
    raise SystemExit(main())
