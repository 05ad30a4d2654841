"""Projections and preimages: nothing folded, nothing joined across a mask, every treated byte with its
reason."""

from __future__ import annotations

import ast
import hashlib
import unicodedata
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tekrar.core import preimage as p
from tekrar.core.policy import MATRIX, REASONS, TREATMENTS, scope_policy
from tekrar.core.projection import materialize
from tekrar.core.text import DATASETS
from tests.oracle.evaluation import Evaluation, items_bytes, projected_length
from tests.oracle.run import both
from tests.small import Built, document, in_books, mark, text_release

POLICY = scope_policy("tr")


def pair(left: str, right: str, tmp_path: Path, *, marks: tuple[str, ...] = ()) -> Built:
    source = document([[[left]], [[right]]])
    for needle in marks:
        source = mark(source, "note_markers", needle)
    return Built(source, tmp_path)


@pytest.mark.req("EX-02", "EX-04", "EX-10", "EX-05")
@pytest.mark.parametrize(
    ("left", "right"),
    [
        (unicodedata.normalize("NFC", "Nursî"), unicodedata.normalize("NFD", "Nursî")),
        ("Işık", "ışık"), ("İ", "i̇"), ("Kur’an", "Kur'an"), ("söz.", "söz"), ("söz, dedi", "söz dedi"),
        ("bir söz", "bir  söz"), ("söz", "söz "), ("söz", "\ufeffsöz"), ("ﷲ", "الله"), ("hâl", "hal"),
        ("إِلَىٰ", "إلا"), ("xş", "xŝ"), ("yğ", "yı"), ("a\u200cb", "ab"), ("gelmek", "geldi"), ("½", "1/2"),
    ],
)  # fmt: skip
def test_what_is_not_byte_equal_is_not_exact(left: str, right: str, tmp_path: Path) -> None:
    built = Built(document([[[left, "X."]], [[right, "X."]]]), tmp_path)
    for short in ("FP", "FS", "PP", "PS"):
        assert not built.classes(short)
        assert len(built.rows(short, "evaluated-unique")) == 2


BANNED = {
    "lower", "upper", "casefold", "title", "capitalize", "swapcase", "strip", "lstrip", "rstrip", "normalize",
    "translate", "maketrans", "expandtabs", "replace", "sub", "removeprefix", "removesuffix", "split",
}  # fmt: skip


@pytest.mark.req("EX-04")
@pytest.mark.parametrize("module", ["exact", "preimage", "atoms", "occurrence"])
def test_exact_modules_call_no_text_transforming_function(module: str) -> None:
    tree = ast.parse(files("tekrar.core").joinpath(f"{module}.py").read_text("utf-8"))
    called = {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    }
    assert not called & BANNED
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not names & {"re", "unicodedata", "locale", "string", "difflib"}


@pytest.mark.req("PRJ-08", "PRO-08", "EX-11", "VAL-02")
@pytest.mark.parametrize(
    ("left", "right", "marks", "equal"),
    [
        ("Bu bir[1] söz.", "Bu bir[127] söz.", ("[1]", "[127]"), True),
        ("Bu bir[1] söz.", "Bu bir söz.", ("[1]",), False),
        ("Bu bir[1] söz.", "Bu[1] bir söz.", ("[1]",), False),
        ("Bu[1][2] söz.", "Bu[1] söz.", ("[1]", "[2]"), False),
        ("Bu[1][2] söz.", "Bu[3][4] söz.", ("[1]", "[2]", "[3]", "[4]"), True),
        ("Bu bir[1]", "Bu bir\x02\x00\x00\x00\x0bnote_marker", ("[1]",), False),
        ("Bu bir[1]", "Bu bir….", ("[1]",), False),
        ("[1]", "[22]", ("[1]", "[22]"), True),
        ("[1]x", "x[1]", ("[1]",), False),
    ],
)
def test_a_mask_is_a_typed_boundary(
    left: str, right: str, marks: tuple[str, ...], equal: bool, tmp_path: Path
) -> None:
    built = pair(left, right, tmp_path, marks=marks)
    assert bool(built.classes("PP")) is equal
    assert not built.classes("FP")


@pytest.mark.req("PRJ-12", "EX-11")
def test_what_looks_like_a_marker_is_text_unless_annotated(tmp_path: Path) -> None:
    built = pair("Bu bir[1] söz.", "Bu bir[2] söz.", tmp_path)
    assert not built.classes("PP")


