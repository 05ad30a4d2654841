"""Baseline (a): a plain dictionary over the sentence windows 2..12 of one profile. It proves nothing and
writes nothing.

Usage: python -m bench.dictionary RELEASE
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

from tekrar.core.text import TextRelease
from tekrar.corpus.release_package import open_release


def _atoms(release: TextRelease) -> list[tuple[int, int]]:
    return list(zip(release.atom_start.tolist(), release.atom_end.tolist(), strict=True))


def main() -> None:
    """Group every window of 2 to 12 sentences of a chapter by its text."""
    release = open_release(Path(sys.argv[1]), check=False).release
    text = release.text.decode("utf-8")
    lengths = [len(release.text[a:b].decode("utf-8")) for a, b in _atoms(release)]
    ends_of_atoms = np.cumsum(lengths)
    ends = ends_of_atoms[release.sentence_atom].tolist()
    starts = (ends_of_atoms - lengths)[release.sentence_atom].tolist()
    bounds = release.chapter_sentence_start.tolist()
    windows: dict[str, list[tuple[int, int]]] = {}
    for low, high in pairwise(bounds):
        for first in range(low, high):
            begin = starts[first]
            for last in range(first + 1, min(first + 12, high)):
                windows.setdefault(text[begin : ends[last]], []).append((first, last))
    groups = sum(len(places) > 1 for places in windows.values())
    print(f"{len(windows)} distinct windows, {groups} groups")


if __name__ == "__main__":
    main()
