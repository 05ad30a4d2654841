"""Packages that somebody else signed: every digest and root fits, and what they say cannot be true."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tekrar.candidates.made import listed_roots
from tekrar.candidates.stored import FORMAT, TABLE, open_stored
from tekrar.cli import main
from tekrar.core.candidate import Candidate, Evidence, Result, Side
from tekrar.core.candidate.evidence import KIND
from tekrar.core.candidate.record import RESULT_TAG, candidate_id, encode_result, evidence_id, sha
from tekrar.core.candidate.roots import ROOTS, bounds_root, package_root
from tekrar.errors import EXIT_STATUS, IntegrityError
from tekrar.package import PackageWriter
from tests.candidates.conftest import Place

HEAD = 4 + len(RESULT_TAG)
LARGEST = (1 << 64) - 1


def forged(place: Place, folder: Path, change: Callable[[Result], Result | bytes]) -> Path:
    """The package with its first result changed, and every ID, root and digest made to fit."""
    held = open_stored(place.candidates)
    first = held.candidates[0]
    made = change(held.result(0))
    data = made if isinstance(made, bytes) else encode_result(made, held.generator)
    own = candidate_id(held.profile, sha(first.participants), held.generator.digest, sha(data))
    candidates = [Candidate(own, first.participants, data), *held.candidates[1:]]
    payload = held.evidence[0].payload.replace(sha(first.result), sha(data))
    fits = evidence_id(KIND, sha(first.participants), held.generator.digest, sha(payload))
    evidence = [Evidence(fits, payload), *held.evidence[1:]]
    manifest = json.loads(json.dumps(held.manifest))
    found = listed_roots(held.profile, held.predicate, candidates, evidence)
    manifest["roots"] |= {name: root.hex() for name, root in found.items()}
    return _written(folder / "forged", manifest, candidates, evidence)


def _written(
    folder: Path, manifest: dict[str, Any], candidates: list[Candidate], evidence: list[Any]
) -> Path:
    roots = {name: bytes.fromhex(manifest["roots"][name]) for name in ROOTS}
    manifest["candidates_root"] = package_root(roots).hex()
    columns = {
        "candidate": pa.array([c.id for c in candidates], pa.binary(16)),
        "participants": pa.array([c.participants for c in candidates], pa.large_binary()),
        "result": pa.array([c.result for c in candidates], pa.large_binary()),
        "evidence": pa.array([e.id for e in evidence], pa.binary(16)),
        "payload": pa.array([e.payload for e in evidence], pa.large_binary()),
    }
    with PackageWriter(folder, format=FORMAT) as writer:
        writer.add_table(TABLE, pa.table(columns), compression="zstd")
        writer.commit(manifest)
    return folder


def said(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = main(["candidates", *map(str, words)])
    out = capsys.readouterr()
    return status, out.out, out.err


def _byte(at: int, value: int) -> Callable[[Result], Result | bytes]:
    def change(result: Result) -> bytes:
        from tekrar.candidates.present import present_generator

        data = bytearray(encode_result(result, present_generator("tr")))
        data[HEAD + at] = value
        return bytes(data)

    return change


NO_RESULT: dict[str, Callable[[Result], Result | bytes]] = {
    "nothing": lambda result: b"",
    "a part": lambda result: b"\0" * 40,
    "another kind": _byte(0, 9),
    "no disposition": _byte(1, 0),
    "another disposition": _byte(1, 255),
    "beyond the text": lambda result: replace(result, right=Side(10**6, 10**6 + 5)),
    "the largest extent": lambda result: replace(result, right=Side(LARGEST - 1, LARGEST)),
    "inside a character": lambda result: replace(result, left=Side(35, 36)),
    "a segment backwards": lambda result: replace(result, segments=(((9, 3), (0, 1)),)),
    "a place beyond the text": lambda result: replace(result, kind="group", places=((0, 1), (0, LARGEST))),
    "another release": lambda result: replace(result, release=bytes(16)),
}


@pytest.mark.req("CND-01")
@pytest.mark.parametrize("change", NO_RESULT.values(), ids=NO_RESULT)
def test_what_cannot_be_is_refused_by_every_reader(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Result], Result]
) -> None:
    """It was an internal error, or extents outside the text, exported without a word."""
    package = forged(harbour, tmp_path, change)
    with_release = ("--release", harbour.release)
    for words in (
        ("list", package, *with_release),
        ("list", package, *with_release, "--json"),
        ("show", package, 1, *with_release),
        ("show", package, 1, *with_release, "--json"),
        ("export", package, *with_release, "--out", tmp_path / "out.jsonl"),
    ):
        status, _, err = said(capsys, *words)
        assert (status, "[integrity_error/bad_result]" in err) == (4, True), (words, err)
    assert not (tmp_path / "out.jsonl").exists()
    status, _, err = said(
        capsys, "verify", package, "--artifact", harbour.artifact, "--release", harbour.release
    )
    assert (status, "candidates_differ" in err) == (7, True), err


def test_the_letter_that_is_cut_is_one(harbour: Place) -> None:
    """`inside a character` above cuts a letter of this text."""
    from tekrar.corpus.release_package import open_release

    assert open_release(harbour.release).release.text[35] & 0xC0 == 0x80


def test_words_of_a_package_reach_no_terminal_raw(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "\x1b[2J\u202etrust me\u2069\n  stated   all is well"
    kinds = {"difference": (evil,)}
    package = forged(harbour, tmp_path, lambda r: replace(r, why=evil, metrics=r.metrics | kinds))
    status, out, _ = said(capsys, "show", package, 1, "--release", harbour.release)
    assert status == 0
    assert out.count("⟨U+001B⟩[2J⟨U+202E⟩trust me⟨U+2069⟩") == 2
    assert not {"\x1b", "\u202e"} & set(out)
    assert "\n  stated   all is well" not in out


def test_a_metric_of_another_form_chooses_nothing_and_breaks_nothing(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = {"equal_tokens": ("many",), "score": (9, 1)}
    package = forged(harbour, tmp_path, lambda r: replace(r, metrics=r.metrics | odd))
    for option in ("--min-words", "--min-score"):
        status, out, err = said(capsys, "list", package, "--release", harbour.release, option, 1, "--json")
        assert status == 0, err
        ranks = [json.loads(line).get("rank") for line in out.splitlines()]
        assert 1 not in ranks
        assert 2 in ranks


@pytest.mark.parametrize(
    ("key", "value"),
    [("bounds", None), ("bounds", 3), ("bounds", [1]), ("release", None), ("release", {}), ("release", "x")],
)
def test_a_manifest_of_another_shape_is_refused(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str, value: Any
) -> None:
    held = open_stored(harbour.candidates)
    manifest = json.loads(json.dumps(held.manifest)) | {key: value}
    if key == "bounds" and isinstance(value, dict):
        manifest["roots"]["bounds"] = bounds_root(value).hex()
    package = _written(tmp_path / "forged", manifest, held.candidates, held.evidence)
    status, _, err = said(capsys, "list", package, "--release", harbour.release)
    assert (status, "[integrity_error/candidates_differ]" in err) == (4, True), err


# -- places inside a package ------------------------------------------------


def test_nothing_is_written_into_a_package(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One more file in it, and a package is refused as altered: whoever asks for that is refused instead."""
    place = Place(tmp_path)
    for name in ("release", "artifact", "candidates"):
        shutil.copytree(harbour.folder / name, tmp_path / name)
    (tmp_path / "link").symlink_to(place.candidates)
    source = tmp_path / "source.txt"
    source.write_text("Kapı açıldı.\n")
    before = sorted(tmp_path.rglob("*"))
    inside = (
        place.candidates / "objects" / "x",
        place.artifact / "x",
        place.release / "x",
        tmp_path / "link" / "x",
    )
    for at in inside:
        for words in (
            ("candidates", place.artifact, "--out", at),
            ("candidates", "export", place.candidates, "--out", at),
            ("candidates", "mark", place.candidates, 1, "uncertain", "--as", "Ege", "--events", at),
            ("build", place.release, "--out", at),
            ("import", source, "--language", "tr", "--out", at),
            ("report", place.artifact, "--out", at),
            ("diff", "liman/1/p1", "liman/1/p2", "--artifact", place.artifact, "--html", at),
        ):
            status = main([str(word) for word in words])
            err = capsys.readouterr().err
            assert (status, "[usage_error/inside_package]" in err) == (2, True), (words, err)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.req("CND-10")
