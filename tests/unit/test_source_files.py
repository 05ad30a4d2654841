"""Reading source files: bounded, ordered, told apart by content (contract C9 Folders; threat T11)."""

import gzip
import hashlib
import os
import random
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tekrar.corpus import sources
from tekrar.corpus.detection import detect_format
from tekrar.corpus.folder import list_folder, list_sources
from tekrar.corpus.sources import Limits, read_source, require_utf8
from tekrar.errors import NotFoundError, SourceError

MIB = 1 << 20


def refused(path: Path, limits: Limits | None = None) -> SourceError:
    with pytest.raises(SourceError) as caught:
        read_source(path, limits=limits)
    assert str(path.name) in caught.value.where
    assert caught.value.mend
    return caught.value


class TestReading:
    @pytest.mark.parametrize(
        "data", [b"", b"\n", b"\x1f", b"bir\r\niki", b"\xef\xbb\xbf\x00", b"x" * (3 * MIB + 1)]
    )
    def test_plain_bytes_come_as_they_are(self, tmp_path: Path, data: bytes) -> None:
        (tmp_path / "f.txt").write_bytes(data)
        found = read_source(tmp_path / "f.txt")
        assert (found.name, found.data, found.stored_bytes) == ("f.txt", data, len(data))
        assert found.sha256 == hashlib.sha256(data).hexdigest()

    @pytest.mark.parametrize("name", ["f.txt", "f.gz"])
    def test_gzip_is_told_by_its_bytes_and_hashed_as_stored(self, tmp_path: Path, name: str) -> None:
        data = random.Random(1).randbytes(3 * MIB // 2)
        stored = gzip.compress(data[:MIB]) + gzip.compress(b"") + gzip.compress(data[MIB:]) + b"\0" * 9
        (tmp_path / name).write_bytes(stored)
        found = read_source(tmp_path / name)
        assert found.data == data
        assert (found.sha256, found.stored_bytes) == (hashlib.sha256(stored).hexdigest(), len(stored))

    def test_a_link_is_followed_and_keeps_its_own_name(self, tmp_path: Path) -> None:
        (tmp_path / "real").write_bytes(b"text")
        (tmp_path / "link.txt").symlink_to("real")
        assert read_source(tmp_path / "link.txt").name == "link.txt"

    @pytest.mark.parametrize("cut", [1, 5, 12, 40])
    def test_truncated_gzip_is_refused(self, tmp_path: Path, cut: int) -> None:
        (tmp_path / "f.gz").write_bytes(gzip.compress(random.Random(2).randbytes(1000))[:-cut])
        assert refused(tmp_path / "f.gz").kind == "bad_gzip"

    @pytest.mark.parametrize("at", [0, 3, 500, -6])
    def test_damaged_gzip_is_refused(self, tmp_path: Path, at: int) -> None:
        stored = bytearray(gzip.compress(random.Random(2).randbytes(1000)) * 2)
        stored[len(stored) // 2 + at] ^= 0xFF
        (tmp_path / "f.gz").write_bytes(stored)
        assert refused(tmp_path / "f.gz").kind == "bad_gzip"

    def test_a_gzip_bomb_is_refused_while_it_unpacks(self, tmp_path: Path) -> None:
        pack = zlib.compressobj(9, wbits=31)
        line = b"\n" * MIB
        stored = b"".join(pack.compress(line) for _ in range(128)) + pack.flush()
        (tmp_path / "bomb.gz").write_bytes(stored)
        began = time.process_time()
        assert refused(tmp_path / "bomb.gz").kind == "source_too_large"
        assert time.process_time() - began < 5

    def test_the_total_is_bounded(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_bytes(b"line\n" * MIB)
        assert refused(tmp_path / "f", Limits(total_bytes=4 * MIB)).kind == "source_too_large"

    def test_a_line_of_300_mb_is_refused_and_numbered(self, tmp_path: Path) -> None:
        with open(tmp_path / "f.jsonl", "wb") as file:
            file.write(b"first\nsecond\n")
            file.truncate(300 * 10**6)
        error = refused(tmp_path / "f.jsonl")
        assert (error.kind, error.where) == ("line_too_long", f"{tmp_path}/f.jsonl:3")

    def test_lines_up_to_the_limit_are_read(self, tmp_path: Path) -> None:
        limits = Limits(line_bytes=2 * MIB)
        (tmp_path / "f").write_bytes(b"a\n" + b"x" * (2 * MIB) + b"\nz")
        assert len(read_source(tmp_path / "f", limits=limits).data) == 2 * MIB + 4
        (tmp_path / "f").write_bytes(b"a\n" + b"x" * (2 * MIB + 1) + b"\nz")
        assert refused(tmp_path / "f", limits).where.endswith("f:2")

    @pytest.mark.parametrize("change", ["grow", "shrink", "rewrite"])
    def test_a_file_that_changes_while_it_is_read_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
    ) -> None:
        path = tmp_path / "f.txt"
        path.write_bytes(b"line\n" * 1000)
        os.utime(path, ns=(1, 1))

        class Changing(sources._Stored):
            def __iter__(self) -> Iterator[bytes]:
                for block in super().__iter__():
                    yield block
                    if change == "grow":
                        with open(path, "ab") as file:
                            file.write(b"more")
                        return
                    if change == "shrink":
                        os.truncate(path, 5)
                    else:
                        path.write_bytes(b"LINE\n" * 1000)

        monkeypatch.setattr(sources, "_Stored", Changing)
        assert refused(path).kind == "source_changed"

    def test_pipes_and_missing_files_are_refused_at_once(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        assert refused(tmp_path / "pipe").kind == "not_a_file"
        with pytest.raises(NotFoundError):
            read_source(tmp_path / "none")

    def test_bytes_that_are_not_utf8_are_named(self) -> None:
        with pytest.raises(SourceError, match=r"byte 6 \(line 2\)") as caught:
            require_utf8(b"bir\nik\xff", where="f.txt")
        assert (caught.value.where, caught.value.kind) == ("f.txt", "invalid_utf8")


class TestFolders:
    def fill(self, folder: Path, *names: str) -> Path:
        for name in names:
            (folder / name).write_bytes(name.encode())
        return folder

    @pytest.mark.req("REB-05")
    def test_byte_order_of_names_and_nothing_else_is_the_book_order(self, tmp_path: Path) -> None:
        names = ["b.jsonl", "a.jsonl.gz", "B.jsonl", "ç.jsonl", "z.jsonl", "10.jsonl", "9.jsonl"]
        random.Random(3).shuffle(names)
        listing = list_folder(self.fill(tmp_path, *names))
        found = [path.name for path in listing.files]
        assert found == ["10.jsonl", "9.jsonl", "B.jsonl", "a.jsonl.gz", "b.jsonl", "z.jsonl", "ç.jsonl"]
        shuffled = list_sources(random.Random(4).sample(listing.files, len(found)))
        assert [path.name for path in shuffled.files] == found

    def test_json_lines_go_first_and_the_rest_is_listed_unread(self, tmp_path: Path) -> None:
        (tmp_path / "inner.jsonl").mkdir()
        self.fill(tmp_path / "inner.jsonl", "x.jsonl")
        self.fill(tmp_path, "a.jsonl", "b.txt", "c.md", "d.tsv", "e.jsonl.bak", ".f")
        listing = list_folder(tmp_path)
        assert [path.name for path in listing.files] == ["a.jsonl"]
        assert listing.unread == (".f", "b.txt", "c.md", "d.tsv", "e.jsonl.bak", "inner.jsonl")

    @pytest.mark.parametrize("names", [("a.txt", "b.txt"), ("a.md", "b.md")])
    def test_text_or_markdown_is_read_where_there_are_no_json_lines(
        self, tmp_path: Path, names: tuple[str, ...]
    ) -> None:
        assert [path.name for path in list_folder(self.fill(tmp_path, *names)).files] == list(names)

    @pytest.mark.parametrize(
        ("names", "kind"), [(("a.txt", "b.md"), "two_formats"), (("a.csv",), "no_source"), ((), "no_source")]
    )
    def test_two_formats_and_no_source_are_errors(
        self, tmp_path: Path, names: tuple[str, ...], kind: str
    ) -> None:
        with pytest.raises(SourceError) as caught:
            list_folder(self.fill(tmp_path, *names))
        assert (caught.value.kind, caught.value.where) == (kind, str(tmp_path))

    def test_an_order_file_decides_also_from_inside_the_folder(self, tmp_path: Path) -> None:
        self.fill(tmp_path, "a.txt", "b.txt", "c.txt")
        order = tmp_path / "order.txt"
        order.write_bytes(b"c.txt\r\n\na.txt\nb.txt")
        listing = list_folder(tmp_path, order=order)
        assert [path.name for path in listing.files] == ["c.txt", "a.txt", "b.txt"]
        assert listing.unread == ("order.txt",)

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            ("a.txt\n", "", "'b.txt' is not named"),
            ("a.txt\nb.txt\na.txt\n", ":3", "stands in line 1 already"),
            ("a.txt\nb.txt\nx.txt\n", ":3", "none of the files"),
            ("A.txt\nb.txt\n", ":1", "none of the files"),
        ],
    )
    def test_an_order_file_names_every_file_once(
        self, tmp_path: Path, text: str, line: str, message: str
    ) -> None:
        folder = tmp_path / "in"
        folder.mkdir()
        self.fill(folder, "a.txt", "b.txt")
        (tmp_path / "order").write_text(text)
        with pytest.raises(SourceError, match=message) as caught:
            list_folder(folder, order=tmp_path / "order")
        assert caught.value.where == f"{tmp_path}/order{line}"

    def test_several_sources_are_files_of_different_names(self, tmp_path: Path) -> None:
        one, other = tmp_path / "1", tmp_path / "2"
        for folder in (one, other):
            folder.mkdir()
            self.fill(folder, "a.txt")
        for paths, kind in (
            ((one / "a.txt", other / "a.txt"), "duplicate_file_name"),
            ((one, other), "mixed_sources"),
        ):
            with pytest.raises(SourceError) as caught:
                list_sources(paths)
            assert caught.value.kind == kind
        with pytest.raises(NotFoundError):
            list_sources([one / "a.txt"], order=tmp_path / "none")


@pytest.mark.parametrize(
    ("head", "name", "found"),
    [
        (b'{"corpus": {"books": []}, "annotations": {}}', "a.txt", "structured"),
        (b'{\n "annotations": {},\n "corpus": {}\n}', "a", "structured"),
        (b'{\n "edition": "x",\n "corpus": {}\n}', "a.jsonl", "structured"),
        (b'{"book": "b", "text": "t"}\n{"book": "b", "text": "u"}\n', "a.txt", "jsonl"),
        (b'\n  \n{"text": "t", "corpus": "c"}\n', "a.md", "jsonl"),
        (b'{"text": "t"', "a.jsonl", "jsonl"),
        (b'{"text": "' + b"x" * 100_000 + b'"}', "a", "jsonl"),
        (b'\xef\xbb\xbf{"text": "t"}\n', "a", "jsonl"),
        (b"{ bir", "a.jsonl.gz", "jsonl"),
        (b"{ bir", "a.json", "structured"),
        (b"{ bir } kuyu", "a.md", "markdown"),
        (b'{"a": 1}', "a.txt", "text"),
        (b"# Kuyu", "a.md", "markdown"),
        (b"# Kuyu", "a.md.gz", "markdown"),
        (b"# Kuyu", "a.txt", "text"),
        (b"", "a", "text"),
        (b"[" * 100_000, "a.txt", "text"),
        (b'{"a":' * 20_000, "a.txt", "text"),
        (b"\xff\xfe", "a.txt", "text"),
    ],
)
def test_formats_are_told_by_content(head: bytes, name: str, found: str) -> None:
    assert detect_format(head, name) == found
