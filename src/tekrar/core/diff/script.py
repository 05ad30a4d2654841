"""The edit script: operations on exact byte spans, its canonical bytes and its digest.

Serves ADR-009 *Candidate and diff evidence* (DIF-02: a closed list of typed operations; DIF-04: nothing
stands for the script). No text is in it: what an insertion brings stands in the right passage.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

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
_WIDTH: Final = 33
_MOST: Final = 1 << 64


class Operation(NamedTuple):
    """One operation; spans are half-open byte ranges of each side's release, empty where a side has none."""

    code: int
    left_start: int
    left_end: int
    right_start: int
    right_end: int

    @property
    def name(self) -> str:
        """The operation's name in the closed list."""
        return NAMES[self.code]


@dataclass(frozen=True)
class Script:
    """Operations in canonical order: target start, target end, source start, source end."""

    operations: tuple[Operation, ...]

    @cached_property
    def encoded(self) -> bytes:
        """Canonical bytes (`docs/encoding.md` section 11)."""
        rows = [
            op[0].to_bytes(1, "big") + b"".join([place.to_bytes(8, "big") for place in op[1:]])
            for op in self.operations
        ]
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
    if len(data) < len(_HEAD) + 4 or len(rows) != count * _WIDTH:
        raise _refuse(
            f"the script states {count} operations and holds {len(rows)} bytes of them",
            f"{_WIDTH} bytes an operation",
            "diff_malformed",
        )
    found = []
    for at in range(0, len(rows), _WIDTH):
        code = rows[at]
        if code not in NAMES:
            raise _refuse(
                f"operation {at // _WIDTH + 1}: {code} is no operation",
                ", ".join(f"{value} {name}" for name, value in OPERATIONS.items()),
                "diff_operation",
            )
        places = (int.from_bytes(rows[p : p + 8], "big") for p in range(at + 1, at + _WIDTH, 8))
        found.append(Operation(code, *places))
    return Script(tuple(found))


def _refuse(message: str, expected: str, kind: str) -> VerificationError:
    return VerificationError(message, where="edit script", expected=expected, kind=kind)
