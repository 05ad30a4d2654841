"""The canonical script: against the plain oracle, by property, on real text, and within its time."""

from __future__ import annotations

import difflib
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tekrar.core.diff import MAX_UNITS, decode, diff, lcs, moves, replay, units_of, verify
from tekrar.core.diff.script import EQUAL, NAMES
from tekrar.errors import IntegrityError, UsageError
from tests.diff import oracle
from tests.diff.passages import in_units, kjv_pairs, oracle_units, passage, random_pair

TEXT = st.text(
    st.sampled_from("ab çşé  ,.!’'\n\u00ad\u200c\u0301\u064eب😀1") | st.characters(codec="utf-8"), max_size=40
)


def steps(left: str, right: str) -> list[tuple[str, str, str]]:
    a, b = left.encode(), right.encode()
    script = diff(units_of(a), units_of(b))
    return [(NAMES[c], a[p:q].decode(), b[r:s].decode()) for c, p, q, r, s in script.operations]


@pytest.mark.req("DIF-02", "DIF-03")
@pytest.mark.parametrize(("pairs", "table"), [(0, 0), (moves.PAIRS, lcs._MOST_TABLE)])
def test_the_script_is_the_one_of_the_plain_rules(
    pairs: int, table: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moves, "PAIRS", pairs)  # moved fragments by windows, and by runs
    monkeypatch.setattr(lcs, "_MOST_TABLE", table)  # a table in blocks, and whole
    monkeypatch.setattr(lcs, "_ROWS", 3)
    pick = random.Random(37)
    seen: set[str] = set()
    for _ in range(1500):
        left, right = random_pair(pick)
        found = in_units(diff(left, right), left, right)
        assert found == oracle.script(oracle_units(left), oracle_units(right)), (left.text, right.text)
        seen |= {step[0] for step in found}
    assert seen == set(NAMES.values())


@pytest.mark.req("DIF-03")
@given(TEXT, TEXT)
def test_any_two_texts_replay_cover_and_verify(left: str, right: str) -> None:
    a, b = units_of(left.encode()), units_of(right.encode())
    script = diff(a, b)
    assert replay(script, a, b) == right.encode()
    verify(script, a, b)
    assert decode(script.encoded) == script
    sources = [left.encode()[p:q] for _, p, q, _, _ in sorted(script.operations, key=lambda o: o[1:3])]
    assert b"".join(sources) == left.encode()
    assert diff(units_of(left.encode()), units_of(right.encode())).encoded == script.encoded


@given(TEXT)
def test_equal_texts_are_one_equal_block_or_nothing(text: str) -> None:
    size = len(text.encode())
    assert diff(passage(text), passage(text)).operations == (((EQUAL, 0, size, 0, size),) if size else ())


@pytest.mark.req("DIF-03")
def test_three_thousand_pairs_of_verses_replay() -> None:
    for left, right in kjv_pairs(3000, seed=9):
        a, b = units_of(left), units_of(right)
        script = diff(a, b)
        assert replay(script, a, b) == right
        verify(script, a, b)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("", "", []),
        ("", "a", [("insert", "", "a")]),
        ("a", "", [("delete", "a", "")]),
        ("a", "b", [("replace", "a", "b")]),
        ("a", "a", [("equal", "a", "a")]),
        (".", "!", [("boundary_change", ".", "!")]),
        ("", " ", [("boundary_change", "", " ")]),
        (
            "bir iki üç",
            "bir dört üç",
            [("equal", "bir ", "bir "), ("replace", "iki", "dört"), ("equal", " üç", " üç")],
        ),
        # a changed phrase is not shredded around its spaces, and the gap between matched neighbours is equal
        (
            "x bir iki üç y",
            "z bir iki dört beş",
            [("replace", "x ", "z "), ("equal", "bir iki", "bir iki"), ("replace", " üç y", " dört beş")],
        ),
        # the longest common fragment moves, with its gap
        (
            "sabah erken geldi akşam geç",
            "akşam geç sabah erken geldi",
            [
                ("move", "akşam geç", "akşam geç"),
                ("boundary_change", "", " "),
                ("equal", "sabah erken geldi", "sabah erken geldi"),
                ("boundary_change", " ", ""),
            ],
        ),
    ],
)
def test_scripts_of_examples(left: str, right: str, expected: list[tuple[str, str, str]]) -> None:
    assert steps(left, right) == expected


def test_mid_word_and_multi_byte_changes_never_cut_a_character() -> None:
    for left, right in [
        ("xş", "xŝ"),
        ("yğ", "yı"),
        ("ab😀😀", "b😀😀"),
        ("‘ oksijen", "oksijen"),
        ("Д", "а"),
    ]:
        for _, before, after in steps(left, right):  # decoding is the test: rows 34, 38 and 59 of the field
            assert before in left
            assert after in right


