"""Agreement of two people who judged the same candidates: percentage and Cohen's kappa, by kind, as exact
fractions. A figure for people to read; nothing is decided by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Agreement:
    """How far two judges agree.

    Attributes:
        count: how many both judged.
        equal: on how many they said the same.
        expected: the share that chance alone would give, from how often each says what; None without any.
        table: (first's word, second's word) -> how often.
    """

    count: int
    equal: int
    expected: Fraction | None
    table: dict[tuple[str, str], int]

    @property
    def observed(self) -> Fraction | None:
        """Share on which they agree; None without any."""
        return Fraction(self.equal, self.count) if self.count else None

    @property
    def kappa(self) -> Fraction | None:
        """Cohen's kappa; None without any, and where chance alone agrees on all (both always said the same
        one word), for which it is not defined."""
        if self.observed is None or self.expected is None or self.expected == 1:
            return None
        return (self.observed - self.expected) / (1 - self.expected)


def agreement(pairs: Iterable[tuple[str, str]]) -> Agreement:
    """Agreement over pairs of words, the first judge's and the second's."""
    table = Counter(pairs)
    count = sum(table.values())
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (one, other), times in table.items():
        first[one] += times
        second[other] += times
    chance = sum(times * second[word] for word, times in first.items())
    return Agreement(
        count=count,
        equal=sum(times for (one, other), times in table.items() if one == other),
        expected=Fraction(chance, count * count) if count else None,
        table=dict(sorted(table.items())),
    )


def agreement_by_kind(
    first: Mapping[bytes, str], second: Mapping[bytes, str], kinds: Mapping[bytes, str]
) -> dict[str, Agreement]:
    """Agreement by kind of candidate, over those that both judged; kinds ascending.

    Args:
        first, second: candidate UUID -> what the judge says of it.
        kinds: candidate UUID -> its kind.
    """
    pairs: dict[str, list[tuple[str, str]]] = {}
    for one in sorted(first.keys() & second.keys()):
        pairs.setdefault(kinds[one], []).append((first[one], second[one]))
    return {kind: agreement(found) for kind, found in sorted(pairs.items())}
