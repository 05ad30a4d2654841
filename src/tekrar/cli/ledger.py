"""`tekrar ledger`: export it to JSON lines, replay such lines into an empty database, verify its chain."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tekrar.cli import arguments
from tekrar.cli.curation import common_options
from tekrar.cli.database import acting, actor_argument, database_argument, say, settings_of
from tekrar.cli.outcome import print_json
from tekrar.cli.outcome import say as tell
from tekrar.errors import EXIT_OK, IntegrityError

ACTIONS: Final = {
    "export": "write every entry as canonical JSON lines",
    "replay": "make everything of an export again, in a database without entries",
    "verify": "recompute the chain of the entries and its head",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar ledger`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in ACTIONS.items():
        one = actions.add_parser(action, help=text, description=text, allow_abbrev=False)
        common_options(one)
        if action == "export":
            one.add_argument(
                "--out", type=arguments.path, metavar="FILE", help="a new file (default: standard output)"
            )
        if action == "replay":
            one.add_argument("file", type=arguments.path, metavar="FILE", help="as export wrote it")
        else:
            actor_argument(one)
        database_argument(one)


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    return _RUN[args.action](args)


def _export(args: argparse.Namespace) -> int:
    from tekrar.store.curation.ledger import export_ledger
    from tekrar.view.plain import escaped_json

    with acting(args) as (connection, actor):
        lines = export_ledger(connection, actor=actor)
        if args.out is not None:
            count = write_lines(args.out, lines)
            words = f"{args.out}: {count - 1} entries"
            return say(args, {"file": str(args.out), "entries": count - 1}, words)
        count = -1
        for line in lines:
            text = line.decode("utf-8")
            # Canonical bytes for whoever reads on; a terminal gets the same values, which steer nothing.
            sys.stdout.write(escaped_json(text) if sys.stdout.isatty() else text)
            count += 1
    if not (args.quiet or args.json):
        tell(f"{count} entries", file=sys.stderr)
    return EXIT_OK


def write_lines(path: Path, lines: Iterable[bytes]) -> int:
    """Write a new file beside its name and give it the name when it is whole; gives how many lines.

    Raises:
        UsageError: something stands at the target.
        StorageError: it cannot be written.
    """
    from tekrar.package.atomic import target_exists
    from tekrar.package.storage import storing, sync_folder

    if os.path.lexists(path):
        raise target_exists(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    count = 0
    with storing(path):
        try:
            with open(partial, "xb") as file:
                for line in lines:
                    file.write(line)
                    count += 1
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(partial, path)
            except FileExistsError:
                raise target_exists(path) from None
        finally:
            partial.unlink(missing_ok=True)
        sync_folder(path.parent)
    return count


def _replay(args: argparse.Namespace) -> int:
    from tekrar.package.storage import reading
    from tekrar.store.curation.ledger import replay_ledger
    from tekrar.store.migrate import require_current
    from tekrar.store.session import connect

    with (
        connect(settings_of(args), administrator=True) as connection,
        reading(args.file),
        open(args.file, "rb") as file,
    ):
        require_current(connection)
        done = replay_ledger(connection, file, name=str(args.file))
    record = {"entries": done.entries, "heads": done.heads}
    return say(args, record, f"{done.entries} entries replayed: every ID, state, head and release is equal")


def _verify(args: argparse.Namespace) -> int:
    from tekrar.store.curation.ledger import verify_chain

    with acting(args) as (connection, actor):
        entries, broken, head = verify_chain(connection, actor=actor)
    if broken is not None or not head:
        raise IntegrityError(
            "the ledger does not follow from its entries",
            where=f"ledger entry {broken}" if broken is not None else "head of the ledger",
            expected="a chain of hashes from the first entry to the head",
            mend="restore the database from a backup, or replay an export",
            kind="ledger_chain",
        )
    if args.json:
        print_json({"entries": entries, "holds": True})
    elif not args.quiet:
        tell(f"{entries} entries, the chain and its head hold")
    return EXIT_OK


_RUN: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "export": _export,
    "replay": _replay,
    "verify": _verify,
}
