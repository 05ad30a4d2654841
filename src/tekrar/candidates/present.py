"""The generator of this version as a document: every constant of its modules, features, metrics and rules."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache
from typing import Any, Final

from tekrar import discover
from tekrar.core.candidate import Generator, checked_generator
from tekrar.core.candidate.disposition import STATED
from tekrar.core.candidate.generator import FORMAT
from tekrar.discover import bounds, fold, metrics, pipeline, rules, signatures

SEMVER: Final = "1.3.0"
#: Modules that hold no constant of the result: how loops are compiled, the provisional way in, reports.
_NO_CONSTANTS: Final = frozenset({"__main__", "bounds", "compiled", "lines"})
#: Tables that stand in the document under keys of their own.
_TABLES: Final = frozenset({"METRICS", "RULES"})


@lru_cache(maxsize=4)
def present_generator(language: str) -> Generator:
    """The generator that `tekrar.discover` is now for a release of a language.

    Args:
        language: BCP 47 tag; it decides the case folding.

    Raises:
        UsageError: a rule table with an unknown disposition, a feature without an authority class, a metric
            without a scale.
    """
    rules.check_rules()
    words = fold.features_of(language)
    document: dict[str, Any] = {
        "format": FORMAT,
        "name": pipeline.GENERATOR,
        "semver": SEMVER,
        "constants": _constants(),
        "tokenizer": words["tokenizer"],
        "normalizers": words["folding"],
        "features": [
            *words["joins"],
            *words["forms"],
            signatures.record(),
            *bounds.OTHERS,
        ],
        "metrics": [
            {"name": name, "version": one.version, "scale": one.scale, "meaning": one.meaning}
            for name, one in sorted(metrics.METRICS.items())
        ],
        "rules": {
            "version": rules.VERSION,
            "table": [
                {
                    "disposition": rule.disposition,
                    "least": {name: list(low) for name, low in sorted(rule.least.items())},
                    "flags": list(rule.flags),
                    "why": rule.why,
                }
                for rule in rules.RULES
            ],
            "otherwise": STATED[-1],
        },
    }
    return checked_generator(document)


def _constants() -> dict[str, Any]:
    """Constants by `module.NAME`: whatever in upper case is made of integers, strings and lists of them."""
    found: dict[str, Any] = {}
    for info in pkgutil.iter_modules(discover.__path__):
        if info.name in _NO_CONSTANTS:
            continue
        module = importlib.import_module(f"{discover.__name__}.{info.name}")
        for name, value in sorted(vars(module).items()):
            if name.isupper() and not name.startswith("_") and name not in _TABLES and _is_plain(value):
                found[f"{info.name}.{name}"] = _plain(value)
    return found


def _is_plain(value: Any) -> bool:
    """Whether a value is data; objects such as normalizers stand in the document by name and version."""
    if isinstance(value, dict):
        return all(map(_is_plain, [*value, *value.values()]))
    if isinstance(value, tuple | list | frozenset | set):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | bytes | int)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, frozenset | set):
        return sorted(_plain(one) for one in value)
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in sorted(value.items())}
    return value
