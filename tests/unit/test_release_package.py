"""The text-release package on disk.

The same bytes back, every root recomputed, nothing of the machine in it.
"""

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tekrar.core.encoding import canonical_json
from tekrar.core.identity import uuid_text
from tekrar.core.release import certified_digest, core_manifest, manifest_root_of
from tekrar.core.text import DATASETS
from tekrar.corpus.columns import metadata_root, tables_of
from tekrar.corpus.imported import Imported
from tekrar.corpus.release_package import FORMAT, open_release, package_manifest, write_release
from tekrar.corpus.structured import import_structured
from tekrar.errors import IntegrityError, NotFoundError, UsageError
from tekrar.package import PackageWriter

from .structured_documents import book, chapter, document, encode, paragraph, sample


def imported(value: dict[str, Any] | None = None, **stated: Any) -> Imported:
    named = {"edition": None, "language": None, **stated}
    return import_structured(encode(value or sample()), where="s.json", **named)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    write_release(imported(), tmp_path / "r")
    return tmp_path / "r"


def same_release(left: Any, right: Any) -> None:
    for field in dataclasses.fields(left):
        one, other = getattr(left, field.name), getattr(right, field.name)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other), field.name
        elif field.name == "datasets":
            assert set(one) == set(other)
            for kind in one:
                if one[kind] is None:
                    assert other[kind] is None
                else:
                    same_release(one[kind], other[kind])
        else:
            assert one == other, field.name


class TestRoundTrip:
    @pytest.mark.req("CORE-01")
    def test_the_opened_release_is_the_imported_one(self, package: Path) -> None:
        source = imported()
        opened = open_release(package)
        same_release(opened.release, source.release)
        assert hashlib.sha256(opened.release.text).digest() == hashlib.sha256(source.release.text).digest()
        assert opened.certified == certified_digest(source.release)
        assert opened.metadata("chapters") == source.metadata["chapters"]
        assert opened.metadata("headings") == source.metadata["headings"]
        assert opened.metadata("note_markers") == [None]

    @pytest.mark.parametrize(
        "value",
        [
            document(),
            document(book("b")),
            document(book("b", chapter("c"))),
            document(book("b", chapter("c", paragraph("p")))),
            document(book("b", before="\n")),
        ],
    )
    def test_empty_releases_come_back(self, tmp_path: Path, value: dict[str, Any]) -> None:
        source = imported(value)
        write_release(source, tmp_path / "r")
        same_release(open_release(tmp_path / "r").release, source.release)

    def test_a_missing_dataset_stays_missing(self, tmp_path: Path) -> None:
        write_release(imported(sample(headings=None)), tmp_path / "r")
        opened = open_release(tmp_path / "r")
        assert opened.release.datasets["headings"] is None
        assert opened.package_manifest["datasets"]["headings"] is None
        assert opened.metadata("headings") == []

    def test_without_check_the_columns_are_the_same(self, package: Path) -> None:
        same_release(open_release(package, check=False).release, imported().release)

    @pytest.mark.shared
    def test_every_fixture_that_is_imported_comes_back(self, shared_dir: Path, tmp_path: Path) -> None:
        done = 0
        for path in sorted((shared_dir / "conformance" / "exact").glob("*.json")):
            fixture = json.loads(path.read_bytes())
            if fixture["outcome"] != "integrity_failure":
                source = imported({key: fixture[key] for key in ("corpus", "annotations")})
                write_release(source, tmp_path / path.stem)
                same_release(open_release(tmp_path / path.stem).release, source.release)
                done += 1
        assert done > 20


