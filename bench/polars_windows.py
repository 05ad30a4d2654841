"""Baseline (b): Polars, all windows in one frame and one group_by on their text. It proves nothing and
writes nothing.

Usage: python -m bench.polars_windows RELEASE [names]

With `names` the windows are rows of dense sentence numbers instead of text: the leanest Polars form we
found, shown for fairness.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

from tekrar.corpus.release_package import open_release


def main() -> None:
    """Group every window of 2 to 12 sentences of a chapter."""
    release = open_release(Path(sys.argv[1]), check=False).release
    bounds = release.chapter_sentence_start
    chapter = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    text = release.text
    sentences = [
        text[a:b].decode("utf-8")
        for a, b in zip(release.sentence_start.tolist(), release.sentence_end.tolist(), strict=True)
    ]
    frame = pl.DataFrame({"chapter": chapter, "text": sentences})
    groups = by_name(frame) if sys.argv[2:] == ["names"] else by_text(frame)
    print(f"{groups.height} groups")


def by_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Windows as text."""
    windows = pl.concat(
        [
            frame.select(
                pl.concat_str(
                    [pl.col("text").shift(-step).over("chapter") for step in range(length)], separator=" "
                ).alias("window")
            ).drop_nulls()
            for length in range(2, 13)
        ]
    )
    return windows.group_by("window").len().filter(pl.col("len") > 1)


def by_name(frame: pl.DataFrame) -> pl.DataFrame:
    """Windows as rows of dense sentence numbers."""
    frame = frame.with_columns(name=pl.col("text").rank("dense").cast(pl.UInt32))
    columns = [f"w{step}" for step in range(12)]
    windows = pl.concat(
        [
            frame.select(
                [pl.col("name").shift(-step).over("chapter").alias(f"w{step}") for step in range(length)]
                + [pl.lit(None, dtype=pl.UInt32).alias(f"w{step}") for step in range(length, 12)]
            ).filter(pl.col(f"w{length - 1}").is_not_null())
            for length in range(2, 13)
        ]
    )
    return windows.group_by(columns).len().filter(pl.col("len") > 1)


if __name__ == "__main__":
    main()
