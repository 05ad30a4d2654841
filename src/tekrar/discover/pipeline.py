"""The whole way from columns to the ordered list."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.assemble import accepted, assembled
from tekrar.discover.bounds import report, seeds_left_out
from tekrar.discover.crowds import crowded, thinned
from tekrar.discover.ends import carried
from tekrar.discover.entries import PAIR, Entries
from tekrar.discover.formulas import Formulas, formulas_of
from tekrar.discover.links import Links, links_of
from tekrar.discover.metrics import Grams, grams_of
from tekrar.discover.order import ordered
from tekrar.discover.pairs import Pairs, aligned_pairs, unit_weights
from tekrar.discover.places import places_of
from tekrar.discover.signatures import signed_pairs
from tekrar.discover.singles import with_singles
from tekrar.discover.skips import with_skips
from tekrar.discover.source import Source
from tekrar.discover.stream import Stream, stream_of
from tekrar.discover.stretches import Chains, chain
from tekrar.discover.suffix import SuffixOrder, suffix_order
from tekrar.discover.thresholds import Thresholds, thresholds
from tekrar.discover.weights import weigh

Ints = NDArray[np.int64]
GENERATOR = "adr009.discover.1"


@dataclass(frozen=True)
class Generated:
    """What a run of the generator gives.

    Attributes:
        entries: best first.
        stream, pairs, links, chains, formulas: what the entries point into.
        grams: trigrams that the paragraphs of each pair have in common; of pairs that are entries.
        thresholds: least scores of this corpus.
        bounds: the bounds report.
    """

    entries: Entries
    stream: Stream
    pairs: Pairs
    links: Links
    chains: Chains
    formulas: Formulas
    grams: Grams
    thresholds: Thresholds
    bounds: dict[str, Any] = field(default_factory=dict)


def generate(source: Source, *, workers: int = 1) -> Generated:
    """Candidates of a release: what is nearly the same in two places, as an ordered list.

    Args:
        source: the columns.
        workers: processes that align; their number changes no byte.
    """
    stream = stream_of(source)
    order = suffix_order(stream.words)
    weights = weigh(order, words=source.tokens.words)
    limits = thresholds(np.diff(stream.first) - 1)
    signed = with_singles(stream, signed_pairs(stream, source.tokens.forms))
    signed = with_skips(stream, weights.rarity, limits, signed)

    def keep(some: Pairs) -> NDArray[np.bool_]:
        chosen: NDArray[np.bool_] = (some.score >= limits.link) | (accepted(stream, some, limits) > 0)
        return chosen

    pairs, light = aligned_pairs(
        stream, order, weights, least=limits.seeds, keep=keep, signed=signed, workers=workers
    )
    crowd = crowded(stream, pairs)
    stays = thinned(stream, pairs, crowd)
    pairs, crowd = pairs.take(np.flatnonzero(stays)), crowd[stays]
    pairs, odds = carried(source, stream, weights.rarity, pairs, accepted(stream, pairs, limits) > 0)
    links, left_out = links_of(source, stream, pairs, unit_weights(stream, weights.rarity))
    chains = chain(source, links, alone=np.concatenate([crowd, [False]])[links.pair])
    formulas = formulas_of(order, (stream.opens, stream.closes), words=source.tokens.words)
    rarity = np.concatenate([[0], np.cumsum(weights.rarity, dtype=np.int64)])
    entries, grouped = assembled(source, stream, (pairs, links, chains, formulas), limits, rarity)
    found = ordered(entries, places_of(source, entries))
    left_out |= (
        light
        | grouped
        | {"pairs_of_crowds": int((~stays).sum()), "seeds_of_frequent_bigrams": seeds_left_out(order)}
    )
    told = report(left_out, limits, language=source.release.language)
    told["thresholds"]["odds_of_sentence_ends"] = odds
    grams = _grams(stream, order, pairs, entries.first[entries.kind == PAIR])
    return Generated(found, stream, pairs, links, chains, formulas, grams, limits, told)


def _grams(stream: Stream, order: SuffixOrder, pairs: Pairs, listed: Ints) -> Grams:
    """Trigrams of the pairs that are entries; 0 for those that only stretches are chained of."""
    found = grams_of(stream, order, pairs.take(listed))
    spread = np.zeros((len(fields(Grams)), len(pairs.left)), np.int64)
    for to, column in zip(spread, vars(found).values(), strict=True):
        to[listed] = column
    return Grams(*spread)


def rows_at(source: Source, token: Ints) -> Ints:
    """Row that each token stands in."""
    found: Ints = np.searchsorted(source.tokens.first, token, side="right").astype(np.int64) - 1
    return found
