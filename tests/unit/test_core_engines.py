"""Engines and shards: who computes a byte, and how many, changes none of them."""

from __future__ import annotations

import hashlib
import os
import signal
import uuid
from typing import Any

import numpy as np
import pytest

from tekrar.build import sha_ni
from tekrar.build.engine import HashlibEngine, SeamEngine, pick_engine, stamp_version, uuid_texts
from tekrar.build.shards import Shards
from tekrar.core.identity import issue, name_prefix
from tekrar.core.occurrence import enumerate_runs
from tekrar.core.preimage import member_record, run_header, run_preimage
from tekrar.errors import IntegrityError, StorageError, UsageError
from tests.oracle.run import build_document
from tests.small import document, mark, text_release

RUNS = enumerate_runs(text_release(document([[[f"{i}." for i in range(15)]], [["A.", "B."]], [["C."]]])))
COUNT = len(RUNS.start)
RECORDS = [
    [
        member_record(kind=kind, gap=b"", projected_length=i, digest=hashlib.sha256(b"%d" % i).digest())
        for i in range(COUNT)
    ]
    for kind in (0, 3)
]
FIRST, INNER = (np.frombuffer(b"".join(r), np.uint8).reshape(-1, 64) for r in RECORDS)
HEADER = run_header(bytes(range(16)))
PROFILE = str(uuid.uuid5(uuid.NAMESPACE_DNS, "profile"))
FACTS = {"coord": "utf8-byte.v1", "profile": PROFILE, "release": PROFILE, "granularity": "sentence-sequence"}
MASKS = [{**FACTS, "mask": digit * 64} for digit in "07"]
SHA_NI = pytest.mark.skipif(not sha_ni.available(), reason="no x86 SHA instructions or no llvmlite here")


def engines() -> list[Any]:
    found: list[Any] = [HashlibEngine(), SeamEngine(lambda purpose, data: hashlib.sha256(data).digest())]
    return found + ([pick_engine("sha-ni", None)] if sha_ni.available() else [])


@pytest.mark.req("REB-02", "VAL-04")
@pytest.mark.parametrize(("low", "high"), [(0, COUNT), (0, 1), (3, 11), (COUNT - 1, COUNT), (14, 16), (5, 5)])
def test_every_engine_gives_the_bytes_of_plain_hashlib_and_uuid5(low: int, high: int) -> None:
    starts = range(low, high)
    rows = [(i, k) for i in starts for k in range(2, int(RUNS.reach[i]) + 1)]
    namespace = uuid.UUID(int=7)
    wanted_ids = [
        uuid.uuid5(namespace, f"x/ranges={RUNS.start[i]}-{RUNS.end[i + k - 1]}").bytes for i, k in rows
    ]
    wanted_prints = [
        hashlib.sha256(run_preimage(HEADER, [RECORDS[0][i], *RECORDS[1][i + 1 : i + k]])).digest()
        for i, k in rows
    ]
    for engine in engines():
        chosen = engine.fan_selections(namespace.bytes + b"x/ranges=", RUNS, low, high)
        assert [row.tobytes() for row in chosen] == wanted_ids, engine.name
        prints = engine.fan_fingerprints(HEADER, FIRST, INNER, RUNS, low, high)
        assert [row.tobytes() for row in prints] == wanted_prints, engine.name
        which = np.arange(len(rows)) % 2
        prefixes = [name_prefix("passage-occurrence", facts) for facts in MASKS]
        ids = engine.occurrence_ids(prefixes, which, chosen)
        assert [row.tobytes() for row in ids] == [
            issue("passage-occurrence", {**MASKS[w], "selection": str(uuid.UUID(bytes=chosen_id))})
            for w, chosen_id in zip(which.tolist(), wanted_ids, strict=True)
        ], engine.name


@pytest.mark.req("ID-04")
def test_uuid_texts_and_version_bits() -> None:
    rows = np.random.default_rng(1).integers(0, 256, (50, 16), dtype=np.uint8)
    texts = [row.tobytes().decode() for row in uuid_texts(rows)]
    assert texts == [str(uuid.UUID(bytes=row.tobytes())) for row in rows]
    stamped = [uuid.UUID(bytes=row.tobytes()) for row in stamp_version(rows.copy())]
    assert {(u.version, u.variant) for u in stamped} == {(5, uuid.RFC_4122)}


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(UsageError, match="unknown engine 'gpu'"):
        pick_engine("gpu", None)


@pytest.mark.req("REB-02")
@SHA_NI
def test_both_engines_build_the_same_artifact_root() -> None:
    source = mark(document([[["A[1].", "B."], ["C."]], [["A[1].", "B."]]]), "note_markers", "[1]")
    plain, fast = build_document(source), build_document(source, engine="sha-ni")
    assert plain.roots == fast.roots
    assert (plain.provenance["engine"], fast.provenance["engine"]) == ("hashlib", "sha-ni")


@pytest.mark.req("REB-02", "REB-05", "DOM-12")
@pytest.mark.parametrize("workers", [1, 2, 5, 8])
@pytest.mark.parametrize("tasks", [0, 1, 3, 40])
def test_each_task_is_done_once_whoever_does_it(workers: int, tasks: int) -> None:
    shards = Shards(workers)
    out = shards.empty((tasks, 1), np.int64)

    def work(task: int) -> dict[str, int]:
        out[task] += task + 1
        return {"done": 1}

    shards.run("count", list(range(tasks)), work)
    assert out.reshape(-1).tolist() == [i + 1 for i in range(tasks)]
    assert sum(r.notes.get("done", 0) for r in shards.reports["count"]) == tasks


@pytest.mark.req("REB-02")
@pytest.mark.parametrize("workers", [3, 8, 16])
def test_more_workers_than_work_is_legal(workers: int) -> None:
    source = document([[["A."], ["A."]], [["B."]]])
    assert (
        build_document(source, workers=workers, batch=1).artifact_root == build_document(source).artifact_root
    )


def test_what_a_worker_raises_is_raised_and_a_killed_one_is_named() -> None:
    def refuse(task: int) -> None:
        raise IntegrityError("wrong", where="here", expected="right", mend="mend", kind="some")

    with pytest.raises(IntegrityError) as caught:
        Shards(2).run("s", [1, 2, 3], refuse)
    assert caught.value.as_record() == {
        "code": "integrity_error", "kind": "some", "message": "wrong", "where": "here", "expected": "right",
        "mend": "mend",
    }  # fmt: skip

    def die(task: int) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(StorageError, match="was killed"):
        Shards(2).run("s", [1, 2, 3], die)

    def bug(task: int) -> None:
        raise ZeroDivisionError("x")

    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        Shards(2).run("s", [1, 2, 3], bug)
