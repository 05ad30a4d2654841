"""The generator artifact: one canonical document, whose SHA-256 is the `generator` fact of every candidate.

Serves CND-02, CND-03, CND-04, CND-05 and CND-09: name, version, every constant, the tokenizer, the folding,
each feature with its authority class, each metric with version and scale, and the rule table are in it, so a
change of any of them is another generator and gives other candidates.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NoReturn

from tekrar.core.candidate.disposition import DIRECTIONS, STATED
from tekrar.core.encoding import canonical_json
from tekrar.core.feature.authority import check_authority
from tekrar.errors import UsageError

FORMAT: Final = "tekrar/candidate-generator/v1"
_KEYS: Final = {
    "format": str,
    "name": str,
    "semver": str,
    "constants": dict,
    "tokenizer": str,
    "normalizers": list,
    "features": list,
    "metrics": list,
    "rules": dict,
}
_METRIC: Final = ("name", "version", "scale", "meaning")
#: Words that would be a score without a name.
NO_METRIC: Final = frozenset({"confidence", "probability", "certainty", "likelihood"})
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)
_SEMVER: Final = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)", re.ASCII)


@dataclass(frozen=True)
class Generator:
    """A checked generator document; metrics are numbered by their place in it, from 0."""

    document: dict[str, Any]

    @cached_property
    def encoded(self) -> bytes:
        """Canonical JSON."""
        return canonical_json(self.document)

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of the canonical JSON: the generator artifact."""
        return hashlib.sha256(self.encoded).digest()

    @property
    def label(self) -> str:
        """Name and version for people and for C10."""
        return f"{self.document['name']}@{self.document['semver']}"

    @cached_property
    def metric_number(self) -> dict[str, int]:
        """Metric name -> number."""
        return {metric["name"]: number for number, metric in enumerate(self.document["metrics"])}

    def metric(self, number: int) -> dict[str, Any]:
        """A metric's name, version, scale and meaning."""
        found: dict[str, Any] = self.document["metrics"][number]
        return found


def checked_generator(document: Mapping[str, Any]) -> Generator:
    """A generator document, checked.

    Raises:
        UsageError: a fact missing or of another type, a float, a feature or normalizer without an authority
            class, a metric without version or scale or without a name of its own, a rule with an unknown
            disposition or direction.
    """
    if sorted(document) != sorted(_KEYS):
        odd = sorted(set(document) ^ set(_KEYS))
        _refuse(f"missing or unknown: {', '.join(odd)}", ", ".join(_KEYS), "generator_facts")
    for key, kind in _KEYS.items():
        if not isinstance(document[key], kind):
            _refuse(f"{key} is {type(document[key]).__name__}", kind.__name__, "generator_facts")
    if document["format"] != FORMAT or not _SEMVER.fullmatch(document["semver"]):
        _refuse(f"{document['format']!r}, {document['semver']!r}", f"{FORMAT} and 1.0.0", "generator_facts")
    _no_floats(document, "$")
    for row in (*document["normalizers"], *document["features"]):
        _authority(row)
    _metrics(document["metrics"])
    _rules(document["rules"])
    return Generator(dict(document))


def _no_floats(value: Any, path: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _no_floats(item, f"{path}.{key}")
    elif isinstance(value, list):
        for at, item in enumerate(value):
            _no_floats(item, f"{path}[{at}]")
    elif not isinstance(value, str | int | None):
        _refuse(f"{path} is {value!r}", "integers, strings, lists and objects", "generator_float")


def _authority(row: Any) -> None:
    if not isinstance(row, dict) or "name" not in row or "version" not in row:
        _refuse(f"{row!r} is no feature", "name, version and authority", "generator_facts")
    label = row.get("authority")
    if not isinstance(label, str):
        _refuse(f"{row['name']} has no authority class", "authority", "unknown_authority_class")
    check_authority(label)


def _metrics(metrics: list[Any]) -> None:
    names: list[str] = []
    for metric in metrics:
        if not isinstance(metric, dict) or not set(_METRIC) <= set(metric):
            _refuse(f"{metric!r} is no metric", ", ".join(_METRIC), "unscaled_metric")
        name = metric["name"]
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in NO_METRIC:
            _refuse(f"{name!r} is no name of a metric", "what was measured", "unnamed_metric")
        if not isinstance(metric["version"], int) or metric["version"] < 1 or not metric["scale"]:
            _refuse(f"metric {name} has no version or scale", "version 1 or more, a scale", "unscaled_metric")
        names.append(name)
    if names != sorted(set(names)):
        _refuse("metrics stand twice or out of order", "ascending by name", "generator_facts")


def _rules(rules: dict[str, Any]) -> None:
    if sorted(rules) != ["otherwise", "table", "version"] or not isinstance(rules["table"], list):
        _refuse("the rule table is malformed", "version, table, otherwise", "generator_facts")
    stated = [row.get("disposition") if isinstance(row, dict) else None for row in rules["table"]]
    for number, name in enumerate([*stated, rules["otherwise"]], 1):
        if name not in STATED:
            _refuse(f"rule {number} gives the disposition {name!r}", ", ".join(STATED), "unknown_disposition")
    for number, row in enumerate(rules["table"], 1):
        if row.get("direction") not in DIRECTIONS:
            _refuse(f"rule {number} gives a direction {row['direction']!r}", "one of the two, or none",
                    "unknown_direction")  # fmt: skip


def _refuse(message: str, expected: str, kind: str) -> NoReturn:
    raise UsageError(message, where="generator document", expected=expected, kind=kind)
