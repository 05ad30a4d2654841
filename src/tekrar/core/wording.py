"""Plain words for the closed reasons and codes, one table for every account that a person reads (AMB-38)."""

from __future__ import annotations

from typing import Final

EXCLUDED: Final = {
    "heading_marker_intersection": "it shares bytes with a heading",
    "note_body_intersection": "it shares bytes with the body of a note",
    "empty_core_extent": "it has no byte",
}
PENDING: Final = {
    "pending_evaluation": "its evaluation was put off",
    "pending_peer_universe": "no equal was found so far, but other items of the universe are open",
    "pending_verification": "it was grouped, its bytes are not verified yet",
}
FAILED: Final = {
    "missing_witness_bytes": "bytes of it could not be read when the artifact was built",
    "digest_collision": "an unequal item has its digest, so none of that digest is accepted",
}
