"""`tekrar releases`: every published release and its state."""

from __future__ import annotations

import argparse

from tekrar.cli.database import database_argument, reading, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar releases`."""
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """List the releases, series by series."""
    from tekrar.view.plain import safe

    with reading(args) as reader:
        found = reader.releases()
    lines = [
        f"{one['release']}  {one['short']}  {one['state']:<9}  {one['exact_status']:<8}"
        f"  {safe(one['edition'])}  {one['recorded_at']}"
        for one in found
    ]
    return say(args, {"releases": found}, "\n".join(lines) or "nothing is published", always=True)
