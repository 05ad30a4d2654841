"""A diff as one page of HTML: no script, no request, both passages with their changes marked.

The text in the page is the source's, character for character: marks of invisible characters are drawn by the
style sheet and stand in no text, so offsets in code units of UTF-16, which a browser counts in, hold. Every
paragraph takes the direction of its text, only whole words are marked, and no mark isolates: a phrase from
right to left keeps the order of its words when one of them is marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jinja2
from markupsafe import Markup, escape

from tekrar.core.diff import ALGORITHM, PassageDiff
from tekrar.core.identity import uuid_text
from tekrar.view.change_kind import PICTURES, is_unseen
from tekrar.view.changes import Change, summary_of
from tekrar.view.drawn import CHANGE, CHANGES, Budget, left_out
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
    listed = [change for change in changes if change.op != "equal"]
    rows = list(_rows(listed))
    facts: dict[str, Any] = {
        "algorithm": ALGORITHM,
        "digest": diff.script.digest.hex(),
        "id": None if own is None else uuid_text(own),
        "summary": summary_of(changes),
        "sides": [
            _side("left", sides[0], _pieces(changes, left=True)),
            _side("right", sides[1], _pieces(changes, left=False)),
        ],
        "rows": rows,
        "rows_over": len(listed) - len(rows),
        "rows_cut": any(filter(None, (text for row in rows for text in row["over"]))),
    }
    return _environment().get_template("diff.html.j2").render(facts).encode("utf-8")


def _rows(listed: Sequence[Change]) -> Iterator[dict[str, Any]]:
    """The changes one by one, long ones in part, while the budget of the list lasts."""
    budget = Budget()
    for change in listed[:CHANGES]:
        if budget.spent:
            return
        drawn = [budget.take(text, most=CHANGE) for text in (change.before, change.after)]
        over = [left_out(text, kept) for text, kept in zip((change.before, change.after), drawn, strict=True)]
        yield {"change": change, "drawn": drawn, "over": over}


def _side(name: str, side: Passage, pieces: Iterator[Piece]) -> dict[str, Any]:
    drawn, over, beyond = [], 0, 0
    budget = Budget()
    for piece in pieces:
        text = "" if budget.spent else budget.take(piece.text)
        if text:
            drawn.append(replace(piece, text=text, end=piece.start + len(text.encode())))
        if len(text) < len(piece.text):
            beyond = beyond or piece.start + len(text.encode())
            over += len(piece.text) - len(text)
    return {
        "name": name,
        **side.endpoint.as_record(),
        "address": side.address,
        "pieces": drawn,
        "over": over,
        "beyond": beyond,
    }


def _pieces(changes: Sequence[Change], *, left: bool) -> Iterator[Piece]:
    spans = [(c.left if left else c.right, c.before if left else c.after, c) for c in changes]
    utf16 = 0
    for (start, end), text, change in sorted((s for s in spans if s[0][0] < s[0][1]), key=lambda s: s[0]):
        yield Piece(change.number, change.op, start, end, utf16, text)
        utf16 += len(text.encode("utf-16-le")) // 2


def _shown(text: str, *, changed: bool = False) -> Markup:
    """The text escaped, what cannot be seen wrapped so that the style sheet can draw its name.

    In a change line ends and tabs are drawn too, and spaces where there is nothing else. Characters that
    embed, override or isolate directions act inside their own mark and nowhere else.
    """
    drawn = ("\n\t " if text.isspace() else "\n\t") if changed else ""
    return Markup("").join(_drawn(c) if c in drawn or is_unseen(c) else escape(c) for c in text)


def _drawn(character: str) -> Markup:
    kind = "inv bidi" if character in DIRECTION else "inv"
    name = PICTURES.get(character) or f"U+{ord(character):04X}"
    return Markup('<span class="{}" data-name="{}">{}</span>').format(kind, name, _carried(character))


def _carried(character: str) -> str:
    """Control characters that HTML cannot hold become the replacement character."""
    if character in "\n\t":
        return character
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
