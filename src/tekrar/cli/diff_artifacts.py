"""`tekrar diff-artifacts A B`: what appeared, went and changed, and the first reasons."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tekrar.cli import arguments
from tekrar.cli.outcome import print_json
from tekrar.errors import EXIT_OK

if TYPE_CHECKING:
    from tekrar.view.difference import ProfileDifference
    from tekrar.view.open import Corpus

LIMIT = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar diff-artifacts`."""
    parser.add_argument("a", type=arguments.path, metavar="A", help="artifact")
    parser.add_argument("b", type=arguments.path, metavar="B", help="artifact to compare it with")
    parser.add_argument(
        "--release-a", type=arguments.path, metavar="RELEASE", help="release of A; shows texts and places"
    )
    parser.add_argument(
        "--release-b", type=arguments.path, metavar="RELEASE", help="release of B; shows texts and places"
    )
    parser.add_argument("--profile", metavar="FP|FS|PP|PS", help="one profile (default: all four)")
    parser.add_argument(
        "--limit",
        type=arguments.number(0),
        default=LIMIT,
        metavar="N",
        help=f"classes shown of each kind (default {LIMIT}); 0 = all",
    )


def run(args: argparse.Namespace) -> int:
    """Compare; with --json one line a changed class and the summary last."""
    from tekrar.view.causes import causes, same_geometry
    from tekrar.view.difference import compare
    from tekrar.view.open import open_corpus

    a, b = open_corpus(args.a, args.release_a), open_corpus(args.b, args.release_b)
    places = same_geometry(a.artifact, b.artifact)
    found = [
        compare(left, right, same_places=places)
        for left, right in zip(a.views(args.profile), b.views(args.profile), strict=True)
    ]
    summary = {
        "equal": a.artifact.artifact_root == b.artifact.artifact_root,
        "a": a.artifact.artifact_root.hex(),
        "b": b.artifact.artifact_root.hex(),
        "causes": [cause.as_record() for cause in causes(a.artifact, b.artifact)],
        "profiles": [difference.as_record() for difference in found],
    }
    if args.json:
        for difference in found:
            for change in difference.changes:
                print_json(_placed(change, a, b))
        print_json(summary)
    else:
        for line in _told(summary, found, corpora=(a, b), limit=args.limit):
            print(line)
    return EXIT_OK


def _placed(change: dict[str, Any], a: Corpus, b: Corpus) -> dict[str, Any]:
    """The change with address and text of the first member on each side whose release is known."""
    placed = dict(change)
    for side, corpus in (("a", a), ("b", b)):
        facts = change[side]
        if facts is None or corpus.opened is None:
            continue
        view = corpus.view(change["profile"])
        number = view.class_of(bytes.fromhex(facts["witness"]))
        if number is None:
            raise view.broken(f"no class has the witness {facts['witness']}", expected="the compared class")
        address = corpus.places.addresses(view, view.first_member[number : number + 1])[0]
        text = corpus.places.text(facts["start"], facts["end"])
        placed[side] = {**facts, "address": str(address), "text": text}
    return placed


def _told(
    summary: dict[str, Any],
    found: Sequence[ProfileDifference],
    *,
    corpora: tuple[Corpus, Corpus],
    limit: int,
) -> Iterator[str]:
    from tekrar.view.plain import counted, safe

    yield f"A  {summary['a']}"
    yield f"B  {summary['b']}"
    if summary["equal"]:
        yield "equal: the same inputs and the same results"
    for number, cause in enumerate(summary["causes"]):
        label = "first reason" if number == 0 else "also"
        yield f"{label}: {cause['why']}" + (f" [{cause['where']}]" if cause["where"] else "")
        yield f"  A  {safe(cause['a'])}"
        yield f"  B  {safe(cause['b'])}"
    for difference in found:
        record = difference.as_record()
        counts = ", ".join(f"{n} {kind}" for kind, n in record["changes"].items())
        yield ""
        classes = counted(record["classes_a"], "class", "classes")
        yield f"{record['profile']}  {classes} in A, {record['classes_b']} in B: {counts}"
        for row in record["rows"] or ():
            moved = counted(row["rows"], "occurrence", "occurrences")
            yield f"  {moved}: {row['from']} in A, {row['to']} in B"
        yield from _sample(difference, corpora=corpora, limit=limit)


def _sample(difference: ProfileDifference, *, corpora: tuple[Corpus, Corpus], limit: int) -> Iterator[str]:
    from tekrar.view.plain import isolated, shortened, terminal_width

    shown: dict[str, int] = {}
    for change in difference.changes:
        kind = change["change"]
        shown[kind] = shown.get(kind, 0) + 1
        if limit and shown[kind] > limit:
            continue
        placed = _placed(change, *corpora)
        facts = placed["b"] or placed["a"]
        name = facts["class_id"] or f"group {facts['group']}"
        yield f"  {kind:<9} {name}  length {facts['length']} × {facts['size']}  {facts['status']}"
        yield f"            {change['why']}"
        known = next((side for side in (placed["a"], placed["b"]) if side and "text" in side), None)
        if known is not None:
            text = shortened(known["text"], width=max(20, terminal_width() - 40))
            yield f"            {isolated(known['address'])}  {text}"
        else:
            yield f"            bytes {facts['start']}..{facts['end']}"
    for kind, count in shown.items():
        if limit and count > limit:
            yield f"  {kind:<9} and {count - limit} more; --limit 0 shows all"
