"""The environment, read once into a frozen value; the only reader of the environment.

No setting changes a byte of a release or an artifact, and none accepts or publishes anything (threat T21).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tekrar.errors import UsageError

#: Processes at most: more than any machine gains from, and few enough to start and watch.
MAX_WORKERS: Final = 256

#: variable -> what it does; `tekrar --help` lists them.
VARIABLES: Final = {
    "TEKRAR_TRACEBACK": "1 shows the traceback of an internal error",
    "TEKRAR_WORKERS": "worker processes when --workers is not given",
}


@dataclass(frozen=True)
class Settings:
    """What the environment says.

    Attributes:
        traceback: show tracebacks of internal errors.
        workers: worker processes, or None where it says nothing.
    """

    traceback: bool = False
    workers: int | None = None


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from an environment (the process's own when none is given).

    Raises:
        UsageError: a variable has a value that it cannot have; the variable is named.
    """
    found = os.environ if environment is None else environment
    return Settings(
        traceback=_flag(found, "TEKRAR_TRACEBACK"),
        workers=_count(found, "TEKRAR_WORKERS"),
    )


def _flag(found: Mapping[str, str], name: str) -> bool:
    value = found.get(name, "")
    if value not in ("", "0", "1"):
        raise _refuse(name, value, "0 or 1")
    return value == "1"


def _count(found: Mapping[str, str], name: str) -> int | None:
    value = found.get(name, "")
    if not value:
        return None
    if not (value.isascii() and value.isdigit() and len(value) <= 4 and 0 < int(value) <= MAX_WORKERS):
        raise _refuse(name, value, f"a number from 1 to {MAX_WORKERS}")
    return int(value)


def _refuse(name: str, value: str, expected: str) -> UsageError:
    return UsageError(
        f"{name} is {value[:40]!r}",
        where="environment",
        expected=expected,
        mend=f"correct or unset {name}",
        kind="bad_setting",
    )
