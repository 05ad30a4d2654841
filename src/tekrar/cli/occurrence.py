"""`tekrar occurrence`: one occurrence of a published release, with its place and exact bytes."""

from __future__ import annotations

import argparse
from base64 import b64encode
from typing import Any, Final

from tekrar.cli.database import (
    WITHDRAWN,
    occurrence_arguments,
    place_words,
    reading,
    say,
    table,
    tell_withdrawn,
)

#: Fields that the line of the place says in words; ordinals of the whole release are for programs.
_IN_WORDS: Final = frozenset(
    (
        "book book_label chapter chapter_number chapter_no paragraph last_paragraph para_no para ord end_ord"
        " unit row_no source"
    ).split()
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar occurrence`."""
    occurrence_arguments(parser)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--text", action="store_true", help="write the exact bytes and nothing else")
    only.add_argument(
        "--words", action="store_true", help="number its words, with the bytes of the release that each has"
    )


def run(args: argparse.Namespace) -> int:
    """Show it; in JSON `content` is base64, for bytes of a range need not be text."""
    import sys

    from tekrar.errors import EXIT_OK

    with reading(args) as reader:
        found = reader.occurrence(args.release, args.occurrence)
        tell_withdrawn(reader, args.release, withdrawn=found["code"] == WITHDRAWN)
    content = found.pop("content")
    if args.words:
        return _words(args, found, content)
    if args.text and not args.json:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return EXIT_OK
    words = f"{table(_shown(found))}\n\n{content.decode(errors='backslashreplace')}"
    return say(args, {**found, "content": b64encode(content).decode()}, words, always=True)


def _words(args: argparse.Namespace, found: dict[str, Any], content: bytes) -> int:
    """Words from 1 with their bytes, as a proposal names a part of an occurrence."""
    from tekrar.store.curation.parts import words_of
    from tekrar.view.plain import isolated

    start = found["start_byte"]
    spans = [[start + low, start + high] for low, high in words_of(content)]
    texts = [content[low - start : high - start].decode(errors="backslashreplace") for low, high in spans]
    lines = [
        f"{number:>5}  {low}..{high}  {isolated(text)}"
        for number, ((low, high), text) in enumerate(zip(spans, texts, strict=True), 1)
    ]
    record = {
        "release": args.release,
        "occurrence": args.occurrence,
        "words": [
            {"word": n, "start": low, "end": high, "text": text}
            for n, ((low, high), text) in enumerate(zip(spans, texts, strict=True), 1)
        ],
    }
    return say(args, record, "\n".join(lines), always=True)


def _shown(found: dict[str, Any]) -> dict[str, Any]:
    from tekrar.view.plain import isolated

    shown = {name: value for name, value in found.items() if name not in _IN_WORDS}
    source = found["source"]
    said = None if source is None else f"{isolated(source['name'])}  sha256 {source['sha256']}"
    return {**shown, "place": place_words(found), "source": said}
