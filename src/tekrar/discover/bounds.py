"""Every bound of the generator as a constant of its version, and what was not generated because of it.

Nothing is cut in silence: a bound that left something out is in the report with the number of what it left
out.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import numpy as np

from tekrar.core.feature.authority import check_authority
from tekrar.discover import signatures, thresholds
from tekrar.discover.fold import features_of
from tekrar.discover.suffix import SuffixOrder

#: Modules whose upper-case whole numbers are the generator's constants.
MODULES: Final = (
    "align",
    "assemble",
    "blocks",
    "crowds",
    "ends",
    "formulas",
    "links",
    "order",
    "pairs",
    "places",
    "signatures",
    "singles",
    "skips",
    "stretches",
    "suffix",
    "thresholds",
    "weights",
)

#: What else proposes and scores pairs: name, version and authority class.
OTHERS: Final = [
    {"name": "token-runs", "version": 1, "authority": check_authority("token_ngram")},
    {"name": "local-alignment", "version": 3, "authority": check_authority("sequence_alignment")},
    {"name": "one-word-units", "version": 1, "authority": check_authority("normalized_text")},
    {"name": "verse-word-pairs", "version": 1, "authority": check_authority("token_ngram")},
    {"name": "sentence-ends", "version": 1, "authority": check_authority("source_metadata")},
    {"name": "name-suffix", "version": 1, "authority": check_authority("normalized_text")},
    {"name": "paragraph-order", "version": 1, "authority": check_authority("source_metadata")},
    {"name": "book-affinity", "version": 1, "authority": check_authority("source_metadata")},
    {"name": "clause-marks", "version": 1, "authority": check_authority("normalized_text")},
]


def constants() -> dict[str, Any]:
    """Constants by `module.NAME`: whole numbers, and tuples of them as lists."""
    found: dict[str, Any] = {}
    for module in MODULES:
        for name, value in sorted(vars(import_module(f"tekrar.discover.{module}")).items()):
            if name.isupper() and isinstance(value, int | tuple) and not name.startswith("_"):
                found[f"{module}.{name}"] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def report(left_out: dict[str, int], limits: thresholds.Thresholds, *, language: str) -> dict[str, Any]:
    """The bounds report: features, constants, thresholds of this corpus, numbers of what was left out.

    Args:
        left_out: number by name.
        limits: least scores of this corpus.
        language: BCP 47 tag of the release.
    """
    return {
        "features": features_of(language) | {"signature": signatures.record(), "others": OTHERS},
        "constants": constants(),
        "thresholds": dict(vars(limits)),
        "left_out": dict(sorted(left_out.items())),
    }


def seeds_left_out(order_: SuffixOrder) -> int:
    """Pairs of places of one bigram that are no seeds, because the bigram stands in more than D places."""
    possible = int(np.maximum(order_.bigram.astype(np.int64) - 1, 0).sum()) // 2
    made = int((order_.reach.astype(np.int64) - np.arange(len(order_.reach)) - 1).clip(0).sum())
    return max(possible - made, 0)
