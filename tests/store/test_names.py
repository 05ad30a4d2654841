"""Names of actors and drafts: the database and the core take the same, over every code point."""

from __future__ import annotations

import unicodedata

import pytest

from tekrar.core.curation.names import is_name
from tekrar.store.session import Connection
from tests.store.matrix import ADMINISTRATOR, CURATOR
from tests.store.schema_load import Loaded
from tests.store.schema_publication import call

_ALL = b"""
    SELECT i FROM generate_series(1, %s) AS i
    WHERE i NOT BETWEEN 55296 AND 57343 AND curation.is_name(%s || chr(i) || %s)
"""
_IGNORABLE = (0x34F, 0x115F, 0x17B4, 0x180B, 0x2065, 0x3164, 0xFE0F, 0xFFA0)


@pytest.mark.req("CUR-03")
@pytest.mark.parametrize(
    ("before", "after", "last"),
    [("a", "b", 0x10FFFF), ("", "", 0x3100), ("b", "", 0x3100), ("\u0645\u06cc", "\u062e\u0648", 0x3100)],
)
def test_the_database_and_the_core_take_the_same_names(
    admin: Connection, before: str, after: str, last: int
) -> None:
    taken = {row[0] for row in admin.execute(_ALL, (last, before, after)).fetchall()}
    own = {i for i in range(1, last + 1) if not 0xD800 <= i < 0xE000 and is_name(f"{before}{chr(i)}{after}")}
    assert taken ^ own == set()


def test_no_name_holds_what_shows_nothing_or_turns_the_line() -> None:
    for at in range(0x110000):
        category = unicodedata.category(chr(at))
        if category in ("Cc", "Cf", "Zl", "Zp", "Cs", "Co") or at in _IGNORABLE or at & 0xFFFE == 0xFFFE:
            assert not is_name(f"a{chr(at)}b"), hex(at)
        if 0xE0000 <= at < 0xE1000 or 0xFDD0 <= at < 0xFDF0 or 0xFE00 <= at < 0xFE10:
            assert not is_name(f"a{chr(at)}b"), hex(at)
        if category[0] in "LNPS" and at not in (0x115F, 0x1160, 0x3164, 0xFFA0):
            assert is_name(f"a{chr(at)}b"), hex(at)
    assert is_name("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645")
    assert [one for one in ("", "a" * 201, " a", "a\u3000", "a\u200cb", "\u0645\u200c") if is_name(one)] == []


def test_a_name_from_before_is_read_and_goes_on(admin: Connection, actors: Loaded) -> None:
    """A draft that is named as none may be now is listed, saved again and shown; a new one is refused."""
    old = "taslak\u00ad\U000e0041"
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", "yazar", None)
    call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yazar", "curator", "*", None, None)
    with pytest.raises(Exception, match="is no draft") as error:
        call(admin, CURATOR, "yazar", "api.save_draft", old, 0, b"{}")
    assert getattr(error.value, "sqlstate", "") == "TK012"
    admin.execute(
        b"INSERT INTO curation.draft (author, draft, version, document, recorded_at)"
        b" SELECT actor_key, %s, 1, '{}', now() FROM curation.actor WHERE name = 'yazar'",
        (old,),
    )
    assert call(admin, CURATOR, "yazar", "api.save_draft", old, 1, b"{ }")["version"] == 2
