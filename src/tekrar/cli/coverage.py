"""`tekrar coverage`: what was enumerated, excluded, matched, unique, and what is not covered."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from tekrar.cli import arguments
from tekrar.cli.outcome import print_json
from tekrar.errors import EXIT_OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar coverage`."""
    parser.add_argument("artifact", type=arguments.path, help="artifact, as `tekrar build` made it")
    parser.add_argument("--profile", metavar="FP|FS|PP|PS", help="one profile (default: all four)")
    parser.add_argument(
        "--granularity",
        metavar="TOKEN",
        help="whole-paragraph or sentence-sequence; any other is answered: not covered",
    )


def run(args: argparse.Namespace) -> int:
    """Say what the artifact covers."""
    from tekrar.view.coverage import coverage_record, granularity_record
    from tekrar.view.open import open_corpus
    from tekrar.view.records import about

    corpus = open_corpus(args.artifact)
    views = corpus.views(args.profile)
    answer: dict[str, Any]
    if args.granularity is None:
        answer = {"profiles": [coverage_record(view) for view in views]}
    else:
        answer = granularity_record(views, args.granularity)
    record = {**about(corpus), **answer}
    if args.json:
        print_json(record)
    else:
        print("\n".join(_told(record)))
    return EXIT_OK


def _told(record: dict[str, Any]) -> Iterator[str]:
    from tekrar.view.plain import isolated

    yield f"release        {record['release']}  edition {isolated(record['edition'])}"
    yield f"artifact_root  {record['artifact_root']}"
    if "status" in record:
        answer = f"{record['status'].replace('_', ' ')}. {record['why']}"
        yield f"granularity    {isolated(record['granularity'])}: {answer}"
    for profile in record["profiles"]:
        counts, exact = profile["counts"], profile["exact"]
        yield ""
        yield f"{profile['profile']}  {profile['profile_name']}  {profile['profile_id']}"
        yield f"  exact      {exact['status']}"
        yield f"  semantic   {profile['semantic']['status']}"
        yield from _rows(
            (f"universe of {profile['enumerator']}", profile["universe"]),
            ("inventory", exact["enumerator_inventory"]),
            ("  left out by the enumerator", counts["enumeration_exclusions"]),
            ("evaluated", exact["evaluated_work"]),
            ("  unique", counts["evaluated_unique"]),
            ("  matched", counts["matched"]),
            ("    published", counts["published_items"]),
            ("    dominated", counts["dominated_items"]),
            ("    provisional", counts["provisional_items"]),
            ("excluded by the profile", exact["profile_exclusions"]),
            ("not evaluated", counts["not_evaluated"]),
            ("failed", exact["typed_failures"]),
            ("classes published", counts["published_classes"]),
            ("classes dominated", counts["dominated_classes"]),
            ("groups provisional", counts["provisional_groups"]),
        )


def _rows(*rows: tuple[str, int]) -> Sequence[str]:
    return [f"  {label:<36}{value:>12}" for label, value in rows]
