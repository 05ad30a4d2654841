"""Real and planted corpora: known classes are found, weak digests make no false one (EX-08)."""

from __future__ import annotations

import csv
import hashlib
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tekrar.build import BuildResult, build
from tekrar.core.text import TextRelease
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.release_package import open_release, write_release
from tekrar.corpus.sources import read_source
from tests.planted_recall import measure

pytestmark = pytest.mark.shared


def imported(place: Path, files: list[Path], language: str) -> Path:
    for path in files:
        if not path.exists():
            pytest.skip(f"needs ../shared: {path.name} is absent")
    write_release(import_jsonl([read_source(p) for p in files], edition=None, language=language), place / "r")
    return place / "r"


@pytest.fixture(scope="module")
def kjv(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(tmp_path_factory.mktemp("kjv"), [shared_dir / "corpora/bible/kjv.jsonl.gz"], "en")


def run_members(release: TextRelease, profile: Any) -> list[list[tuple[bytes, ...]]]:
    """For every run group, the sentences and separators of each member, cut from the text anew."""
    starts, ends = release.atom_start.tolist(), release.atom_end.tolist()
    atoms = release.sentence_atom.tolist()
    kinds = release.atom_kind.tolist()
    offset, rows = profile.classes.groups.offset.tolist(), profile.classes.groups.rows
    first = profile.universe.row_sentence[rows].tolist()
    length = profile.universe.row_length[rows].tolist()
    members = []
    for i, n in zip(first, length, strict=True):
        held = range(atoms[i], atoms[i + n - 1] + 1)
        members.append(tuple(bytes([kinds[a]]) + release.text[starts[a] : ends[a]] for a in held))
    return [members[a:b] for a, b in itertools.pairwise(offset)]


def assert_equal_members(release: TextRelease, result: BuildResult) -> int:
    """Every class holds equal members, compared byte by byte; the number of classes."""
    classes = 0
    for profile in result.profiles:
        if profile.profile.spec.short in ("FS", "PS"):
            for members in run_members(release, profile):
                assert all(m == members[0] for m in members)
                classes += 1
            continue
        start, end = profile.universe.start, profile.universe.end
        offset, rows = profile.classes.groups.offset.tolist(), profile.classes.groups.rows
        texts = [release.text[a:b] for a, b in zip(start[rows].tolist(), end[rows].tolist(), strict=True)]
        for low, high in itertools.pairwise(offset):
            assert len(set(texts[low:high])) == 1
            classes += 1
    return classes


def assert_as_a_dictionary_says(release: TextRelease, result: BuildResult) -> None:
    """Paragraphs, and runs of 2 to 4, grouped by a plain dictionary of their whole contents."""
    paragraphs, runs = result.profiles[0], result.profiles[1]
    bounds = zip(paragraphs.universe.start.tolist(), paragraphs.universe.end.tolist(), strict=True)
    assert groups_by([release.text[a:b] for a, b in bounds]) == groups_of(paragraphs)
    starts, ends = release.atom_start.tolist(), release.atom_end.tolist()
    kinds, atoms = release.atom_kind.tolist(), release.sentence_atom.tolist()
    contents = [
        None
        if length > 4
        else tuple(
            (kinds[a], release.text[starts[a] : ends[a]])
            for a in range(atoms[first], atoms[first + length - 1] + 1)
        )
        for first, length in zip(
            runs.universe.row_sentence.tolist(), runs.universe.row_length.tolist(), strict=True
        )
    ]
    short = {g for g in groups_of(runs) if runs.universe.row_length[min(g)] <= 4}
    assert groups_by(contents) == short


def groups_by(contents: Sequence[object]) -> set[frozenset[int]]:
    found: dict[object, list[int]] = {}
    for row, content in enumerate(contents):
        if content is not None:
            found.setdefault(content, []).append(row)
    return {frozenset(rows) for rows in found.values() if len(rows) > 1}


def groups_of(profile: Any) -> set[frozenset[int]]:
    offset, rows = profile.classes.groups.offset.tolist(), profile.classes.groups.rows.tolist()
    return {frozenset(rows[a:b]) for a, b in itertools.pairwise(offset)}


def constant(purpose: str, data: bytes) -> bytes:
    return bytes(32) if purpose == "member" else hashlib.sha256(data).digest()


def eight_bits(purpose: str, data: bytes) -> bytes:
    value = hashlib.sha256(data).digest()
    return value[:1] + bytes(31) if purpose == "fingerprint" else value


def sixteen_bits_of_some(purpose: str, data: bytes) -> bytes:
    """A quarter of the fingerprints are cut short, so that collisions and true classes stand side by side."""
    value = hashlib.sha256(data).digest()
    return value[:2] + bytes(30) if purpose == "fingerprint" and value[2] < 64 else value


@pytest.mark.req("EX-08", "EX-09", "VAL-03", "CL-04")
@pytest.mark.parametrize("digest", [None, constant, eight_bits, sixteen_bits_of_some])
def test_no_digest_makes_a_class_of_unequal_verses(
    kjv: Path, digest: Callable[[str, bytes], bytes] | None
) -> None:
    result = build(kjv, digest=digest, workers=2)
    release = open_release(kjv, check=False).release
    classes = assert_equal_members(release, result)
    failed = {p.profile.spec.short: len(p.partition.failed) for p in result.profiles}
    if digest is None:
        assert classes > 200
        assert not any(failed.values())
        assert_as_a_dictionary_says(release, result)
    elif digest is constant:
        assert failed["FS"] == result.coverage["FS"].emitted
        assert not failed["FP"]
        assert {str(result.status[s]) for s in ("FS", "PS")} == {"partial"}
    else:
        assert all(failed.values())
        assert {str(s) for s in result.status.values()} == {"partial"}
        assert not any(len(p.classes.id) for p in result.profiles)


@pytest.mark.req("EX-02", "CL-01", "VAL-05")
def test_the_known_classes_of_equal_ayahs(shared_dir: Path, tmp_path: Path) -> None:
    place = shared_dir / "corpora/quran"
    release = imported(tmp_path, [place / "quran-ar-uthmani.jsonl.gz"], "ar")
    ords = open_release(release, check=False).release.labels.ord
    result = build(release)
    paragraphs = result.profiles[0]
    offset, rows = paragraphs.classes.groups.offset.tolist(), paragraphs.classes.groups.rows
    ordinal = paragraphs.universe.ordinal
    found = {frozenset(ords[o] for o in ordinal[rows[a:b]].tolist()) for a, b in itertools.pairwise(offset)}
    with (place / "exact_ayah_classes.tsv").open(encoding="utf-8", newline="") as file:
        known = {frozenset(map(int, row["ords"].split(","))) for row in csv.DictReader(file, delimiter="\t")}
    assert len(known) == 91
    assert found == known


@pytest.mark.req("EX-02", "EX-03", "PRJ-05", "DOM-02")
@pytest.mark.parametrize(("folder", "language"), [("planted-en-103", "en"), ("planted-tr-101", "tr")])
def test_every_planted_exact_repeat_is_found(folder: str, language: str, shared_dir: Path) -> None:
    place = shared_dir / "corpora/planted" / folder
    if not place.is_dir():
        pytest.skip(f"needs ../shared: {folder} is absent")
    found = measure(place, ignore_sents=False, language=language)
    assert {"exact_para", "exact_run", "exact_split", "exact_long", "marker_same"} <= set(found)
    for kind, tally in found.items():
        assert not tally.missed, kind
        assert tally.whole == tally.groups
        assert tally.covered == tally.planted


@pytest.mark.req("EX-02", "PRO-14")
def test_pairs_an_independent_script_calls_exact_are_classes(shared_dir: Path, tmp_path: Path) -> None:
    place = shared_dir / "corpora/risale-docx"
    files = sorted(place.glob("*.jsonl.gz"))
    release = imported(tmp_path, files, "tr")
    opened = open_release(release, check=False).release
    result = build(release, workers=2)
    paragraphs = result.profiles[0]
    number = dict(
        zip(paragraphs.partition.matched.tolist(), paragraphs.partition.matched_class.tolist(), strict=True)
    )
    row_of = {o: row for row, o in enumerate(paragraphs.universe.ordinal.tolist())}
    books = [opened.labels.book[int(opened.chapter_book[c])] for c in opened.paragraph_chapter.tolist()]
    where = {(book, ord_): o for o, (book, ord_) in enumerate(zip(books, opened.labels.ord, strict=True))}
    with (place / "silver_pairs.tsv").open(encoding="utf-8", newline="") as file:
        pairs = [row for row in csv.DictReader(file, delimiter="\t") if row["cls"] == "exact"]
    assert len(pairs) > 100
    for pair in pairs:
        a, b = (row_of[where[pair[f"{side}_book"], int(pair[f"{side}_ord"])]] for side in "ab")
        assert number.get(a) is not None
        assert number.get(a) == number.get(b), (pair["a_book"], pair["a_ord"], pair["b_book"], pair["b_ord"])
