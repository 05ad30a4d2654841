"""What is altered in an artifact is found and named: by its file; sealed again, by what it says."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tekrar.artifact.schema import FORMAT, table_columns, table_names
from tekrar.errors import IntegrityError, TekrarError
from tekrar.package import Package
from tekrar.verify import ArtifactDiffers, verify_full, verify_quick
from tests.small import Built, document, mark
from tests.verify.altering import sealed_again, with_cell, without_row

SHORTS = ("FP", "FS", "PP", "PS")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A tiny complete artifact: an empty paragraph, exclusions, masks, dominated and published classes."""
    again = ["A bell rang[1].", "It was late.", "The ship lay still."]
    chapters = [[["Night"], again, []], [again, ["Alone.", "It was late."]]]
    source = mark(document(chapters, language="en"), "headings", "Night")
    return Built(mark(source, "note_markers", "[1]"), tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def partial(tmp_path_factory: pytest.TempPathFactory) -> Built:
    chapters = [[["A bell rang.", "It was late."]], [["A bell rang.", "It was late."]], [["Alone."]]]
    return Built(document(chapters, language="en"), tmp_path_factory.mktemp("partial"), defer=["b1/1/p1"])


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "altered"


def refused(artifact: Path, release: Path) -> ArtifactDiffers:
    with pytest.raises(ArtifactDiffers) as caught:
        verify_full(artifact, release)
    return caught.value


def refusal(artifact: Path, release: Path) -> str:
    """What the full verification says, or "" where it accepts."""
    try:
        verify_full(artifact, release)
    except TekrarError as error:
        return f"{error.where} {error.message}"
    return ""


def flips(data: bytes) -> Iterator[bytes]:
    """The bytes with one bit flipped: at the start, at the end and at three places between."""
    for at in sorted({0, len(data) // 4, len(data) // 2, 3 * len(data) // 4, len(data) - 1}):
        yield data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :]


@pytest.mark.req("REL-01", "COV-10")
def test_a_flipped_bit_in_any_file_is_found_and_its_file_named(built: Built, target: Path) -> None:
    shutil.copytree(built.path, target)
    files = sorted(path for path in target.rglob("*") if path.is_file())
    assert len(files) > 25
    for path in files:
        data = path.read_bytes()
        for flipped in flips(data):
            path.write_bytes(flipped)
            for check in (lambda: verify_full(target, built.release), lambda: verify_quick(target)):
                with pytest.raises(IntegrityError) as caught:
                    check()
                assert str(path.relative_to(target)) in caught.value.where
        path.write_bytes(data)
    verify_full(target, built.release)


@pytest.mark.parametrize("name", table_names())
@pytest.mark.req("REL-01", "PRJ-13", "OCC-08")
def test_a_changed_value_in_any_column_is_found_and_its_table_named(
    name: str, built: Built, tmp_path: Path
) -> None:
    table = built.artifact.package.read_table(name)
    for column in table_columns(name):
        target = sealed_again(
            built.path, tmp_path / column.name, tables={name: with_cell(table, column.name)}
        )
        error = refused(target, built.release)
        places = [one.place for one in error.differences]
        assert any(place.startswith(name) for place in places), places
        if name[:2] in SHORTS:
            assert name[:2] in {one.profile for one in error.differences}


@pytest.mark.parametrize("data", [b"", b"garbage", b"[]", b"\xff{}", b'{"a": 1', b"[" * 100_000])
@pytest.mark.req("REL-01")
def test_a_provenance_that_is_no_object_is_named(data: bytes, built: Built, tmp_path: Path) -> None:
    target = sealed_again(built.path, tmp_path / "altered", objects={"provenance": data})
    for check in (lambda: verify_full(target, built.release), lambda: verify_quick(target)):
        with pytest.raises(IntegrityError) as caught:
            check()
        assert caught.value.kind == "bad_provenance"
        assert "provenance" in caught.value.where


@pytest.mark.parametrize("name", ["FP/occurrences", "PS/witness-spans", "FS/matched", "units/sentences"])
def test_a_flipped_and_sealed_bit_is_found_or_changes_nothing_that_is_said(
    name: str, built: Built, tmp_path: Path
) -> None:
    """A bit of Parquet's own framing says nothing of the corpus; every other one is found."""
    data, right = built.artifact.package.read_bytes(name), built.artifact.package.read_table(name)
    found = 0
    for number, flipped in enumerate(flips(data)):
        target = sealed_again(built.path, tmp_path / str(number), objects={name: flipped})
        told = refusal(target, built.release)
        found += told != ""
        assert (
            name in told
            or "objects/" in told
            or Package(target, format=FORMAT).read_table(name).equals(right)
        )
    assert found >= 3


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))
    else:
        yield path


