"""Another rule makes another profile; what was published under the first one stays as it is (DOM-10, PRO-20).

The tiny invented artifact once more, under a successor's rule document: one that publishes every class
whether dominated or not, and one in which a stop pattern takes a class away.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from tekrar.store.session import Connection
from tests.store import schema_load
from tests.store.matrix import BULK, READER
from tests.store.schema_publication import Published, as_login, new_load, plan_of, publish

UNIQUE = (2, None, None, None)
#: Rule -> states of the runs of FS, and the number of classes that are left.
RULES: dict[str, tuple[list[Any], int]] = {
    "all_qualified": ([(1, None, 0, 1), (1, None, 1, 1), (1, None, 0, 1), (1, None, 1, 1), UNIQUE], 2),
    "stop_pattern": ([(1, None, 0, 1), UNIQUE, (1, None, 0, 1), UNIQUE, UNIQUE], 1),
}


def under(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The invented IDs and roots of the same text under another rule."""
    name, sha = schema_load.name, schema_load.sha

    def other_name(*parts: str) -> uuid.UUID:
        return name(*parts, rule) if len(parts) > 2 and "selection" not in parts else name(*parts)

    def other_sha(*parts: str | bytes) -> bytes:
        return sha(*parts, rule) if parts[0] in ("artifact", *schema_load.MATRIX) else sha(*parts)

    monkeypatch.setattr(schema_load, "name", other_name)
    monkeypatch.setattr(schema_load, "sha", other_sha)
    monkeypatch.setattr(schema_load, "RULE", rule)
    monkeypatch.setitem(schema_load.STATES, "FS", RULES[rule][0])


def rows_of(connection: Connection, artifact: int) -> dict[str, Any]:
    """Every row of an artifact and of its releases, as text."""
    own = f"profile_key IN (SELECT profile_key FROM repetition.profile WHERE artifact_key = {artifact})"
    chosen = {name: own for name in BULK if name.startswith("repetition.")}
    chosen |= {
        f"repetition.{name}": f"artifact_key = {artifact}"
        for name in ("artifact", "profile", "root", "seal", "repetition_release")
    }
    return {
        relation: connection.execute(
            f"SELECT t::text FROM {relation} t WHERE {where} ORDER BY 1".encode()
        ).fetchall()
        for relation, where in chosen.items()
    }


def listed(connection: Connection, release: uuid.UUID, presentation: str) -> list[Any]:
    with as_login(connection, READER, "") as session:
        return session.execute(
            "SELECT class, size, length FROM api.list_classes(%s, %s, 1::smallint, 2, 32767::smallint,"
            " 2147483647, -1, 10, false) WHERE class_no IS NOT NULL",
            (release, presentation),
        ).fetchall()


@pytest.mark.req("DOM-10", "PRO-20", "PRO-17", "ID-11")
@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_successor_profile_leaves_the_earlier_release(
    admin: Connection, published: Published, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    first, releases = published
    before, occurrence = rows_of(admin, first.artifact_key), first.occurrence("FS", 0)
    seen = {shown: listed(admin, releases["FS"], shown) for shown in ("published", "dominated")}
    under(rule, monkeypatch)
    successor = new_load(admin, "")
    assert successor.text_release == first.text_release
    assert not set(successor.profile_ids.values()) & set(first.profile_ids.values())
    done = publish(admin, plan_of(admin, successor, "FS"))
    new = uuid.UUID(done["releases"][0]["release"])
    assert new != releases["FS"]
    assert rows_of(admin, first.artifact_key) == before
    for shown, classes in seen.items():
        assert classes
        assert listed(admin, releases["FS"], shown) == classes
    assert len(listed(admin, new, "published")) == RULES[rule][1]
    assert listed(admin, new, "dominated") == []
    # The old profile resolves to the old document, the old occurrence under the old release alone.
    for profile, stated in ((first, "maximal_only"), (successor, rule)):
        found = admin.execute(
            "SELECT document FROM repetition.profile WHERE profile = %s", (profile.profile_ids["FS"],)
        ).fetchall()
        assert [json.loads(bytes(row[0]))["rule"] for row in found] == [stated]
    with as_login(admin, READER, "") as session:
        row = session.execute(
            "SELECT status, presentation FROM api.occurrence_status(%s, %s)",
            (releases["FS"], occurrence),
        ).fetchone()
        assert row == ("matched", "dominated")
    move = admin.execute(
        "SELECT previous IS NOT NULL, release FROM repetition.pointer_move ORDER BY version DESC LIMIT 1"
    ).fetchone()
    assert move == (True, new)  # the record that leads from the old release to the new one
