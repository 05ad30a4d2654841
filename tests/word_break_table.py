"""Recipe of `src/tekrar/core/data/word-break.txt`: `python -m tests.word_break_table [--check]`.

The table holds facts of one Unicode version, taken from the `regex` package, which carries its own Unicode
database (no interpreter's does). `regex` is not among the locked packages: install it for this run alone.
The version below is the one that the package's description states; the digest in `tekrar.core.token` pins
the result, so another version gives another table, another digest and another tokenizer name.
"""

from __future__ import annotations

import sys
from importlib import import_module, metadata
from itertools import groupby
from pathlib import Path
from typing import Any, Final

UNICODE: Final = "18.0.0"
TABLE: Final = Path(__file__).parents[1] / "src/tekrar/core/data/word-break.txt"
#: name in the table -> property expression of `regex`
CLASSES: Final = {
    "ALetter": r"\p{WB=ALetter}",
    "Hebrew_Letter": r"\p{WB=Hebrew_Letter}",
    "Numeric": r"\p{WB=Numeric}",
    "Katakana": r"\p{WB=Katakana}",
    "ExtendNumLet": r"\p{WB=ExtendNumLet}",
    "MidLetter": r"\p{WB=MidLetter}",
    "MidNum": r"\p{WB=MidNum}",
    "MidNumLet": r"\p{WB=MidNumLet}",
    "Single_Quote": r"\p{WB=Single_Quote}",
    "Double_Quote": r"\p{WB=Double_Quote}",
    "Extend": r"\p{WB=Extend}",
    "Format": r"\p{WB=Format}",
    "ZWJ": r"\p{WB=ZWJ}",
    "Newline": r"[\p{WB=Newline}\p{WB=CR}\p{WB=LF}]",
    "WSegSpace": r"\p{WB=WSegSpace}",
    "Regional_Indicator": r"\p{WB=Regional_Indicator}",
    "Other_word": r"(?=[\p{L}\p{N}])[\p{WB=Other}]",
    "Extend_word": r"(?=[\p{L}\p{N}])[\p{WB=Extend}\p{WB=Format}]",
    "Extended_Pictographic": r"\p{Extended_Pictographic}",
}


def table(regex: Any) -> str:
    """The table's text: a line a class, its name and its ranges of hexadecimal code points."""
    lines = [f"# Unicode {UNICODE}: Word_Break classes, with letters and numbers (L, N) outside them"]
    for name, expression in CLASSES.items():
        of = regex.compile(expression, regex.V1).match
        points = [cp for cp in range(0x110000) if not 0xD800 <= cp <= 0xDFFF and of(chr(cp))]
        runs = [[p for _, p in run] for _, run in groupby(enumerate(points), lambda at: at[1] - at[0])]
        ranges = (f"{r[0]:x}" if len(r) == 1 else f"{r[0]:x}-{r[-1]:x}" for r in runs)
        lines.append(" ".join([name, *ranges]))
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the table, or compare it with what is there."""
    regex: Any = import_module("regex")
    if f"Unicode {UNICODE}" not in (metadata.metadata("regex").get_payload() or ""):
        print(f"this regex package does not carry Unicode {UNICODE}", file=sys.stderr)
        return 1
    text = table(regex)
    if "--check" in sys.argv[1:]:
        return int(text != TABLE.read_text("utf-8"))
    TABLE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
