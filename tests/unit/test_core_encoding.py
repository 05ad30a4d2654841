"""Canonical bytes, manifest roots and inclusion paths (docs/encoding.md sections 1 to 3)."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tekrar.core import encoding as e
from tekrar.core.vectors import check_vectors, compute_vectors
from tekrar.errors import IntegrityError
from tests.oracle import encoding as oracle

RECORDS = [(e.u64(i), b"v%d" % i) for i in range(600)]
SCOPE = e.profile_scope(bytes(16), "exact_passage_bytes")


def test_integers_are_big_endian_and_unsigned() -> None:
    assert (e.u8(255), e.u16(1), e.u32(1), e.u64(258)) == (
        b"\xff", b"\0\1", b"\0\0\0\1", b"\0\0\0\0\0\0\1\2",
    )  # fmt: skip
    assert e.i64(-1) == b"\xff" * 8
    with pytest.raises(OverflowError):
        e.u8(256)
    with pytest.raises(OverflowError):
        e.u32(-1)


@pytest.mark.req("EX-07")
@given(left=st.lists(st.binary(max_size=4), max_size=4), right=st.lists(st.binary(max_size=4), max_size=4))
def test_delimited_sequences_are_equal_only_when_their_parts_are(
    left: list[bytes], right: list[bytes]
) -> None:
    one, two = (b"".join(e.lp(part) for part in parts) for parts in (left, right))
    assert (one == two) == (left == right)


def test_absent_is_a_null_marker_and_not_zero() -> None:
    assert e.opt(None) == b"\x00"
    assert e.opt(e.i64(0)) != e.opt(None)


@pytest.mark.parametrize("count", [0, 1, 2, 255, 256, 257, 512, 513, 600])
def test_roots_equal_those_of_the_slow_tree(count: int) -> None:
    found = e.manifest_root("work", SCOPE, RECORDS[:count])
    assert found == oracle.root("work", SCOPE, RECORDS[:count])


@pytest.mark.req("COV-02", "REL-01")
def test_a_root_binds_kind_scope_count_and_every_record() -> None:
    base = e.manifest_root("work", SCOPE, RECORDS)
    other = bytes(15) + b"\1"
    changed = [
        e.manifest_root("matched", SCOPE, RECORDS),
        e.manifest_root("work", e.profile_scope(other, "exact_passage_bytes"), RECORDS),
        e.manifest_root("work", e.profile_scope(bytes(16), "exact_sentence_sequence"), RECORDS),
        e.manifest_root("work", e.no_scope(), RECORDS),
        e.manifest_root("work", SCOPE, RECORDS[:-1]),
        e.manifest_root("work", SCOPE, RECORDS[1:]),
        e.manifest_root("work", SCOPE, [*RECORDS[:300], (RECORDS[300][0], b"x"), *RECORDS[301:]]),
        e.manifest_root("work", SCOPE, []),
        e.manifest_root("matched", SCOPE, []),
    ]
    assert len({base, *changed}) == 1 + len(changed)


@pytest.mark.req("COV-08")
@pytest.mark.parametrize("records", [[RECORDS[1], RECORDS[0]], [RECORDS[0], RECORDS[0]]])
def test_keys_out_of_order_or_twice_are_refused(records: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(ValueError, match="does not follow"):
        e.manifest_root("work", SCOPE, records)


@given(count=st.integers(1, 40), data=st.data())
def test_every_leaf_has_a_path_to_the_head_and_to_no_other(count: int, data: st.DataObject) -> None:
    leaves = [hashlib.sha256(bytes([i])).digest() for i in range(count)]
    index = data.draw(st.integers(0, count - 1))
    path = e.tree_path(leaves, index)
    head = e.tree_head(leaves)
    assert head == oracle.tree(leaves)
    assert e.path_head(leaves[index], path) == head
    assert e.path_head(hashlib.sha256(b"other").digest(), path) != head


def test_json_is_canonical() -> None:
    document: dict[str, e.Json] = {"b": "Nursî 😀", "a": [1, None, True]}
    assert e.canonical_json(document) == '{"a":[1,null,true],"b":"Nursî 😀"}'.encode()


@pytest.mark.req("REL-01")
def test_the_shipped_vectors_hold_and_a_changed_one_is_named() -> None:
    stated = json.loads(files("tekrar.core").joinpath("data/vectors.json").read_bytes())
    assert compute_vectors() == stated
    for name in stated:
        with pytest.raises(IntegrityError, match=name):
            check_vectors({**stated, name: "00"})
    with pytest.raises(IntegrityError, match="one_more"):
        check_vectors({**stated, "one_more": "00"})
