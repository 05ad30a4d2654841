"""`tekrar build`: find and prove every exact repetition of a text release, and write the artifact."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tekrar.cli.outcome import print_json
from tekrar.cli.progress import progress
from tekrar.errors import EXIT_OK, EXIT_STATUS, StorageError, UsageError

if TYPE_CHECKING:
    from tekrar.build import BuildResult

#: Below this many rows a second process costs more than it gives.
ROWS_A_WORKER = 200_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar build`."""
    parser.add_argument("release", type=Path, help="text-release package, as `tekrar import` made it")
    parser.add_argument("--out", required=True, type=Path, metavar="ARTIFACT", help="folder to make")
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes; 0 = one a processor (default 1)"
    )
    parser.add_argument(
        "--engine", choices=("auto", "hashlib", "sha-ni"), default="auto", help="equal roots from each"
    )
    parser.add_argument(
        "--batch", type=int, default=1024, metavar="N", help="sentences a task; never changes a root"
    )
    parser.add_argument(
        "--defer",
        type=Path,
        metavar="FILE",
        help="occurrences to put off, one a line: book/chapter:start+length, book/chapter/pN, or an ID",
    )


def run(args: argparse.Namespace) -> int:
    """Build, and say what repeats."""
    from tekrar.build import build

    workers = args.workers or len(os.sched_getaffinity(0))
    if workers < 0:
        raise UsageError(f"--workers {workers}", expected="0 or more")
    with progress(args, "building") as advance:

        def tell(stage: str, done: int, total: int) -> None:
            advance(done, total)

        result = build(
            args.release,
            out=args.out,
            workers=workers,
            engine=args.engine,
            batch=args.batch,
            defer=_deferred(args.defer),
            progress=tell,
        )
    failed = any(c.counts["failed"] for c in result.coverage.values())
    record = summary(result)
    if args.json:
        print_json(record)
    elif not args.quiet:
        print(_told(record))
    return EXIT_STATUS["integrity_error"][0] if failed else EXIT_OK


def summary(result: BuildResult) -> dict[str, Any]:
    """What was built, as one JSON record."""
    return {
        "artifact": str(result.path),
        "artifact_root": result.artifact_root.hex(),
        "status": {short: str(status) for short, status in result.status.items()},
        "coverage": {short: c.as_record() for short, c in result.coverage.items()},
        "engine": result.provenance["engine"],
        "workers": result.provenance["workers"],
        "stages": result.provenance["stages"],
    }


def _deferred(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 at byte {error.start}", where=str(path)) from None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}", where=str(path)) from None
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _told(record: dict[str, Any]) -> str:
    lines = [f"artifact       {record['artifact']}", f"artifact_root  {record['artifact_root']}"]
    for short, c in record["coverage"].items():
        lines.append(
            f"{short}  {c['exact_status']:<8}  {c['emitted']:>9} occurrences  "
            f"{c['published_classes']:>7} classes published, {c['dominated_classes']} dominated  "
            f"{c['excluded']} excluded, {c['failed']} failed, {c['not_evaluated']} not evaluated"
        )
    return "\n".join(lines)