@pytest.mark.req("PRJ-07", "PRO-08", "VAL-02")
def test_an_exclusion_rejects_whole_runs_and_bridges_nothing(tmp_path: Path) -> None:
    source = mark(document([[["A.", "H.", "B."]], [["A.", "B."]]]), "headings", "H.")
    built = Built(source, tmp_path)
    assert not built.classes("PS")
    assert built.rows("PS", "excluded") == {"b1/1:1+2", "b1/1:1+3", "b1/1:2+2"}
    assert built.rows("PS", "evaluated-unique") == {"b1/2:1+2"}
    assert built.rows("FS", "excluded") == set()
    trimmed = mark(document([[["# A.", "B."]], [[" A.", "B."]]]), "headings", "#")
    built = Built(trimmed, tmp_path / "2")
    assert built.rows("PS", "excluded") == {"b1/1:1+2"}
    assert built.rows("PP", "excluded") == {"b1/1/p1"}
    assert not built.classes("PS")


@pytest.mark.req("PRJ-07", "DOM-11")
def test_a_span_in_a_separator_alone_excludes_the_runs_over_it_and_touching_does_not(tmp_path: Path) -> None:
    source = document([[["A.", "B.", "C."]], [["A.", "B.", "C."]]])
    source["annotations"]["note_bodies"] = [{"start": 2, "end": 3}]
    built = Built(source, tmp_path)
    assert built.rows("PS", "excluded") == {"b1/1:1+2", "b1/1:1+3"}
    assert built.classes("PS") == {frozenset({"b1/1:2+2", "b1/2:2+2"})}
    assert built.part("PP", "b1/1/p1") == "excluded"


@pytest.mark.req("PRO-07", "PRJ-10", "OCC-08", "COV-06")
def test_every_treated_span_has_its_selection_and_reason(tmp_path: Path) -> None:
    source = document([[["Baş.", "H."], ["söz[1] N."], []], [["söz[2]", "N."]], [["bir[1] iki[2]", "üç[1]"]]])
    for kind, needle in (
        ("headings", "H."),
        ("note_bodies", "N."),
        ("note_markers", "[1]"),
        ("note_markers", "[2]"),
    ):
        source = mark(source, kind, needle)
    _result, evaluation = both(source)
    built = Built(source, tmp_path)
    closed = {"heading_marker_intersection", "note_body_intersection", "note_marker_mask"}
    assert (
        set(POLICY.document["exclusion_reasons"]) | {"note_marker_mask"}
        == set(REASONS)
        == closed | {"empty_core_extent"}
    )
    spans_seen = 0
    for short in ("FP", "FS", "PP", "PS"):
        profile = built.artifact.profile(short)
        spans = profile.table("witness-spans")
        assert set(spans["reason"].tolist()) <= {REASONS[r] for r in closed}
        assert set(spans["treatment"].tolist()) <= {
            TREATMENTS["excluded_from_extent"],
            TREATMENTS["masked_with_boundary"],
        }
        excluded = built.rows(short, "excluded")
        for row, address in enumerate(built.addresses(short)):
            low, high = profile.extent(row)
            mine = spans["witness"] == profile.occurrences["witness"][row]
            held = list(zip(spans["start"][mine].tolist(), spans["end"][mine].tolist(), strict=True))
            assert all(a < high and b > low for a, b in held)
            everything = [s for kind in DATASETS for s in evaluation.document.spans[kind]]
            met = [(s.start, s.end) for s in everything if s.start < high and s.end > low]
            assert held == (sorted(met) if short in ("PP", "PS") else [])
            spans_seen += len(held)
            cut = (spans["treatment"][mine] == TREATMENTS["excluded_from_extent"]).any()
            assert (address in excluded) == bool(cut)
    assert spans_seen
    assert_accounted(evaluation)


def assert_accounted(evaluation: Evaluation) -> None:
    """Included and masked lengths sum to the extent for every occurrence that is not excluded."""
    marks = evaluation.document.spans["note_markers"]
    for short, truth in evaluation.profiles.items():
        for o in truth.occurrences:
            if o.state == "excluded":
                assert o.reasons
                continue
            masked = sum(s.end - s.start for s in marks if s.start < o.end and s.end > o.start)
            masked = masked if short in ("PP", "PS") else 0
            projection = "prose_only_v1" if short in ("PP", "PS") else "full_context_v1"
            assert projected_length(evaluation.items(projection, o.start, o.end)) + masked == o.end - o.start


