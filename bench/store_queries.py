"""Questions by pgbench and by psycopg beside a look-up by primary key, in turn on one server.

pgbench sends what `tekrar.store.session.ask` sends: one pipeline of two prepared statements, the role and
claims, then the question with its release as a constant. IDs are drawn at random from a list in the
statement, which costs less than looking them up. It prepares a script's statements before it runs the first,
so its connections begin in the role.
"""

from __future__ import annotations

import os
import random
import re
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.corpora import Tell
from bench.process import CommandFailed
from bench.store_server import connection_to, login_words, pgbench_program
from tekrar.store.read import Reader
from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection
from tekrar.store.target import Embedded

CLIENTS, THREADS, SCALE = 50, 2, 20
#: IDs of each release in a script; classes of the first page of a listing, as the verb's default.
IDS, PAGE = 200, 20
#: Seconds at the start of a run that do not count: connections fill their caches and make their plans.
WARM = 3
ROWS = SCALE * 100_000

_LOOK = (
    "SELECT set_config('tekrar.claims', '{}', true),"
    " set_config('plan_cache_mode', 'force_generic_plan', true),"
    " set_config('transaction_read_only', 'on', true), set_config('role', 'tekrar_reader', true);"
)
QUESTIONS = {
    "occurrence by ID": "api.get_occurrence('{release}', {occurrence})",
    "status by ID": "api.occurrence_status('{release}', {occurrence})",
    f"classes, first {PAGE}": (
        "api.list_classes('{release}', 'published', 1::smallint, 2, 32767::smallint, 2147483647, -1,"
        " {page}, false)"
    ),
    f"members of a class, first {PAGE}": (
        "api.list_duplicates('{release}', {class}, NULL, NULL, NULL, -1, {page})"
    ),
}
#: The plain look-up of pgbench.
LOOKUP = "-S"


@dataclass(frozen=True)
class Known:
    """IDs of one published release, drawn at random with a fixed seed."""

    release: str
    occurrences: list[str]
    classes: list[str]


def known_ids(place: Embedded) -> list[Known]:
    """Some IDs of every release that has both."""
    found = []
    with connection_to(place) as connection:
        for release, key in connection.execute(
            "SELECT release::text, profile_key FROM repetition.repetition_release ORDER BY short"
        ).fetchall():
            lists = [
                [
                    row[0]
                    for row in connection.execute(
                        f"SELECT {what}::text FROM repetition.{table} WHERE profile_key = %s"
                        f" AND {what} IS NOT NULL ORDER BY sha256({what}::text::bytea) LIMIT %s".encode(),
                        (key, IDS),
                    ).fetchall()
                ]
                for what, table in (("occurrence", "occurrence"), ("class", "class"))
            ]
            if all(lists):
                found.append(Known(release, *lists))
    return found


def write_scripts(folder: Path, known: list[Known]) -> dict[str, list[Path]]:
    """The scripts of each question, one a release."""

    def one_of(ids: list[str]) -> str:
        return "(ARRAY[" + ",".join(f"'{one}'" for one in ids) + f"]::uuid[])[1 + :i % {len(ids)}]"

    scripts: dict[str, list[Path]] = {}
    for number, (name, call) in enumerate(QUESTIONS.items()):
        for at, one in enumerate(known):
            text = call.replace("{release}", one.release).replace("{page}", str(PAGE + 1))
            text = text.replace("{occurrence}", one_of(one.occurrences)).replace(
                "{class}", one_of(one.classes)
            )
            path = folder / f"question-{number}-{at}.sql"
            path.write_text(
                f"\\set i random(0, 1000000)\n\\startpipeline\n{_LOOK}\n"
                f"SELECT * FROM {text};\n\\endpipeline\n"
            )
            scripts.setdefault(name, []).append(path)
    return scripts


def make_lookup(place: Embedded) -> None:
    """The tables of pgbench itself."""
    _pgbench(["-i", "-q", "-s", str(SCALE), *login_words(place, user="postgres")], seconds=0)


