"""Units of one word that differ in case, marks or whatever else folding takes off.

A seed is a run of two words, and a signature wants four: a unit of one word has neither. Units of the same
folded word are paired here, each with its next ones in the document, so that they are not lost; those with
equal bytes are one class already, so that they are not lumped.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tekrar.discover.signatures import Signed
from tekrar.discover.stream import Stream

#: Units of one word that each of them is paired with.
NEXT: Final = 6


def with_singles(stream: Stream, signed: Signed) -> Signed:
    """Pairs by signatures and the pairs of units of one word, ascending, with what the bound left out.

    Args:
        stream: the stream.
        signed: pairs by signatures.
    """
    unit = np.flatnonzero(np.diff(stream.first) == 2)
    word = stream.words[stream.first[unit]]
    order = np.argsort(word, kind="stable")
    unit, word = unit[order], word[order]
    lefts, rights = [signed.left], [signed.right]
    for step in range(1, NEXT + 1):
        same = np.flatnonzero(word[:-step] == word[step:])
        lefts.append(unit[same].astype(np.int32))
        rights.append(unit[same + step].astype(np.int32))
    left, right = np.concatenate(lefts), np.concatenate(rights)
    ascending = np.lexsort((right, left))
    size = np.bincount(word) if len(word) else np.zeros(1, np.int64)
    made = sum(len(part) for part in lefts[1:])
    left_out = {"pairs_of_one_word_units": int((size * (size - 1) // 2).sum()) - made}
    return Signed(left[ascending], right[ascending], signed.left_out | left_out)
