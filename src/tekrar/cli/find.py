"""`tekrar find`: where a passage occurs in a release, byte for byte or nearly, with extents and a diff."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any, Final

from tekrar.cli import arguments
from tekrar.cli.beside import RELEASE_HELP, release_for
from tekrar.cli.compiling import tell_compiling
from tekrar.cli.outcome import print_json
from tekrar.errors import EXIT_OK, UsageError

LIMIT: Final = 10
#: Columns of the query's words that do not stand at a place.
MISSED: Final = 70


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar find`."""
    parser.add_argument("artifact", type=arguments.path, help="artifact, as `tekrar build` made it")
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--text", metavar="TEXT", help="the passage")
    asked.add_argument("--file", type=arguments.path, metavar="FILE", help="a file that holds the passage")
    parser.add_argument("--release", type=arguments.path, metavar="RELEASE", help=RELEASE_HELP)
    parser.add_argument(
        "--limit", type=arguments.number(0), default=LIMIT, metavar="N",
        help=f"hits of either kind at most; 0 = all (default {LIMIT})",
    )  # fmt: skip
    parser.add_argument("--no-diff", action="store_true", help="leave the diffs out")


def run(args: argparse.Namespace) -> int:
    """Search and answer."""
    from tekrar.candidates.finding import Finder
    from tekrar.view.candidates import Reading, hit_diff
    from tekrar.view.open import open_corpus

    query = _query(args)
    tell_compiling(args)
    corpus = open_corpus(args.artifact, release_for(args))
    opened = corpus.opened
    if opened is None:
        raise UsageError("the text release is needed", mend="give --release RELEASE", kind="release_needed")
    found = Finder(opened.release).find(query, limit=args.limit)
    places = _Places(Reading, opened)
    hits = []
    for hit in [*found.exact, *found.near]:
        made = None
        if not (hit.exact or args.no_diff):
            made = hit_diff(opened, query, (hit.query_start, hit.query_end), (hit.start, hit.end))
        hits.append((hit, made))
    if args.json:
        print_json(_record(found, hits, places))
    else:
        for line in _lines(found, hits, places, colour=sys.stdout.isatty()):
            print(line)
    return EXIT_OK


class _Places:
    """Addresses and C10 sides of hits."""

    def __init__(self, reading: Any, opened: Any) -> None:
        held = reading(None, opened)
        self.address, self.side, self.text = held.address, held.anchors.side, held.text


def _query(args: argparse.Namespace) -> bytes:
    """The bytes that are looked for; one line end at the end of a file is no part of them."""
    from tekrar.candidates.finding import MAX_QUERY, checked_query

    if args.text is not None:
        return checked_query(args.text.encode("utf-8", "surrogateescape"), where="--text")
    from tekrar.package.storage import regular_bytes

    data = regular_bytes(args.file, limit=MAX_QUERY + 2)
    for end in (b"\r\n", b"\n"):
        if data.endswith(end):
            data = data[: -len(end)]
            break
    return checked_query(data, where=str(args.file))


def _record(found: Any, hits: list[Any], places: _Places) -> dict[str, Any]:
    from tekrar.view.candidates import hit_record

    return {
        "query": {"bytes": len(found.query), "words": found.words},
        "exact": found.exact_total,
        "near": found.near_total,
        "not_aligned": found.not_aligned,
        "hits": [
            {
                "match": "exact" if hit.exact else "near",
                "place": places.side(hit.start, hit.end),
                "query": {"start": hit.query_start, "end": hit.query_end},
                "metrics": _metrics(hit, found),
                "diff": None if made is None else hit_record(made),
            }
            for hit, made in hits
        ],
    }


def _metrics(hit: Any, found: Any) -> dict[str, Any]:
    values = {
        "equal_tokens": (hit.equal, "tokens"),
        "cover_query": ([hit.equal, max(found.words, hit.equal)], "ratio"),
        "cover_passage": ([hit.equal, max(hit.words, hit.equal)], "ratio"),
        "rarity_score": (hit.score, "1/16 bit"),
    }
    return {
        name: {"value": value, "version": 1, "scale": scale}
        for name, (value, scale) in values.items()
        if not (hit.exact and name == "rarity_score")
    }


def _lines(found: Any, hits: list[Any], places: _Places, *, colour: bool) -> Iterator[str]:
    from tekrar.view.candidates import hit_lines
    from tekrar.view.plain import counted, isolated, quoted, terminal_width

    width = terminal_width()
    yield (
        f"{counted(found.exact_total, 'exact place', 'exact places', form=',')}, "
        f"{counted(found.near_total, 'near place', 'near places', form=',')}"
    )
    if not found.words:
        yield "the query has no word: only its exact bytes were looked for"
    if found.not_aligned:
        yield f"{found.not_aligned:,} paragraphs that share less of it were not looked at"
    for number, (hit, made) in enumerate(hits, 1):
        yield ""
        kind = "exact" if hit.exact else f"near, {hit.equal} of {found.words} words equal"
        place = isolated(places.address(hit.start, hit.end))
        yield f"{number:>4} {place}  bytes {hit.start}..{hit.end}  {kind}"
        if not hit.exact:
            yield from _missed(found.query, hit)
        if made is None:
            yield from quoted(places.text(hit.start, hit.end), width=width, indent="  ┃ ")
        else:
            yield from hit_lines(made, colour=colour)
    for kind, total in (("exact", found.exact_total), ("near", found.near_total)):
        shown = sum(hit.exact == (kind == "exact") for hit, _ in hits)
        if shown < total:
            yield ""
            more = counted(total - shown, f"more {kind} place", f"more {kind} places", form=",")
            yield f"and {more}: --limit 0 shows all"


def _missed(query: bytes, hit: Any) -> Iterator[str]:
    """The words of the query before and after the part that stands at a place."""
    from tekrar.view.plain import shortened

    for where, text in (("before", query[: hit.query_start]), ("after", query[hit.query_end :])):
        words = text.decode("utf-8").strip()
        if any(map(str.isalnum, words)):
            yield f"     not here, {where} it: {shortened(words, width=MISSED)}"
