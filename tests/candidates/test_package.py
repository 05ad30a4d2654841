"""The package of candidates: verified, deterministic, whole or not at all."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tekrar.candidates import compared, made
from tekrar.candidates.basis import open_basis
from tekrar.candidates.present import present_generator
from tekrar.candidates.stored import manifest_of, open_stored, write_stored
from tekrar.cli import main
from tekrar.core.candidate import DISPOSITIONS, checked_generator
from tekrar.core.candidate.record import participants_sides
from tekrar.core.feature.authority import AUTHORITY_CLASSES
from tekrar.core.identity import uuid_text
from tekrar.discover import rules, thresholds
from tekrar.errors import IntegrityError, UsageError, VerificationError
from tests.candidates.conftest import BOOKS, Place, built

SIDE = ["book", "chapter", "para", "ord", "end_ord", "start", "end", "para_start", "para_end", "class_id"]


def command(*words: object) -> int:
    return main([str(word) for word in words])


def exported(place: Place, out: Path) -> list[dict[str, Any]]:
    assert command("candidates", "export", place.candidates, "--out", out, "--quiet") == 0
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def refused(capsys: pytest.CaptureFixture[str], kind: str, *words: object) -> None:
    """The command ends with this kind of error and without a traceback."""
    status = command(*words)
    said = capsys.readouterr().err
    assert status not in (0, 1), said
    assert f"/{kind}]" in said, said
    assert "Traceback" not in said


@pytest.mark.req("CND-04", "CND-06")
def test_the_export_is_contract_c10(harbour: Place, tmp_path: Path) -> None:
    lines = exported(harbour, tmp_path / "out.jsonl")
    text = open_basis(harbour.artifact, harbour.release).opened.release.text
    assert [line["rank"] for line in lines] == list(range(1, len(lines) + 1))
    assert len({line["id"] for line in lines}) == len(lines) >= 4
    for line in lines:
        wanted = ["rank", "id", "left", "right", "generator", "disposition", "direction", "metrics"]
        assert [key for key in line if key != "places"] == wanted
        assert line["disposition"] in DISPOSITIONS
        for side in (line["left"], line["right"], *line.get("places", ())):
            assert list(side) == SIDE
            text[side["start"] : side["end"]].decode("utf-8")
        for name, metric in line["metrics"].items():
            assert sorted(metric) == ["scale", "value", "version"], name
        assert "confidence" not in json.dumps(line)


@pytest.mark.req("CND-09", "CND-03")
def test_the_generator_states_what_it_is_made_of(harbour: Place) -> None:
    document = open_stored(harbour.candidates).generator.document
    assert document["constants"]["thresholds.UNIT_MARGIN"] == thresholds.UNIT_MARGIN
    assert {name.partition(".")[0] for name in document["constants"]} >= {
        "align",
        "stretches",
        "suffix",
        "fold",
    }
    for row in (*document["features"], *document["normalizers"]):
        assert row["authority"] in AUTHORITY_CLASSES
    minhash = next(row for row in document["features"] if row["authority"] == "minhash")
    assert {"seed", "bands", "rows", "digest", "version"} <= set(minhash)
    assert checked_generator(document).digest == present_generator("tr").digest


def test_a_near_repeat_a_quotation_and_a_numeral_are_found(harbour: Place, tmp_path: Path) -> None:
    lines = exported(harbour, tmp_path / "out.jsonl")
    text = open_basis(harbour.artifact, harbour.release).opened.release.text

    def line_with(words: str) -> dict[str, Any]:
        return next(
            line for line in lines if words.encode() in text[line["left"]["start"] : line["left"]["end"]]
        )

    assert line_with("Sabah erkenden")["disposition"] == "probable_near_exact"
    quotation = line_with("Denizde acele")
    assert (quotation["disposition"], quotation["direction"]) == ("probable_quotation", "left_to_right")
    assert line_with("1506 numaralı")["metrics"]["difference"]["value"] == ["numerals"]  # report 22
    assert line_with("Fırtınadan")["metrics"]["difference"]["value"] == ["normalisation"]  # report 41


@pytest.mark.req("CND-02")
def test_participants_are_the_occurrences_that_the_sides_touch(harbour: Place) -> None:
    stored = open_stored(harbour.candidates)
    basis = open_basis(harbour.artifact, harbour.release)
    starts, ends = basis.profile.extents()
    for at, one in enumerate(stored.candidates):
        sides = participants_sides(one.participants)
        for (start, end), held in zip(stored.result(at).sides, sides, strict=True):
            rows = [r for r in range(len(starts)) if starts[r] < end and ends[r] > start]
            assert sorted(basis.occurrence[r].tobytes() for r in rows) == list(held)


@pytest.mark.req("CND-01", "CND-10")
def test_an_altered_package_is_refused(harbour: Place, tmp_path: Path) -> None:
    for number, change in enumerate((_flip_byte, _drop_root, _other_generator, _other_table)):
        copy = tmp_path / str(number)
        shutil.copytree(harbour.candidates, copy)
        change(copy)
        with pytest.raises(IntegrityError):
            open_stored(copy)


def _flip_byte(package: Path) -> None:
    held = next((package / "objects").iterdir())
    data = bytearray(held.read_bytes())
    data[len(data) // 2] ^= 1
    held.write_bytes(data)


def _rewritten(package: Path, change: Any) -> None:
    """The manifest changed with all transport digests made right again."""
    from tekrar.core.encoding import canonical_json
    from tekrar.package.writer import files_document

    manifest = json.loads((package / "manifest.json").read_bytes())
    change(manifest)
    data = canonical_json(manifest)
    (package / "manifest.json").write_bytes(data)
    held = json.loads((package / "files.json").read_bytes())["files"]
    (package / "files.json").write_bytes(canonical_json(files_document(held, manifest=data)))


def _drop_root(package: Path) -> None:
    _rewritten(package, lambda manifest: manifest["roots"].pop("order"))


def _other_generator(package: Path) -> None:
    _rewritten(package, lambda manifest: manifest["generator"].update(semver="1.0.1"))


def _other_table(package: Path) -> None:
    def change(manifest: dict[str, Any]) -> None:
        manifest["generator"]["rules"]["table"][0]["disposition"] = "accepted"

    _rewritten(package, change)


@pytest.mark.req("CND-10")
@pytest.mark.parametrize("name", ["order", "candidates", "evidence", "bounds", "generator", "features"])
def test_each_stated_root_is_held_to_the_rows(harbour: Place, tmp_path: Path, name: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(harbour.candidates, copy)

    def change(manifest: dict[str, Any]) -> None:
        from tekrar.core.candidate.roots import ROOTS, package_root

        manifest["roots"][name] = "ab" * 32
        roots = {one: bytes.fromhex(manifest["roots"][one]) for one in ROOTS}
        manifest["candidates_root"] = package_root(roots).hex()

    _rewritten(copy, change)
    if name == "features":  # what the text gives, so only making it again can tell
        with pytest.raises(VerificationError):
            compared.verify(open_stored(copy), open_basis(harbour.artifact, harbour.release))
    else:
        with pytest.raises(IntegrityError):
            open_stored(copy)


def test_verification_makes_everything_again(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("candidates", "verify", harbour.candidates, "--json") == 0
    assert json.loads(capsys.readouterr().out)["verified"] is True


def test_another_artifact_or_release_is_refused(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = built(tmp_path / "other", {"liman": BOOKS["liman"], "bahçe": ["Çiçekler açtı."]})
    out = tmp_path / "out"
    words = ("candidates", harbour.artifact, "--release", other.release, "--out", out)
    refused(capsys, "other_release", *words)
    refused(
        capsys, "other_text_release", "candidates", "list", harbour.candidates, "--release", other.release
    )
    refused(
        capsys, "other_artifact", "candidates", "verify", harbour.candidates, "--artifact", other.artifact
    )
    stated = open_stored(harbour.candidates).manifest["roots"]
    for release, words in (
        (False, ("candidates", "verify", harbour.candidates, "--artifact", other.artifact)),
        (True, ("candidates", "list", harbour.candidates, "--release", other.release)),
    ):
        main([*map(str, words), "--json"])
        error = json.loads(capsys.readouterr().out.splitlines()[-1])["error"]
        assert error["where"].startswith(f"{other.release if release else other.artifact}: ")
        assert str(stated["artifact"]) not in error["where"]
        if not release:
            assert error["expected"] == f"artifact {stated['artifact']}, as {harbour.candidates} states"
    refused(capsys, "wrong_format", "candidates", "list", harbour.artifact)
    refused(capsys, "wrong_format", "candidates", harbour.release, "--out", out)
    assert not out.exists()


@pytest.mark.req("CND-05")
def test_a_threshold_makes_other_candidates_and_leaves_the_old_ones(
    harbour: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {p: p.read_bytes() for p in sorted(harbour.candidates.rglob("*")) if p.is_file()}
    old = open_stored(harbour.candidates)
    monkeypatch.setattr(thresholds, "UNIT_MARGIN", thresholds.UNIT_MARGIN - 1)
    present_generator.cache_clear()
    try:
        basis = open_basis(harbour.artifact, harbour.release)
        generator = present_generator("tr")
        write_stored(basis, tmp_path / "new", lambda: made.make(basis, generator))
        with pytest.raises(UsageError) as told:
            compared.verify(old, basis)
        assert told.value.kind == "other_generator"
    finally:
        monkeypatch.undo()
        present_generator.cache_clear()
    new = open_stored(tmp_path / "new")
    assert new.candidates
    assert not {c.id for c in new.candidates} & {c.id for c in old.candidates}
    assert before == {p: p.read_bytes() for p in sorted(harbour.candidates.rglob("*")) if p.is_file()}


def test_a_rule_table_with_an_unknown_disposition_makes_nothing(
    harbour: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = (rules.Rule("accepted", {}, (), "sure"), *rules.RULES)
    monkeypatch.setattr(rules, "RULES", table)
    monkeypatch.setattr(rules.check_rules, "__defaults__", (table,))
    present_generator.cache_clear()
    try:
        refused(capsys, "unknown_disposition", "candidates", harbour.artifact, "--out", tmp_path / "out")
    finally:
        monkeypatch.undo()
        present_generator.cache_clear()
    assert list(tmp_path.iterdir()) == []


def test_stopped_in_the_middle_nothing_is_left(harbour: Place, tmp_path: Path) -> None:
    basis = open_basis(harbour.artifact, harbour.release)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_stored(basis, tmp_path / "out", lambda: made.make(basis, present_generator("tr"), stop))
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_is_no_candidates_is_left_alone(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine")
    refused(capsys, "target_exists", "candidates", harbour.artifact, "--out", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    assert command("candidates", harbour.artifact, "--out", harbour.candidates, "--quiet") == 0  # equal


ENVIRONMENTS = [
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo", "TEKRAR_INTERPRETED": "1"},
]


def test_same_bytes_for_any_workers_hash_seed_and_compilation(harbour: Place, tmp_path: Path) -> None:
    wanted = _files(harbour.candidates)
    for workers, given in enumerate(ENVIRONMENTS, 1):
        out = tmp_path / str(workers)
        words = ["candidates", harbour.artifact, "--out", out, "--workers", workers, "--quiet"]
        done = subprocess.run(
            [sys.executable, "-m", "tekrar", *map(str, words)],
            env=os.environ | given,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert _files(out) == wanted


def _files(package: Path) -> dict[str, bytes]:
    return {str(p.relative_to(package)): p.read_bytes() for p in sorted(package.rglob("*")) if p.is_file()}


def test_the_order_in_which_files_come_changes_nothing(harbour: Place, tmp_path: Path) -> None:
    turned = built(tmp_path / "turned", dict(reversed(list(BOOKS.items()))))
    assert command("candidates", turned.artifact, "--out", turned.candidates, "--quiet") == 0
    assert open_stored(turned.candidates).root == open_stored(harbour.candidates).root


def test_nothing_to_find_is_an_empty_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, books in enumerate(
        ({"a": ["Evet."]}, {"a": ["***", "•"]}, {"a": ["Su akar.", "Taş durur."]})
    ):
        place = built(tmp_path / str(number), books)
        assert command("candidates", place.artifact, "--out", place.candidates) == 0
        assert command("candidates", "list", place.candidates) == 0
        assert command("candidates", "verify", place.candidates) == 0
        assert open_stored(place.candidates).candidates == []
    assert "0 candidates" in capsys.readouterr().out


@pytest.mark.req("EX-05", "VAL-03")
def test_pairs_under_a_folding_are_candidates_with_their_feature_and_no_class(harbour: Place) -> None:
    stored = open_stored(harbour.candidates)
    artifact = open_basis(harbour.artifact, harbour.release).artifact
    found = [stored.result(at) for at in range(len(stored.candidates))]
    assert any(result.metrics.get("difference") == ("normalisation",) for result in found)
    assert all(len(artifact.profile(short).classes["size"]) == 0 for short in ("FP", "PP"))
    assert {row["authority"] for row in stored.generator.document["features"]} >= {"normalized_text"}


@pytest.mark.req("CORE-06")
def test_candidates_evidence_and_diffs_hold_no_text(
    harbour: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """Extents point at the release; the bytes are cut from it when somebody looks."""
    stored = open_stored(harbour.candidates)
    held = [c.result + c.participants for c in stored.candidates] + [e.payload for e in stored.evidence]
    held.append((harbour.candidates / "manifest.json").read_bytes())
    assert command("candidates", "show", harbour.candidates, 1, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    held.append(json.dumps(record["diff"], ensure_ascii=False).encode())
    words = {word for book in BOOKS.values() for text in book for word in text.split() if len(word) > 6}
    assert len(words) > 20
    assert any(word in record["texts"][0] for word in words)
    assert [word for word in sorted(words) if any(word.encode() in data for data in held)] == []


KJV = "corpora/bible/kjv.jsonl.gz"


@pytest.mark.shared
def test_a_part_of_kjv_is_the_same_for_workers_seeds_and_order_of_files(
    shared_dir: Path, tmp_path: Path
) -> None:
    import gzip

    lines = gzip.decompress((shared_dir / KJV).read_bytes()).splitlines(keepends=True)[:900]
    books: dict[str, list[bytes]] = {}
    for line in lines:
        books.setdefault(json.loads(line)["book"], []).append(line)
    files = []
    for name, rows in books.items():
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_bytes(b"".join(rows))
    files.append(tmp_path / "more.jsonl")
    files[-1].write_bytes(b"".join(line.replace(b'"book":"', b'"book":"x') for line in lines[100:130]))
    found = []
    for number, given in enumerate((files, files[::-1])):
        place = Place(tmp_path / str(number))
        place.folder.mkdir()
        assert command("import", *given, "--language", "en", "--out", place.release, "--quiet") == 0
        assert command("build", place.release, "--out", place.artifact, "--quiet") == 0
        words = ["candidates", place.artifact, "--out", place.candidates, "--workers", number + 1, "--quiet"]
        done = subprocess.run(
            [sys.executable, "-m", "tekrar", *map(str, words)],
            env=os.environ | {"PYTHONHASHSEED": str(number)},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found.append(_files(place.candidates))
    assert found[0] == found[1]
    assert len(open_stored(tmp_path / "0" / "candidates").candidates) > 20


def test_the_manifest_names_no_place_and_no_time(harbour: Place) -> None:
    text = (harbour.candidates / "manifest.json").read_text("utf-8")
    assert str(harbour.folder) not in text
    basis = open_basis(harbour.artifact, harbour.release)
    assert manifest_of(basis, made.make(basis, present_generator("tr"))) == json.loads(text)


def test_the_export_says_what_the_generator_said(harbour: Place, tmp_path: Path) -> None:
    """Two writers of contract C10, one from columns and one from records, agree on every place."""
    from tekrar.discover.lines import lines
    from tekrar.discover.pipeline import generate

    source = open_basis(harbour.artifact, harbour.release).source
    said = [json.loads(line) for line in lines(source, generate(source))]
    told = exported(harbour, tmp_path / "out.jsonl")
    keys = ("rank", "left", "right", "disposition", "direction", "places")
    assert [{k: one.get(k) for k in keys} for one in told] == [{k: one.get(k) for k in keys} for one in said]


def test_identical_paragraphs_stand_once_under_their_class(tmp_path: Path) -> None:
    same = "Sabah erkenden limana inen gemi, yükünü boşaltmadan önce iki gün bekledi."
    near = "Sabah erkenden limana inen büyük gemi, yükünü boşaltmadan önce iki gün bekledi."
    apart = ["Kuşlar güneye göç etti.", "Değirmen bütün gece döndü.", "Çocuklar bahçede oynadı."]
    place = built(
        tmp_path / "corpus", {"a": [same, apart[0], same], "b": [apart[1], near], "c": [same, apart[2]]}
    )
    assert command("candidates", place.artifact, "--out", place.candidates, "--quiet") == 0
    lines = exported(place, tmp_path / "out.jsonl")
    classes = [[line[side]["class_id"] for side in ("left", "right")] for line in lines]
    assert len(lines) == 1  # one pair for the class, none inside it
    assert len([one for one in classes[0] if one]) == 1
    artifact = open_basis(place.artifact, place.release).artifact
    held = {uuid_text(row.tobytes()) for row in artifact.profile("FP").classes["class"]}
    assert {one for one in classes[0] if one} == held


def test_segments_lie_in_their_sides_and_begin_with_equal_words(harbour: Place) -> None:
    import unicodedata

    stored = open_stored(harbour.candidates)
    text = open_basis(harbour.artifact, harbour.release).opened.release.text
    seen = 0
    for at in range(len(stored.candidates)):
        result = stored.result(at)
        for (a, b), (c, d) in result.segments:
            assert result.left.start <= a < b <= result.left.end
            assert result.right.start <= c < d <= result.right.end
            words = [unicodedata.normalize("NFC", text[i:j].decode()).split()[0] for i, j in ((a, b), (c, d))]
            assert words[0] == words[1]
            seen += 1
    assert seen >= 4
