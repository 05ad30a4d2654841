"""The queries of a published release: status, reconstruction, paging, coverage, why; and what a reader
does not see.
"""

from __future__ import annotations

import json
import uuid

import psycopg
import pytest

from tekrar.store.session import Connection
from tests.store.matrix import READER
from tests.store.schema_load import sha
from tests.store.schema_publication import Published, as_login, new_load


@pytest.mark.req("QRY-02", "QRY-03", "CORE-03")
def test_status_comes_from_the_partition(admin: Connection, published: Published) -> None:
    one, releases = published
    expected = {
        ("FP", 0): ("matched", "published", None),
        ("FP", 2): ("unique", None, None),
        ("FS", 0): ("matched", "dominated", None),
        ("PP", 0): ("matched", "provisional", None),
        ("PP", 2): ("not_evaluated", None, "pending_peer_universe"),
        ("PP", 3): ("excluded", None, None),
        ("PS", 0): ("not_evaluated", None, "pending_evaluation"),
        ("PS", 3): ("integrity_error", None, "missing_witness_bytes"),
    }
    for (short, row), wanted in expected.items():
        with as_login(admin, READER, "") as reader:
            found = reader.execute(
                "SELECT status, presentation, code, reasons, short, row_no FROM"
                " api.occurrence_status(%s, %s)",
                (releases[short], one.occurrence(short, row)),
            ).fetchall()
        assert [answer[:3] for answer in found] == [wanted]
        assert found[0][4:] == (short, row)
        assert found[0][3] == (["heading_marker_intersection"] if wanted[0] == "excluded" else None)


@pytest.mark.req("QRY-03")
def test_what_is_not_there_is_an_error_and_never_unique(admin: Connection, published: Published) -> None:
    one, releases = published
    unknown = uuid.uuid5(uuid.NAMESPACE_DNS, "yok")
    for function in ("api.occurrence_status(%s, %s)", "api.get_occurrence(%s, %s)", "api.why(%s, %s)"):
        for arguments in (
            (releases["FP"], unknown),
            (unknown, one.occurrence("FP", 0)),
            (releases["FP"], one.occurrence("PP", 0)),  # of another profile
            (None, one.occurrence("FP", 0)),
            (releases["FP"], None),
        ):
            with pytest.raises(psycopg.Error) as error, as_login(admin, READER, "") as reader:
                reader.execute(f"SELECT * FROM {function}".encode(), arguments)
            assert error.value.sqlstate == "TK010"


@pytest.mark.req("QRY-04", "CORE-03", "OCC-08")
def test_an_occurrence_is_reconstructed_from_core(admin: Connection, published: Published) -> None:
    one, releases = published
    with as_login(admin, READER, "") as reader:
        for short, rows in (("FP", 4), ("FS", 5), ("PP", 4), ("PS", 5)):
            for row in range(rows):
                found = reader.execute(
                    "SELECT content, start_byte, end_byte, book_label, chapter_title, row_no"
                    " FROM api.get_occurrence(%s, %s)",
                    (releases[short], one.occurrence(short, row)),
                ).fetchone()
                assert found is not None
                content, start, end, label, title, number = found
                assert bytes(content) == one.text[start:end]
                assert (bytes(label), bytes(title).decode(), number) == (b"bah\x00ce", "Kuyu", row)
        last = reader.execute(
            "SELECT content, paragraph, last_paragraph, para FROM api.get_occurrence(%s, %s)",
            (releases["FS"], one.occurrence("FS", 4)),
        ).fetchone()
        assert last is not None
        assert bytes(last[0]) == "Kuş uçar.\n\nGül\0solar.".encode()
        assert last[1:] == (3, 4, 4)


