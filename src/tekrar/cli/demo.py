"""`tekrar demo`: everything on a real corpus or on the invented sample, by the commands one types."""

from __future__ import annotations

import argparse
import contextlib
import io
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


def run(args: argparse.Namespace) -> int:
    """Import, build, verify, report, and say what was found."""
    from tekrar.demo import folder
    from tekrar.package.atomic import write_file
    from tekrar.view.open import open_corpus

    begun = time.monotonic()
    data, source, language = _source(args)
    release, artifact = args.out / folder.RELEASE, args.out / folder.ARTIFACT
    verbs = [
        ["import", str(source), "--language", language, "--out", str(release)],
        ["build", str(release), "--out", str(artifact), "--workers", "0"],
        ["verify", str(artifact), "--release", str(release)],
        ["report", str(artifact), "--release", str(release), "--out", str(args.out / folder.REPORT)],
    ]
    with folder.made(args.out):
        write_file(source, data)
        for words in verbs:
            if status := _run_verb(args, words):
                return status
    seconds = time.monotonic() - begun
    corpus = open_corpus(artifact, release)
    described, told, examples = _sample(corpus) if args.sample else _found(corpus)
    record = {
        "release": str(release),
        "artifact": str(artifact),
        "artifact_root": corpus.artifact.artifact_root.hex(),
        "report": str(args.out / folder.REPORT),
        "seconds": round(seconds, 3),
        "coverage": {view.short: view.coverage for view in corpus.views()},
        **described,
        "next": _next(release, artifact, examples=examples),
    }
    _say(args, corpus, record=record, told=told)
    return EXIT_OK


def _source(args: argparse.Namespace) -> tuple[bytes, Path, str]:
    """The paragraph JSON-lines source, where it goes in the demo's folder, and its language."""
    from tekrar.demo import folder, kjv, sample

    if args.sample:
        return sample.source_bytes(), args.out / folder.SAMPLE_SOURCE, sample.LANGUAGE
    _tell(args, f"the King James Version (public domain), read from the package {kjv.PACKAGE}")
    data = kjv.source_bytes(kjv.read_bible(kjv.installed_module()))
    return data, args.out / folder.KJV_SOURCE, kjv.LANGUAGE


def _run_verb(args: argparse.Namespace, words: list[str]) -> int:
    """Run a verb, show it as one would type it, and hold its own words back unless it fails."""
    from tekrar.cli import verb_module, verb_parser

    module = verb_module(words[0])
    quiet = ["--quiet"] if args.quiet or args.json else []
    parsed = verb_parser(words[0], module).parse_args([*words[1:], *quiet])
    begun = time.monotonic()
    with contextlib.redirect_stdout(io.StringIO()) as held:
        status = int(module.run(parsed) or EXIT_OK)
    _tell(args, f"{time.monotonic() - begun:5.1f} s  tekrar {shlex.join(words)}")
    if status:
        _tell(args, held.getvalue())
    return status


def _found(corpus: Corpus) -> tuple[dict[str, Any], list[str], list[str]]:
    """What was found: as JSON, as lines, and addresses worth showing."""
    from tekrar.demo import findings, telling

    found = findings.find(corpus)
    examples = [run.address for run in found.longest[:1]] + [pair.address for pair in found.parallels[:2]]
    return found.as_record(), telling.found(found), examples


def _sample(corpus: Corpus) -> tuple[dict[str, Any], list[str], list[str]]:
    """The sample explained: as JSON, as lines, and addresses worth showing."""
    from tekrar.demo import findings, sample, telling

    lines = list(sample.explain(corpus))
    told = [text for line in lines for text in telling.explained(line)]
    examples = [item.address for item in findings.find(corpus).longest[:1]]
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

        print("\n".join(["", *telling.counted(corpus), *told, *telling.ending(record, activate=_activate())]))


def _activate() -> str:
    """The command that puts `tekrar` on the path of a shell, or "" where it is or no environment is known."""
    script = Path(sys.prefix) / "bin" / "activate"
    if shutil.which("tekrar") is not None or not script.is_file():
        return ""
    return f". {shlex.quote(os.path.relpath(script))}"


def _tell(args: argparse.Namespace, line: str) -> None:
    if not (args.quiet or args.json):
        print(line, flush=True)
