"""A diff as one page of HTML: no script, no request, both passages whole with their changes marked.

The text in the page is the source's, character for character: marks of invisible characters are drawn by the
style sheet and stand in no text, so offsets in code units of UTF-16, which a browser counts in, hold. Blocks
take the direction of their text, every mark is isolated, only whole words are marked, and a direction control
of the source turns nothing beyond itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
from markupsafe import Markup, escape

from tekrar.core.diff import ALGORITHM, PassageDiff
from tekrar.core.identity import uuid_text
from tekrar.view.change_kind import is_invisible
from tekrar.view.changes import Change, summary_of
from tekrar.view.endpoints import Passage
from tekrar.view.plain import DIRECTION


@dataclass(frozen=True)
class Piece:
    """A stretch of one passage under one operation.

    Attributes:
        number: position of the operation in the script, from 1.
        op: its name.
        start, end: bytes of the release.
        utf16: code units of UTF-16 from the start of the passage to the piece.
        text: its exact text.
    """

    number: int
    op: str
    start: int
    end: int
    utf16: int
    text: str


def diff_page(diff: PassageDiff, sides: tuple[Passage, Passage], changes: Sequence[Change]) -> bytes:
    """The page, UTF-8."""
    own = diff.id
    facts: dict[str, Any] = {
        "algorithm": ALGORITHM,
        "digest": diff.script.digest.hex(),
        "id": None if own is None else uuid_text(own),
        "summary": summary_of(changes),
        "sides": [
            _side("left", sides[0], _pieces(changes, left=True)),
            _side("right", sides[1], _pieces(changes, left=False)),
        ],
        "changes": [change for change in changes if change.op != "equal"],
    }
    return _environment().get_template("diff.html.j2").render(facts).encode("utf-8")


def _side(name: str, side: Passage, pieces: Iterator[Piece]) -> dict[str, Any]:
    return {"name": name, **side.endpoint.as_record(), "address": side.address, "pieces": list(pieces)}


def _pieces(changes: Sequence[Change], *, left: bool) -> Iterator[Piece]:
    spans = [(c.left if left else c.right, c.before if left else c.after, c) for c in changes]
    utf16 = 0
    for (start, end), text, change in sorted((s for s in spans if s[0][0] < s[0][1]), key=lambda s: s[0]):
        yield Piece(change.number, change.op, start, end, utf16, text)
        utf16 += len(text.encode("utf-16-le")) // 2


def _shown(text: str) -> Markup:
    """The text escaped, invisible characters wrapped so that the style sheet can draw their names."""
    parts = [
        Markup('<span class="inv{}" data-name="U+{:04X}">{}</span>').format(
            " turn" if c in DIRECTION else "", ord(c), _carried(c)
        )
        if is_invisible(c) and c not in "\n\t"
        else escape(c)
        for c in text
    ]
    return Markup("").join(parts)


def _carried(character: str) -> str:
    """Control characters that HTML cannot hold become the replacement character."""
    return "\ufffd" if character < " " or "\x7f" <= character <= "\x9f" else character


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.PackageLoader("tekrar.view", "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = _shown
    return environment
