"""Folding of surface tokens for discovery: a declared chain of the normalizers of `core.feature`.

A fold is a feature (authority class `normalized_text`): it never enters an exact preimage, and the bytes of a
match are always the bytes of the source. It is computed once per distinct surface token; the token's span is
the map back to the source. Nothing here depends on the interpreter's version of Unicode.
"""

from __future__ import annotations

from typing import Any, Final

from tekrar.core.feature.authority import check_authority
from tekrar.core.feature.joins import HYPHEN_SUFFIX, HYPHEN_SUFFIX_VERSION
from tekrar.core.feature.normalizers import Chain, case_of, chain
from tekrar.core.token import TOKENIZER

#: Links of the chain round the case folding, which is that of the release's language.
BEFORE_CASE: Final = ("zero-width.1", "soft-hyphen.1", "nfc.1")
AFTER_CASE: Final = (
    "circumflex.1", "circumflex-e-o.1", "arabic-marks.1", "tatweel.1", "alef-hamza.1", "alef-maqsura.1",
    "ta-marbuta.1", "lone-hamza.1", "arabic-letters.1", "digits.1", "punctuation.1",
)  # fmt: skip
#: Name and version of `joined_forms`.
CONJUNCTION: Final = ("arabic-conjunction", 1)
#: Arabic "and" and "so", written with the word that follows or alone.
CONJUNCTIONS: Final = "وف"


def folding_of(language: str) -> Chain:
    """The chain that tokens of a release go through.

    Args:
        language: BCP 47 tag of the release; decides the case pair of I.
    """
    return chain(*BEFORE_CASE, case_of(language), *AFTER_CASE)


def features_of(language: str) -> dict[str, Any]:
    """What the generator's words are made by, as JSON: each part with its version and authority class.

    The features that are made of these words stand in `bounds.report`.
    """
    label = check_authority("normalized_text")
    return {
        "tokenizer": TOKENIZER,
        "joins": [{"name": HYPHEN_SUFFIX, "version": HYPHEN_SUFFIX_VERSION, "authority": label}],
        "folding": folding_of(language).record(),
        "forms": [{"name": CONJUNCTION[0], "version": CONJUNCTION[1], "authority": label}],
    }


def joined_forms(forms: list[str]) -> list[str]:
    """Folded forms without an Arabic conjunction before the word: "" for one that stands alone.

    A first letter waw or fa is taken off where the rest is a word of the same text by itself, so that the
    same words meet whether the conjunction is there, joined or apart.
    """
    known = set(forms)
    return [
        ""
        if form == "و"
        else form[1:]
        if len(form) > 2 and form[0] in CONJUNCTIONS and form[1:] in known
        else form
        for form in forms
    ]
