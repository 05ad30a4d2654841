"""The plain form of `tekrar release coverage`: what the build stated beside what the load counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tekrar.cli.database import table
from tekrar.cli.withdrawn import incident_words

#: count -> its words, in the order and with the indents of `tekrar coverage`; a count that is in no line of
#: these follows under its own name.
_ROWS: Final = {
    "emitted": "universe",
    "inventory": "inventory",
    "enumeration_exclusions": "  left out by the enumerator",
    "evaluated_unique": "unique",
    "matched": "matched",
    "published_items": "  published",
    "dominated_items": "  dominated",
    "provisional_items": "  provisional",
    "excluded": "excluded by the profile",
    "not_evaluated": "not evaluated",
    "failed": "failed",
    "discovered_classes": "classes",
    "published_classes": "  published",
    "dominated_classes": "  dominated",
    "provisional_groups": "groups provisional",
}
_APART: Final = ("stated", "counted", "semantic", "incident")
_SEMANTIC: Final = ("candidates", "pending", "rejected", "candidates_root", "pending_root", "rejected_root")


def covered(found: dict[str, Any]) -> Iterator[str]:
    """The profile with its statuses, then a row a count; `-` where one side gives no such count."""
    facts = {name: value for name, value in found.items() if name not in _APART}
    if found["incident"]:
        facts["incident"] = incident_words(found["incident"])
    yield table(facts)
    stated, counted = found["stated"], found["counted"] or {}
    numbers = [name for name, value in {**stated, **counted}.items() if type(value) is int]
    names = [name for name in _ROWS if name in numbers] + sorted(set(numbers) - set(_ROWS))
    yield ""
    yield f"  {'':<36}{'stated':>12}{'counted':>12}"
    for name in names:
        words = _ROWS.get(name, name.replace("_", " "))
        yield f"  {words:<36}{stated.get(name, '-'):>12}{counted.get(name, '-'):>12}"
    if semantic := found["semantic"]["sets"] and found["semantic"]:
        yield ""
        yield "candidates, which are evidence and decide nothing of the counts above"
        yield table({name: semantic[name] for name in _SEMANTIC})
