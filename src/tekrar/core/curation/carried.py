"""Diffs that an action names, and those that its entry of the ledger carries (contract C5; DIF-01, REB-01).

An entry carries the scripts of exactly the diffs that its action names, so that a replay depends on no
algorithm. An entry of a version before carries none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tekrar.core.curation.refusal import refuse
from tekrar.core.diff.record import diff_id
from tekrar.core.encoding import canonical_json, sha256
from tekrar.core.identity import parse_uuid, uuid_text

#: Key of the payload of a `proposal`: canonical JSON of [{"left", "right", "script": hex}…], by diff.
KEY: Final = "diffs"


@dataclass(frozen=True, order=True)
class NamedDiff:
    """A diff that an action names: its UUID, left and right occurrence, as text."""

    diff: str
    left: str
    right: str


def named_diffs(action: Mapping[str, Any]) -> list[NamedDiff]:
    """The diffs that the JSON of an action names, each once, by ID; none of what is no action."""
    found: set[NamedDiff] = set()
    try:
        for body in [action, *action.get("supersession", {}).get("successors", [])]:
            for one in body.get("family", {}).get("diffs", []):
                found.add(NamedDiff(one["diff"], one["left"], one["right"]))
            quotation = body.get("quotation", {})
            if "diff" in quotation:
                ends = (quotation[side]["occurrence"] for side in ("source", "quoting"))
                found.add(NamedDiff(quotation["diff"], *ends))
    except (KeyError, TypeError, AttributeError):
        return []
    return sorted(found)


def action_of(payload: Mapping[str, str]) -> dict[str, Any]:
    """The JSON of a proposal's action; empty where it is none, which others refuse."""
    try:
        found = json.loads(payload["action"])
    except (ValueError, KeyError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def check_carried(payload: Mapping[str, str], action: Mapping[str, Any], *, item: str) -> None:
    """Refuse a payload whose `diffs` are not exactly those that its action names.

    Args:
        payload: of a `proposal`; one without the key carries none and is taken.
        action: its action, parsed.
        item: the entry, for messages.

    Raises:
        CurationRefusal: `digest_mismatch`: one is missing, one too many, or one has another ID.
    """
    if KEY not in payload:
        return
    named = named_diffs(action)
    try:
        carried = json.loads(payload[KEY])
        scripts = [one["script"] for one in carried]
        rows = [{"left": n.left, "right": n.right, "script": s} for n, s in zip(named, scripts, strict=True)]
        own = [
            diff_id(parse_uuid(n.left), parse_uuid(n.right), sha256(bytes.fromhex(script)))
            for n, script in zip(named, scripts, strict=True)
        ]
        same = canonical_json(rows).decode() == payload[KEY]  # type: ignore[arg-type]
        ids = [uuid_text(one or b"") for one in own]
    except (ValueError, KeyError, TypeError, RecursionError):
        same, ids = False, []
    if not same or ids != [one.diff for one in named]:
        refuse(
            "digest_mismatch",
            "the diffs that the entry carries are not those that its action names",
            item=f"{item}, {KEY}",
            expected=", ".join(one.diff for one in named) or "none",
            mend="export the ledger again",
        )
