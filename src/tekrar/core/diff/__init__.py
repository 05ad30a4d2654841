"""Passage diffs: the canonical edit script between two ordered passages (ADR-009 *Candidate and diff
evidence*; requirements 3.7; `docs/encoding.md` section 11).

`units` cuts an endpoint into words, gaps and boundaries; `derive` computes the one script of two endpoints;
`script` encodes it; `check` replays and verifies any script; `record` binds it to its endpoints and issues
its ID.
"""

from tekrar.core.diff.check import replay, verify
from tekrar.core.diff.derive import diff
from tekrar.core.diff.record import Endpoint, PassageDiff, diff_of, verified
from tekrar.core.diff.script import ALGORITHM, Operation, Script, decode
from tekrar.core.diff.units import MAX_UNITS, Units, units_of

__all__ = [
    "ALGORITHM",
    "MAX_UNITS",
    "Endpoint",
    "Operation",
    "PassageDiff",
    "Script",
    "Units",
    "decode",
    "diff",
    "diff_of",
    "replay",
    "units_of",
    "verified",
    "verify",
]
