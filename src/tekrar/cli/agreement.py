"""`tekrar agreement`: how far two people agree on what both judged; a figure, and no decision."""

from __future__ import annotations

import argparse
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from tekrar.cli.arguments import words
from tekrar.cli.database import acting, actor_argument, database_argument
from tekrar.cli.outcome import print_json, say
from tekrar.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from tekrar.core.curation.agreement import Agreement
    from tekrar.store.curation.judged import Judged


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar agreement`."""
    parser.add_argument(
        "people", nargs="*", type=words, metavar="NAME", help="two people (default: every two)"
    )
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Percentage agreement and Cohen's kappa, by kind, over marks of candidates and over reviews."""
    from tekrar.store.curation.judged import read_judged

    if len(args.people) not in (0, 2) or len(set(args.people)) != len(args.people):
        raise UsageError("agreement is of two people", expected="two names, or none", kind="bad_arguments")
    with acting(args) as (connection, actor):
        marks, reviews = read_judged(connection, actor=actor)
    found = [*_of(marks, "candidates", args.people), *_of(reviews, "proposals", args.people)]
    if args.json:
        for one in found:
            print_json(one)
        print_json({"compared": len(found)})
        return EXIT_OK
    for one in found:
        kappa = "not defined" if one["kappa"] is None else one["kappa"]
        say(
            f"{one['people'][0]} and {one['people'][1]}  {one['of']} {one['kind']}: {one['equal']} of "
            f"{one['count']} equal, {one['percent']} %, kappa {kappa}"
        )
    if not found:
        say("no two people judged the same")
    return EXIT_OK


def _of(judged: Judged, what: str, people: list[str]) -> list[dict[str, Any]]:
    from tekrar.core.curation.agreement import agreement_by_kind

    rows = []
    for one, other in [tuple(people)] if people else combinations(sorted(judged.said), 2):
        found = agreement_by_kind(judged.said.get(one, {}), judged.said.get(other, {}), judged.kinds)
        rows += [
            {"people": [one, other], "of": what, "kind": kind, **_figures(held)}
            for kind, held in found.items()
        ]
    return rows


def _figures(held: Agreement) -> dict[str, Any]:
    return {
        "count": held.count,
        "equal": held.equal,
        "percent": None if held.observed is None else _rounded(held.observed * 100, 1),
        "observed": None if held.observed is None else str(held.observed),
        "kappa": None if held.kappa is None else _rounded(held.kappa, 3),
        "kappa_exact": None if held.kappa is None else str(held.kappa),
        "table": [[a, b, count] for (a, b), count in held.table.items()],
    }


def _rounded(value: Fraction, places: int) -> str:
    """A fraction in decimals, half up; for people, the exact one stands beside it."""
    scaled = value * 10**places
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    sign, digits = "-" if whole < 0 else "", str(abs(whole)).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"
