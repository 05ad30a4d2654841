"""Pairs of whole units with many words in common, whatever their order: MinHash bands, then the exact share.

The seeds of a pair are runs of equal tokens; where every second word was changed, or words were moved, there
may be none. Here each unit is the set of its folded words (BLAKE2b-64 of each), signed by minima; units that
meet in one band are compared word by word, and those that share `SHARE` of their words are aligned like any
other pair. The signature (authority class `minhash`) proposes; nothing else depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.feature.grams import form_digest, mixed
from tekrar.discover.compiled import kernel
from tekrar.discover.stream import Stream

Ints = NDArray[np.int64]
Words64 = NDArray[np.uint64]
#: Bands, and minima of a band: a pair with half of its words in common meets in one of 14 cases of 15.
BANDS: Final = 20
ROWS: Final = 3
#: Words that both units have, as a share of the words that either has.
SHARE: Final = (1, 2)
#: Distinct words that a unit has at least; of fewer there is no share to speak of.
LEAST_WORDS: Final = 4
#: All units of a band's bucket are compared up to this number; above it each with the next ones.
BUCKET: Final = 16
NEXT: Final = 2
#: Tokens signed at once: bounds memory, changes nothing.
BLOCK_TOKENS: Final = 1 << 20


@dataclass(frozen=True)
class Signed:
    """Pairs of stream paragraphs that share `SHARE` of their words, ascending by left, right.

    Attributes:
        left, right: paragraph numbers, left < right.
        left_out: numbers of what a bound left out.
    """

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    left_out: dict[str, int]


def signed_pairs(stream: Stream, forms: tuple[str, ...]) -> Signed:
    """Pairs of units by their words.

    Args:
        stream: the stream.
        forms: folded word by number.
    """
    word, first = _words(stream, len(forms))
    unit = np.flatnonzero(np.diff(first) >= LEAST_WORDS)
    digest = np.fromiter((form_digest(form) for form in forms), np.uint64, len(forms))
    signature = _signature(word, first, unit, digest)
    known: list[Ints] = [np.zeros(0, np.int64)]
    large = 0
    for band in range(BANDS):
        keys, above = _bucket_pairs(signature, band, unit, len(first))
        known.append(keys)
        large += above
    key = _distinct(np.concatenate(known))
    left, right = key // len(first), key % len(first)
    shares = np.zeros(len(key), np.uint8)
    _compare(word, first, left, right, np.array(SHARE, np.int64), shares)
    near = shares > 0
    return Signed(
        left[near].astype(np.int32),
        right[near].astype(np.int32),
        {"signature_pairs_of_large_buckets": large, "signature_pairs_below_share": int((~near).sum())},
    )


def _words(stream: Stream, words: int) -> tuple[Ints, Ints]:
    """Distinct words of every paragraph, ascending: (word numbers, offsets with a final total)."""
    inside = np.flatnonzero(stream.words > 0)
    key = stream.paragraph[inside].astype(np.int64) * (words + 1) + stream.words[inside] - 1
    key = _distinct(key)
    owner = key // (words + 1)
    first = np.searchsorted(owner, np.arange(len(stream.row) + 1)).astype(np.int64)
    return key % (words + 1), first


def _distinct(key: Ints) -> Ints:
    key = np.sort(key)
    return key[np.concatenate([[True], key[1:] != key[:-1]])] if len(key) else key


def _signature(word: Ints, first: Ints, unit: Ints, digest: Words64) -> NDArray[np.uint32]:
    """Minima of every unit, shape (BANDS * ROWS, units)."""
    found = np.zeros((BANDS * ROWS, len(unit)), np.uint32)
    pieces = list(_pieces(first, unit))
    for row in range(len(found)):
        salt = mixed(np.array([row + 1], np.uint64))[0]
        value = (mixed(digest ^ salt) >> np.uint64(32)).astype(np.uint32)
        for low, high in pieces:
            begin = int(first[unit[low]])
            taken = value[word[begin : int(first[unit[high - 1] + 1])]]
            # units in between that are too small are reduced too, and dropped: offsets stay plain
            inner = first[unit[low] : unit[high - 1] + 1] - begin
            found[row, low:high] = np.minimum.reduceat(taken, inner)[unit[low:high] - unit[low]]
    return found


def _pieces(first: Ints, unit: Ints) -> Iterator[tuple[int, int]]:
    low = 0
    while low < len(unit):
        high = int(np.searchsorted(first[unit], first[unit[low]] + BLOCK_TOKENS))
        high = max(high, low + 1)
        yield low, high
        low = high


def _bucket_pairs(signature: NDArray[np.uint32], band: int, unit: Ints, width: int) -> tuple[Ints, int]:
    """Pairs of one band as left * width + right, and how many a bucket's size left out."""
    key = np.zeros(len(unit), np.uint64)
    for row in range(band * ROWS, (band + 1) * ROWS):
        key = mixed(key + signature[row].astype(np.uint64) + np.uint64(1))
    order = np.argsort(key, kind="stable")
    key = key[order]
    opens = (
        np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])) if len(key) else np.zeros(0, np.int64)
    )
    size = np.diff(np.append(opens, len(key)))
    end = np.repeat(opens + size, size)
    reach = np.where(np.repeat(size, size) <= BUCKET, end, np.minimum(end, np.arange(len(key)) + 1 + NEXT))
    found: list[Ints] = [np.zeros(0, np.int64)]
    for step in range(1, BUCKET):
        at = np.flatnonzero(np.arange(len(key)) + step < reach)
        if not len(at):
            break
        one, other = unit[order[at]], unit[order[at + step]]
        found.append(np.minimum(one, other) * width + np.maximum(one, other))
    pairs = np.concatenate(found)
    return pairs, int((size * (size - 1) // 2).sum()) - len(pairs)


@kernel
def _compare(word: Any, first: Any, left: Any, right: Any, share: Any, shares: Any) -> None:
    """Mark the pairs whose common words are `share` of all their words."""
    for k in range(len(left)):
        i, j = first[left[k]], first[right[k]]
        a, b = first[left[k] + 1], first[right[k] + 1]
        both = a - i + b - j
        common = 0
        while i < a and j < b:
            if word[i] == word[j]:
                common += 1
                i += 1
                j += 1
            elif word[i] < word[j]:
                i += 1
            else:
                j += 1
        if share[1] * common >= share[0] * (both - common):
            shares[k] = 1
