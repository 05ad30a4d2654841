"""A publisher that races with another: `python -m tests.store.publish_racer LOGIN_URL SUPERUSER_URL ROOT…`.

Reads a command a line. `prepare N`: prepare the N-th artifact. `publish`: publish what was prepared. `free
ROUNDS SEED`: move a head, so that there is something new, prepare an artifact of chance, publish, without
waiting for anybody. Answers with a JSON list of outcomes: `published`, `already_visible`, or the kind of the
error.
"""

from __future__ import annotations

import json
import random
import sys

from tekrar.errors import TekrarError
from tekrar.store.publish import Plan, prepare, submit
from tekrar.store.session import Connection, open_target
from tekrar.store.target import of_url

MOVE = (
    b"SET ROLE tekrar_owner; UPDATE curation.head SET value = sha256(value), version = version + 1"
    b" WHERE name = 'provenance'; RESET ROLE"
)


class Racer:
    """One publisher with its connections."""

    def __init__(self, login: Connection, superuser: Connection, roots: list[str]) -> None:
        self.login, self.superuser, self.roots = login, superuser, roots
        self.plan = Plan(())

    def prepare(self, number: int) -> list[str]:
        self.plan = prepare(self.login, self.roots[number], None, actor="yayıncı")
        return ["prepared"]

    def publish(self) -> list[str]:
        try:
            return [submit(self.login, self.plan, actor="yayıncı").outcome]
        except TekrarError as error:
            return [error.kind]

    def free(self, rounds: int, seed: int) -> list[str]:
        chance, outcomes = random.Random(seed), []
        for _ in range(rounds):
            self.superuser.execute(MOVE)
            self.prepare(chance.randrange(len(self.roots)))
            outcomes += self.publish()
        return outcomes


def main(login: str, superuser: str, *roots: str) -> None:
    with open_target(of_url(login)) as one, open_target(of_url(superuser)) as two:
        racer = Racer(one, two, list(roots))
        for line in sys.stdin:
            command, *words = line.split()
            print(json.dumps(getattr(racer, command)(*map(int, words))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
