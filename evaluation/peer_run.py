"""One peer at work, in an environment of its own that has the peers and not tekrar.

python peer_run.py datasketch|rensa PARAGRAPHS.jsonl PAIRS.jsonl     near-duplicate paragraphs
python peer_run.py rapidfuzz|difflib PAIRS.jsonl                      edit scripts of pairs of token lists

PARAGRAPHS has one list of folded words a line; the pairs are written as [a, b] line numbers, best first by
exact Jaccard of the shingles. The last line on stdout is a JSON object with the seconds of the peer's work.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SHINGLE, PERMUTATIONS, THRESHOLD, BANDS = 3, 128, 0.5, 32
DIFF_SECONDS = 3.0


def shingles(row: list[str]) -> list[str]:
    """Word trigrams; a shorter paragraph is its own shingle."""
    if len(row) < SHINGLE:
        return [" ".join(row)] if row else []
    return [" ".join(row[i : i + SHINGLE]) for i in range(len(row) - SHINGLE + 1)]


def by_datasketch(sets: list[list[str]]) -> set[tuple[int, int]]:
    """MinHash and MinHashLSH as its manual shows them."""
    from datasketch import MinHash, MinHashLSH  # type: ignore[import-not-found]

    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    found: set[tuple[int, int]] = set()
    for number, mine in enumerate(sets):
        if mine:
            sketch = MinHash(num_perm=PERMUTATIONS, seed=1)
            sketch.update_batch([text.encode() for text in mine])
            found.update((int(other), number) for other in index.query(sketch))
            index.insert(number, sketch)
    return found


def by_rensa(sets: list[list[str]]) -> set[tuple[int, int]]:
    """RMinHash and RMinHashLSH as its manual shows them."""
    from rensa import RMinHash, RMinHashLSH  # type: ignore[import-not-found]

    index = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=BANDS)
    found: set[tuple[int, int]] = set()
    for number, mine in enumerate(sets):
        if mine:
            sketch = RMinHash(num_perm=PERMUTATIONS, seed=1)
            sketch.update(mine)
            found.update((int(other), number) for other in index.query(sketch))
            index.insert(number, sketch)
    return found


def paragraphs(name: str, source: Path, target: Path) -> dict[str, Any]:
    """Near-duplicate paragraphs: the pairs of a peer whose exact Jaccard reaches the threshold."""
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    begun = time.process_time()
    sets = [shingles(row) for row in rows]
    found = {"datasketch": by_datasketch, "rensa": by_rensa}[name](sets)
    scored = []
    for a, b in found:
        one, other = set(sets[a]), set(sets[b])
        shared = len(one & other)
        value = shared / (len(one) + len(other) - shared)
        if value >= THRESHOLD:
            scored.append((-value, a, b))
    seconds = time.process_time() - begun
    target.write_text("".join(f"[{a}, {b}]\n" for _, a, b in sorted(scored)), encoding="utf-8")
    return {"seconds": seconds, "pairs": len(scored), "proposed": len(found)}


def diffs(name: str, source: Path) -> dict[str, Any]:
    """Edit scripts a second over pairs of token lists (as numbers), again and again for a few seconds."""
    pairs = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    script = _rapidfuzz() if name == "rapidfuzz" else _difflib()
    begun = time.process_time()
    done = operations = 0
    while time.process_time() - begun < DIFF_SECONDS:
        for left, right in pairs:
            operations += sum(tag != "equal" for tag in script(left, right))
            done += 1
    return {"rate": done / (time.process_time() - begun), "operations": operations / max(1, done)}


def _rapidfuzz() -> Callable[[list[int], list[int]], list[str]]:
    from rapidfuzz.distance import Indel  # type: ignore[import-not-found]

    return lambda left, right: [step.tag for step in Indel.opcodes(left, right)]


def _difflib() -> Callable[[list[int], list[int]], list[str]]:
    from difflib import SequenceMatcher

    return lambda left, right: [
        step[0] for step in SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    ]


def main() -> None:
    """Run the peer that the first argument names."""
    name, *paths = sys.argv[1:]
    if name in ("datasketch", "rensa"):
        found = paragraphs(name, Path(paths[0]), Path(paths[1]))
    else:
        found = diffs(name, Path(paths[0]))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