@pytest.mark.req("PRJ-13")
def test_a_projection_is_reproducible_and_its_root_covers_every_span(tmp_path: Path) -> None:
    source = mark(mark(document([[["H."], ["söz[1]", "[1]"]]]), "headings", "H."), "note_markers", "[1]")
    release = text_release(source)
    datasets = {kind: release.datasets[kind] for kind in DATASETS}
    facts: Any = {"policy": POLICY, "datasets": datasets, "release": bytes(16)}
    prose = materialize("prose_only_v1", **facts)
    assert prose.root() == materialize("prose_only_v1", **facts).root()
    assert prose.root() != prose.witness_root([])
    hits = [(w, i) for w, t in enumerate(prose.treated) for i in range(len(t.start))]
    assert len(hits) == 3
    for drop in range(3):
        assert prose.witness_root(hits[:drop] + hits[drop + 1 :]) != prose.root()
    full = materialize("full_context_v1", **facts)
    assert full.treated == ()
    assert full.root() != prose.witness_root([])
    one, two = Built(source, tmp_path / "1"), Built(source, tmp_path / "2")
    for short in ("FP", "PP", "PS"):
        roots = [b.artifact.manifest["profiles"][short]["projection_root"] for b in (one, two)]
        assert roots[0] == roots[1]


def test_the_root_of_an_empty_witness_is_a_constant_of_its_projection() -> None:
    empty = {kind: text_release(document([[["A."]]])).datasets[kind] for kind in DATASETS}
    roots = {
        materialize(name, policy=POLICY, datasets=empty, release=bytes([n]) * 16).root()  # type: ignore[arg-type]
        for name in ("full_context_v1", "prose_only_v1")
        for n in range(2)
    }
    assert len(roots) == 2


texts = st.text(st.sampled_from("ab[1]ş"), max_size=12)


@pytest.mark.req("EX-07", "EX-06")
@given(data=texts.map(str.encode), cuts=st.lists(st.integers(0, 20), max_size=6, unique=True))
def test_items_are_maximal_and_uniquely_decodable(data: bytes, cuts: list[int]) -> None:
    places = sorted(c for c in cuts if c <= len(data))
    spans = [(a, b) for a, b in zip(places[::2], places[1::2], strict=False) if a < b]
    found, length = p.masked_items(data, spans)
    wanted: list[tuple[str, bytes]] = []
    at = 0
    for low, high in spans:
        if low > at:
            wanted.append(("bytes", data[at:low]))
        wanted.append(("mask", b"note_marker"))
        at = high
    if at < len(data):
        wanted.append(("bytes", data[at:]))
    assert found == items_bytes(tuple(wanted))
    assert length == projected_length(tuple(wanted))
    if not spans:
        assert found == p.plain_items(data)


BASE: dict[str, Any] = {
    "profile": bytes(range(16)),
    "records": [(0, b"", 5, b"d" * 32), (1, b" ", 5, b"e" * 32)],
}


def run_fingerprint(
    profile: bytes, records: list[tuple[int, bytes, int, bytes]], count: int | None = None
) -> bytes:
    made = [p.member_record(kind=k, gap=g, projected_length=n, digest=d) for k, g, n, d in records]
    whole = p.run_preimage(p.run_header(profile), made)
    if count is not None:
        whole = whole[:-4] + count.to_bytes(4, "big")
    return hashlib.sha256(whole).digest()


