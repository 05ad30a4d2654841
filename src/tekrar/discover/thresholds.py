"""What an entry must score, tied to the size of the corpus and to nothing else about it.

Chance agreements grow with the square of the words, true ones with the words: a local match must overcome the
choice of both places (2 log2 N bits), a match of whole units only the choice of both units (2 log2 P bits).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.bits import BIT, log2_sixteenths

#: Bits above the choice of the places (below it: the choice of a place is a little less than free).
LOCAL_MARGIN: Final = -1 * BIT
UNIT_MARGIN: Final = 4 * BIT
#: Share (in 1/16) of the lighter unit's weight that makes a match one of whole units.
UNIT_SHARE: Final = 9
#: A link of a chain scores at least this much, and in a large corpus the choice of a place less
#: `LINK_BELOW`: chance links grow with the square of the words, and each bit more halves them.
LINK_LEAST: Final = 16 * BIT
LINK_BELOW: Final = 4 * BIT
#: Where half of the units have at most this number of tokens, a text is one of verses: a phrase is a good
#: part of a
#: unit, and the list goes on down to what overcomes the choice of the places in the two units and
#: `VERSE_MARGIN`,
#: but not below twice the choice of two places in the corpus less `VERSE_DEPTH`.
VERSE_TOKENS: Final = 28
VERSE_MARGIN: Final = 4 * BIT
VERSE_DEPTH: Final = 52 * BIT
#: A pair is aligned when its seeds weigh this much, in a large corpus the mean of it and of the choice of a
#: place; in a text of verses this much less than the list's end.
SEEDS_LEAST: Final = 20 * BIT
VERSE_SEEDS: Final = 4 * BIT
#: What a word of a chance run is worth at least, in bits: a run of so many words is no chance.
RUN_BITS: Final = 5 * BIT
#: The same where a whole unit is contained in another.
CONTAINED_BITS: Final = 6 * BIT
#: Equal tokens, twice, in the tokens of both units: 6 of 10 make a variant of whole units of this many
#: tokens.
VARIANT: Final = (6, 10)
VARIANT_TOKENS: Final = 4
#: So many equal tokens are enough where they are this share of the longer unit's.
SHORT_TOKENS: Final = 3
SHORT_SHARE: Final = (3, 4)
#: A unit is contained in another when 3 of 4 of its tokens are.
CONTAINED: Final = (3, 4)


@dataclass(frozen=True)
class Thresholds:
    """Least scores in sixteenths of a bit: of a local match, of a match of whole units, of a link.

    `run` is the least number of equal tokens in a row that is enough by itself, `contained` the least
    number of
    equal tokens of a unit that stands in another; `place` is the choice of one place in the corpus; `verse`
    is
    what a match must score in a text of verses (0: it is none), `seeds` what the seeds of a pair must weigh
    to be
    aligned.
    """

    local: int
    unit: int
    link: int
    run: int
    contained: int
    place: int
    verse: int
    seeds: int


def thresholds(sizes: NDArray[np.int64]) -> Thresholds:
    """Thresholds of a corpus.

    Args:
        sizes: tokens of every unit of the stream.
    """
    tokens, units = int(sizes.sum()), len(sizes)
    verses = units > 0 and int(np.partition(sizes, units // 2)[units // 2]) <= VERSE_TOKENS
    n, p = log2_sixteenths(np.array([max(tokens, 2), max(units, 2)])).tolist()
    local = 2 * n + LOCAL_MARGIN
    verse = max(4 * n - VERSE_DEPTH, VERSE_MARGIN) if verses else 0
    seeds = max(SEEDS_LEAST, (SEEDS_LEAST + n) // 2)
    if verses:
        seeds = min(max(verse - VERSE_SEEDS, VERSE_SEEDS), seeds)
    return Thresholds(
        local=local,
        unit=2 * p + UNIT_MARGIN,
        link=min(max(LINK_LEAST, n - LINK_BELOW), seeds),
        run=-(-local // RUN_BITS),
        contained=-(-(n + p) // CONTAINED_BITS),
        place=n,
        verse=verse,
        seeds=seeds,
    )