@dataclass(frozen=True)
class Runner:
    """Runs one kind of request for some seconds.

    Attributes:
        lookup, store: the databases of pgbench's tables and of the published releases.
        scripts: of each question.
        seconds: of a run.
        folder: for the logs of single requests.
    """

    lookup: Embedded
    store: Embedded
    scripts: dict[str, list[Path]]
    seconds: int
    folder: Path

    def rate(self, name: str) -> float:
        """Requests a second at 50 connections, the median of the seconds that count."""
        told = _pgbench([*self._words(name), "-P", "1", *self._place(name)], seconds=self.seconds)
        speeds = [float(text) for text in re.findall(r"progress: [\d.]+ s, ([\d.]+) tps", told)]
        return statistics.median(speeds[min(WARM, len(speeds) - 1) :])

    def p99(self, name: str, *, rate: float) -> float:
        """The 99th percentile of latency in milliseconds, at so many requests a second."""
        prefix = self.folder / "log"
        more = ["-R", str(int(rate)), "-l", "--log-prefix", str(prefix)]
        _pgbench([*self._words(name), *more, *self._place(name)], seconds=self.seconds)
        latencies: list[tuple[float, int]] = []
        for path in self.folder.glob("log*"):
            for line in path.read_text().splitlines():
                words = line.split()
                latencies.append((int(words[4]) + int(words[5]) / 1e6, int(words[2])))
            path.unlink()
        first = min(at for at, _ in latencies) + min(WARM, self.seconds / 2)
        counted = sorted(taken for at, taken in latencies if at >= first)
        return counted[int(len(counted) * 0.99)] / 1000

    def _words(self, name: str) -> list[str]:
        words = ["-n", "-M", "prepared", "-c", str(CLIENTS), "-j", str(THREADS), "-T", str(self.seconds)]
        if name == LOOKUP:
            return [*words, "-S"]
        return [*words, *(word for path in self.scripts[name] for word in ("-f", str(path)))]

    def _place(self, name: str) -> list[str]:
        return login_words(self.lookup, user="postgres") if name == LOOKUP else login_words(self.store)


def _pgbench(words: list[str], *, seconds: int) -> str:
    program = pgbench_program()
    assert program is not None
    environment = dict(os.environ)
    if LOGIN in words:
        environment["PGOPTIONS"] = "-c role=tekrar_reader"
    done = subprocess.run(
        [program, *words], env=environment, capture_output=True, text=True, timeout=seconds + 300, check=False
    )
    if done.returncode or "aborted" in done.stderr:
        raise CommandFailed(f"pgbench ended with status {done.returncode}\n{done.stderr[-1000:]}")
    return done.stderr


def psycopg_ratios(
    lookup: Embedded, store: Embedded, known: list[Known], *, rounds: int, tell: Tell
) -> dict[str, float]:
    """A bare loop by primary key / each question of the Python call: medians of alternating rounds."""
    one = known[0]
    with connection_to(lookup) as bare, connection_to(store, user=LOGIN) as connection:
        reader = Reader(connection, key=bytes(32))
        loops: dict[str, Callable[[], None]] = {
            LOOKUP: lambda: _bare_loop(bare),
            "occurrence by ID": lambda: _loop(lambda id: reader.occurrence(one.release, id), one.occurrences),
            "status by ID": lambda: _loop(lambda id: reader.status(one.release, id), one.occurrences),
            f"classes, first {PAGE}": lambda: _loop(
                lambda _: reader.classes(one.release, page=PAGE), one.occurrences
            ),
            f"members of a class, first {PAGE}": lambda: _loop(
                lambda id: reader.duplicates(one.release, id, page=PAGE), one.classes
            ),
        }
        taken: dict[str, list[float]] = {name: [] for name in loops}
        for number in range(rounds + 1):
            tell(f"store: psycopg, round {number} of {rounds}")
            for name, loop in loops.items():
                begun = time.perf_counter()
                loop()
                if number:
                    taken[name].append(time.perf_counter() - begun)
        each = {name: statistics.median(times) for name, times in taken.items()}
    requests = dict.fromkeys(loops, IDS)
    requests |= {name: len(one.classes) for name in loops if name.startswith("members")}
    base = each[LOOKUP] / requests[LOOKUP]
    return {name: base / (each[name] / requests[name]) for name in loops if name != LOOKUP}


def _bare_loop(connection: Connection) -> None:
    for _ in range(IDS):
        connection.execute(
            "SELECT abalance FROM public.pgbench_accounts WHERE aid = %s",
            (random.randint(1, ROWS),),
            prepare=True,
        ).fetchone()


def _loop(ask: Callable[[str], object], ids: list[str]) -> None:
    for id in ids:
        ask(id)
