"""Two published editions, and actors of every role with logins of their own: for all, and for one of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tekrar.store.session import Connection
from tekrar.store.target import Embedded
from tests.store.matrix import ADMINISTRATOR, GRANTABLE, PUBLISHER
from tests.store.schema_load import Loaded
from tests.store.schema_logins import Logins, prove_login
from tests.store.schema_publication import (
    PROFILES,
    Published,
    call,
    grant_that_is_over,
    new_load,
    plan_of,
    publish,
)

#: The edition of the narrow grants, and the one that they do not cover.
NEAR, FAR = "bahçe", "uzak ada"

#: What can be wrong with a grant, and the SQLSTATE that says so.
WRONG = {"missing": "TK030", "over": "TK031", "future": "TK031", "revoked": "TK032"}


@dataclass
class World:
    """What the attacks are tried on.

    Attributes:
        admin: a superuser, to look and to arrange.
        near: loaded and published under `NEAR`; `far` under `FAR`; `hidden` under `FAR` and not published.
    """

    admin: Connection
    place: Embedded
    logins: Logins
    near: Loaded
    far: Loaded
    hidden: Loaded
    releases: dict[str, uuid.UUID]
    far_releases: dict[str, uuid.UUID]
    named: dict[tuple[str, str], str] = field(default_factory=dict)
    opened: dict[str, Connection] = field(default_factory=dict)
    grants: dict[tuple[str, str], int] = field(default_factory=dict)

    def actor(self, role: str, kind: str) -> str:
        """Login of the actor whose grant of a role is `all`, `near`, or wrong in a way of `WRONG`."""
        if (role, kind) not in self.named:
            login = self.logins.make()
            self.name(login, login)
            self.named[role, kind] = login
            self._grant(login, role, kind)
        return self.named[role, kind]

    def name(self, actor: str, login: str | None) -> None:
        call(self.admin, ADMINISTRATOR, "yönetici", "api.actor", actor, login)

    def grant(self, actor: str, role: str, scope: str = "*", start: Any = None, end: Any = None) -> int:
        words = (actor, role.removeprefix("tekrar_"), scope, start, end)
        return int(call(self.admin, ADMINISTRATOR, "yönetici", "api.grant_role", *words)["grant"])

    def revoke(self, number: int) -> None:
        call(self.admin, ADMINISTRATOR, "yönetici", "api.revoke_grant", number)

    def _grant(self, actor: str, role: str, kind: str) -> None:
        if kind in ("all", "near"):
            self.grants[role, kind] = self.grant(actor, role, "*" if kind == "all" else NEAR)
            return
        if kind == "future":
            self.grant(actor, role, start="2999-01-01")
            return
        if kind == "over":
            grant_that_is_over(self.admin, actor, role.removeprefix("tekrar_"), "*")
        elif kind == "revoked":
            self.revoke(self.grant(actor, role))
        # As if the database had stayed open, so that the ledger alone refuses.
        self.admin.execute(f'GRANT {role} TO "{actor}"'.encode())
        self.admin.execute(f'GRANT CONNECT ON DATABASE {self.place.database} TO "{actor}"'.encode())

    def connect(self, role: str, kind: str = "all") -> Connection:
        """The actor's own connection; what it is was proved as the role."""
        login = self.actor(role, kind)
        if login not in self.opened:
            connection = self.logins.connect(self.place, login)
            prove_login(connection, login, login)
            self.opened[login] = connection
        return self.opened[login]

    def admin_as_publisher(self) -> Connection:
        """The publisher who prepares the plans of `plan_of`, by a login of his own."""
        return self.connect(PUBLISHER)


@pytest.fixture(scope="module")
def world(admin: Connection, database: Embedded, logins: Logins, published: Published) -> Iterator[World]:
    near, releases = published
    far, hidden = new_load(admin, "ada", edition=FAR), new_load(admin, "gizli", edition=FAR)
    done = publish(admin, plan_of(admin, far, *PROFILES, together=True))
    far_releases = {row["short"]: uuid.UUID(row["release"]) for row in done["releases"]}
    one = World(admin, database, logins, near, far, hidden, releases, far_releases)
    for role in GRANTABLE:
        one.actor(role, "all")
        one.actor(role, "near")
    yield one
    for connection in one.opened.values():
        connection.close()
