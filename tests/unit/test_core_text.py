"""Core bytes are facts: they tile, they are immutable, repetition records neither hold nor change them."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tekrar.artifact.reader import Artifact
from tekrar.artifact.schema import table_names
from tekrar.build import ByteSource, build
from tekrar.build.pipeline import evaluate
from tekrar.cli import main
from tekrar.core.identity import parse_uuid
from tekrar.core.release import certified_digest, core_manifest, manifest_root_of, release_id
from tekrar.core.text import TextRelease
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.release_package import open_release, write_release
from tekrar.corpus.sources import SourceText
from tekrar.errors import IntegrityError, SourceError
from tekrar.view.answer import answer_for
from tekrar.view.open import open_corpus
from tekrar.view.records import answer_record
from tekrar.view.status import QueryStatus
from tests.oracle.document import read
from tests.oracle.run import release_of
from tests.small import Built, document, in_books, mark, text_release


def stated(release: TextRelease) -> dict[str, bytes]:
    """What the package of a release states of it."""
    certified = certified_digest(release)
    root = manifest_root_of(core_manifest(release, certified=certified))
    return {"certified": certified, "manifest_root": root, "id": release_id(release, manifest_root=root)}


def column(values: list[int], kind: Any = np.int64) -> Any:
    return np.array(values, kind)


RELEASE = text_release(document([[["A.", "B."], []], [["ş."]]]))


@pytest.mark.req("CORE-10")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"atom_length": RELEASE.atom_length[:-1], "atom_kind": RELEASE.atom_kind[:-1]}, "do not tile"),
        ({"text": RELEASE.text + b"x"}, "do not tile"),
        ({"text": RELEASE.text[:-1]}, "do not tile"),
        ({"atom_kind": RELEASE.atom_kind[::-1].copy()}, "do not follow the tree"),
        ({"atom_kind": column([0, 9, 0, 2, 2, 0, 2], np.uint8)}, "do not follow the tree"),
        ({"paragraph_sentences": column([1, 1, 1])}, "do not follow the tree"),
        ({"text": RELEASE.text.replace("ş".encode(), b"\xc5\xc5")}, "not UTF-8"),
    ],
)
def test_atoms_that_do_not_tile_the_bytes_are_refused(change: dict[str, Any], message: str) -> None:
    RELEASE.check_tiling()
    with pytest.raises(IntegrityError, match=message):
        replace(RELEASE, **change).check_tiling()


@pytest.mark.req("CORE-10")
def test_an_empty_sentence_and_a_split_character_are_refused() -> None:
    empty = text_release(document([[["A.", "B."]]], sep="  "))
    lengths = empty.atom_length.copy()
    lengths[0], lengths[1] = 0, lengths[0] + lengths[1]
    with pytest.raises(IntegrityError):
        replace(empty, atom_length=lengths).check_tiling()
    split = text_release(document([[["xş", "B."]]], sep=" "))
    lengths = split.atom_length.copy()
    lengths[0] -= 1
    lengths[1] += 1
    with pytest.raises(IntegrityError, match="splits a character"):
        replace(split, atom_length=lengths).check_tiling()


@pytest.mark.req("CORE-10")
def test_bom_crlf_and_zero_width_bytes_survive_exactly(tmp_path: Path) -> None:
    source = document([[["A\u200c.", "e\u0301\r\n"], ["é"]]], sep="\r\n", after="\r\n\r\n")
    source["corpus"]["books"][0]["before"] = "\ufeff"
    data = open_release(Built(source, tmp_path).release).release.text
    assert data == "\ufeffA\u200c.\r\ne\u0301\r\n\r\n\r\né\r\n\r\n".encode()


@pytest.mark.req("PRO-13")
def test_a_hidden_chapter_is_a_typed_failure_and_no_smaller_release() -> None:
    hidden = replace(
        RELEASE,
        text=RELEASE.text[:7],
        atom_kind=RELEASE.atom_kind[:5],
        atom_length=RELEASE.atom_length[:5],
        book_chapters=column([1]),
        chapter_paragraphs=column([2]),
        paragraph_sentences=column([2, 0]),
        paragraph_given=RELEASE.paragraph_given[:2],
        labels=replace(
            RELEASE.labels, chapter_number=(None,), chapter_title=(None,), para=(None,) * 2, ord=(None,) * 2
        ),
    )
    with pytest.raises(IntegrityError, match=r"certified|tile"):
        evaluate(hidden, stated=stated(RELEASE))


@pytest.mark.req("CL-05", "CORE-09")
@pytest.mark.parametrize("name", ["certified", "manifest_root", "id"])
def test_a_build_refuses_a_release_whose_stated_roots_are_not_its_own(name: str) -> None:
    wrong = {**stated(RELEASE), name: bytes(len(stated(RELEASE)[name]))}
    with pytest.raises(IntegrityError, match=r"certified digest|is not what its columns give"):
        evaluate(RELEASE, stated=wrong)


TWICE = document([[["Bir söz.", "İki söz."], []], [["Bir söz.", "İki söz."]]])


@pytest.mark.req("CORE-01", "VAL-01")
def test_the_text_is_the_same_before_with_and_after_the_artifact(tmp_path: Path) -> None:
    """Reconstructed after the import, after the build and after the deletion of every repetition record."""
    release, artifact = release_of(TWICE, tmp_path / "release"), tmp_path / "artifact"
    stored = files_of(release)
    certified = open_release(release).certified

    def reconstructed(name: str) -> bytes:
        assert main(["reconstruct", str(release), "--out", str(tmp_path / name), "--quiet"]) == 0
        return (tmp_path / name).read_bytes()

    imported = reconstructed("D0")
    result = build(release, out=artifact, engine="hashlib")
    assert result.coverage["FS"].counts["matched"]
    built = reconstructed("D1")
    shutil.rmtree(artifact)
    deleted = reconstructed("D2")
    assert imported == built == deleted == read(TWICE).text
    assert open_release(release).certified == certified == certified_digest(text_release(TWICE))
    assert files_of(release) == stored


def files_of(place: Path) -> dict[str, bytes]:
    return {str(p.relative_to(place)): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}


HOOKED = """
import os, sys
release, out = sys.argv[1:3]
def hook(event, args):
    if event == "open" and isinstance(args[0], str):
        mode, flags = args[1], args[2] or 0
        if (mode and set(mode) & set("wax+")) or flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            print("WRITE", os.path.abspath(args[0]))
        else:
            print("READ", os.path.abspath(args[0]))
    elif event in ("os.remove", "os.rename", "os.mkdir", "os.chmod", "os.truncate", "os.rmdir"):
        print("CHANGE", os.path.abspath(str(args[0])))
    elif event == "sqlite3.connect":
        print("SQLITE", args[0])
