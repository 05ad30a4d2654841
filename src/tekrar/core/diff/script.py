"""The edit script: operations on exact byte spans, its canonical bytes and its digest.

Serves ADR-009 *Candidate and diff evidence* (DIF-02: a closed list of typed operations; DIF-04: nothing
stands for the script). No text is in it: what an insertion brings stands in the right passage.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from struct import Struct
from typing import Final

from tekrar.core.encoding import lp, sha256, u32
from tekrar.core.token import TOKENIZER
from tekrar.errors import VerificationError

ALGORITHM: Final = "adr009.diff-lcs-move.1"
SCRIPT_TAG: Final = b"tekrar/diff-script/v1"

EQUAL: Final = 1
INSERT: Final = 2
DELETE: Final = 3
REPLACE: Final = 4
MOVE: Final = 5
BOUNDARY_CHANGE: Final = 6
#: The closed list of operations (DIF-02): name -> code in the canonical bytes.
OPERATIONS: Final = {
    "equal": EQUAL,
    "insert": INSERT,
    "delete": DELETE,
    "replace": REPLACE,
    "move": MOVE,
    "boundary_change": BOUNDARY_CHANGE,
}
NAMES: Final = {code: name for name, code in OPERATIONS.items()}
_HEAD: Final = lp(SCRIPT_TAG) + lp(ALGORITHM.encode("ascii")) + lp(TOKENIZER.encode("ascii"))
_ROW: Final = Struct(">BQQQQ")


#: Code, left start, left end, right start, right end: half-open byte ranges of each side's release, empty
#: where a side has none. A plain tuple of integers, for scripts are made by the million.
Operation = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Script:
    """Operations in canonical order: target start, target end, source start, source end."""

    operations: tuple[Operation, ...]

    @cached_property
    def encoded(self) -> bytes:
        """Canonical bytes (`docs/encoding.md` section 11)."""
        rows = [_ROW.pack(*operation) for operation in self.operations]
        return _HEAD + u32(len(rows)) + b"".join(rows)

    @property
    def digest(self) -> bytes:
        """SHA-256 of the canonical bytes: the `script` fact of a diff's identity."""
        return sha256(self.encoded)


def order_of(operation: Operation) -> tuple[int, int, int, int]:
    """What operations are ordered by (requirements 3.7, rule 5)."""
    _, left_start, left_end, right_start, right_end = operation
    return right_start, right_end, left_start, left_end


def decode(data: bytes) -> Script:
    """A script from its canonical bytes; whether it is true is for `check.verify` to say.

    Raises:
        VerificationError: another head, an unknown operation, missing or trailing bytes (kinds
            diff_malformed, diff_algorithm, diff_operation).
    """
    if not data.startswith(lp(SCRIPT_TAG)):
        raise _refuse("the bytes are no edit script", f"the tag {SCRIPT_TAG.decode()}", "diff_malformed")
    if not data.startswith(_HEAD):
        raise _refuse(
            "the script was made by another algorithm", f"{ALGORITHM} over {TOKENIZER}", "diff_algorithm"
        )
    rows = data[len(_HEAD) + 4 :]
    count = int.from_bytes(data[len(_HEAD) : len(_HEAD) + 4], "big")
    if len(data) < len(_HEAD) + 4 or len(rows) != count * _ROW.size:
        raise _refuse(
            f"the script states {count} operations and holds {len(rows)} bytes of them",
            f"{_ROW.size} bytes an operation",
            "diff_malformed",
        )
    found = tuple(_ROW.iter_unpack(rows))
    for number, operation in enumerate(found, 1):
        if operation[0] not in NAMES:
            raise _refuse(
                f"operation {number}: {operation[0]} is no operation",
                ", ".join(f"{value} {name}" for name, value in OPERATIONS.items()),
                "diff_operation",
            )
    return Script(found)


def _refuse(message: str, expected: str, kind: str) -> VerificationError:
    return VerificationError(message, where="edit script", expected=expected, kind=kind)
