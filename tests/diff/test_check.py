"""Foreign scripts that lie: every rule of requirements 3.7 has a typed refusal that names the operation."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tekrar.core.diff import Endpoint, PassageDiff, Script, decode, diff, diff_of, units_of, verified, verify
from tekrar.core.diff.script import DELETE, EQUAL, INSERT, MOVE, REPLACE, SCRIPT_TAG
from tekrar.core.encoding import lp
from tekrar.core.identity import selection_id, uuid_text
from tekrar.errors import VerificationError

RELEASE = bytes.fromhex("11111111222253338444555555555555")
ONE, OTHER = (bytes.fromhex(f"0000000{n}222253338444555555555555") for n in (1, 2))
TEXT = "Küçük kedi süt içti. Küçük köpek süt içti, sonra uyudu.".encode()
CUT = TEXT.index(b". ") + 2


def endpoint(start: int, end: int, occurrence: bytes | None = ONE, root: bytes = b"w" * 32) -> Endpoint:
    return Endpoint(RELEASE, occurrence, root, "full_context_v1", units_of(TEXT, start=start, end=end))


LEFT, RIGHT = endpoint(0, CUT - 1), endpoint(CUT, len(TEXT), OTHER)


def kind_of(work: Callable[[], object]) -> str:
    with pytest.raises(VerificationError) as refused:
        work()
    assert refused.value.where
    return refused.value.kind


@pytest.mark.req("DIF-01", "ID-02")
def test_the_record_binds_endpoints_algorithm_and_script() -> None:
    made = diff_of(LEFT, RIGHT)
    record = json.loads(json.dumps(made.as_record()))
    assert verified(record, LEFT, RIGHT) == made
    assert record["left"]["selection"] == uuid_text(selection_id(RELEASE, [(0, CUT - 1)]))
    assert record["algorithm"] == "adr009.diff-lcs-move.1"
    assert "kedi" not in json.dumps(record, ensure_ascii=False)


@pytest.mark.req("DIF-06")
def test_the_reverse_is_another_diff() -> None:
    there, back = diff_of(LEFT, RIGHT), diff_of(RIGHT, LEFT)
    assert there.id != back.id
    same = endpoint(0, 7), endpoint(0, 7, OTHER)
    assert diff_of(*same).script == diff_of(*same[::-1]).script
    assert diff_of(*same).id != diff_of(*same[::-1]).id


@pytest.mark.req("DIF-07")
def test_a_diff_of_equal_passages_is_a_diff_and_nothing_else() -> None:
    made = diff_of(endpoint(0, 7), endpoint(CUT, CUT + 7, OTHER))
    assert [op[0] for op in made.script.operations] == [EQUAL]
    assert set(made.as_record()) == {
        "format",
        "id",
        "algorithm",
        "tokenizer",
        "left",
        "right",
        "script_digest",
        "operations",
    }


def test_a_byte_range_has_a_diff_and_no_id() -> None:
    made = diff_of(endpoint(0, 7, None), RIGHT)
    assert made.id is None
    assert verified(made.as_record(), endpoint(0, 7, None), RIGHT) == made


@pytest.mark.req("DIF-01", "DIF-08")
@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        (endpoint(0, CUT - 1, root=b"x" * 32), RIGHT, "diff_stale"),
        (LEFT, endpoint(CUT, len(TEXT), OTHER, root=b"x" * 32), "diff_stale"),
        (endpoint(0, CUT - 1, b"n" * 16, root=b"x" * 32), RIGHT, "diff_stale"),
        (endpoint(0, CUT - 2), RIGHT, "diff_stale"),
        (endpoint(0, CUT - 2, b"n" * 16), RIGHT, "diff_endpoint"),
        (endpoint(0, CUT - 2, b"n" * 16, root=b"x" * 32), RIGHT, "diff_endpoint"),
        (endpoint(0, CUT - 1, OTHER), RIGHT, "diff_endpoint"),
        (RIGHT, LEFT, "diff_endpoint"),
    ],
)
def test_a_diff_of_another_witness_or_selection_is_refused(
    left: Endpoint, right: Endpoint, kind: str
) -> None:
    record = diff_of(LEFT, RIGHT).as_record()
    assert kind_of(lambda: verified(record, left, right)) == kind


def _set(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda record: record.__setitem__(key, value)


def _operation(at: int, key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda record: record["operations"][at].__setitem__(key, value)


@pytest.mark.req("DIF-02", "DIF-04")
@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda r: (r.clear(), r.update({"edits": 3})), "diff_no_script"),
        (_set("operations", 3), "diff_no_script"),
        (lambda r: r.pop("operations"), "diff_no_script"),
        (_set("edits", 3), "diff_malformed"),
        (lambda r: r.pop("script_digest"), "diff_malformed"),
        (_set("format", "tekrar/passage-diff/v0"), "diff_algorithm"),
        (_set("algorithm", "difflib"), "diff_algorithm"),
        (_set("tokenizer", "uax29-15.0.0"), "diff_algorithm"),
        (_set("left", None), "diff_malformed"),
        (lambda r: r["left"].__setitem__("start", False), "diff_endpoint"),
        (_operation(0, "op", "copy"), "diff_operation"),
        (_operation(0, "op", 1), "diff_operation"),
        (_operation(0, "op", ["equal"]), "diff_operation"),
        (_operation(0, "left", [0]), "diff_malformed"),
        (_operation(0, "left", [0, 7.0]), "diff_malformed"),
        (_operation(0, "left", [0, True]), "diff_malformed"),
        (_operation(0, "left", [-1, 7]), "diff_malformed"),
        (_operation(0, "left", [0, 1 << 64]), "diff_malformed"),
        (_operation(0, "text", "Küçük"), "diff_malformed"),
        (lambda r: r["operations"].__setitem__(0, None), "diff_malformed"),
        (_set("script_digest", "0" * 64), "diff_digest"),
        (_set("id", None), "diff_id"),
        (_set("operations", []), "diff_uncovered"),
    ],
)
def test_records_that_lie(change: Callable[[dict[str, Any]], None], kind: str) -> None:
    record = copy.deepcopy(diff_of(LEFT, RIGHT).as_record())
    change(record)
    assert kind_of(lambda: verified(record, LEFT, RIGHT)) == kind


def check(left: str, right: str, *operations: tuple[int, int, int, int, int]) -> str:
    a, b = units_of(left.encode()), units_of(right.encode())
    return kind_of(lambda: verify(Script(operations), a, b))


@pytest.mark.req("DIF-03", "DIF-05")
@pytest.mark.parametrize(
    ("left", "right", "operations", "kind"),
    [
        ("a b", "a c", [(EQUAL, 0, 3, 0, 3)], "diff_lie"),
        ("a b", "c d", [(MOVE, 0, 3, 0, 3)], "diff_lie"),
        ("a b", "a b", [(7, 0, 3, 0, 3)], "diff_operation"),
        ("a b", "a b", [(EQUAL, 0, 4, 0, 3)], "diff_outside"),
        ("ş b", "ş b", [(EQUAL, 0, 1, 0, 1)], "diff_character"),
        ("aa b", "aa b", [(EQUAL, 0, 1, 0, 1)], "diff_unit"),
        ("a b", "a b", [(EQUAL, 1, 0, 0, 1)], "diff_outside"),
        ("a", "a", [(EQUAL, 0, 1, 0, 1), (EQUAL, 0, 1, 0, 1)], "diff_order"),
        ("a b", "a b", [(EQUAL, 2, 3, 2, 3), (EQUAL, 0, 2, 0, 2)], "diff_order"),
        ("a b", "a b", [(EQUAL, 0, 2, 0, 2), (EQUAL, 1, 3, 1, 3)], "diff_overlap"),
        ("a a", "a a", [(EQUAL, 0, 1, 0, 1), (REPLACE, 0, 3, 1, 3)], "diff_overlap"),
        ("a b", "a b", [(EQUAL, 0, 2, 0, 2)], "diff_uncovered"),
        ("a b", "a", [(EQUAL, 0, 1, 0, 1)], "diff_uncovered"),
        ("a", "a b", [(EQUAL, 0, 1, 0, 1)], "diff_uncovered"),
        ("a b", "b a", [(EQUAL, 2, 3, 0, 1), (REPLACE, 1, 2, 1, 2), (EQUAL, 0, 1, 2, 3)], "diff_backbone"),
        ("a", "b", [(REPLACE, 0, 0, 0, 1), (DELETE, 0, 1, 1, 1)], "diff_empty_span"),
        ("a", "a", [(EQUAL, 0, 1, 0, 1), (DELETE, 1, 1, 1, 1)], "diff_empty_span"),
        ("a", "b", [(INSERT, 0, 1, 0, 1)], "diff_two_sided"),
        ("a", "b", [(DELETE, 0, 1, 0, 1)], "diff_two_sided"),
        ("a b", "a b", [(REPLACE, 0, 3, 0, 3)], "diff_not_canonical"),
        ("a", "b", [(INSERT, 0, 0, 0, 1), (DELETE, 0, 1, 1, 1)], "diff_not_canonical"),
        ("a", "b", [(DELETE, 0, 1, 0, 0), (INSERT, 1, 1, 0, 1)], "diff_not_canonical"),
        ("a b", "a b", [(EQUAL, 0, 1, 0, 1), (EQUAL, 1, 3, 1, 3)], "diff_not_canonical"),
        ("a b", "a b", [(EQUAL, 0, 2, 0, 2), (MOVE, 2, 3, 2, 3)], "diff_not_canonical"),
    ],
)
def test_scripts_that_lie(left: str, right: str, operations: list[Any], kind: str) -> None:
    assert check(left, right, *operations) == kind


@pytest.mark.req("DIF-02")
def test_bytes_that_are_no_script() -> None:
    script = diff(units_of(b"a b"), units_of(b"a c"))
    data = script.encoded
    assert decode(data) == script
    for bad, kind in (
        (b"", "diff_malformed"),
        (data[:-1], "diff_malformed"),
        (data + b"\0", "diff_malformed"),
        (data[: data.index(b"uax29")], "diff_algorithm"),
        (data.replace(b"move.1", b"move.2"), "diff_algorithm"),
        (data[:-33] + b"\x07" + data[-32:], "diff_operation"),
        (lp(SCRIPT_TAG), "diff_algorithm"),
    ):
        assert kind_of(lambda bad=bad: decode(bad)) == kind


def test_masks_are_equal_by_kind_and_replay_as_markers() -> None:
    left = units_of(b"bir[1] iki", boundaries=[(3, 6, "note_marker")])
    right = units_of(b"bir[22] iki", boundaries=[(3, 7, "note_marker")])
    plain = units_of(b"bir iki")
    assert diff(left, right).operations == ((EQUAL, 0, 10, 0, 11),)
    assert left.witness() == right.witness() != plain.witness()
    verify(diff(left, plain), left, plain)
    assert len(diff(left, plain).operations) > 1


def test_a_made_diff_is_a_value() -> None:
    assert diff_of(LEFT, RIGHT) == PassageDiff(LEFT, RIGHT, diff(LEFT.units, RIGHT.units))
