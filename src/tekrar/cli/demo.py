"""`tekrar demo`: everything on a real corpus or on the invented sample, by the commands one types."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tekrar.cli import arguments
from tekrar.cli.outcome import print_json
from tekrar.errors import EXIT_OK

if TYPE_CHECKING:
    from tekrar.cli.typed import Typed
    from tekrar.view.open import Corpus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar demo`."""
    parser.add_argument(
        "--out",
        type=arguments.path,
        default=Path("demo-out"),
        metavar="DIR",
        help="folder to make (default demo-out)",
    )
    parser.add_argument(
        "--sample",
        action="store_true",
        help="a small invented Turkish text with headings, notes and gaps, explained paragraph by paragraph",
    )
    parser.add_argument(
        "--no-database",
        action="store_true",
        help="end with the report; else a PostgreSQL server in the demo's folder publishes what was found",
    )


def run(args: argparse.Namespace) -> int:
    """Import, build, verify, report, publish, ask, and say what was found."""
    from tekrar.cli.typed import Typed, Unsuccessful
    from tekrar.demo import folder
    from tekrar.package.atomic import write_file
    from tekrar.view.open import open_corpus

    begun = time.monotonic()
    typed = Typed(silent=args.quiet or args.json)
    data, source, language = _source(args, typed)
    release, artifact = args.out / folder.RELEASE, args.out / folder.ARTIFACT
    verbs = [
        ["import", str(source), "--language", language, "--out", str(release)],
        ["build", str(release), "--out", str(artifact), "--workers", "0"],
        ["verify", str(artifact), "--release", str(release)],
        ["report", str(artifact), "--release", str(release), "--out", str(args.out / folder.REPORT)],
    ]
    try:
        with folder.made(args.out):
            write_file(source, data)
            for words in verbs:
                typed.run(*words)
            corpus = open_corpus(artifact, release)
            described, told, examples = _sample(corpus) if args.sample else _found(corpus)
            published = None if args.no_database else _published(args, typed, corpus, examples[-1])
    except Unsuccessful as ended:
        return ended.status
    record = {
        "release": str(release),
        "artifact": str(artifact),
        "artifact_root": corpus.artifact.artifact_root.hex(),
        "report": str(args.out / folder.REPORT),
        "seconds": round(time.monotonic() - begun, 3),
        "coverage": {view.short: view.coverage for view in corpus.views()},
        **described,
        "published": published,
        "next": _next(release, artifact, examples=examples),
    }
    _say(args, corpus, record=record, told=told)
    return EXIT_OK


def _published(args: argparse.Namespace, typed: Typed, corpus: Corpus, address: str) -> dict[str, Any]:
    """The release that the demo ends in, asked for the paragraph at an address."""
    from tekrar.cli.demo_published import publish_and_ask
    from tekrar.core.identity import uuid_text
    from tekrar.view.query import find

    view, row = find(corpus, address, profile="FP").rows[0]
    found = publish_and_ask(typed, args.out, uuid_text(view.ids[row].tobytes()))
    return {"address": address, **found}


def _source(args: argparse.Namespace, typed: Typed) -> tuple[bytes, Path, str]:
    """The paragraph JSON-lines source, where it goes in the demo's folder, and its language."""
    from tekrar.demo import folder, kjv, sample

    if args.sample:
        return sample.source_bytes(), args.out / folder.SAMPLE_SOURCE, sample.LANGUAGE
    typed.tell(f"the King James Version (public domain), read from the package {kjv.PACKAGE}")
    data = kjv.source_bytes(kjv.read_bible(kjv.installed_module()))
    return data, args.out / folder.KJV_SOURCE, kjv.LANGUAGE


def _found(corpus: Corpus) -> tuple[dict[str, Any], list[str], list[str]]:
    """What was found: as JSON, as lines, and addresses worth showing, a repeated paragraph's last."""
    from tekrar.demo import findings, telling

    found = findings.find(corpus)
    examples = [run.address for run in found.longest[:1]] + [pair.address for pair in found.parallels[:2]]
    return found.as_record(), telling.found(found), examples


def _sample(corpus: Corpus) -> tuple[dict[str, Any], list[str], list[str]]:
    """The sample explained: as JSON, as lines, and addresses worth showing, a repeated paragraph's last."""
    from tekrar.demo import findings, sample, telling

    lines = list(sample.explain(corpus))
    told = [text for line in lines for text in telling.explained(line)]
    found = findings.find(corpus)
    examples = [run.address for run in found.longest[:1]] + [pair.address for pair in found.parallels[:1]]
    return {"paragraphs": [vars(line) for line in lines]}, told, examples


def _next(release: Path, artifact: Path, *, examples: list[str]) -> list[str]:
    """Commands that work on what was just made."""
    names = shlex.join([str(artifact), "--release", str(release)])
    show = [f"tekrar show {names} {shlex.quote(address)}" for address in examples]
    return [*show, f"tekrar classes {names} --profile FS", f"tekrar coverage {shlex.quote(str(artifact))}"]


def _say(args: argparse.Namespace, corpus: Corpus, *, record: dict[str, Any], told: list[str]) -> None:
    if args.json:
        print_json(record)
    elif args.quiet:
        print(record["report"])
    else:
        from tekrar.demo import telling

        if record["published"] is not None:
            told = [*told, *telling.published(record["published"])]
        print("\n".join(["", *telling.counted(corpus), *told, *telling.ending(record, activate=_activate())]))


def _activate() -> str:
    """The command that puts `tekrar` on the path of a shell, or "" where it is or no environment is known."""
    script = Path(sys.prefix) / "bin" / "activate"
    if shutil.which("tekrar") is not None or not script.is_file():
        return ""
    return f". {shlex.quote(os.path.relpath(script))}"