def test_words_are_aligned_before_commas() -> None:
    """Field row 55."""
    found = steps("The big, gray, fuzzy koala.", "The big, old, gray koala:")
    kept = " ".join(before for op, before, _ in found if op in ("equal", "move"))
    assert all(word in kept for word in ("The", "big", "gray", "koala"))


def test_no_popular_word_is_left_out() -> None:
    """Field row 53: a sentence of more than 200 words five times, one word put in."""
    sentence = "Gemi limana girdi ve yükünü indirdi; " * 40
    left, right = sentence * 5, sentence * 5
    right = right[:3700] + "yavaşça " + right[3700:] if right[3699] == " " else "yavaşça " + right
    assert [op for op, _, _ in steps(left, right) if op != "equal"] == ["insert"]


def test_similar_words_are_never_equal() -> None:
    """Field row 58: no edit distance as equality."""
    assert steps("capellas", "capellam") == [("replace", "capellas", "capellam")]
    assert steps("capellam", "capellan") == [("replace", "capellam", "capellan")]


@pytest.mark.req("DIF-06")
def test_the_reverse_is_another_script() -> None:
    pick = random.Random(3)
    for _ in range(200):
        left, right = random_pair(pick)
        if left.key != right.key:
            assert diff(left, right).digest != diff(right, left).digest


@pytest.mark.req("DIF-09", "CORE-06")
def test_operations_hold_byte_coordinates_and_no_text() -> None:
    text = "önce bir söz, sonra o söz".encode()
    left, right = units_of(text, start=0, end=14), units_of(text, start=15)
    script = diff(left, right)
    for operation in script.operations:
        _, a, b, c, d = operation
        assert 0 <= a <= b <= 14
        assert 15 <= c <= d <= len(text)
    assert b"s\xc3\xb6z" not in script.encoded
    assert replay(script, left, right) == text[15:]


def test_above_the_cap_there_is_no_diff() -> None:
    size = MAX_UNITS // 2
    units_of(b"a " * size)
    for text in (b"a " * size + b"a", b"a " * (size * 8), b"\xc3\xa7," * (size + 1)):
        with pytest.raises(UsageError) as refused:
            units_of(text)
        assert refused.value.kind == "diff_too_large"


def test_a_range_that_cuts_a_character_is_refused() -> None:
    with pytest.raises(IntegrityError):
        units_of("şu".encode(), start=1)


def test_large_and_odd_passages_take_little_time() -> None:
    pick = random.Random(1)
    words = [f"söz{pick.randrange(3000)}" for _ in range(15_000)]
    changed = [pick.choice(words) if at % 97 == 5 else word for at, word in enumerate(words)]
    changed[1], changed[-2] = "baş", "son"
    pairs = {
        "nearly equal": (" ".join(words), " ".join(changed)),
        "halves turned": ("a " * 9000 + "b " * 9000, "b " * 9000 + "a " * 9000),
        "one word": ("a " * 20_000, "a " * 12_000),
        "no word": ("!?" * 9000, "?!" * 9000),
        "two letters": tuple(" ".join(pick.choices("ab", k=4000)) for _ in range(2)),
        "shuffled": (" ".join(words[:4000]), " ".join(pick.sample(words[:4000], 4000))),
    }
    for name, (left, right) in pairs.items():
        a, b = units_of(left.encode()), units_of(right.encode())
        began = time.process_time()
        script = diff(a, b)
        spent = time.process_time() - began
        assert spent < (1 if name == "nearly equal" else 12), f"{name}: {spent:.2f} s"
        assert replay(script, a, b) == right.encode()


def test_faster_than_difflib_and_with_few_operations() -> None:
    """Words of difflib's best setting on near pairs; figures of whole corpora: `python -m bench.diffs`."""
    pick = random.Random(5)
    pairs = []
    for left, _ in kjv_pairs(40, seed=11):
        words = left.decode().split(" ")
        changed = [pick.choice(words) if pick.random() < 0.06 else word for word in words]
        pairs.append((units_of(left), units_of(" ".join(changed).encode())))
    ours = sum(sum(op[0] != EQUAL for op in diff(a, b).operations) for a, b in pairs)
    theirs = 0
    for a, b in pairs:
        matcher = difflib.SequenceMatcher(None, a.solid_key, b.solid_key, autojunk=False)
        theirs += sum(code[0] != "equal" for code in matcher.get_opcodes())
    assert ours <= 1.3 * theirs
