"""Time and memory of the generator: what each scored list took, growth with size, and hostile texts."""

from __future__ import annotations

import argparse
import math
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.corpora import tekrar
from bench.process import Usage, measured
from evaluation.corpora import Built, Corpus, Tell, built, shared_corpora, shared_plant
from evaluation.entries import Entry, read_entries
from evaluation.figures import Figure
from evaluation.generate import Generated, generate
from evaluation.passages import Passages

MB, GB = 10**6, 10**9
#: Most CPU seconds and bytes by corpus.
BOUNDS = {"risale": (8.0, 700 * MB), "planted-3m": (None, 1.5 * GB), "planted-10m": (None, 4 * GB)}
GROWTH_3M, EXPONENT_10M = 4.0, 1.3
HOSTILE_SECONDS = 2.0
PARTNERS = 12


def usage_figures(name: str, usage: Usage) -> list[Figure]:
    """CPU, wall time and peak of one run."""
    seconds, size = BOUNDS.get(name, (None, None))
    return [
        Figure(name, "CPU of the generator", target=seconds, at_least=False, number=usage.cpu, unit="s"),
        Figure(name, "wall time of the generator", number=usage.wall, unit="s"),
        Figure(
            name,
            "peak memory of the generator",
            target=size and size / MB,
            at_least=False,
            number=usage.peak / MB,
            unit="MB",
        ),
    ]


def figures_of(timed: Mapping[str, Generated]) -> list[Figure]:
    """What each list took."""
    return [
        figure
        for name, made in timed.items()
        if made.usage is not None
        for figure in usage_figures(name, made.usage)
    ]


def growth(args: argparse.Namespace, tell: Tell) -> list[Figure]:
    """Planted texts of 1, 3 and (`--largest 10`) 10 million words of one model, and the hostile texts."""
    figures: list[Figure] = []
    place = shared_corpora()
    cpu: dict[int, float] = {}
    sizes = [size for size in (1, 3, 10) if size <= args.largest]
    for millions in sizes if place is not None else ():
        assert place is not None
        name = f"planted-{millions}m"
        folder = args.cache / name
        tool, model = place / "tools" / "gen_planted.py", place / "risale-docx" / "sozler.jsonl.gz"
        make = shared_plant(tool, [model], "tr", 1, millions * 1_000_000)
        packages = built(
            Corpus(name, "speed", "tr", folder, folder / "corpus.jsonl.gz", make), args.cache, tell
        )
        tell(f"{name}: candidates")
        made = generate(packages, args.cache, python=args.python)
        assert made.usage is not None
        cpu[millions] = made.usage.cpu
        figures += usage_figures(name, made.usage)
    if 3 in cpu:
        ratio = cpu[3] / cpu[1]
        what = "CPU, planted 3 million words / 1 million"
        figures.append(Figure("planted", what, target=GROWTH_3M, at_least=False, number=ratio, unit="x"))
    if 10 in cpu:
        exponent = math.log(cpu[10] / cpu[1]) / math.log(10)
        what = "exponent of CPU, planted 10 million words / 1 million"
        figures.append(Figure("planted", what, target=EXPONENT_10M, at_least=False, number=exponent))
    return figures + hostile(args, tell)


def hostile(args: argparse.Namespace, tell: Tell) -> list[Figure]:
    """Texts that make pairs explode where a generator lets them."""
    figures = []
    for name, paragraphs in hostile_texts():
        with tempfile.TemporaryDirectory(dir=args.cache) as work:
            tell(f"{name}: candidates")
            packages = _built_text(name, paragraphs, Path(work))
            made = generate(packages, Path(work), python=args.python)
            assert made.usage is not None
            passages = packages.passages()
            entries = read_entries(made.path, passages)
            most, alone = partners(passages, entries)
        what = "wall time of the generator"
        figures.append(
            Figure(name, what, target=HOSTILE_SECONDS, at_least=False, number=made.usage.wall, unit="s")
        )
        figures.append(Figure(name, "entries", number=len(entries)))
        figures.append(
            Figure(
                name,
                "CPU of the generator",
                target=HOSTILE_SECONDS,
                at_least=False,
                number=made.usage.cpu,
                unit="s",
            )
        )
        if name == "4000 of one family":
            figures.append(
                Figure(name, "paragraphs without a partner", target=0, at_least=False, number=alone)
            )
            figures.append(
                Figure(name, "partners of a paragraph, at most", target=PARTNERS, at_least=False, number=most)
            )
    return figures


def hostile_texts() -> Iterator[tuple[str, list[str]]]:
    """(name, paragraphs) of every hostile text."""
    source = random.Random("hostile")
    vocabulary = [f"w{number:04d}" for number in range(3000)]

    def some(count: int) -> list[str]:
        return [vocabulary[int(source.random() * len(vocabulary))] for _ in range(count)]

    def varied(base: list[str]) -> str:
        mine = list(base)
        mine[int(source.random() * len(mine))] = vocabulary[int(source.random() * len(vocabulary))]
        return " ".join(mine).capitalize() + "."

    families = [some(40) for _ in range(400)]
    yield "400 x 10 near-identical", [varied(base) for base in families for _ in range(10)]
    yield "4000 identical", [" ".join(families[0]).capitalize() + "."] * 4000
    yield "4000 of one family", [varied(families[1]) for _ in range(4000)]


def _built_text(name: str, paragraphs: list[str], work: Path) -> Built:
    source = work / "text.txt"
    source.write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    release, artifact = work / "release", work / "artifact"
    settings = ["--language", "en", "--edition", "evaluation", "--quiet"]
    measured(tekrar("import", str(source), *settings, "--out", str(release)))
    measured(tekrar("build", str(release), "--out", str(artifact), "--quiet"))
    return Built(Corpus(name.replace(" ", "-"), "speed", "en", work, source), release, artifact)


def partners(passages: Passages, entries: Sequence[Entry]) -> tuple[int, int]:
    """(most partners that entries with two sides give one paragraph, paragraphs that no entry speaks of).

    An entry that speaks of a paragraph speaks of those that are identical with it.
    """
    found: dict[int, set[int]] = defaultdict(set)
    spoken: set[int] = set()
    for entry in entries:
        touched = [passages.touched(span) for span in entry.sides]
        spoken.update(number for side in touched for number in side)
        if not entry.is_group:
            for a in touched[0]:
                for b in touched[1]:
                    if a != b:
                        found[a].add(b)
                        found[b].add(a)
    same = passages.representative
    told = {same[number] for number in spoken}
    full = [number for number, start in enumerate(passages.start) if passages.end[number] > start]
    return max(map(len, found.values()), default=0), sum(same[number] not in told for number in full)
