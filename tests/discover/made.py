"""Sources for discovery made from lists of paragraphs, in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tekrar.core.builder import ReleaseBuilder
from tekrar.discover.source import Source, columns


def source_of(books: Sequence[Sequence[str]], *, language: str = "tr") -> Source:
    """A source of books of one chapter each, a paragraph a string; sentences end at a full stop."""
    builder = ReleaseBuilder(edition="made", language=language)
    texts: list[str] = []
    for number, paragraphs in enumerate(books):
        builder.begin_book(f"book{number}")
        builder.begin_chapter(number=1, title=None)
        for at, text in enumerate(paragraphs):
            data = text.encode()
            builder.add_paragraph(
                data,
                sentences=sentences_of(data),
                after=b"\n\n",
                given=True,
                para=at + 1,
                ord=at + 1,
            )
            texts.append(text)
    release = builder.finish(segmenter="source")
    ordinal = np.array([n for n, text in enumerate(texts) if text], np.int64)
    kept = [text for text in texts if text]
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(kept):
        rows.setdefault(text, []).append(row)
    exact, first = np.full(len(kept), -1, np.int64), np.arange(len(kept), dtype=np.int64)
    classes = [members for members in rows.values() if len(members) > 1]
    for number, members in enumerate(classes):
        exact[members], first[members] = number, members[0]
    class_id = np.arange(16 * len(classes), dtype=np.int64).astype(np.uint8).reshape(-1, 16)
    return columns(release, ordinal, exact, first, class_id)


def sentences_of(data: bytes) -> list[tuple[int, int]]:
    """Spans between full stops that a space follows."""
    spans, at = [], 0
    while (stop := data.find(b". ", at)) >= 0:
        spans.append((at, stop + 1))
        at = stop + 2
    return [*spans, (at, len(data))] if at < len(data) else spans