def altered(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return value[:-1] + ("0" if value[-1:] != "0" else "1")


@pytest.mark.req("REL-01", "REL-10", "COV-12")
def test_every_value_of_the_manifest_is_compared(built: Built, tmp_path: Path) -> None:
    everything = [path for path in leaves(built.artifact.manifest) if path != ("format",)]
    assert len(everything) > 400
    for number, path in enumerate(everything[:: 1 + len(everything) // 40]):
        target = tmp_path / str(number)

        def change(manifest: dict[str, Any], path: tuple[Any, ...] = path) -> None:
            for key in path[:-1]:
                manifest = manifest[key]
            manifest[path[-1]] = altered(manifest[path[-1]])

        sealed_again(built.path, target, manifest=change)
        with pytest.raises(TekrarError) as caught:
            verify_full(target, built.release)
        assert "manifest.json" in str(caught.value)
        if path[0] == "profiles":
            assert isinstance(caught.value, ArtifactDiffers)
            assert path[1] in {one.profile for one in caught.value.differences}


def root_at(built: Built, kind: str, short: str) -> int:
    names = [name for name, _ in built.artifact.roots]
    spec = built.artifact.manifest["profiles"][short]["document"]["profile"]["name"].split("/", 1)[1]
    return names.index(f"{spec}/{kind}")


@pytest.mark.req("REL-01")
def test_roots_cannot_be_transplanted_dropped_or_doubled(built: Built, tmp_path: Path) -> None:
    here, there = root_at(built, "matched", "FS"), root_at(built, "published", "FS")

    def swap(manifest: dict[str, Any]) -> None:
        rows = manifest["roots"]
        rows[here][1], rows[there][1] = rows[there][1], rows[here][1]

    def drop(manifest: dict[str, Any]) -> None:
        del manifest["roots"][here]

    def double(manifest: dict[str, Any]) -> None:
        manifest["roots"].append(manifest["roots"][here])

    for number, change in enumerate((swap, drop, double)):
        target = sealed_again(built.path, tmp_path / str(number), manifest=change)
        error = refused(target, built.release)
        assert "roots" in error.differences[0].place
        if change is not double:
            assert (error.differences[0].profile, error.differences[0].kind) == ("FS", "matched")
        with pytest.raises(TekrarError, match="root"):
            verify_quick(target)


@pytest.mark.req("COV-02", "COV-08", "COV-09", "COV-11")
def test_a_row_in_no_part_or_in_two_is_found_in_both_modes(built: Built, tmp_path: Path) -> None:
    read = built.artifact.package.read_table
    unique, matched, published = read("PS/evaluated-unique"), read("PS/matched"), read("PS/published")
    first = matched.slice(0, 1).select(["row"])
    cases = {
        "missing": {"PS/evaluated-unique": without_row(unique, 0)},
        "missing matched": {"PS/matched": without_row(matched, 0)},
        "twice": {"PS/evaluated-unique": pa.concat_tables([first, unique]).sort_by("row")},
        "not shown": {"PS/published": without_row(published, 0)},
    }
    for name, tables in cases.items():
        target = sealed_again(built.path, tmp_path / name.replace(" ", "-"), tables=tables)
        kinds = {(one.profile, one.kind) for one in refused(target, built.release).differences}
        assert ("PS", next(iter(tables)).split("/")[1]) in kinds
        with pytest.raises(TekrarError) as caught:
            verify_quick(target)
        assert "PS" in str(caught.value)


@pytest.mark.req("COV-10", "COV-04", "REL-02")
def test_a_partial_profile_cannot_be_called_complete(partial: Built, tmp_path: Path) -> None:
    assert verify_full(partial.path, partial.release).status["FP"] == "partial"

    def status(manifest: dict[str, Any]) -> None:
        manifest["profiles"]["FP"]["coverage"]["exact_status"] = "complete"

    def flag(manifest: dict[str, Any]) -> None:
        manifest["profiles"]["FP"]["partial"] = False

    for number, change in enumerate((status, flag)):
        target = sealed_again(partial.path, tmp_path / str(number), manifest=change)
        assert refused(target, partial.release).differences[0].profile == "FP"
        with pytest.raises(TekrarError):
            verify_quick(target)


@pytest.mark.req("COV-05", "COV-07")
def test_codes_are_of_the_closed_lists_and_apply(partial: Built, tmp_path: Path) -> None:
    table = partial.artifact.package.read_table("FP/not-evaluated")
    assert table.column("code").to_pylist() == [1, 2, 2]  # deferred, then without a certified peer
    for code, row in ((3, 0), (9, 0), (1, 1)):
        rows = table.to_pylist()
        rows[row]["code"] = code
        changed = pa.Table.from_pylist(rows, schema=table.schema)
        target = sealed_again(partial.path, tmp_path / f"{code}-{row}", tables={"FP/not-evaluated": changed})
        differences = refused(target, partial.release).differences
        assert ("FP", "not-evaluated") in {(one.profile, one.kind) for one in differences} or code == 1


@pytest.mark.req("CORE-06")
def test_no_further_column_table_or_document_is_accepted(built: Built, tmp_path: Path) -> None:
    table = built.artifact.package.read_table("FS/matched")
    text = pa.array(["A bell rang."] * len(table))
    cases: dict[str, dict[str, Any]] = {
        "column": {"tables": {"FS/matched": table.append_column("text", text)}},
        "table": {"tables": {"FS/texts": pa.table([text], names=["text"])}},
        "gone": {"objects": {"FS/matched": None}},
        "order": {"tables": {"FS/matched": table.select(["class", "row"])}},
        "type": {
            "tables": {"FS/matched": table.cast(pa.schema([("row", pa.int64()), ("class", pa.int64())]))}
        },
    }
    for name, changes in cases.items():
        target = sealed_again(built.path, tmp_path / name, **changes)
        for check in (lambda at=target: verify_full(at, built.release), lambda at=target: verify_quick(at)):
            with pytest.raises(IntegrityError) as caught:
                check()
            assert caught.value.kind == "bad_table"
            assert "FS/" in str(caught.value)


@pytest.mark.req("PRO-02", "CORE-09")
def test_an_artifact_of_another_release_is_told_before_anything_else(
    built: Built, partial: Built, target: Path
) -> None:
    shutil.copytree(built.path, target)
    damaged = next((target / "objects").iterdir())
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    for check in (verify_full, verify_quick):
        with pytest.raises(IntegrityError) as caught:
            check(target, partial.release)
        assert caught.value.kind == "other_release"
        assert caught.value.exit_status == 4


def test_a_damaged_release_is_told_as_such(built: Built, tmp_path: Path) -> None:
    release = tmp_path / "release"
    shutil.copytree(built.release, release)
    text = max((release / "objects").iterdir(), key=lambda path: b"A bell" in path.read_bytes())
    text.write_bytes(text.read_bytes().replace(b"bell", b"ball"))
    with pytest.raises(IntegrityError) as caught:
        verify_full(built.path, release)
    assert str(release) in caught.value.where
