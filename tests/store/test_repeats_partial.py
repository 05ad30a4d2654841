"""Where a passage recurs in a partial profile: a group that is no class yet is a layer of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tekrar.store.repeats import RepeatsReader
from tekrar.store.roles import LOGIN
from tekrar.store.session import open_target
from tekrar.store.target import of_embedded
from tests.store.kept import Kept


@pytest.fixture
def reader(kept: Kept) -> Iterator[RepeatsReader]:
    with open_target(of_embedded(kept.place, user=LOGIN)) as connection:
        yield RepeatsReader(connection, key=bytes(32))


@pytest.mark.req("LAY-08", "LAY-10")
@pytest.mark.parametrize("short", ["FS", "PP", "PS"])
def test_a_provisional_group_is_never_shown_as_a_class(kept: Kept, reader: RepeatsReader, short: str) -> None:
    release = kept.release("partial", short)
    rows = kept.admin.execute(
        "SELECT DISTINCT ON (o.group_key) o.occurrence::text, encode(o.group_key, 'hex'), o.class_size"
        " FROM repetition.repetition_release r JOIN repetition.occurrence o USING (profile_key)"
        " WHERE r.release = %s AND o.part = 1 ORDER BY o.group_key, o.row_no",
        (release,),
    ).fetchall()
    assert rows
    for own, key, size in rows:
        found = reader.repeats(release, own)["repeats"]
        assert {(row["layer"], row["structure"], row["group_key"], row["state"]) for row in found} == {
            ("provisional_group", None, key, "provisional")
        }
        assert len(found) == size
        pages, cursor = [], None
        while not pages or cursor:
            page = reader.repeats(release, own, page=1, cursor=cursor)
            pages += page["repeats"]
            cursor = page["next"]
        assert pages == found


@pytest.mark.req("LAY-08")
def test_a_dominated_class_says_so(kept: Kept, reader: RepeatsReader) -> None:
    release = kept.release("first", "FS")
    rows = kept.admin.execute(
        "SELECT o.occurrence::text, o.presentation FROM repetition.repetition_release r"
        " JOIN repetition.occurrence o USING (profile_key) WHERE r.release = %s AND o.part = 1",
        (release,),
    ).fetchall()
    assert {presentation for _, presentation in rows} == {1, 2}
    for own, presentation in rows:
        found = reader.repeats(release, own, layers=["exact_class"])["repeats"]
        assert {row["state"] for row in found} == {"published" if presentation == 1 else "dominated"}
        assert any(row["asked"] for row in found)
