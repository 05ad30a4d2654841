"""Inclusion proofs: what they prove, that they need no artifact, and that nothing in them can be altered."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.core.encoding import canonical_json
from tekrar.errors import IntegrityError, NotFoundError, UsageError, VerificationError
from tekrar.verify.proof import prove
from tekrar.verify.proof_check import MAX_BYTES, Proved, check_proof
from tests.small import Built, document, mark

SHORTS = ("FP", "FS", "PP", "PS")
PARTS = ("matched", "evaluated-unique", "not-evaluated", "failed", "excluded")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """More than three chunks of unique runs, exclusions with two reasons, classes."""
    again = ["A bell rang.", "It was late."]
    numbered = [f"Line {n} of the log." for n in range(90)]
    chapters = [[["Night watch"], again, ["A note on the watch."]], [again], [numbered]]
    source = mark(document(chapters, language="en"), "headings", "Night watch")
    source = mark(source, "note_bodies", "A note on the watch.", id="n1")
    return Built(source, tmp_path_factory.mktemp("proof"))


@pytest.fixture(scope="module")
def partial(tmp_path_factory: pytest.TempPathFactory) -> Built:
    chapters = [[["A bell rang.", "It was late."]], [["A bell rang.", "It was late."]], [["Alone."]]]
    return Built(
        document([*chapters, chapters[0]], language="en"), tmp_path_factory.mktemp("p"), defer=["b1/1/p1"]
    )


def identity(built: Built, short: str, row: int) -> str:
    return str(uuid.UUID(bytes=built.artifact.profile(short).occurrences["occurrence"][row].tobytes()))


def checked(built: Built, short: str, row: int) -> Proved:
    proof = prove(built.path, identity(built, short, row))
    return check_proof(canonical_json(proof), artifact_root=built.result.artifact_root)


@pytest.mark.req("COV-02", "COV-03", "COV-06", "COV-08")
@pytest.mark.parametrize("short", SHORTS)
def test_every_occurrence_is_proved_in_its_part_with_what_the_part_says(built: Built, short: str) -> None:
    profile = built.artifact.profile(short)
    classes = profile.classes["class"]
    seen = set()
    for row in range(0, profile.rows, 1 if profile.rows < 100 else 37):
        part, number = profile.part_of(row)
        proved = checked(built, short, row)
        assert (proved.part, proved.spec.short) == (part, short)
        assert (proved.start, proved.end) == profile.extent(row)
        assert proved.profile == profile.manifest["id"]
        if part == "matched":
            assert number is not None
            assert proved.value == {"class": str(uuid.UUID(bytes=classes[number].tobytes()))}
        elif part == "evaluated-unique":
            assert proved.value == {"fingerprint": profile.occurrences["fingerprint"][row].tobytes().hex()}
        seen.add(part)
    assert "evaluated-unique" in seen


@pytest.mark.req("COV-06", "PRO-07", "PRJ-10")
def test_an_exclusion_is_proved_with_every_reason_and_its_selection(built: Built) -> None:
    rows = built.artifact.profile("PS").table("excluded")["row"].tolist()
    values = [checked(built, "PS", row).value for row in rows]
    both = [value for value in values if len(value["reasons"]) == 2]
    assert both
    assert both[0]["reason"] == "heading_marker_intersection"
    assert [one["reason"] for one in both[0]["reasons"]] == [
        "heading_marker_intersection",
        "note_body_intersection",
    ]
    assert len({one["selection"] for one in both[0]["reasons"]}) == 2


@pytest.mark.req("COV-05", "REL-03")
def test_a_partial_profile_proves_groups_and_pending_items(partial: Built) -> None:
    profile = partial.artifact.profile("FP")
    proved = {profile.part_of(row)[0]: checked(partial, "FP", row) for row in range(profile.rows)}
    assert proved["not-evaluated"].value["code"] in ("pending_evaluation", "pending_peer_universe")
    witness = profile.table("classes")["witness"][0].tobytes().hex()
    assert proved["matched"].value == {"class_witness": witness}


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [path, *(p for key in value for p in paths(value[key], (*path, key)))]
    if isinstance(value, list):
        return [path, *(p for i, item in enumerate(value) for p in paths(item, (*path, i)))]
    return [path]


def changed(proof: dict[str, Any], path: tuple[Any, ...], change: Callable[[Any], Any]) -> bytes:
    copied = copy.deepcopy(proof)
    place = copied
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = change(place[path[-1]])
    return canonical_json(copied)


def one_off(value: Any) -> Any:
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        middle = len(value) // 2
        other = "0" if value[middle : middle + 1] != "0" else "1"
        return value[:middle] + other + value[middle + 1 :]
    return [] if isinstance(value, dict) else {}


@pytest.mark.req("REL-01")
def test_anything_altered_is_refused_and_named(built: Built) -> None:
    root = built.result.artifact_root
    proof = prove(built.path, identity(built, "FS", built.artifact.profile("FS").rows - 300))
    assert len(proof["manifest"]["path"]) >= 2
    for path in paths(proof)[1:]:
        with pytest.raises(VerificationError) as caught:
            check_proof(changed(proof, path, one_off), artifact_root=root)
        name = str(path[0])
        assert caught.value.kind == "proof_fails"
        assert name in caught.value.message or path[0] in ("occurrence", "profile"), caught.value.message


def test_every_flipped_bit_of_a_proof_is_refused(built: Built) -> None:
    root = built.result.artifact_root
    data = canonical_json(prove(built.path, identity(built, "PP", 0))) + b"\n"
    check_proof(data, artifact_root=root)
    for at in range(0, len(data), 1 + len(data) // 1500):
        flipped = data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :]
        with pytest.raises(VerificationError):
            check_proof(flipped, artifact_root=root)


def drop(value: dict[str, Any]) -> dict[str, Any]:
    return {key: value[key] for key in sorted(value)[1:]}


@pytest.mark.req("REL-01")
def test_a_proof_cannot_be_turned_to_another_part_profile_or_root(built: Built, partial: Built) -> None:
    root = built.result.artifact_root
    matched = prove(
        built.path, identity(built, "FS", built.artifact.profile("FS").table("matched")["row"][0])
    )
    unique = prove(built.path, identity(built, "FS", built.artifact.profile("FS").rows - 1))
    other = prove(built.path, identity(built, "PS", built.artifact.profile("PS").rows - 1))
    foreign = prove(partial.path, identity(partial, "FS", 0))
    cases = {
        "manifest of another part": {**matched, "manifest": unique["manifest"]},
        "part without its manifest": {**matched, "part": "evaluated-unique"},
        "manifest of another profile": {**unique, "manifest": other["manifest"]},
        "profile without its manifest": {**unique, "profile": other["profile"]},
        "occurrence of another chunk": {**unique, "occurrence": matched["occurrence"]},
        "another artifact": foreign,
        "another artifact under this root": {**foreign, "artifact_root": root.hex()},
        "roots of another artifact": {**unique, "artifact": foreign["artifact"]},
        "a key less": drop(unique),
        "a key more": {**unique, "note": "x"},
    }
    for name, proof in cases.items():
        with pytest.raises(VerificationError) as caught:
            check_proof(canonical_json(proof), artifact_root=root)
        assert caught.value.expected, name
    with pytest.raises(VerificationError, match="artifact_root"):
        check_proof(canonical_json(unique), artifact_root=bytes(32))


def test_a_truncated_manifest_does_not_pass_under_its_old_root(built: Built) -> None:
    """A last chunk cut short, with the count lowered to fit (T5)."""
    proof = prove(built.path, identity(built, "FS", built.artifact.profile("FS").rows - 1))
    row = copy.deepcopy(proof["manifest"])
    width = 2 * (4 + 32 + 4 + 32)
    row["records"], row["count"] = row["records"][width:], row["count"] - 1
    with pytest.raises(VerificationError, match="manifest: does not lead"):
        check_proof(canonical_json({**proof, "manifest": row}), artifact_root=built.result.artifact_root)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "byte 0"),
        (b"\xff", "byte 0"),
        (b"[]", "document"),
        (b'{"a":1,"a":2}', "stands twice"),
        (b"[" * 100_000, "nested"),
        (b'{"a":NaN}', "NaN"),
        (b" " * (MAX_BYTES + 1), f"{MAX_BYTES + 1} bytes"),
    ],
)
def test_hostile_documents_are_refused_by_name(data: bytes, told: str) -> None:
    with pytest.raises(VerificationError) as caught:
        check_proof(data, artifact_root=bytes(32))
    assert told in caught.value.message


def test_white_space_and_key_order_are_prescribed(built: Built) -> None:
    proof = prove(built.path, identity(built, "FP", 0))
    for data in (json.dumps(proof).encode(), canonical_json(proof) + b"\n\n", b" " + canonical_json(proof)):
        with pytest.raises(VerificationError, match="canonical"):
            check_proof(data, artifact_root=built.result.artifact_root)


def test_an_unknown_occurrence_is_not_found_and_never_unique(built: Built) -> None:
    with pytest.raises(NotFoundError) as caught:
        prove(built.path, "2f1c0c62-6f3e-5d0a-9c33-0f6f7f2b9a11")
    assert caught.value.kind == "unknown_occurrence"
    with pytest.raises(UsageError):
        prove(built.path, "2F1C0C62-6F3E-5D0A-9C33-0F6F7F2B9A11")
    with pytest.raises(NotFoundError):
        prove(built.path.parent / "nowhere", "2f1c0c62-6f3e-5d0a-9c33-0f6f7f2b9a11")


def test_columns_that_do_not_give_the_roots_prove_nothing(built: Built, tmp_path: Path) -> None:
    from tests.verify.altering import sealed_again, with_cell

    table = built.artifact.package.read_table("FS/occurrences")
    altered = sealed_again(
        built.path, tmp_path / "altered", tables={"FS/occurrences": with_cell(table, "fingerprint")}
    )
    with pytest.raises(VerificationError) as caught:
        prove(altered, identity(built, "FS", built.artifact.profile("FS").rows // 2))
    assert caught.value.kind == "artifact_differs"
    rows = built.artifact.package.read_table("FS/matched")
    shifted = sealed_again(built.path, tmp_path / "shifted", tables={"FS/matched": with_cell(rows, "class")})
    with pytest.raises((VerificationError, IntegrityError)):
        prove(shifted, identity(built, "FS", built.artifact.profile("FS").table("matched")["row"][0]))


def test_the_command_line_proves_and_checks_without_the_artifact(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = int(built.artifact.profile("FS").table("matched")["row"][0])
    occurrence, root = identity(built, "FS", row), built.result.artifact_root.hex()
    file = tmp_path / "proof.json"
    assert main(["prove", str(built.path), occurrence, "--out", str(file)]) == 0
    assert root in capsys.readouterr().out
    assert main(["prove", str(built.path), occurrence, "--out", str(file)]) == 2  # never over something
    assert main(["prove", str(built.path), occurrence]) == 0
    assert capsys.readouterr().out.encode() == file.read_bytes()
    alone = subprocess.run(
        [sys.executable, "-m", "tekrar", "check-proof", str(file), "--root", root, "--json"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    record = json.loads(alone.stdout)
    assert (record["part"], record["profile"], record["occurrence"]) == ("matched", "FS", occurrence)
    assert record["predicate"] == "exact_sentence_sequence"
    assert main(["check-proof", str(file), "--root", root]) == 0
    assert record["class"] in capsys.readouterr().out
    assert main(["check-proof", str(file), "--root", "0" * 64]) == 7
    assert main(["check-proof", str(file), "--root", root.upper()]) == 2
    assert main(["check-proof", str(tmp_path / "none.json"), "--root", root]) == 5