class TestManifest:
    def test_it_states_every_root_and_the_provenance(self, package: Path) -> None:
        release = imported().release
        core = core_manifest(release, certified=certified_digest(release))
        manifest = json.loads((package / "manifest.json").read_bytes())
        assert manifest["core_release_manifest"] == core
        assert manifest["core_release_manifest_root"] == hashlib.sha256(canonical_json(core)).hexdigest()
        assert manifest["text_release"] == uuid_text(open_release(package).id)
        datasets = manifest["datasets"]
        assert [datasets[kind]["spans"] for kind in DATASETS] == [1, 1, 1]
        assert len({datasets[kind]["root"] for kind in DATASETS}) == 3
        provenance = manifest["provenance"]
        data = encode(sample())
        assert provenance["sources"] == [
            {"name": "s.json", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "books": 2}
        ]
        assert provenance["segmenter"] == "source"
        assert provenance["source_metadata_root"] == metadata_root(imported().metadata).hex()

    @pytest.mark.req("REB-03")
    def test_it_holds_nothing_of_the_place_or_the_time(self, package: Path, tmp_path: Path) -> None:
        other = tmp_path / "in another" / "place"
        other.parent.mkdir()
        write_release(imported(), other)
        assert (other / "manifest.json").read_bytes() == (package / "manifest.json").read_bytes()
        assert str(tmp_path) not in (package / "manifest.json").read_text()

    @pytest.mark.req("CORE-09")
    def test_one_changed_byte_anywhere_is_another_release(self, package: Path) -> None:
        value = sample()
        value["corpus"]["books"][0]["chapters"][0]["paragraphs"][1]["sentences"][1] = "Kova ağırdü."
        other, first = package_manifest(imported(value)), open_release(package).package_manifest
        for key in ("text_release", "core_release_manifest_root"):
            assert other[key] != first[key]

    def test_edition_and_labels_are_identity_and_source_ids_are_not(self, package: Path) -> None:
        first = open_release(package).package_manifest
        assert package_manifest(imported(edition="iki"))["text_release"] != first["text_release"]
        titled, renamed = sample(), sample()
        titled["corpus"]["books"][0]["title"] = "Başka"
        renamed["corpus"]["books"][0]["chapters"][0]["paragraphs"][0]["id"] = "px"
        assert package_manifest(imported(titled))["text_release"] != first["text_release"]
        other = package_manifest(imported(renamed))
        assert other["text_release"] == first["text_release"]
        assert other["provenance"]["source_metadata_root"] != first["provenance"]["source_metadata_root"]

    def test_each_dataset_has_a_root_of_its_own(self) -> None:
        gap, matched = sample(), sample()
        matched["annotations"]["note_markers"][0]["status"] = "matched"
        one, other = (package_manifest(imported(value)) for value in (gap, matched))
        assert one["text_release"] == other["text_release"]
        differing = [kind for kind in DATASETS if one["datasets"][kind] != other["datasets"][kind]]
        assert differing == ["note_markers"]