def test_members_and_classes_are_paged_by_key(admin: Connection, published: Published) -> None:
    one, releases = published
    with as_login(admin, READER, "") as reader:
        after, seen = -1, []
        while page := reader.execute(
            "SELECT row_no, occurrence FROM"
            " api.list_duplicates(%s, %s, NULL, NULL, NULL, %s::integer, 1) WHERE row_no IS NOT NULL",
            (releases["FS"], one.exact_class("FS", 1), after),
        ).fetchall():
            seen += page
            after = page[-1][0]
        assert [row[:2] for row in seen] == [(1, one.occurrence("FS", 1)), (3, one.occurrence("FS", 3))]
        for named in (one.exact_class("FS", 1), one.occurrence("FS", 3)):
            head = reader.execute(
                "SELECT DISTINCT status, presentation, class, size, chosen FROM"
                " api.list_duplicates(%s, %s, NULL, NULL, NULL, -1, 9)",
                (releases["FS"], named),
            ).fetchall()
            assert head == [("matched", "published", one.exact_class("FS", 1), 2, 2)]
        for presentation, classes in (
            ("published", [one.exact_class("FS", 1)]),
            ("dominated", [one.exact_class("FS", 0)]),
            ("provisional", []),
        ):
            query = (
                "SELECT status, total, class, length, size, class_no, winner FROM api.list_classes("
                "%s, %s, 1::smallint, 2, %s::smallint, %s::integer, %s::integer, 10, true)"
            )
            head, *found = reader.execute(
                query, (releases["FS"], presentation, 32767, 2147483647, -1)
            ).fetchall()
            assert head[:2] == ("listed", len(classes))
            assert [row[2] for row in found] == classes
            if presentation == "dominated":
                assert found[0][6] == one.exact_class("FS", 1)
            for row in found:
                _, *more = reader.execute(query, (releases["FS"], presentation, *row[3:6])).fetchall()
                assert more == []
        group = sha("witness", "PP", "0")
        found = reader.execute(
            "SELECT occurrence FROM api.list_duplicates(%s, NULL, %s, NULL, NULL, -1, 10)"
            " WHERE row_no IS NOT NULL",
            (releases["PP"], group),
        ).fetchall()
        assert [row[0] for row in found] == [one.occurrence("PP", 0), one.occurrence("PP", 1)]


def test_coverage_releases_and_why_give_facts(admin: Connection, published: Published) -> None:
    one, releases = published
    with as_login(admin, READER, "") as reader:
        covered = reader.execute("SELECT * FROM api.coverage(%s)", (releases["PP"],)).fetchone()
        assert covered is not None
        assert covered[3:5] == ("partial", "not_assessed")
        assert covered[6]["provisional_items"] == json.loads(covered[5])["provisional_items"] == 2
        listed = reader.execute("SELECT release, short, state, release_set FROM api.releases()").fetchall()
        assert {row[0]: row[1:3] for row in listed if row[3]} == {
            release: (short, "visible") for short, release in releases.items()
        }
        why = reader.execute("SELECT api.why(%s, %s)", (releases["FS"], one.occurrence("FS", 0))).fetchone()
        assert why is not None
        assert (why[0]["status"], why[0]["presentation"], why[0]["part"]) == (
            "matched",
            "dominated",
            "matched",
        )
        assert why[0]["class"]["winner"] == str(one.exact_class("FS", 1))
        assert why[0]["roots"]["matched"] == sha("FS", "matched", str(one.text_release)).hex()
        shown = reader.execute(
            "SELECT state, pointer_moves FROM api.release_show(%s)", (releases["FP"],)
        ).fetchone()
        assert shown is not None
        assert shown[0] == "visible"
        assert [move["version"] for move in shown[1]] == [1]


def test_readers_find_published_rows_only(admin: Connection, published: Published) -> None:
    hidden = new_load(admin, "saklı")
    with as_login(admin, READER, "") as reader:
        keys = {
            row[0]
            for row in reader.execute("SELECT DISTINCT profile_key FROM repetition.occurrence").fetchall()
        }
        assert not keys & set(hidden.profiles.values())
        texts = {
            row[0] for row in reader.execute("SELECT DISTINCT release_key FROM core.sentence").fetchall()
        }
        assert hidden.release_key not in texts
