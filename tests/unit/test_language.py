"""Language tags: one spelling each, and what names no language refused with its mend (RFC 5646)."""

import pytest

from tekrar.core.language import canonical_language
from tekrar.core.policy import primary_subtag
from tekrar.errors import UsageError


@pytest.mark.parametrize(
    ("tag", "canonical"),
    [
        ("tr", "tr"),
        ("TR", "tr"),
        ("AR-ARAB", "ar-Arab"),
        ("En-gB", "en-GB"),
        ("sR-lATN-rS", "sr-Latn-RS"),
        ("ES-419", "es-419"),
        ("OTA", "ota"),
        ("Ota-arab-TR-x-Eski-Yazi", "ota-Arab-TR-x-eski-yazi"),
        ("ZH-YUE-hant", "zh-yue-Hant"),
        ("SL-Rozaj-BISKE-1994", "sl-rozaj-biske-1994"),
        ("DE-1901", "de-1901"),
        ("de-DE-u-CO-phonebk", "de-DE-u-co-phonebk"),
        ("en-t-JP-u-ca-x-A", "en-t-jp-u-ca-x-a"),
        ("en-u-ca-buddhist-A-bbb", "en-a-bbb-u-ca-buddhist"),
    ],
)
def test_a_tag_has_one_spelling(tag: str, canonical: str) -> None:
    assert canonical_language(tag) == canonical
    assert canonical_language(canonical) == canonical
    assert canonical_language(tag.swapcase()) == canonical
    assert primary_subtag(tag) == canonical.split("-")[0]


@pytest.mark.parametrize(
    ("tag", "mend"),
    [
        ("tur", "write tr"),
        ("TUR-latn", "write tr-latn"),
        ("eng-GB", "write en-GB"),
        ("ara", "write ar"),
        ("ger", "write de"),
        ("deu", "write de"),
        ("per", "write fa"),
        ("chi-Hant", "write zh-Hant"),
        ("tr_TR", "write tr-TR"),
        ("turkish", "such as tr for Turkish"),
        ("türk", "BCP 47"),
        ("türkçe", "BCP 47"),
        ("Turk", "such as tr for Turkish"),
        ("und", "`und`"),
        ("UND-Latn", "`und`"),
        ("", "BCP 47"),
        ("t", "BCP 47"),
        ("x-eski", "BCP 47"),
        ("i-klingon", "BCP 47"),
        ("en-GB-oed", "BCP 47"),
        ("tr-", "BCP 47"),
        ("-tr", "BCP 47"),
        ("tr--TR", "BCP 47"),
        ("tr TR", "BCP 47"),
        ("tr\n", "BCP 47"),
        ("tr-TR-Latn", "BCP 47"),
        ("tr-x", "BCP 47"),
        ("tr-u", "BCP 47"),
        ("tr-Latn-t-ota-x", "BCP 47"),
        ("tr-abcdefghi", "BCP 47"),
        ("tr_TR.UTF-8", "BCP 47"),
        ("\u0131t", "BCP 47"),
        ("de-1901-1901", "each variant"),
        ("de-u-co-phonebk-u-ca", "each extension"),
        ("x" * 1_000_000, "BCP 47"),
    ],
)
def test_what_names_no_language_is_refused_with_its_mend(tag: str, mend: str) -> None:
    with pytest.raises(UsageError, match="names no language") as caught:
        canonical_language(tag)
    assert caught.value.kind == "bad_language"
    assert mend in caught.value.mend
    assert len(str(caught.value)) < 500
    with pytest.raises(UsageError):
        primary_subtag(tag)


def test_every_mend_of_a_three_letter_code_is_itself_a_language() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    mended = set()
    for code in (a + b + c for a in letters for b in letters for c in letters):
        try:
            canonical_language(code)
        except UsageError as error:
            if code != "und":
                short = error.mend.removeprefix("write ")
                assert canonical_language(short) == short
                mended.add(short)
    assert len(mended) == 184