class TestRefused:
    def test_any_flipped_bit_in_any_file_is_named(self, package: Path) -> None:
        for path in sorted(package.rglob("*")):
            if path.is_dir():
                continue
            whole = path.read_bytes()
            for at in {0, len(whole) // 3, len(whole) // 2, len(whole) - 1} if whole else ():
                flipped = bytearray(whole)
                flipped[at] ^= 0x10
                path.write_bytes(flipped)
                with pytest.raises(IntegrityError) as caught:
                    open_release(package)
                assert caught.value.where == f"{package}/{path.relative_to(package)}"
            path.write_bytes(whole)
        open_release(package)

    @pytest.mark.parametrize(
        "change",
        [
            {"edition": "another"},
            {"text_release": "2f1c0c62-6f3e-5d0a-9c33-0f6f7f2b9a11"},
            {"text_release": "no-uuid"},
            {"core_release_manifest_root": "0" * 64},
            {"core_release_manifest_root": "x"},
            {"core_release_manifest.language": "en"},
            {"core_release_manifest.bytes": 1},
            {"core_release_manifest.certified_digest": "0" * 64},
            {"core_release_manifest.tree.books": "0" * 64},
            {"core_release_manifest.labels.paragraphs": "0" * 64},
            {"datasets.note_markers.root": "0" * 64},
            {"datasets.note_markers.core_root": "0" * 64},
            {"datasets.note_markers.spans": 2},
            {"datasets.note_markers": None},
            {"datasets.note_markers": "x"},
            {"provenance.source_metadata_root": "0" * 64},
            {"provenance.segmenter": "another/1"},
            {"provenance": None},
            {"more": 1},
        ],
    )
    def test_a_forged_manifest_is_found_by_recomputing(self, tmp_path: Path, change: dict[str, Any]) -> None:
        manifest = package_manifest(imported())
        for path, value in change.items():
            *above, last = path.split(".")
            place = manifest
            for part in above:
                place = place[part]
            place[last] = value
        self._write(tmp_path / "r", manifest, imported())
        with pytest.raises(IntegrityError) as caught:
            open_release(tmp_path / "r")
        assert caught.value.where.startswith(str(tmp_path / "r"))
        assert caught.value.mend

    @pytest.mark.parametrize(
        ("table", "column", "value"),
        [
            ("atoms", "kind", [2, 0, 2, 0, 1, 0, 2, 2, 0, 1]),
            ("atoms", "length", [5, 4, 2, 15, 1, 14, 2, 2, 7, 1]),
            ("atoms", "length", [1] * 10),
            ("books", "chapters", [1, 2]),
            ("books", "chapters", [3, 1]),
            ("books", "chapters", [-1, 4]),
            ("books", "before", [0, 1]),
            ("books", "label", ["Bahçe", None]),
            ("chapters", "paragraphs", [2, 1, 1]),
            ("chapters", "title", ["Kuyu", "", "Söz"]),
            ("paragraphs", "sentences", [2, 1, 0, 1]),
            ("paragraphs", "given", [1, 1, 1, 1]),
            ("paragraphs", "given", [1, 1, 2, 1]),
            ("paragraphs", "ord", [1, None, None, None]),
            ("paragraphs", "metadata", [None, None, None, None]),
            ("note_markers", "start", [14]),
            ("note_markers", "status", [0]),
            ("note_markers", "status", [2]),
            ("note_markers", "link", [None]),
        ],
    )
    def test_forged_columns_are_found_by_recomputing(
        self, tmp_path: Path, table: str, column: str, value: list[Any]
    ) -> None:
        source = imported()
        tables = tables_of(source.release, source.metadata)
        kind = tables[table].schema.field(column).type
        at = tables[table].column_names.index(column)
        tables[table] = tables[table].set_column(at, column, pa.array(value, kind))
        self._write(tmp_path / "r", package_manifest(source), source, tables=tables)
        with pytest.raises(IntegrityError):
            open_release(tmp_path / "r")

    def test_another_column_type_or_a_lost_column_is_refused(self, tmp_path: Path) -> None:
        source = imported()
        for number, change in enumerate(
            (
                lambda t: t.drop_columns(["length"]),
                lambda t: t.set_column(1, "length", t["length"].cast(pa.float64())),
                lambda t: t.set_column(1, "length", t["length"].cast(pa.string())),
                lambda t: t.set_column(1, "length", pa.nulls(t.num_rows, pa.int64())),
                lambda t: t.slice(1),
            )
        ):
            tables = tables_of(source.release, source.metadata)
            tables["atoms"] = change(tables["atoms"])
            self._write(tmp_path / f"r{number}", package_manifest(source), source, tables=tables)
            for check in (True, False):
                with pytest.raises(IntegrityError):
                    open_release(tmp_path / f"r{number}", check=check)

    @pytest.mark.req("CORE-10")
    def test_changed_text_is_another_release(self, tmp_path: Path) -> None:
        source = imported()
        self._write(tmp_path / "r", package_manifest(source), source, text=source.release.text.upper())
        with pytest.raises(IntegrityError, match="certified_digest differs"):
            open_release(tmp_path / "r")

    @pytest.mark.req("CORE-10")
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"atom_kind": [2, 0, 2, 0, 2, 0, 2, 2, 0, 2]}, "do not follow the tree"),
            ({"atom_length": [5, 4, 2, 0, 15, 15, 2, 2, 8, 0]}, "has no byte"),
            ({"atom_length": [5, 4, 2, 14, 8, 8, 2, 2, 8, 0]}, "splits a character"),
            ({"text": b"\xff" * 53}, "not UTF-8"),
        ],
    )
    def test_a_forgery_whose_roots_are_right_must_still_tile(
        self, tmp_path: Path, change: dict[str, Any], message: str
    ) -> None:
        source = imported(sample(headings=None, note_bodies=None, note_markers=None))
        types = {"atom_kind": np.uint8, "atom_length": np.int64}
        columns = {
            key: np.array(value, types[key]) if key in types else value for key, value in change.items()
        }
        forged = dataclasses.replace(source, release=dataclasses.replace(source.release, **columns))
        self._write(tmp_path / "r", package_manifest(forged), forged)
        with pytest.raises(IntegrityError, match=message):
            open_release(tmp_path / "r")

    def test_a_package_of_another_format_is_refused(self, tmp_path: Path) -> None:
        with PackageWriter(tmp_path / "r", format="tekrar/other/v1") as writer:
            writer.commit({"format": "tekrar/other/v1"})
        with pytest.raises(IntegrityError) as caught:
            open_release(tmp_path / "r")
        assert (caught.value.kind, caught.value.expected) == ("wrong_format", FORMAT)
        with pytest.raises(NotFoundError):
            open_release(tmp_path / "none")

    def test_a_stale_dataset_is_not_written(self, tmp_path: Path) -> None:
        source = imported()
        markers = source.release.datasets["note_markers"]
        assert markers is not None
        source.release.datasets["note_markers"] = dataclasses.replace(markers, core_root=b"\1" * 32)
        with pytest.raises(IntegrityError) as caught:
            write_release(source, tmp_path / "r")
        assert caught.value.kind == "stale_dataset"
        assert list(tmp_path.iterdir()) == []

    def test_the_target_is_never_written_over(self, package: Path) -> None:
        with pytest.raises(UsageError):
            write_release(imported(), package)
        assert write_release(imported(), package, exist_ok=True).certified == open_release(package).certified

    def test_the_manifest_root_covers_what_it_says(self) -> None:
        core = package_manifest(imported())["core_release_manifest"]
        for key in core:
            assert manifest_root_of({**core, key: "0"}) != manifest_root_of(core)

    @staticmethod
    def _write(
        target: Path,
        manifest: dict[str, Any],
        source: Imported,
        *,
        tables: dict[str, pa.Table] | None = None,
        text: bytes | None = None,
    ) -> None:
        """A package as a forger writes it: sound transport, wrong content."""
        with PackageWriter(target, format=FORMAT) as writer:
            writer.add_bytes("text", source.release.text if text is None else text)
            for name, table in (tables or tables_of(source.release, source.metadata)).items():
                writer.add_table(name, table)
            writer.commit(manifest)
