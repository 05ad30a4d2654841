"""python -m tekrar.discover ARTIFACT RELEASE OUT.jsonl [WORKERS]: a provisional way in.

python -m tekrar.discover --compile compiles the inner loops and keeps them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tekrar.artifact.reader import Artifact
from tekrar.corpus.release_package import open_release
from tekrar.discover import compiled
from tekrar.discover.lines import lines
from tekrar.discover.pipeline import generate
from tekrar.discover.precompiled import precompile
from tekrar.discover.source import read_source


def main() -> int:
    """Write the list and, beside it, the bounds report; or compile."""
    if sys.argv[1:] == ["--compile"]:
        return 0 if precompile() else 1
    artifact, release, out = (Path(a) for a in sys.argv[1:4])
    workers = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    compiled.told.append(
        lambda folder: print(f"compiling inner loops once; kept in {folder}", file=sys.stderr, flush=True)
    )
    opened = open_release(release, check=False)
    built = Artifact(artifact)
    source = read_source(built, opened.release, text_release=built.text_release)
    generated = generate(source, workers=workers)
    with out.open("w", encoding="utf-8") as file:
        for line in lines(source, generated):
            file.write(line + "\n")
    out.with_suffix(".bounds.json").write_text(
        json.dumps(generated.bounds, sort_keys=True) + "\n", encoding="utf-8"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
