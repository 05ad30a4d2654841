"""Test vectors of edit scripts (`docs/encoding.md` section 11).

They have a file of their own, `data/diff-vectors.json`: the digest of `vectors.json` is in every artifact.
"""

from __future__ import annotations

import uuid
from typing import Final

from tekrar.core.diff.derive import diff
from tekrar.core.diff.record import diff_id
from tekrar.core.diff.units import Boundary, Units, units_of
from tekrar.core.identity import uuid_text
from tekrar.core.token import tokens

_LEFT: Final = uuid.UUID("11111111-2222-5333-8444-555555555555").bytes
_RIGHT: Final = uuid.UUID("66666666-7777-5888-8999-aaaaaaaaaaaa").bytes
_TOKENS: Final = "İstanbul’da 1950’de 3,14 a_b بِسْمِ 漢字 שׁ'א x\u00ady 👩\u200d👧 e\u0301"
_PAIRS: Final[dict[str, tuple[str, str]]] = {
    "empty": ("", ""),
    "equal": ("Su akar.", "Su akar."),
    "insert": ("", "Su akar."),
    "replace": ("Su akar, taş durur.", "Su akar, dağ durur."),
    "boundary_change": ("Su akar, taş durur.", "Su akar; taş durur."),
    "move": ("Gece iner ve ay doğar, su akar.", "Su akar, gece ve ay doğar, gece iner."),
}


def _masked(text: str) -> Units:
    at = text.encode().index(b"[")
    end = text.encode().index(b"]") + 1
    space = text.encode().index(b". ") + 1
    boundaries: list[Boundary] = [(at, end, "note_marker"), (space, space + 1, "inter_sentence")]
    return units_of(text.encode(), boundaries=sorted(boundaries))


def compute_diff_vectors() -> dict[str, str]:
    """Every vector by name: script bytes in hex, token offsets as text, IDs as canonical text."""
    found = {
        f"script_{name}": diff(units_of(left.encode()), units_of(right.encode())).encoded.hex()
        for name, (left, right) in _PAIRS.items()
    }
    masked = diff(_masked("Söz[1] biter. Yol gider."), _masked("Söz[22] biter. Yol kalır."))
    found["script_masked"] = masked.encoded.hex()
    found["tokens"] = ",".join(f"{start}-{end}" for start, end in tokens(_TOKENS.encode()).tolist())
    for name, ends in (("passage-diff", (_LEFT, _RIGHT)), ("passage-diff-reversed", (_RIGHT, _LEFT))):
        issued = diff_id(*ends, masked.digest)
        found[name] = "" if issued is None else uuid_text(issued)
    return found