def test_the_evidence_of_another_candidate_is_refused_where_it_is_read(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Evidence in other rows, under roots made anew: its ID and its payload belong to one candidate."""
    held = open_stored(harbour.candidates)
    evidence = [held.evidence[1], held.evidence[0], *held.evidence[2:]]
    manifest = json.loads(json.dumps(held.manifest))
    found = listed_roots(held.profile, held.predicate, held.candidates, evidence)
    manifest["roots"] |= {name: root.hex() for name, root in found.items()}
    package = _written(tmp_path / "forged", manifest, held.candidates, evidence)
    for more in ((), ("--json",)):
        status, _, err = said(capsys, "show", package, 1, "--release", harbour.release, *more)
        assert (status, "/candidate_id]" in err) == (EXIT_STATUS["integrity_error"][0], True)
    status, _, err = said(
        capsys, "verify", package, "--release", harbour.release, "--artifact", harbour.artifact
    )
    assert (status, "evidence of candidate 1 is not its own" in err) == (7, True)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("counts", {"candidates": 1}),
        ("counts", {"candidates": 4, "accepted": 4}),
        ("release", {"core_release_manifest_root": "ab" * 32}),
        ("profile", {"name": "PP"}),
    ],
)
def test_a_manifest_that_contradicts_its_rows_or_roots_is_refused(
    harbour: Place, tmp_path: Path, key: str, value: dict[str, Any]
) -> None:
    held = open_stored(harbour.candidates)
    manifest = json.loads(json.dumps(held.manifest))
    manifest[key] = {**manifest[key], **value}
    package = _written(tmp_path / "forged", manifest, held.candidates, held.evidence)
    with pytest.raises(IntegrityError) as refused:
        open_stored(package)
    assert refused.value.kind == "candidates_differ"
    assert refused.value.message.startswith(f"{key} is ")


@pytest.mark.req("CND-02")
def test_a_result_under_other_features_than_its_package_is_refused(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = forged(harbour, tmp_path, lambda result: replace(result, features=b"\xab" * 32))
    status, _, err = said(capsys, "list", package, "--release", harbour.release)
    assert (status, "another features root" in err) == (EXIT_STATUS["integrity_error"][0], True)
