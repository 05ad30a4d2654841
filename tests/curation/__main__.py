"""Writes the vectors of curation anew: `python -m tests.curation`. Only for a new version of the format."""

import json
from pathlib import Path

from tekrar.core.curation.vectors import compute_curation_vectors

FILE = Path(__file__).resolve().parents[2] / "src/tekrar/core/data/curation-vectors.json"

if __name__ == "__main__":
    text = json.dumps(compute_curation_vectors(), ensure_ascii=False, indent=1, sort_keys=True)
    FILE.write_text(text + "\n", encoding="utf-8")
