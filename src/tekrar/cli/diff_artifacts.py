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
    from tekrar.view.text_difference import TextDifference

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
        help=f"paragraphs and classes shown of each kind (default {LIMIT}); 0 = all",
    )
    parser.add_argument(
        "--status",
        choices=("published", "all"),
        default="published",
        help="all: show dominated classes too, after the published ones (default: count them)",
    )


def run(args: argparse.Namespace) -> int:
    """Compare; with --json one line a changed class and the summary last."""
    from tekrar.view.causes import causes, same_geometry
    from tekrar.view.difference import compare
    from tekrar.view.open import open_corpus
    from tekrar.view.text_difference import compare_texts, paragraph_record

    a, b = open_corpus(args.a, args.release_a), open_corpus(args.b, args.release_b)
    places = same_geometry(a.artifact, b.artifact)
    found = [
        compare(left, right, same_places=places)
        for left, right in zip(a.views(args.profile), b.views(args.profile), strict=True)
    ]
    text = None if a.opened is None or b.opened is None else compare_texts(a.release, b.release)
    paragraphs = [
        {"a": paragraph_record(a.release, left), "b": paragraph_record(b.release, right)}
        for left, right in (() if text is None else text.changed)
    ]
    summary = {
        "equal": a.artifact.artifact_root == b.artifact.artifact_root,
        "a": a.artifact.artifact_root.hex(),
        "b": b.artifact.artifact_root.hex(),
        "causes": [cause.as_record() for cause in causes(a.artifact, b.artifact)],
        "profiles": [difference.as_record() for difference in found],
    }
    if args.json:
        for paragraph in paragraphs:
            print_json({"change": "text", **paragraph})
        for difference in found:
            for change in difference.changes:
                print_json(_placed(change, a, b, text=text))
        print_json(summary)
    else:
        for line in _told(summary, paragraphs, limit=args.limit):
            print(line)
        for difference in found:
            for line in _profile(difference, args, corpora=(a, b), text=text):
                print(line)
    return EXIT_OK


def _placed(change: dict[str, Any], a: Corpus, b: Corpus, *, text: TextDifference | None) -> dict[str, Any]:
    """The change with address and text of the first member on each side whose release is known, and, where
    both are, with the addresses of the members that left and came."""
    from tekrar.view.text_difference import members_moved

    placed = dict(change)
    views, rows = [], []
    for side, corpus in (("a", a), ("b", b)):
        facts = change[side]
        if facts is None or corpus.opened is None:
            continue
        view = corpus.view(change["profile"])
        number = view.class_of(bytes.fromhex(facts["witness"]))
        if number is None:
            raise view.broken(f"no class has the witness {facts['witness']}", expected="the compared class")
        views.append(view)
        rows.append(view.profile.class_members(number))
        address = corpus.places.addresses(view, view.first_member[number : number + 1])[0]
        words = corpus.places.text(facts["start"], facts["end"])
        placed[side] = {**facts, "address": str(address), "text": words}
    if text is not None and len(views) == 2:
        placed["members"] = members_moved(
            text, (a.places, b.places), (views[0], views[1]), rows=(rows[0], rows[1])
        )
    return placed


def _told(summary: dict[str, Any], paragraphs: Sequence[dict[str, Any]], *, limit: int) -> Iterator[str]:
    from tekrar.view.plain import isolated, safe, shortened, terminal_width

    yield f"A  {summary['a']}"
    yield f"B  {summary['b']}"
    if summary["equal"]:
        yield "equal: the same inputs and the same results"
    for number, cause in enumerate(summary["causes"]):
        label = "first reason" if number == 0 else "also"
        yield f"{label}: {cause['why']}" + (f" [{cause['where']}]" if cause["where"] else "")
        yield f"  A  {safe(cause['a'])}"
        yield f"  B  {safe(cause['b'])}"
    if not paragraphs:
        return
    yield ""
    yield f"text  {len(paragraphs)} paragraph{'' if len(paragraphs) == 1 else 's'} changed"
    for pair in paragraphs[: limit or None]:
        for side, one in pair.items():
            if one is None:
                yield f"  {side.upper()}  (no such paragraph)"
            else:
                words = shortened(one["text"], width=max(20, terminal_width() - 30))
                yield f"  {side.upper()}  {isolated(one['address'])}  {words}"
    if limit and len(paragraphs) > limit:
        yield f"  and {len(paragraphs) - limit} more; --limit 0 shows all"


def _profile(
    difference: ProfileDifference,
    args: argparse.Namespace,
    *,
    corpora: tuple[Corpus, Corpus],
    text: TextDifference | None,
) -> Iterator[str]:
    from tekrar.view.plain import counted

    record = difference.as_record()
    counts = ", ".join(f"{n} {kind}" for kind, n in record["changes"].items())
    yield ""
    classes = counted(record["classes_a"], "class", "classes")
    yield f"{record['profile']}  {classes} in A, {record['classes_b']} in B: {counts}"
    for row in record["rows"] or ():
        moved = counted(row["rows"], "occurrence", "occurrences")
        yield f"  {moved}: {row['from']} in A, {row['to']} in B"
    dominated = [change for change in difference.changes if _dominated(change)]
    changes = [change for change in difference.changes if not _dominated(change)]
    if args.status == "all":
        changes += dominated
    yield from _sample(changes, corpora=corpora, text=text, limit=args.limit)
    if dominated and args.status != "all":
        yield f"  dominated {counted(len(dominated), 'change', 'changes')} not shown; --status all shows them"


def _dominated(change: dict[str, Any]) -> bool:
    """Whether no side of a change was or is published."""
    return all(side is None or side["status"] == "dominated" for side in (change["a"], change["b"]))


def _sample(
    changes: Sequence[dict[str, Any]],
    *,
    corpora: tuple[Corpus, Corpus],
    text: TextDifference | None,
    limit: int,
) -> Iterator[str]:
    from tekrar.view.plain import isolated, shortened, terminal_width

    shown: dict[str, int] = {}
    for change in changes:
        kind = change["change"]
        shown[kind] = shown.get(kind, 0) + 1
        if limit and shown[kind] > limit:
            continue
        placed = _placed(change, *corpora, text=text)
        facts = placed["b"] or placed["a"]
        name = facts["class_id"] or f"group {facts['group']}"
        yield f"  {kind:<9} {name}  length {facts['length']} × {facts['size']}  {facts['status']}"
        yield f"            {change['why']}"
        known = next((side for side in (placed["a"], placed["b"]) if side and "text" in side), None)
        if known is not None:
            words = shortened(known["text"], width=max(20, terminal_width() - 40))
            yield f"            {isolated(known['address'])}  {words}"
        else:
            yield f"            bytes {facts['start']}..{facts['end']}"
        for what, addresses in placed.get("members", {}).items():
            if addresses:
                more = f" and {len(addresses) - 8} more" if len(addresses) > 8 else ""
                yield f"            {what}: {', '.join(map(isolated, addresses[:8]))}{more}"
    for kind, count in shown.items():
        if limit and count > limit:
            yield f"  {kind:<9} and {count - limit} more; --limit 0 shows all"
