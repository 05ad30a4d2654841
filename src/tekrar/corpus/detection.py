"""Telling the formats of a source apart by its content (issue 1, Import).

structured   a JSON object with the key `corpus`
jsonl        lines of JSON objects with the key `text`
markdown     anything else whose name ends in .md
text         anything else
"""

from __future__ import annotations

import json
import re
from typing import Final

FORMATS: Final = ("structured", "jsonl", "text", "markdown")
_WINDOW: Final = 1 << 16

_STRUCTURED_KEY = re.compile(r'"(?:corpus|annotations)"\s*:\s*[{\[]')
_RECORD_KEY = re.compile(r'"text"\s*:')


def detect_format(head: bytes, name: str) -> str:
    """The format of a file.

    Args:
        head: its first bytes, unpacked (64 KiB decide; more is looked at only for a first line that is
            longer).
        name: its file name.

    Returns:
        One of `FORMATS`. Content decides; the name only parts text from Markdown and settles broken JSON.
    """
    text = head[:_WINDOW].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    base = name.removesuffix(".gz")
    if text.startswith("{"):
        line = text.partition("\n")[0]
        keys = _keys(line)
        if "text" in keys:
            return "jsonl"
        if "corpus" in keys:
            return "structured"
        structured, record = _STRUCTURED_KEY.search(text), _RECORD_KEY.search(text)
        if structured and (record is None or structured.start() < record.start()):
            return "structured"
        if record or base.endswith(".jsonl"):
            return "jsonl"
        if base.endswith(".json"):
            return "structured"
    if base.endswith((".json", ".jsonl")):
        return "jsonl" if base.endswith(".jsonl") else "structured"
    return "markdown" if base.endswith(".md") else "text"


def _keys(line: str) -> frozenset[str]:
    """Keys of a line that is one whole JSON object, else none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(value) if isinstance(value, dict) else frozenset()
