"""The package folder: what a stopped writer leaves, and what a reader refuses (threats T9, T11)."""

import errno
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tekrar.core.encoding import canonical_json
from tekrar.errors import IntegrityError, NotFoundError, StorageError, UsageError
from tekrar.package import Package, PackageWriter, write_file

FORMAT = "test/package/v1"
MANIFEST = {"format": FORMAT, "says": "the same"}
WRITERS = Path(__file__).with_name("package_writers.py")


def write(target: Path, *, more: int = 0) -> None:
    with PackageWriter(target, format=FORMAT) as writer:
        writer.add_bytes("one", b"first bytes")
        writer.add_bytes("deep/two", b"22")
        writer.add_bytes("deep/again", b"22")
        writer.add_table("numbers", pa.table({"n": pa.array([3, 1, 2], pa.int64()), "s": ["a", "ş", "ا"]}))
        for number in range(more):
            writer.add_bytes(f"n{number}", os.urandom(100_000))
        writer.commit(MANIFEST)


def run_writer(mode: str, target: Path) -> Any:
    done = subprocess.run(
        [sys.executable, str(WRITERS), mode, str(target)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    target = tmp_path / "p"
    write(target)
    return target


def reseal(package: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change files.json as a forger would, with its digest made right again."""
    document = json.loads((package / "files.json").read_bytes())
    del document["self_sha256"]
    change(document)
    document["self_sha256"] = hashlib.sha256(canonical_json(document)).hexdigest()
    (package / "files.json").write_bytes(canonical_json(document))


def refused(package: Path) -> IntegrityError:
    with pytest.raises(IntegrityError) as caught:
        Package(package, format=FORMAT).check_transport()
    assert caught.value.mend
    return caught.value


class TestRoundTrip:
    def test_names_bytes_and_tables_come_back(self, package: Path) -> None:
        opened = Package(package, format=FORMAT)
        opened.check_transport()
        assert opened.manifest == MANIFEST
        assert opened.names == ("deep/again", "deep/two", "numbers", "one")
        assert opened.read_bytes("one", check=True) == b"first bytes"
        assert opened.read_table("numbers").to_pydict() == {"n": [3, 1, 2], "s": ["a", "ş", "ا"]}
        assert opened.read_table("numbers", ["s"]).column_names == ["s"]

    def test_equal_contents_are_stored_once_under_their_digest(self, package: Path) -> None:
        stored = sorted(path.name.partition(".")[0] for path in (package / "objects").iterdir())
        assert len(stored) == 3
        for path in (package / "objects").iterdir():
            assert path.name.partition(".")[0] == hashlib.sha256(path.read_bytes()).hexdigest()

    def test_the_same_content_gives_the_same_package_anywhere(self, package: Path, tmp_path: Path) -> None:
        other = tmp_path / "elsewhere" / "q"
        other.parent.mkdir()
        write(other)
        for name in ("manifest.json", "files.json"):
            assert (other / name).read_bytes() == (package / name).read_bytes()

    def test_streamed_bytes_equal_bytes_at_once(self, tmp_path: Path) -> None:
        with PackageWriter(tmp_path / "p", format=FORMAT) as writer:
            with writer.add_file("streamed") as file:
                for part in (b"ab", bytearray(b"c"), memoryview(b"def")):
                    file.write(part)
                assert file.tell() == 6
            writer.add_bytes("whole", b"abcdef")
            writer.commit(MANIFEST)
        assert len(list((tmp_path / "p" / "objects").iterdir())) == 1

    def test_a_file_that_fails_in_the_middle_gets_no_name(self, tmp_path: Path) -> None:
        with PackageWriter(tmp_path / "p", format=FORMAT) as writer:
            with suppress(RuntimeError), writer.add_file("broken") as file:
                file.write(b"half")
                raise RuntimeError
            (writer.folder / "part-1").unlink()
            writer.add_bytes("broken", b"whole")
            writer.commit(MANIFEST)
        assert Package(tmp_path / "p", format=FORMAT).read_bytes("broken") == b"whole"

    @pytest.mark.parametrize(
        "name", ["../x", "/x", "a//b", "a/..", ".hidden", "x\0y", "ş", "", "a" * 201, "ONE"]
    )
    def test_a_writer_takes_no_unsafe_or_clashing_name(self, tmp_path: Path, name: str) -> None:
        with PackageWriter(tmp_path / "p", format=FORMAT) as writer:
            writer.add_bytes("one", b"")
            with pytest.raises(ValueError, match="unsafe or taken"):
                writer.add_bytes(name, b"")


class TestWriting:
    def test_a_writer_killed_at_any_step_leaves_nothing_that_opens(self, tmp_path: Path) -> None:
        seen = run_writer("kill", tmp_path / "p")
        assert len(seen) > 20
        assert [row["killed"] for row in seen] == [True] * (len(seen) - 1) + [False]
        assert not any(row["broken_target"] or row["rest_opens"] for row in seen)
        assert any(row["rest"] for row in seen), "no step left a temporary: the test sees nothing"
        assert any(row["killed"] and row["target"] for row in seen), "no step after the rename was reached"
        assert all(row["after_next_run"] == ["p"] for row in seen)

    @pytest.mark.parametrize("mode", ["small-files", "small-tables"])
    def test_a_file_size_limit_is_a_storage_error(self, tmp_path: Path, mode: str) -> None:
        error = run_writer(mode, tmp_path / "p")
        assert (error["code"], error["kind"]) == ("storage_error", "efbig")
        assert str(tmp_path / "p") in error["where"]
        assert "ulimit" in error["mend"]
        assert list(tmp_path.iterdir()) == []

    def test_a_full_disk_is_a_storage_error(self, small_disk: Path) -> None:
        with pytest.raises(StorageError) as caught:
            write(small_disk / "p", more=64)
        assert caught.value.kind == "enospc"
        assert list(small_disk.iterdir()) == []
        write(small_disk / "p")

    def test_a_disk_that_is_full_at_the_rename_leaves_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "rename", full)
        with pytest.raises(StorageError, match="No space left"):
            write(tmp_path / "p")
        assert list(tmp_path.iterdir()) == []

    def test_a_missing_parent_is_a_storage_error_with_its_mend(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError) as caught:
            write(tmp_path / "no" / "p")
        assert (caught.value.kind, caught.value.mend) == (
            "enoent",
            "make the folder first, or correct the path",
        )

    def test_an_interrupt_cleans_up(self, tmp_path: Path) -> None:
        with suppress(KeyboardInterrupt), PackageWriter(tmp_path / "p", format=FORMAT) as writer:
            writer.add_bytes("one", b"1")
            raise KeyboardInterrupt
        assert list(tmp_path.iterdir()) == []

    def test_a_block_without_commit_leaves_nothing(self, tmp_path: Path) -> None:
        with PackageWriter(tmp_path / "p", format=FORMAT) as writer:
            writer.add_bytes("one", b"1")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("what", ["folder", "file", "link"])
    def test_a_target_that_exists_is_refused_and_untouched(self, tmp_path: Path, what: str) -> None:
        target = tmp_path / "p"
        if what == "folder":
            target.mkdir()
        elif what == "file":
            target.write_bytes(b"mine")
        else:
            target.symlink_to(tmp_path / "nowhere")
        with pytest.raises(UsageError) as caught:
            write(target)
        assert caught.value.kind == "target_exists"
        assert [path.name for path in tmp_path.iterdir()] == ["p"]

    def test_two_writers_of_one_package_both_succeed(self, tmp_path: Path) -> None:
        target = tmp_path / "p"
        with PackageWriter(target, format=FORMAT) as first, PackageWriter(target, format=FORMAT) as second:
            for writer in (first, second):
                writer.add_bytes("one", b"1")
            second.commit(MANIFEST)
            first.commit(MANIFEST)
        Package(target, format=FORMAT).check_transport()
        assert [path.name for path in tmp_path.iterdir()] == ["p"]

    def test_the_second_of_two_writers_that_disagree_fails_and_harms_nothing(self, tmp_path: Path) -> None:
        target = tmp_path / "p"
        with PackageWriter(target, format=FORMAT) as first, PackageWriter(target, format=FORMAT) as second:
            second.commit(MANIFEST)
            with pytest.raises(StorageError) as caught:
                first.commit({**MANIFEST, "says": "something else"})
        assert caught.value.kind == "target_exists"
        assert Package(target, format=FORMAT).manifest == MANIFEST
        assert [path.name for path in tmp_path.iterdir()] == ["p"]

    @pytest.mark.parametrize("what", ["file", "folder"])
    def test_something_else_that_appeared_meanwhile_is_not_touched(self, tmp_path: Path, what: str) -> None:
        target = tmp_path / "p"
        with PackageWriter(target, format=FORMAT) as writer:
            if what == "file":
                target.write_bytes(b"mine")
            else:
                target.mkdir()
                (target / "mine").write_bytes(b"mine")
            with pytest.raises(StorageError, match="something else"):
                writer.commit(MANIFEST)
        assert (target if what == "file" else target / "mine").read_bytes() == b"mine"

    def test_processes_that_race_all_succeed_or_find_the_target(self, tmp_path: Path) -> None:
        target = tmp_path / "p"
        racers = [
            subprocess.Popen([sys.executable, str(WRITERS), "race", str(target)], stderr=subprocess.PIPE)
            for _ in range(3)
        ]
        said = [racer.communicate()[1].decode() for racer in racers]
        assert all(
            racer.returncode == 0 or "the target exists" in text
            for racer, text in zip(racers, said, strict=True)
        )
        assert 0 in [racer.returncode for racer in racers]
        Package(target, format=FORMAT).check_transport()
        assert [path.name for path in tmp_path.iterdir()] == ["p"]

    def test_a_live_temporary_is_never_swept(self, tmp_path: Path) -> None:
        with PackageWriter(tmp_path / "p", format=FORMAT) as first:
            first.add_bytes("one", b"1")
            with PackageWriter(tmp_path / "p", format=FORMAT):
                assert first.folder.is_dir()
            first.commit(MANIFEST)
        assert Package(tmp_path / "p", format=FORMAT).read_bytes("one") == b"1"

    def test_a_sweep_takes_leftovers_of_its_own_target_only(self, tmp_path: Path) -> None:
        own, other = tmp_path / f".p.tmp-{'0' * 16}", tmp_path / f".q.tmp-{'0' * 16}"
        mine = tmp_path / ".p.tmp-notes"
        for folder in (own, other, mine):
            (folder / "objects").mkdir(parents=True)
        write(tmp_path / "p")
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([other.name, mine.name, "p"])

    def test_a_parent_that_someone_else_holds_does_not_stop_a_writer(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import fcntl

        from tekrar.package import temporary

        monkeypatch.setattr(temporary, "WAIT_SECONDS", 0.0)
        handle = os.open(tmp_path, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            write(tmp_path / "p")
        finally:
            os.close(handle)
        Package(tmp_path / "p", format=FORMAT).check_transport()


class TestFlippedBits:
    @pytest.mark.parametrize("name", ["manifest.json", "files.json"])
    def test_any_flipped_bit_of_a_document_is_named(self, package: Path, name: str) -> None:
        whole = (package / name).read_bytes()
        for at in range(len(whole)):
            flipped = bytearray(whole)
            flipped[at] ^= 1 << at % 8
            (package / name).write_bytes(flipped)
            assert refused(package).where == f"{package}/{name}", at

    def test_any_flipped_bit_of_an_object_is_named(self, package: Path) -> None:
        for path in (package / "objects").iterdir():
            whole = path.read_bytes()
            for at in range(0, len(whole), 7):
                flipped = bytearray(whole)
                flipped[at] ^= 1 << at % 8
                path.write_bytes(flipped)
                error = refused(package)
                assert (error.where, error.kind) == (f"{package}/objects/{path.name}", "digest_differs")
            path.write_bytes(whole)
        Package(package, format=FORMAT).check_transport()

    def test_a_checked_read_finds_it_too(self, package: Path) -> None:
        opened = Package(package, format=FORMAT)
        row = json.loads((package / "files.json").read_bytes())["files"]["one"]
        (package / row["object"]).write_bytes(b"first_bytes")
        with pytest.raises(IntegrityError, match="was altered"):
            opened.read_bytes("one", check=True)

    @pytest.mark.parametrize("change", [b"", b"longer than the first bytes"])
    def test_another_size_is_found_on_opening(self, package: Path, change: bytes) -> None:
        row = json.loads((package / "files.json").read_bytes())["files"]["one"]
        (package / row["object"]).write_bytes(change)
        assert (refused(package).kind, refused(package).where) == (
            "size_differs",
            f"{package}/{row['object']}",
        )

    def test_a_file_that_grows_after_opening_is_not_read(self, package: Path) -> None:
        opened = Package(package, format=FORMAT)
        row = json.loads((package / "files.json").read_bytes())["files"]["one"]
        (package / row["object"]).write_bytes(b"first bytes and more")
        with pytest.raises(IntegrityError, match="bytes"):
            opened.read_bytes("one")


class TestUnsafePackages:
    @pytest.mark.parametrize(
        "name",
        ["../up", "/etc/passwd", "a/../../b", "nul\0", "a" * 4000, "C:\\x", "sp ace", "./x", "x/", "con."],
    )
    def test_an_unsafe_logical_name_is_refused(self, package: Path, name: str) -> None:
        reseal(package, lambda d: d["files"].update({name: d["files"]["one"]}))
        error = refused(package)
        assert (error.kind, error.where) == ("unsafe_path", f"{package}/files.json")
        assert len(error.message) < 200

    @pytest.mark.parametrize(
        "object_name",
        [
            "../p/manifest.json",
            "/etc/passwd",
            "objects/../../x",
            "objects/" + "0" * 63,
            "objects/x\0",
            "",
            7,
            None,
        ],
    )
    def test_an_object_outside_objects_is_refused(self, package: Path, object_name: object) -> None:
        reseal(package, lambda d: d["files"]["one"].update(object=object_name))
        assert refused(package).kind == "unsafe_path"

    def test_names_that_differ_in_case_only_are_refused(self, package: Path) -> None:
        reseal(package, lambda d: d["files"].update(ONE=d["files"]["one"]))
        assert refused(package).kind == "case_clash"

    @pytest.mark.parametrize("place", ["extra", "objects/extra", "objects/" + "0" * 64])
    def test_an_extra_file_is_refused(self, package: Path, place: str) -> None:
        (package / place).write_bytes(b"")
        assert (refused(package).kind, refused(package).where) == ("extra_file", f"{package}/{place}")

    def test_a_missing_file_is_named(self, package: Path) -> None:
        row = json.loads((package / "files.json").read_bytes())["files"]["one"]
        (package / row["object"]).unlink()
        assert (refused(package).kind, refused(package).where) == (
            "missing_file",
            f"{package}/{row['object']}",
        )

    @pytest.mark.parametrize("place", ["manifest.json", "files.json", "objects", "one"])
    def test_a_symlink_inside_is_refused_whatever_it_points_to(self, package: Path, place: str) -> None:
        if place == "one":
            place = json.loads((package / "files.json").read_bytes())["files"]["one"]["object"]
        moved = package.parent / "moved"
        (package / place).rename(moved)
        (package / place).symlink_to(moved)
        assert (refused(package).kind, refused(package).where) == ("unsafe_file", f"{package}/{place}")

    def test_a_pipe_inside_is_refused_and_not_waited_for(self, package: Path) -> None:
        place = json.loads((package / "files.json").read_bytes())["files"]["one"]["object"]
        (package / place).unlink()
        os.mkfifo(package / place)
        assert refused(package).kind == "unsafe_file"

    def test_a_link_that_took_a_files_place_after_opening_is_not_followed(self, package: Path) -> None:
        opened = Package(package, format=FORMAT)
        place = json.loads((package / "files.json").read_bytes())["files"]["one"]["object"]
        (package / place).rename(package.parent / "moved")
        (package / place).symlink_to(package.parent / "moved")
        with pytest.raises(StorageError):
            opened.read_bytes("one")

    def test_a_package_may_itself_be_named_by_a_link(self, package: Path) -> None:
        link = package.parent / "latest"
        link.symlink_to(package)
        assert Package(link, format=FORMAT).read_bytes("deep/two") == b"22"

    def test_an_unfinished_package_is_refused_even_if_it_looks_whole(self, package: Path) -> None:
        left = package.with_name(f".p.tmp-{'a' * 16}")
        package.rename(left)
        assert refused(left).kind == "not_a_package"

    @pytest.mark.parametrize(
        ("document", "kind"),
        [
            (b'{"format": "test/package/v1"}', "not_canonical"),
            (b'{"format":"test/package/v1","format":"test/package/v1"}', "not_canonical"),
            (b'{"format":"test/package/v1","n":1.0}', "not_canonical"),
            (b'{"format":"test/package/v1","n":NaN}', "not_canonical"),
            (b'{"format":"test/package/v2"}', "wrong_format"),
            (b"[]", "not_canonical"),
            (b"", "not_canonical"),
            (b"\xff", "not_canonical"),
            (b'{"format":"test/package/v1","s":"\\ud800"}', "not_canonical"),
            (b"[" * 100_000 + b"]" * 100_000, "not_canonical"),
        ],
    )
    def test_a_manifest_has_one_form_only(self, package: Path, document: bytes, kind: str) -> None:
        (package / "manifest.json").write_bytes(document)
        reseal(package, lambda d: d.update(manifest_sha256=hashlib.sha256(document).hexdigest()))
        assert (refused(package).kind, refused(package).where) == (kind, f"{package}/manifest.json")

    @pytest.mark.parametrize("size", [-1, True, "11", 12])
    def test_a_row_that_contradicts_itself_or_the_file_is_refused(self, package: Path, size: object) -> None:
        reseal(package, lambda d: d["files"]["one"].update(bytes=size))
        refused(package)

    def test_an_endless_document_is_refused_before_it_is_read(self, package: Path) -> None:
        with open(package / "files.json", "r+b") as file:
            file.truncate(200 << 20)
        assert refused(package).kind == "too_large"

    def test_nothing_and_something_else_are_told_apart(self, tmp_path: Path) -> None:
        with pytest.raises(NotFoundError):
            Package(tmp_path / "none", format=FORMAT)
        assert refused(tmp_path).kind == "not_a_package"
        (tmp_path / "file").write_bytes(b"")
        assert refused(tmp_path / "file").kind == "not_a_package"

    def test_a_table_that_is_none_or_lacks_a_column_is_refused(self, package: Path) -> None:
        opened = Package(package, format=FORMAT)
        for name, columns in (("one", None), ("numbers", ["missing"])):
            with pytest.raises(IntegrityError) as caught:
                opened.read_table(name, columns)
            assert caught.value.kind == "bad_table"
        with pytest.raises(NotFoundError):
            opened.read_bytes("nothing")


class TestOneFile:
    def test_it_is_written_whole(self, tmp_path: Path) -> None:
        write_file(tmp_path / "f", b"bytes")
        assert (tmp_path / "f").read_bytes() == b"bytes"
        write_file(tmp_path / "f", b"other", replace=True)
        assert [path.name for path in tmp_path.iterdir()] == ["f"]
        assert (tmp_path / "f").read_bytes() == b"other"

    def test_it_never_writes_over_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_bytes(b"mine")
        with pytest.raises(UsageError):
            write_file(tmp_path / "f", b"bytes")
        assert (tmp_path / "f").read_bytes() == b"mine"

    def test_a_pipe_is_never_replaced(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "link").symlink_to("pipe")
        (tmp_path / "astray").symlink_to("nowhere")
        (tmp_path / "folder").mkdir()
        before = {path.name: path.lstat().st_mode for path in tmp_path.iterdir()}
        for name in before:
            with pytest.raises(UsageError) as caught:
                write_file(tmp_path / name, b"bytes", replace=True)
            assert caught.value.kind == "not_a_regular_file"
        assert {path.name: path.lstat().st_mode for path in tmp_path.iterdir()} == before

    def test_a_link_stays_and_the_file_behind_it_is_replaced_with_its_permissions(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "inner").mkdir()
        (tmp_path / "inner" / "f").write_bytes(b"old")
        (tmp_path / "inner" / "f").chmod(0o640)
        (tmp_path / "link").symlink_to("inner/f")
        write_file(tmp_path / "link", b"new", replace=True)
        assert os.readlink(tmp_path / "link") == "inner/f"
        assert (tmp_path / "inner" / "f").read_bytes() == b"new"
        assert (tmp_path / "inner" / "f").stat().st_mode & 0o777 == 0o640
        assert sorted(path.name for path in tmp_path.rglob("*")) == ["f", "inner", "link"]

    def test_a_full_disk_leaves_nothing(self, small_disk: Path) -> None:
        with pytest.raises(StorageError) as caught:
            write_file(small_disk / "f", os.urandom(4 << 20))
        assert caught.value.kind == "enospc"
        assert list(small_disk.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Any:
    """A file system of 1 MiB; only an administrator can make one."""
    place = tmp_path / "disk"
    place.mkdir()
    made = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True, check=False
        )
        if os.geteuid() == 0
        else None
    )
    if made is None or made.returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)
