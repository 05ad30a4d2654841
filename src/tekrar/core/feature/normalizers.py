"""The named normalizers, and chains of them in a declared order (CND-03, PRO-22; docs/features.md).

A normalizer is a name, a version, an authority class and a pure function of folded text; a changed function
is a new version. A chain is a feature's folding: its record names every link in order, so a candidate says
which folding found it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

from tekrar.core.feature.authority import check_authority
from tekrar.core.feature.folded import Folded, mapped, unfolded
from tekrar.core.feature.unicode import (
    default_case,
    default_case_text,
    nfc,
    nfc_text,
    turkish_case,
    turkish_case_text,
)
from tekrar.errors import UsageError


@dataclass(frozen=True)
class Rule:
    """A folding in two forms that give one text: of a text alone, and of a text with its map."""

    text: Callable[[str], str]
    placed: Callable[[Folded], Folded]


@dataclass(frozen=True)
class Normalizer:
    """One named folding.

    Attributes:
        name, version: together its key.
        about: what it does, in a few words.
        rule: the function, with and without the map.
        after: names that must not follow it in a chain, because it is meant for what they leave.
        authority: its authority class.

    Raises:
        UsageError: an authority class outside the closed list.
    """

    name: str
    version: int
    about: str
    rule: Rule
    after: tuple[str, ...] = ()
    authority: str = "normalized_text"

    def __post_init__(self) -> None:
        check_authority(self.authority)

    @property
    def key(self) -> str:
        """`name.version`."""
        return f"{self.name}.{self.version}"


def _characters(*ranges: int | tuple[int, int]) -> list[str]:
    spans = (one if isinstance(one, tuple) else (one, one) for one in ranges)
    return [chr(code) for low, high in spans for code in range(low, high + 1)]


def _dropping(characters: Iterable[str]) -> Rule:
    return _table(dict.fromkeys(characters, ""))


def _table(table: Mapping[str, str]) -> Rule:
    return Rule(partial(_replaced, table), partial(_mapped, table))


def _replaced(table: Mapping[str, str], text: str) -> str:
    # What a table gives is never one of its keys, so the order of the replacements does not matter.
    for old in table.keys() & set(text):
        text = text.replace(old, table[old])
    return text


def _mapped(table: Mapping[str, str], source: Folded) -> Folded:
    return mapped(source, table)


#: Vowel signs, Koranic signs and small letters above and below; not the letters themselves.
_ARABIC_MARKS: Final = _characters(
    (0x610, 0x61A), (0x64B, 0x65F), 0x670, (0x6D6, 0x6DC), (0x6DF, 0x6E8), (0x6EA, 0x6ED), (0x898, 0x89F),
    (0x8CA, 0x8E1), (0x8E3, 0x8FF),
)  # fmt: skip
_ZERO_WIDTH: Final = _characters(
    0x61C, 0x180E, (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2064), (0x2066, 0x2069), 0xFEFF
)
_SPACES: Final = _characters(0xA0, 0x1680, (0x2000, 0x200A), 0x202F, 0x205F, 0x3000)
_APOSTROPHES: Final = _characters(0x60, 0xB4, (0x2BB, 0x2BF), (0x2018, 0x201B), 0x2032, 0x2035, 0xFF07)
_QUOTES: Final = _characters(
    0xAB, 0xBB, (0x201C, 0x201F), 0x2033, 0x2036, 0x2039, 0x203A, (0x300C, 0x300F), 0xFF02
)
_PUNCTUATION: Final = _characters(
    (0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E), (0xA1, 0xA9), (0xAB, 0xAC), (0xAE, 0xB1), 0xB4,
    (0xB6, 0xB8), 0xBB, 0xBF, 0xD7, 0xF7, (0x2BB, 0x2BF), (0x55A, 0x55F), (0x589, 0x58A), 0x5BE, 0x5C0, 0x5C3,
    (0x5F3, 0x5F4), 0x60C, 0x60D, 0x61B, 0x61E, 0x61F, (0x66A, 0x66D), 0x6D4, 0x6DD, 0x6DE, 0x6E9,
    (0x2010, 0x2027), (0x2030, 0x205E), 0x2E2F, (0x2E3A, 0x2E3B), (0x2E40, 0x2E4F), (0x3001, 0x3003),
    (0x3008, 0x3011), (0x3014, 0x301F), 0x30FB, 0xFD3E, 0xFD3F, (0xFE50, 0xFE52), (0xFE54, 0xFE66),
    (0xFF01, 0xFF0F), (0xFF1A, 0xFF20), (0xFF3B, 0xFF40), (0xFF5B, 0xFF65),
)  # fmt: skip
_DIGITS: Final = {chr(base + digit): str(digit) for base in (0x660, 0x6F0) for digit in range(10)}

_NFC: Final = Rule(nfc_text, nfc)
_DEFAULT_CASE: Final = Rule(default_case_text, default_case)
_TURKISH_CASE: Final = Rule(turkish_case_text, turkish_case)

_ALL: Final = (
    Normalizer("zero-width", 1, "drops zero-width characters and direction marks", _dropping(_ZERO_WIDTH)),
    Normalizer("soft-hyphen", 1, "drops the soft hyphen", _dropping("\u00ad")),
    Normalizer("no-break-space", 1, "every space becomes a plain one", _table(dict.fromkeys(_SPACES, " "))),
    Normalizer("nfc", 1, "canonical composition", _NFC, after=("zero-width", "soft-hyphen")),
    Normalizer("case-default", 1, "full default case folding", _DEFAULT_CASE, after=("nfc",)),
    Normalizer("case-turkish", 1, "case folding with I, ı and İ, i", _TURKISH_CASE, after=("nfc",)),
    Normalizer("apostrophes", 1, "every apostrophe becomes '", _table(dict.fromkeys(_APOSTROPHES, "'"))),
    Normalizer("quotes", 1, 'every quotation mark becomes "', _table(dict.fromkeys(_QUOTES, '"'))),
    Normalizer(
        "circumflex", 1, "small â, î and û lose their circumflex", _table({"â": "a", "î": "i", "û": "u"}),
        after=("nfc", "case-default", "case-turkish"),
    ),
    Normalizer(
        "circumflex-e-o", 1, "small ê and ô lose their circumflex", _table({"ê": "e", "ô": "o"}),
        after=("nfc", "case-default", "case-turkish"),
    ),
    Normalizer("arabic-marks", 1, "drops vowel and Koranic signs", _dropping(_ARABIC_MARKS), after=("nfc",)),
    Normalizer("tatweel", 1, "drops the tatweel", _dropping("\u0640")),
    Normalizer(
        "alef-hamza", 1, "alef with hamza, madda or wasla becomes alef; hamza loses its seat's hamza",
        _table({**dict.fromkeys("أإآٱٲٳ", "ا"), "ؤ": "و", "ئ": "ي"}), after=("nfc",),
    ),
    Normalizer("alef-maqsura", 1, "alef maqsura and the Persian ya become ya", _table({"ى": "ي", "ی": "ي"})),
    Normalizer("ta-marbuta", 1, "ta marbuta becomes ha", _table({"ة": "ه"}), after=("nfc",)),
    Normalizer("lone-hamza", 1, "drops the hamza that has no seat", _dropping("\u0621"), after=("nfc",)),
    Normalizer(
        "arabic-letters", 1, "the Persian kaf and the Kurdish e become kaf and ya",
        _table({"\u06a9": "\u0643", "\u06d0": "\u064a"}),
    ),
    Normalizer("digits", 1, "Arabic and Persian digits become 0 to 9", _table(_DIGITS)),
    Normalizer(
        "punctuation", 1, "drops punctuation, apostrophes and quotation marks too", _dropping(_PUNCTUATION),
        after=("apostrophes", "quotes"),
    ),
)  # fmt: skip
#: key -> normalizer, in the order in which they make a whole folding.
NORMALIZERS: Final[dict[str, Normalizer]] = {one.key: one for one in _ALL}
TURKISH: Final = frozenset({"tr", "az"})


@dataclass(frozen=True)
class Chain:
    """Normalizers in a declared order.

    Raises:
        UsageError: one stands twice, or before one that it must follow.
    """

    links: tuple[Normalizer, ...]

    def __post_init__(self) -> None:
        names = [link.name for link in self.links]
        for at, link in enumerate(self.links):
            if link.name in names[:at]:
                raise UsageError(
                    f"normalizer {link.key} stands twice in the chain",
                    expected="each normalizer at most once",
                    kind="normalizer_order",
                )
            late = [name for name in link.after if name in names[at + 1 :]]
            if late:
                raise UsageError(
                    f"normalizer {link.key} stands before {late[0]}",
                    expected=f"{link.name} after {', '.join(link.after)}",
                    mend="order the chain as docs/features.md lists the normalizers",
                    kind="normalizer_order",
                )

    def fold(self, data: bytes) -> Folded:
        """A text folded by every link in turn.

        Raises:
            IntegrityError: the bytes are no UTF-8.
        """
        found = unfolded(data)
        for link in self.links:
            found = link.rule.placed(found)
        return found

    def fold_text(self, text: str) -> str:
        """The folded text without its map: equal to `fold(…).text`, and much faster."""
        for link in self.links:
            text = link.rule.text(text)
        return text

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Keys of the links in order."""
        return tuple(link.key for link in self.links)

    def record(self) -> list[dict[str, Any]]:
        """The chain as JSON: name, version and authority class of each link in order."""
        return [
            {"name": link.name, "version": link.version, "authority": link.authority} for link in self.links
        ]


def chain(*keys: str) -> Chain:
    """A chain of normalizers by their keys, in this order.

    Raises:
        UsageError: an unknown key, one twice, or an order that a link forbids.
    """
    for key in keys:
        if key not in NORMALIZERS:
            raise UsageError(
                f"there is no normalizer {key!r}", expected=", ".join(NORMALIZERS), kind="unknown_normalizer"
            )
    return Chain(tuple(NORMALIZERS[key] for key in keys))


def case_of(language: str) -> str:
    """Key of the case folding that is right for a language (its BCP 47 tag)."""
    return "case-turkish.1" if language.split("-")[0].lower() in TURKISH else "case-default.1"


def whole_folding(language: str) -> Chain:
    """Every normalizer in the listed order, with the case folding of the language."""
    left_out = {"case-turkish.1", "case-default.1"} - {case_of(language)}
    return chain(*(key for key in NORMALIZERS if key not in left_out))
