"""Hostile inputs, made on the fly: texts whose repetition is as bad as repetition gets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench import synthetic, targets
from bench.corpora import Tell, remove, tekrar
from bench.run import Command, alternate, build_command, engines, quick_command, verify_command
from bench.table import Row, Sample

#: Name, how it is written, and its full count.
INPUTS: tuple[tuple[str, Callable[..., None], int], ...] = (
    ("200,000 equal sentences", synthetic.write_equal_sentences, 200_000),
    ("20,000 sentences ten times", synthetic.write_tenfold, 20_000),
    ("100,000 identical paragraphs", synthetic.write_equal_paragraphs, 100_000),
)
SMALL = 50


def measure_hostile(work: Path, *, runs: int, quick: bool, tell: Tell) -> tuple[list[Sample], list[Row]]:
    """Import, build by every engine, and verify each input.

    The ceilings are those of import and build; `verify` has its own bound, beside the reference build.
    """
    samples: list[Sample] = []
    rows: list[Row] = []
    for name, write, count in INPUTS:
        source, release, artifact = work / "hostile.jsonl", work / "hostile-release", work / "hostile"
        write(source, count=count // SMALL if quick else count)
        found = _measure(name, source, release, artifact, runs=runs, tell=tell)
        samples += found.values()
        build = found[targets.build_name("hashlib")]
        for sample in found.values():
            rows += targets.hostile(sample, judged=sample.command.startswith(("import", "build")))
        if not quick:
            ratio = found[targets.VERIFY].cpu / build.cpu
            rows.append(Row(name, "CPU verify / build hashlib", ratio, targets.VERIFY_OF_BUILD, "x"))
        for path in (source, release, artifact):
            remove(path)
    return samples, rows


def _measure(
    name: str, source: Path, release: Path, artifact: Path, *, runs: int, tell: Tell
) -> dict[str, Sample]:
    words = tekrar("import", str(source), "--language", "en", "--out", str(release), "--quiet")
    commands = [Command("import", words, lambda: remove(release))]
    commands += [build_command(engine, release, artifact) for engine in engines()]
    commands += [verify_command(release, artifact), quick_command(artifact)]
    return alternate(commands, corpus=name, runs=runs, warm=0, tell=tell)