@pytest.mark.req("EX-06", "EX-01")
def test_every_component_of_a_run_preimage_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    profile, (first, second) = BASE["profile"], BASE["records"]
    seen = [
        run_fingerprint(profile, [first, second]),
        run_fingerprint(bytes(16), [first, second]),
        run_fingerprint(profile, [first, second], count=3),
        run_fingerprint(profile, [first, (2, b" ", 5, b"e" * 32)]),
        run_fingerprint(profile, [first, (3, b"", 5, b"e" * 32)]),
        run_fingerprint(profile, [first, (1, b"\n", 5, b"e" * 32)]),
        run_fingerprint(profile, [first, (1, b"", 5, b"e" * 32)]),
        run_fingerprint(profile, [first, (1, b" \0", 5, b"e" * 32)]),
        run_fingerprint(profile, [first, (1, b" ", 6, b"e" * 32)]),
        run_fingerprint(profile, [first, (1, b" ", 5, b"f" * 32)]),
        run_fingerprint(profile, [second, first]),
        run_fingerprint(profile, [first]),
    ]
    monkeypatch.setattr(p, "MASK_FORMAT", 2)
    seen.append(run_fingerprint(profile, [first, second]))
    assert len(set(seen)) == len(seen)
    assert len(p.run_header(profile)) == len(p.run_witness_header()) == p.RECORD == 64


@pytest.mark.req("EX-06", "EX-01")
def test_every_component_of_a_passage_preimage_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = BASE["profile"]
    items = p.plain_items(b"Bir soz.")
    seen = [
        p.passage_preimage(profile, items, 8),
        p.passage_preimage(bytes(16), items, 8),
        p.passage_preimage(profile, items, 9),
        p.passage_preimage(profile, p.plain_items(b"Bir sox."), 8),
        p.passage_preimage(profile, p.masked_items(b"Bir soz.", [(0, 3)])[0], 5),
        p.run_header(profile),
    ]
    monkeypatch.setattr(p, "MASK_FORMAT", 2)
    seen.append(p.passage_preimage(profile, items, 8))
    assert len(set(seen)) == len(seen)
    assert not any(a != b and a.startswith(b) for a in seen for b in seen)


@pytest.mark.req("EX-01", "EX-03", "EN-10", "PRO-11")
def test_the_two_predicates_are_not_interchangeable(tmp_path: Path) -> None:
    source = in_books({"b1": [[["A. B."]]], "b2": [[["A.", "B."]]], "b3": [[["A.", "B."]]]})
    built = Built(source, tmp_path)
    assert built.classes("FP") == {frozenset({"b1/1/p1", "b2/1/p1", "b3/1/p1"})}
    assert built.classes("FS") == {frozenset({"b2/1:1+2", "b3/1:1+2"})}
    shorts = [spec.short for spec in MATRIX]
    prints = [{row.tobytes() for row in built.artifact.profile(s).occurrences["fingerprint"]} for s in shorts]
    assert not any(a & b for i, a in enumerate(prints) for b in prints[:i])
    ids = [{built.id(s, a) for a in built.addresses(s)} for s in shorts]
    assert not any(a & b for i, a in enumerate(ids) for b in ids[:i])


@pytest.mark.req("EX-03", "PRJ-06")
@pytest.mark.parametrize("after", ["", " ", "x" * 26, "x" * 27, "ş" * 14])
def test_separator_kind_and_bytes_are_compared(after: str, tmp_path: Path) -> None:
    source = document([[["A.", "B."]], [["A."], ["B."]]], sep=after, after=after)
    built = Built(source, tmp_path)
    assert not built.classes("FS")
    assert not built.classes("PS")
    both_ways = Built(document([[["A.", "B."]], [["A.", "B."]]], sep=after, after="\n"), tmp_path / "2")
    assert len(both_ways.classes("FS")) == 1


@pytest.mark.req("EX-11", "PRJ-08", "EX-07", "PRJ-05")
def test_a_separator_that_imitates_a_masked_one_is_another(tmp_path: Path) -> None:
    """The items of a masked `[1]` are 20 bytes, short enough to stand as a plain separator's own bytes."""
    imitation = "\x00\x00\x00\x01\x02\x00\x00\x00\x0bnote_marker"
    source = document([[["A.", "B."]], [["A.", "B."]], [["A.", "B."]], [["A.", "B."]]], sep="[1]")
    for number, sep in ((1, imitation), (2, "[22]")):
        source["corpus"]["books"][0]["chapters"][number]["paragraphs"][0]["seps"] = [sep]
    source = mark(mark(source, "note_markers", "[1]"), "note_markers", "[22]")
    built = Built(source, tmp_path)
    assert built.classes("PS") == {frozenset({"b1/1:1+2", "b1/3:1+2", "b1/4:1+2"})}
    assert built.classes("FS") == {frozenset({"b1/1:1+2", "b1/4:1+2"})}