sys.addaudithook(hook)
from tekrar.cli import main
sys.exit(main(["build", release, "--out", out, "--quiet"]))
"""


@pytest.mark.req("CORE-02", "REL-08", "REB-04", "VAL-16")
def test_a_build_writes_nothing_to_the_release_and_opens_no_stray_file(tmp_path: Path) -> None:
    built = Built(TWICE, tmp_path / "clean")
    release, place = built.release, tmp_path / "work"
    place.mkdir()
    stray = ["repetition.sqlite", "tekrar.db", "candidates.jsonl", "report.html", "legacy/exact.json"]
    for name in stray:
        path = place / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"\x00poison")
    before = files_of(release)
    done = subprocess.run(
        [sys.executable, "-c", HOOKED, str(release), str(place / "out")],
        cwd=place, capture_output=True, text=True, check=True,
    )  # fmt: skip
    events = [line.split(" ", 1) for line in done.stdout.splitlines() if " " in line]
    assert any(kind == "READ" and Path(path).is_relative_to(release) for kind, path in events)
    assert [e for e in events if e[0] != "READ" and Path(e[1]).is_relative_to(release)] == []
    assert [e for e in events if e[0] == "SQLITE"] == []
    assert [e for e in events if any(e[1].endswith(name) for name in stray)] == []
    assert files_of(release) == before
    assert (place / "out" / "manifest.json").read_bytes() == (built.path / "manifest.json").read_bytes()


@pytest.mark.req("CORE-03", "PRO-14")
def test_equal_passages_keep_their_own_places(tmp_path: Path) -> None:
    far: list[list[list[str]]] = [[["Başka."]] for _ in range(8)]
    built = Built(in_books({"b1": [[["Aynı."]]], "b2": [*far, [["Aynı."]]]}), tmp_path)
    here, there = "b1/1/p1", "b2/9/p1"
    assert frozenset({here, there}) in built.classes("FP")
    assert built.id("FP", here) != built.id("FP", there)
    profile = built.artifact.profile("FP")
    places = [profile.extent(built.row("FP", a)) for a in (here, there)]
    release = open_release(built.release).release
    assert places[0] != places[1]
    assert {release.text[a:b].decode() for a, b in places} == {"Aynı."}
    books = [int(release.chapter_book[release.paragraph_chapter[profile.unit(built.row("FP", a))[0]]])
             for a in (here, there)]  # fmt: skip
    assert books == [0, 1]


@pytest.mark.req("CORE-04")
def test_no_member_takes_its_text_from_another(tmp_path: Path) -> None:
    """The first of two equal paragraphs cannot be read; the other is built, shown and read from its place."""
    built = Built(document([[["Aynı."]], [["Aynı."]], [["Başka."]]]), tmp_path)
    hole = built.artifact.profile("FP").extent(built.row("FP", "b1/1/p1"))
    text = bytearray(open_release(built.release).release.text)
    text[slice(*hole)] = b"?" * (hole[1] - hole[0])
    source = ByteSource(bytes(text), (hole,))
    build(built.release, out=tmp_path / "holes", source=source, engine="hashlib")
    corpus = open_corpus(tmp_path / "holes", built.release)
    double = UnreadableIn(corpus.release.text)
    double.hole = hole
    object.__setattr__(corpus.release, "text", double)  # the release is frozen, as CORE-02 wants it
    view = corpus.view("FP")
    x, y = (answer_for(view, built.row("FP", f"b1/{n}/p1")) for n in (1, 2))
    assert (x.status, x.code) == (QueryStatus.INTEGRITY_ERROR, "missing_witness_bytes")
    with pytest.raises(OSError, match="unreadable"):
        answer_record(corpus, x, context=0)
    shown = answer_record(corpus, y, context=0)["occurrence"]
    assert shown["text"] == "Aynı."
    assert parse_uuid(shown["id"]) == built.id("FP", "b1/2/p1")
    assert (shown["start"], shown["end"]) == built.artifact.profile("FP").extent(built.row("FP", "b1/2/p1"))
    assert y.status is not QueryStatus.UNIQUE


class UnreadableIn(bytes):
    """A test double of the release bytes in which one range cannot be read."""

    hole: tuple[int, int]

    def __getitem__(self, at: Any) -> Any:
        low, high, _ = at.indices(len(self)) if isinstance(at, slice) else (at, at + 1, 1)
        if low < high and low < self.hole[1] and self.hole[0] < high:
            raise OSError(f"unreadable: bytes {low}..{high}")
        return super().__getitem__(at)


@pytest.mark.req("CORE-05")
def test_seven_identical_paragraphs_stay_seven(tmp_path: Path) -> None:
    built = Built(document([[["Aynı."]] * 7]), tmp_path)
    assert len(open_release(built.release).release.paragraph_sentences) == 7
    ids = {built.id("FP", a) for a in built.addresses("FP")}
    assert len(ids) == 7
    assert built.classes("FP") == {frozenset(built.addresses("FP"))}


TOKEN = "Zq7Xw2Lm9Kd4Rt8Vb3Nc6Hp1Js5Gf0YaUeIoTzQx"


def spellings(token: bytes) -> Iterator[bytes]:
    yield token
    yield token.hex().encode()
    yield from (base64.b64encode(b"\0" * shift + token)[4:-4] for shift in range(3))
    yield token.decode().encode("utf-16-le")
    yield token.decode().encode("utf-16-be")


def inflated(data: bytes) -> Iterator[bytes]:
    """Every zlib or gzip stream that begins anywhere in the data."""
    for head in (b"\x78", b"\x1f\x8b"):
        at = data.find(head)
        while at >= 0:
            with suppress(zlib.error):
                yield zlib.decompressobj(47).decompress(data[at:], 1 << 16)
            at = data.find(head, at + 1)


@pytest.mark.req("CORE-06", "OCC-02", "VAL-16")
def test_no_file_of_an_artifact_holds_a_byte_of_the_text(tmp_path: Path) -> None:
    source = document([[[f"Bir {TOKEN} söz.", "İki."]], [[f"Bir {TOKEN} söz.", "İki."]]])
    built = Built(source, tmp_path)
    wanted = list(spellings(TOKEN.encode()))
    assert any(w in files_of(built.release)[_object_of(built.release, "text")] for w in wanted)
    for name, data in files_of(built.path).items():
        for form in (data, *inflated(data)):
            assert not any(w in form for w in wanted), name
    artifact = Artifact(built.path)
    for name in table_names():
        for values in artifact.columns(name).values():
            assert not any(w in values.tobytes() for w in wanted), name


def _object_of(package: Path, name: str) -> str:
    listed: dict[str, Any] = json.loads((package / "files.json").read_bytes())
    return str(listed["files"][name]["object"])


@pytest.mark.req("CORE-08", "PRO-16")
def test_equal_words_keep_the_facts_of_both_their_sources(tmp_path: Path) -> None:
    rows = [
        {"book": "k", "chapter": 1, "chapter_title": "", "para": n, "ord": n, "kind": "body",
         "text": "Aynı söz.", "note_markers": [], "source": name}
        for n, name in ((1, "nüsha-1"), (2, "nüsha-2"))
    ]  # fmt: skip
    opened = open_release(imported(rows, tmp_path / "r"))
    kept = [json.loads(v or "{}") for v in opened.metadata("paragraphs")]
    assert [fact["source"] for fact in kept] == ["nüsha-1", "nüsha-2"]


def imported(rows: list[dict[str, Any]], target: Path) -> Path:
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    import hashlib

    file = SourceText("k.jsonl", data, hashlib.sha256(data).hexdigest(), len(data))
    write_release(import_jsonl([file], edition=None, language="tr"), target)
    return target


@pytest.mark.req("PRO-16")
def test_renderings_roots_translations_and_normal_forms_change_no_fingerprint(tmp_path: Path) -> None:
    rows = [
        {"book": "k", "chapter": 1, "chapter_title": "", "para": n, "ord": n, "kind": "body",
         "text": "Aynı söz.", "note_markers": []}
        for n in (1, 2)
    ]  # fmt: skip
    extra = {
        "ottoman": "عين سوز",
        "roots": ["ayn"],
        "translation": {"en": "Same word."},
        "normalized": "ayni soz",
    }
    plain = build(imported(rows, tmp_path / "a"), engine="hashlib")
    rich = build(imported([rows[0], {**rows[1], **extra}], tmp_path / "b"), engine="hashlib")
    assert rich.artifact_root == plain.artifact_root
    for one, two in zip(plain.profiles, rich.profiles, strict=True):
        assert one.fingerprint.tobytes() == two.fingerprint.tobytes()
    assert open_release(tmp_path / "a").manifest == open_release(tmp_path / "b").manifest


@pytest.mark.req("CORE-09", "ID-10", "PRO-03")
def test_a_correction_elsewhere_gives_new_ids_everywhere(tmp_path: Path) -> None:
    first = Built(in_books({"b1": [[["A.", "B."]], [["A.", "B."]]], "b2": [[["Xy."]]]}), tmp_path / "1")
    second = Built(in_books({"b1": [[["A.", "B."]], [["A.", "B."]]], "b2": [[["Xz."]]]}), tmp_path / "2")
    old, new = ids(first), ids(second)
    assert old
    assert new
    assert not old & new
    again = Built(in_books({"b1": [[["A.", "B."]], [["A.", "B."]]], "b2": [[["Xy."]]]}), tmp_path / "3")
    assert ids(again) == old
    for short in ("FP", "FS"):  # equal bytes in the other release are no members
        assert {x for c in second.classes(short) for x in c} <= set(second.addresses(short))
        members = {second.id(short, a) for c in second.classes(short) for a in c}
        assert members
        assert not members & old


def ids(built: Built) -> set[bytes]:
    found = set()
    for short in ("FP", "FS", "PP", "PS"):
        profile = built.artifact.profile(short)
        for values in (profile.occurrences["occurrence"], profile.selection, profile.classes["class"]):
            found |= {row.tobytes() for row in values}
    return found


def test_a_structured_gap_is_refused() -> None:
    source = document([[["A.", "B."]]])
    source["corpus"]["books"][0]["chapters"][0]["paragraphs"][0]["seps"] = []
    with pytest.raises(SourceError, match="separators"):
        text_release(source)


def test_marks_are_found_by_their_text() -> None:
    marked = mark(document([[["xş H."]]]), "headings", "H.")
    assert marked["annotations"]["headings"] == [{"start": 4, "end": 6}]
