"""Normalizers, their maps and their labels: features that propose and never prove (CND-03, EX-05, PRO-22)."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from tekrar.artifact.reader import Artifact
from tekrar.build import build
from tekrar.core.feature import unicode
from tekrar.core.feature.authority import AUTHORITY_CLASSES, check_authority
from tekrar.core.feature.folded import Folded, unfolded
from tekrar.core.feature.grams import (
    DROPPED,
    Feature,
    character_grams,
    feature_root,
    fold_tokens,
    token_grams,
)
from tekrar.core.feature.normalizers import (
    NORMALIZERS,
    Chain,
    Normalizer,
    Rule,
    case_of,
    chain,
    whole_folding,
)
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.release_package import write_release
from tekrar.corpus.sources import read_source
from tekrar.errors import IntegrityError, UsageError

TURKISH, ENGLISH, ARABIC = (whole_folding(language) for language in ("tr", "en", "ar"))


def folded(text: str, *keys: str) -> str:
    return chain(*keys).fold_text(text)


# -- what each one does ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [
        ("nfc.1", "Nursi\u0302 u\u0308\u0301", "Nurs\u00ee \u01d8"),
        ("nfc.1", "\u0627\u0653", "\u0622"),
        ("nfc.1", "\u064a\u0651\u064e", "\u064a\u064e\u0651"),
        ("nfc.1", "\u1100\u1161\u11a8", "\uac01"),
        ("nfc.1", "\u09c7\u09be", "\u09cb"),
        ("nfc.1", "\u212b \u0958", "\u00c5 \u0915\u093c"),
        ("case-turkish.1", "IŞIK Işık ışık işik", "ışık ışık ışık işik"),
        ("case-turkish.1", "İstanbul’da İ. İnebolu", "istanbul’da i. inebolu"),
        ("case-turkish.1", "I\u0307 i\u0307\u0307 İ\u0307", "i i i"),
        ("case-turkish.1", "ÂÎÛ ÇĞÖŞÜ ẞ", "âîû çğöşü ss"),
        ("case-default.1", "I i İ ı", "i i i\u0307 ı"),
        ("case-default.1", "Straße ΣΊΣΥΦΟΣ Ꭰ", "strasse σίσυφοσ Ꭰ"),
        ("apostrophes.1", "İstanbul’da ‘a ʼ ʻ ` ´", "İstanbul'da 'a ' ' ' '"),
        ("quotes.1", "“a” «b» „c‟ ‹d›", '"a" "b" "c" "d"'),
        ("punctuation.1", "a,b. c! ’d’ (e) … — f؟ ،", "ab c ’d’ e   f "),
        ("circumflex.1", "kâr hîç rûh Â ê", "kar hiç ruh Â ê"),
        ("circumflex-e-o.1", "fenô tête Ô â", "feno tete Ô â"),
        ("lone-hamza.1", "شيء ئ", "شي ئ"),
        ("arabic-letters.1", "کتاب \u06d0", "كتاب ي"),
        ("arabic-marks.1", "قَالَ هُوَ ۖ ٱللَّهُ", "قال هو  ٱلله"),
        ("tatweel.1", "الـــله", "الله"),
        ("alef-hamza.1", "أإآٱ ؤ ئ ء", "اااا و ي ء"),
        ("alef-maqsura.1", "على علی", "علي علي"),
        ("ta-marbuta.1", "رحمة", "رحمه"),
        ("zero-width.1", "الشارع\u200cصادق a\u200bb\ufeff\u2067c", "الشارعصادق abc"),
        ("soft-hyphen.1", "ta\u00adrih", "tarih"),
        ("no-break-space.1", "a\u00a0b\u202fc\u3000d", "a b c d"),
        ("digits.1", "١٢٣ ۴۵", "123 45"),
    ],
)
def test_what_each_normalizer_does(key: str, before: str, after: str) -> None:
    # Marks are written as escapes where the eye can not tell them; `punctuation` leaves typographic marks to
    # its own table.
    expected = after.replace("’d’", "d") if key == "punctuation.1" else after
    assert folded(before, key) == expected
    assert chain(key).fold(before.encode()).text == expected


def test_every_normalizer_is_tried_above() -> None:
    mark = next(m for m in test_what_each_normalizer_does.pytestmark if m.name == "parametrize")  # type: ignore[attr-defined]
    assert {row[0] for row in mark.args[1]} == set(NORMALIZERS)


def test_the_i_of_each_language_meets_its_own_pair_only() -> None:
    assert TURKISH.fold_text("IŞIK") == TURKISH.fold_text("ışık") != TURKISH.fold_text("işik")
    assert TURKISH.fold_text("İNEK") == TURKISH.fold_text("inek") != TURKISH.fold_text("ınek")
    assert ENGLISH.fold_text("I AM") == ENGLISH.fold_text("i am")
    assert case_of("tr-TR") == case_of("az-Latn") == "case-turkish.1"
    assert case_of("en") == case_of("ar") == case_of("trv") == "case-default.1"


def test_words_that_differ_in_letters_stay_apart() -> None:
    assert ARABIC.fold_text("إِلَىٰ") == "الي"
    assert ARABIC.fold_text("إلا") == "الا"
    assert folded("إلى", "alef-maqsura.1") != folded("إلا", "alef-maqsura.1")


def test_lines_that_differ_only_in_numbers_stay_apart() -> None:
    assert TURKISH.fold_text("1506. Mektup") != TURKISH.fold_text("1507. Mektup")


# -- the map ---------------------------------------------------------------------------------------------


def test_a_place_in_the_folded_text_leads_to_the_source_bytes() -> None:
    source = "İstanbul’da İ. İnebolu".encode()
    found = TURKISH.fold(source)
    at = found.text.index("inebolu")
    low, high = found.source_span(at, at + len("inebolu"))
    assert source[low:high].decode() == "İnebolu"
    assert [source[a:b].decode() for a, b in found.dropped()] == ["’", "."]


def test_joined_split_and_reordered_characters_stand_for_all_their_bytes() -> None:
    assert chain("nfc.1").fold("xi\u0302y".encode()) == Folded("xîy", (0, 1, 4), (1, 4, 5), 5)
    assert chain("case-default.1").fold("aß".encode()) == Folded("ass", (0, 1, 1), (1, 3, 3), 3)
    assert chain("nfc.1").fold("\u064a\u0651\u064e".encode()).start == (0, 0, 0)
    assert chain("case-turkish.1").fold("I\u0307x".encode()) == Folded("ix", (0, 3), (3, 4), 4)


def test_spans_of_nothing_and_of_dropped_bytes() -> None:
    nothing = TURKISH.fold(b"")
    assert (nothing.text, nothing.dropped(), nothing.source_span(0, 0)) == ("", (), (0, 0))
    marks = ARABIC.fold("\u064e\u0651".encode())
    assert (marks.text, marks.dropped(), marks.folded_span(0, 4)) == ("", ((0, 4),), (0, 0))
    found = TURKISH.fold("a…b".encode())
    assert found.text == "ab"
    assert found.source_span(0, 2) == (0, 5)
    assert found.source_span(1, 1) == (4, 4)
    assert found.folded_span(0, 1) == (0, 1)
    assert found.folded_span(1, 4) == (1, 1)
    assert found.folded_span(4, 5) == (1, 2)
    with pytest.raises(IndexError):
        found.source_span(1, 3)


@pytest.mark.parametrize("data", [b"\xc5", b"a\x9fb", b"\xed\xa0\x80"])
def test_bytes_that_are_no_text_are_refused_with_their_place(data: bytes) -> None:
    with pytest.raises(IntegrityError, match="not UTF-8") as caught:
        unfolded(data)
    assert caught.value.kind == "not_utf8"


# -- names, order, labels ----------------------------------------------------------------------------------


def test_chains_refuse_what_they_do_not_know_and_orders_that_would_be_wrong() -> None:
    with pytest.raises(UsageError, match=r"no normalizer 'nfc\.2'") as caught:
        chain("nfc.2")
    assert caught.value.kind == "unknown_normalizer"
    for keys in (("nfc.1", "nfc.1"), ("circumflex.1", "case-turkish.1"), ("nfc.1", "zero-width.1")):
        with pytest.raises(UsageError) as caught:
            chain(*keys)
        assert caught.value.kind == "normalizer_order"


@pytest.mark.req("CND-03")
@pytest.mark.parametrize("label", ["", "exact", "confidence"])
def test_a_feature_without_a_label_of_the_closed_list_is_refused(label: str) -> None:
    for make in (
        lambda: check_authority(label),
        lambda: Feature("grams", 1, label, TURKISH, 3),
        lambda: Normalizer("n", 1, "", Rule(str, lambda source: source), authority=label),
    ):
        with pytest.raises(UsageError, match="authority class") as caught:
            make()
        assert caught.value.kind == "unknown_authority_class"


def test_the_page_lists_the_normalizers_and_the_classes(repo_root: Path) -> None:
    page = (repo_root / "docs" / "features.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| `")]
    listed = [row.strip("`") for row in rows]
    assert listed == [*NORMALIZERS, *AUTHORITY_CLASSES]


# -- grams and roots -------------------------------------------------------------------------------------


def columns(units: list[str]) -> tuple[bytes, np.ndarray, np.ndarray]:
    text, spans, offset = b"", [], [0]
    for unit in units:
        for word in unit.split():
            spans.append((len(text), len(text) + len(word.encode())))
            text += word.encode() + b" "
        offset.append(len(spans))
    return text, np.array(spans, np.int64).reshape(-1, 2), np.array(offset, np.int64)


def grams_of(units: list[str], n: int, folding: Chain = TURKISH) -> list[list[int]]:
    text, spans, offset = columns(units)
    found = token_grams(fold_tokens(text, spans, folding), offset, n)
    return [found.value[a:b].tolist() for a, b in zip(found.offset[:-1], found.offset[1:], strict=True)]


def test_a_unit_shorter_than_n_is_its_own_gram_and_an_empty_one_has_none() -> None:
    cat, eye, again, empty, marks, longer = grams_of(["kat", "göz", "KAT", "", "… •", "kat kedi köpek"], 2)
    assert cat == again
    assert len(cat) == 1
    assert cat != eye
    assert empty == marks == []
    assert len(longer) == 2
    assert not set(cat) & set(longer)
    assert grams_of([], 5) == []
    assert grams_of(["", ""], 5) == [[], []]


def test_grams_are_runs_of_tokens_in_order() -> None:
    one, other, turned = grams_of(["a b c d", "x b c y", "c b"], 2)
    assert len(set(one) & set(other)) == 1
    assert not set(one) & set(turned)
    assert grams_of(["a b a b"], 2)[0][0] == grams_of(["a b a b"], 2)[0][2]
    assert grams_of(["a b", "a c"], 1)[0][0] == grams_of(["a b", "a c"], 1)[1][0]


def test_character_grams_tell_short_units_apart() -> None:
    found = character_grams([TURKISH.fold_text(text) for text in ("kat", "Kat", "kot", "", "katkat")], 5)
    cat, again, cot, empty, longer = (
        found.value[a:b].tolist() for a, b in zip(found.offset[:-1], found.offset[1:], strict=True)
    )
    assert cat == again
    assert cat != cot
    assert empty == []
    assert len(longer) == 2


def test_grams_do_not_depend_on_the_corpus_around_them() -> None:
    alone = grams_of(["bir iki üç dört"], 3)[0]
    assert grams_of(["zil çal", "Bir, İki üç — dört", "bir"], 3)[1] == alone
    text, spans, _ = columns(["zil", "…", "ağaç"])
    tokens = fold_tokens(text, spans, TURKISH)
    assert tokens.number.tolist() == [1, DROPPED, 0]
    assert tokens.forms == ("ağaç", "zil")


def test_a_token_with_a_line_feed_or_a_broken_character() -> None:
    one = fold_tokens(b"a\nb c", np.array([[0, 3], [4, 5]], np.int64), TURKISH)
    assert one.forms == ("a\nb", "c")
    with pytest.raises(IntegrityError, match="inside a character"):
        fold_tokens("ş".encode(), np.array([[0, 1]], np.int64), TURKISH)
    assert fold_tokens(b"", np.zeros((0, 2), np.int64), TURKISH).forms == ()


@pytest.mark.req("CND-03", "PRO-22")
def test_a_feature_recomputed_has_the_same_root_and_a_changed_one_another() -> None:
    text, spans, offset = columns(["Kâr ve zarar ortada kaldı.", "", "Evet."])
    tokens = fold_tokens(text, spans, TURKISH)
    feature = Feature("token-3-grams", 1, "token_ngram", TURKISH, 3)
    root = feature_root(feature, token_grams(tokens, offset, 3))
    assert feature_root(feature, token_grams(fold_tokens(text, spans, TURKISH), offset, 3)) == root
    assert root.hex() == "0be34e986c1997ab8bcd741ef203b5b101783f85ef027b99b75247f7955187af"
    newer = Chain((*TURKISH.links[:-1], Normalizer("punctuation", 2, "", TURKISH.links[-1].rule)))
    others = [
        Feature("token-3-grams", 2, "token_ngram", TURKISH, 3),
        Feature("token-3-grams", 1, "minhash", TURKISH, 3),
        Feature("token-3-grams", 1, "token_ngram", newer, 3),
    ]
    roots = {feature_root(other, token_grams(tokens, offset, 3)) for other in others}
    more = np.append(offset, offset[-1])
    roots.add(feature_root(feature, token_grams(tokens, more, 3)))
    assert len(roots | {root}) == 5
    assert json.loads(json.dumps(feature.record()))["folding"][0]["authority"] == "normalized_text"


# -- exact text stays exact --------------------------------------------------------------------------------


@pytest.mark.req("EX-05")
def test_two_forms_of_one_text_meet_as_a_feature_and_are_no_class(tmp_path: Path) -> None:
    text = "Nursî’nin sözü burada tekrar edilir."
    pair = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]
    rows = [
        {"book": "b", "chapter": 1, "para": n, "ord": n, "kind": "body", "text": one}
        for n, one in enumerate(pair, start=1)
    ]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = import_jsonl([read_source(tmp_path / "c.jsonl")], edition="e", language="tr")
    write_release(made, tmp_path / "release")
    build(tmp_path / "release", out=tmp_path / "artifact")
    artifact = Artifact(tmp_path / "artifact")
    assert all(len(artifact.profile(short).matched["row"]) == 0 for short in ("FP", "FS", "PP", "PS"))
    assert pair[0] != pair[1]
    assert grams_of(pair, 3)[0] == grams_of(pair, 3)[1]
    assert folded(pair[0], "nfc.1") == folded(pair[1], "nfc.1")


# -- Unicode 14, whatever the interpreter has ----------------------------------------------------------------


def assigned() -> Iterator[str]:
    for span in files("tekrar.core").joinpath(f"data/{unicode.TABLE}").read_text("ascii").split():
        low, _, high = span.partition("-")
        yield from map(chr, range(int(low, 16), int(high or low, 16) + 1))


def test_every_character_of_unicode_14_folds_as_in_version_1() -> None:
    whole = hashlib.sha256()
    for character in assigned():
        for text in (character, f"a{character}\u0301", f"\u0627{character}\u0653"):
            whole.update(unicode.nfc_text(text).encode() + b"\n")
        whole.update(unicode.default_case_text(character).encode() + b"\n")
        whole.update(unicode.turkish_case_text(character).encode() + b"\n")
    assert whole.hexdigest() == "7270afbaf83c4509d92029fee417fde018c245bf5a7c0122c762e4e982500646"


def test_a_later_character_passes_and_nothing_joins_across_it() -> None:
    # Added after Unicode 14: U+10EFD, a mark below, and U+1E030 with U+1E08F; U+1C89 has a small letter.
    late = ["\U00010efd", "\U0001e030", "\U0001e08f", "\u1c89"]
    for character in late:
        assert not unicode.is_known(character)
        text = f"a{character}\u0301 \u064e{character}\u0651 E\u0301{character.upper()}"
        assert unicode.nfc_text(text) == text.replace("E\u0301", "\u00c9")
        assert unicode.nfc_text(f"{character}\u0651\u064e") == f"{character}\u064e\u0651"
        assert unicode.default_case_text(character) == character
        assert unicode.turkish_case_text(f"I{character}") == f"ı{character}"


def test_a_changed_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unicode, "TABLE_DIGEST", "0" * 64)
    unicode._bounds.cache_clear()
    with pytest.raises(IntegrityError, match="was changed") as caught:
        unicode._bounds()
    assert caught.value.kind == "folding_table"
    unicode._bounds.cache_clear()


def test_the_joining_characters_are_those_of_unicode() -> None:
    if unicodedata.unidata_version != "14.0.0":
        pytest.skip("the list is that of Unicode 14; another interpreter may know more")
    pairs = [unicodedata.decomposition(character).split() for character in assigned()]
    canonical = [pair for pair in pairs if len(pair) == 2 and not pair[0].startswith("<")]
    joined = {"".join(chr(int(code, 16)) for code in pair) for pair in canonical}
    composing = {text for text in joined if len(unicodedata.normalize("NFC", text)) == 1}
    seconds = {text[1] for text in composing if unicodedata.combining(text[1]) == 0}
    jamo = set(map(chr, [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]))
    assert seconds | jamo == unicode._JOINING
