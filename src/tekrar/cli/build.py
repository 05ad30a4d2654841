"""`tekrar build`: find and prove every exact repetition of a text release, and write the artifact."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tekrar.cli import arguments
from tekrar.cli.outcome import print_json, say, say_next
from tekrar.cli.outside import check_outside
from tekrar.cli.progress import progress
from tekrar.errors import EXIT_OK, EXIT_STATUS, UsageError
from tekrar.settings import MAX_WORKERS, read_settings

if TYPE_CHECKING:
    from tekrar.build import BuildResult

#: Sentences in one task at most.
MAX_BATCH: Final = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar build`."""
    parser.add_argument(
        "release", type=arguments.path, help="text-release package, as `tekrar import` made it"
    )
    parser.add_argument(
        "--out",
        required=True,
        type=arguments.path,
        metavar="ARTIFACT",
        help="folder to make; an artifact that exists is compared with what is built, never replaced: equal "
        "is success, anything else is refused",
    )
    parser.add_argument(
        "--workers",
        type=arguments.number(0, MAX_WORKERS),
        metavar="N",
        help=f"processes, at most {MAX_WORKERS}; 0 = one a processor (default: TEKRAR_WORKERS, else 1)",
    )
    parser.add_argument(
        "--engine", choices=("auto", "hashlib", "sha-ni"), default="auto", help="equal roots from each"
    )
    parser.add_argument(
        "--batch",
        type=arguments.number(1, MAX_BATCH),
        default=1024,
        metavar="N",
        help=f"sentences a task, at most {MAX_BATCH}; never changes a root",
    )
    parser.add_argument(
        "--defer",
        type=arguments.path,
        metavar="FILE",
        help="occurrences to put off, one a line: book/chapter:start+length, book/chapter/pN, or an ID; "
        "a line that is # alone or starts with # and a space is a comment, #3/1:1+2 is an address",
    )


def run(args: argparse.Namespace) -> int:
    """Build, and say what repeats."""
    from tekrar.build import build

    _check_target(args.out)
    workers = _workers(args.workers)
    deferred = _deferred(args.defer)
    with progress(args, "building") as advance:

        def tell(stage: str, done: int, total: int) -> None:
            advance(done, total)

        result = build(
            args.release,
            out=args.out,
            workers=workers,
            engine=args.engine,
            batch=args.batch,
            defer=deferred,
            progress=tell,
        )
    failed = any(c.counts["failed"] for c in result.coverage.values())
    record = summary(result)
    if args.json:
        print_json(record)
    elif not args.quiet:
        say(*_told(record))
        if not failed:
            say_next("tekrar", "verify", args.out, "--release", args.release)
    return EXIT_STATUS["integrity_error"][0] if failed else EXIT_OK


def _check_target(out: Path) -> None:
    """Refuse what can only fail at the end of a long build: something else stands at the target.

    Raises:
        UsageError: what is there is no artifact, or a damaged one; the place is inside a package.
    """
    check_outside(out, "--out")
    if not os.path.lexists(out):
        return
    from tekrar.artifact.reader import Artifact
    from tekrar.errors import TekrarError
    from tekrar.package.atomic import target_exists

    try:
        Artifact(out)
    except TekrarError as error:
        raise target_exists(out) from error


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


def _workers(given: int | None) -> int:
    """Processes: the option, else TEKRAR_WORKERS, else 1; an option of 0 is one a processor."""
    if given is None:
        return read_settings().workers or 1
    return given or processors()


def processors() -> int:
    """Processors that this process may use, at most `MAX_WORKERS`."""
    return min(len(os.sched_getaffinity(0)), MAX_WORKERS)


def _deferred(path: Path | None) -> list[str]:
    """The items of a deferral list.

    A book may be called `#`-something, and `#3` is the third book, so a comment is only a line that is `#`
    alone or starts with `#` and a space. Lines end at LF or CRLF only: labels may hold other breaks.

    Raises:
        UsageError: it is no regular file, too large or not UTF-8.
        NotFoundError, StorageError: it is missing or cannot be read.
    """
    if path is None:
        return []
    from tekrar.package.storage import regular_bytes

    try:
        text = regular_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"byte {error.start} is not UTF-8",
            where=str(path),
            expected="a list in UTF-8, one occurrence a line",
            mend="convert the file to UTF-8",
            kind="invalid_utf8",
        ) from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return [line for line in lines if line.strip() and line.rstrip() != "#" and not line.startswith("# ")]


def _told(record: dict[str, Any]) -> list[str]:
    from tekrar.view.plain import counted

    lines = [f"artifact       {record['artifact']}", f"artifact_root  {record['artifact_root']}"]
    for short, c in record["coverage"].items():
        lines.append(
            f"{short}  {c['exact_status']:<8}  "
            f"{counted(c['emitted'], 'occurrence', 'occurrences', form='>9')}  "
            f"{counted(c['published_classes'], 'class', 'classes', form='>7')} published, "
            f"{c['dominated_classes']} dominated  "
            f"{c['excluded']} excluded, {c['failed']} failed, {c['not_evaluated']} not evaluated"
        )
    if why := _why_partial(record["coverage"]):
        lines.append(why)
    return lines


def _why_partial(coverage: dict[str, dict[str, Any]]) -> str:
    """What is open in the partial profiles, in one line; "" where all are complete."""
    from tekrar.view.plain import counted

    partial = {short: c for short, c in coverage.items() if c["exact_status"] == "partial"}
    if not partial:
        return ""
    failed, waiting = (sum(c[part] for c in partial.values()) for part in ("failed", "not_evaluated"))
    open_items = []
    if failed:
        open_items.append(f"{counted(failed, 'occurrence', 'occurrences')} failed")
    if waiting:
        open_items.append(
            f"{counted(waiting, 'occurrence', 'occurrences')} put off (--defer) or waiting for an open one"
        )
    return f"partial: {', '.join(partial)} publish nothing; {' and '.join(open_items)}"
