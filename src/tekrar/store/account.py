"""A plain-language account of how a status came about, from the facts of `api.why`.

Every sentence is qualified by profile, predicate and release (AMB-53); none says more than the facts do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tekrar.core.wording import EXCLUDED, FAILED, PENDING

_FAILED: Final = FAILED | {
    "withdrawn_release": "the release was withdrawn by an integrity incident; its findings stand no more",
}


def account(facts: Mapping[str, Any]) -> list[str]:
    """The account, a sentence or two a line."""
    key = facts["work_key"]
    lines = [
        _verdict(facts),
        f"It was enumerated at bytes {key['start']} to {key['start'] + key['length']}"
        f" of text release {facts['text_release']} (edition {facts['edition']}).",
    ]
    for span in facts["spans"]:
        lines.append(
            f"Bytes {span['start']} to {span['end']} of it are {_words(span['annotation'])}:"
            f" {_words(span['treatment'])}."
        )
    if facts["counts"]:
        counted = ", ".join(f"{_words(name)} {n}" for name, n in sorted(_numbers(facts["counts"]).items()))
        lines.append(f"Counted of the whole universe when it was loaded: {counted}.")
    for name in ("work", facts["part"]):
        if root := (facts["roots"] or {}).get(name):
            lines.append(f"Root of {_words(name)}: {root}.")
    for name, digest in sorted((facts["validation"] or {}).items()):
        lines.append(f"Validation record {name}: {digest}.")
    lines.append(f"Artifact root: {facts['artifact_root']}. Certified digest: {facts['certified_digest']}.")
    lines.append(f"The release was published at {facts['published_at']} and is {_STATE[facts['state']]}.")
    return lines


_STATE: Final = {
    "visible": "the visible one of its series",
    "earlier": "an earlier one of its series",
    "withdrawn": "withdrawn",
}


def _verdict(facts: Mapping[str, Any]) -> str:
    scope = f"under {facts['short']} ({facts['profile_name']}) of release {facts['release']}"
    status, code = facts["status"], facts["code"]
    if status == "matched":
        return f"Matched {scope}: {_presented(facts)}"
    if status == "unique":
        return f"Unique {scope}: the complete universe was compared and holds no equal of it."
    if status == "excluded":
        grounds = " and ".join(EXCLUDED.get(r, _words(r)) for r in facts["reasons"] or ())
        grounds = grounds or "a rule of the profile leaves it out"
        return f"Excluded {scope}: {grounds}. It was not compared, so it is neither unique nor repeated."
    if status == "not_evaluated":
        return f"Not evaluated {scope}: {PENDING.get(code, code)}. It is not known to be unique."
    return f"Integrity error {scope}: {_FAILED.get(code, code)}. It is not known to be unique or repeated."


def _presented(facts: Mapping[str, Any]) -> str:
    one = facts["class"]
    if facts["presentation"] == "dominated":
        return (
            f"it is one of {one['size']} equal occurrences; their class {one['class']} is not shown itself,"
            f" for it always stands inside class {one['winner']} of length {one['winner_length']}."
        )
    if facts["presentation"] == "provisional":
        return (
            f"it is one of at least {one['size']} equal occurrences of group {one['witness']};"
            " the profile is not complete, so the group has no class yet."
        )
    return f"it is one of {one['size']} equal occurrences, class {one['class']}."


def _words(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def _numbers(counts: Mapping[str, Any], prefix: str = "") -> dict[str, int]:
    """The numbers of a nested object, by their path."""
    found: dict[str, int] = {}
    for name, value in counts.items():
        if isinstance(value, Mapping):
            found |= _numbers(value, f"{prefix}{name} ")
        elif isinstance(value, int):
            found[prefix + name] = value
    return found
