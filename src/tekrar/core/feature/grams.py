"""Token and character n-grams of units, as columns, and the root of a feature's rows.

Serves CND-03, CND-09 and PRO-22. A gram is a 64-bit number made from the folded tokens themselves (BLAKE2b of
each, mixed by fixed constants), never from `hash()` or from a numbering of one corpus, so equal units have
equal grams in every corpus. Two different grams may meet in one number: a feature proposes, and whoever uses
it recomputes from the tokens. A unit shorter than n is its own gram; an empty unit has none and so matches
nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import Record, canonical_json, manifest_root, no_scope, u32, u64
from tekrar.core.feature.authority import check_authority
from tekrar.core.feature.normalizers import Chain
from tekrar.core.rows import slices
from tekrar.errors import IntegrityError, UsageError

Ints = NDArray[np.int64]
Words64 = NDArray[np.uint64]

ROOT_KIND: Final = "candidate-features"
GRAM_VERSION: Final = 1
#: Odd multipliers of the mixing: the fractional parts of the golden ratio and of the square root of 3.
_STEP: Final = 0x9E3779B97F4A7C15
_LAST: Final = 0xBB67AE8584CAA73B
DROPPED: Final = -1


@dataclass(frozen=True)
class FoldedTokens:
    """A token column folded over its distinct surfaces.

    Attributes:
        number: per token the number of its folded form, -1 where nothing is left of it.
        forms: the folded forms, ascending as UTF-8 bytes; their place is their number.
        digest: per form a 64-bit number that depends on the form alone.
    """

    number: Ints
    forms: tuple[str, ...]
    digest: Words64


@dataclass(frozen=True)
class Grams:
    """Grams of units, in text order.

    Attributes:
        value: all grams.
        offset: those of unit i are value[offset[i] : offset[i + 1]].
    """

    value: Words64
    offset: Ints


@dataclass(frozen=True)
class Feature:
    """A feature as a generator states it.

    Attributes:
        name, version: of the feature.
        authority: its authority class.
        folding: the chain that its text went through.
        n: length of its grams.

    Raises:
        UsageError: an unlabelled feature or one outside the closed list, or n below 1.
    """

    name: str
    version: int
    authority: str
    folding: Chain
    n: int

    def __post_init__(self) -> None:
        check_authority(self.authority)
        if self.n < 1:
            raise UsageError(f"a gram of {self.n} has no members", expected="n of 1 or more", kind="bad_gram")

    def record(self) -> dict[str, Any]:
        """The feature as JSON, with the version of the gram mixing."""
        return {
            "name": self.name,
            "version": self.version,
            "authority": self.authority,
            "folding": self.folding.record(),
            "n": self.n,
            "grams": GRAM_VERSION,
        }


def fold_tokens(text: bytes, spans: Ints, folding: Chain) -> FoldedTokens:
    """Fold every distinct surface once.

    Args:
        text: UTF-8 bytes.
        spans: int64 (tokens, 2), first and end byte of each.
        folding: the chain.

    Raises:
        IntegrityError: a token begins or ends inside a character.
    """
    surfaces: dict[bytes, int] = {}
    start, end = np.ascontiguousarray(spans[:, 0]), np.ascontiguousarray(spans[:, 1])
    known = surfaces.setdefault
    which = np.fromiter(
        (known(surface, len(surfaces)) for surface in slices(memoryview(text), start, end)),
        np.int64,
        len(spans),
    )
    folded = [form.encode() for form in folded_surfaces(list(surfaces), folding)]
    forms = sorted(set(folded) - {b""})
    number = {form: at for at, form in enumerate(forms)}
    of_surface = np.array([number.get(form, DROPPED) for form in folded], np.int64)
    digest = np.array([form_digest(form.decode()) for form in forms], np.uint64)
    picked = of_surface[which] if len(surfaces) else which
    return FoldedTokens(picked, tuple(form.decode() for form in forms), digest)


def folded_surfaces(surfaces: list[bytes], folding: Chain) -> list[str]:
    """All distinct surfaces folded as one text of lines: no folding works across a line feed or makes one."""
    texts = [_decoded(surface) for surface in surfaces]
    if any("\n" in text for text in texts):
        return [folding.fold_text(text) for text in texts]
    return folding.fold_text("\n".join(texts)).split("\n") if texts else []


def _decoded(surface: bytes) -> str:
    try:
        return surface.decode("utf-8")
    except UnicodeDecodeError:
        raise IntegrityError(
            f"the token {surface!r} begins or ends inside a character",
            expected="tokens on character boundaries",
            kind="not_utf8",
        ) from None


def form_digest(form: str) -> int:
    """64 bits that depend on a folded form alone: BLAKE2b-64 of its UTF-8."""
    return int.from_bytes(hashlib.blake2b(form.encode(), digest_size=8).digest(), "big")


def token_grams(tokens: FoldedTokens, offset: Ints, n: int) -> Grams:
    """N-grams of folded tokens, unit by unit; tokens of which nothing is left are stepped over.

    Args:
        tokens: the folded column.
        offset: tokens of unit i are offset[i] to offset[i + 1] (length units + 1).
        n: tokens a gram.
    """
    kept = tokens.number != DROPPED
    before = np.concatenate([[0], np.cumsum(kept)])
    values = tokens.digest[tokens.number[kept]] if len(tokens.digest) else np.zeros(0, np.uint64)
    return _grams(values, before[offset].astype(np.int64), n)


def character_grams(texts: Sequence[str], n: int) -> Grams:
    """N-grams of folded characters, for units too short for token grams."""
    offset = np.concatenate([[0], np.cumsum([len(text) for text in texts], dtype=np.int64)]).astype(np.int64)
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32).astype(np.uint64)
    return _grams(mixed(codes + np.uint64(1)), offset, n)


def _grams(values: Words64, offset: Ints, n: int) -> Grams:
    if n < 1:
        raise UsageError(f"a gram of {n} has no members", expected="n of 1 or more", kind="bad_gram")
    size = np.diff(offset)
    count = np.where(size >= n, size - n + 1, np.minimum(size, 1))
    ends = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    unit = np.repeat(np.arange(len(size)), count)
    first = offset[:-1][unit] + np.arange(int(ends[-1])) - ends[:-1][unit]
    long = np.minimum(size[unit], n)
    # The length goes in first, so that a short unit is no beginning of a longer gram.
    found = mixed(long.astype(np.uint64))
    for step in range(n):
        more = long > step
        taken = values[np.where(more, first + step, 0)] if len(values) else found
        found = np.where(more, found * np.uint64(_STEP) + taken, found)
    return Grams(mixed(found), ends)


def mixed(values: Words64) -> Words64:
    """A fixed bijection of 64-bit numbers that spreads close ones."""
    values = (values ^ (values >> np.uint64(32))) * np.uint64(_STEP)
    values = (values ^ (values >> np.uint64(29))) * np.uint64(_LAST)
    return values ^ (values >> np.uint64(32))


def feature_root(feature: Feature, grams: Grams) -> bytes:
    """Root of a feature over its units (32 bytes): equal when name, folding, n and every row are equal.

    The rows are a manifest (docs/encoding.md section 3) of kind `candidate-features` without scope: the key
    is the unit's ordinal, the value the number of its grams and the SHA-256 over them in ascending order.
    """
    rows = manifest_root(ROOT_KIND, no_scope(), _rows(grams))
    document: dict[str, Any] = {
        "feature": feature.record(),
        "rows": rows.hex(),
        "units": len(grams.offset) - 1,
    }
    return hashlib.sha256(canonical_json(document)).digest()


def _rows(grams: Grams) -> Iterator[Record]:
    offset = grams.offset.tolist()
    for unit, (low, high) in enumerate(pairwise(offset)):
        ordered = np.sort(grams.value[low:high]).astype(">u8").tobytes()
        yield u64(unit), u32(high - low) + hashlib.sha256(ordered).digest()
