"""Code blocks of the documents that claim to work.

    ```sh run          commands; the blocks of a document run in order, in one shell, in one empty folder
    ```text output     what the block above it prints: these lines, in this order; `…` stands for any text

Other blocks are only shown.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```\s*$", re.MULTILINE | re.DOTALL)
_MARK = "@@ block "


@dataclass(frozen=True)
class Block:
    """One runnable block: its line in the document, its commands, and the output it claims."""

    line: int
    commands: str
    output: str


def blocks_of(text: str) -> list[Block]:
    """The runnable blocks of a document, each with the output block that follows it."""
    found: list[Block] = []
    for match in _FENCE.finditer(text):
        info, body = match["info"].strip(), match["body"]
        if info == "sh run":
            found.append(Block(text.count("\n", 0, match.start()) + 1, body, ""))
        elif info == "text output":
            found[-1] = Block(found[-1].line, found[-1].commands, body)
    return found


def run(blocks: list[Block], folder: Path) -> tuple[dict[int, str], str]:
    """Run blocks in one shell.

    Returns:
        What each block that was begun printed, by its line, and what went wrong ("" when nothing did).
    """
    script = "".join(f"echo '{_MARK}{block.line}'\n{block.commands}\n" for block in blocks)
    keep = {name: value for name, value in os.environ.items() if not name.startswith("TEKRAR_")}
    environment = keep | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "HOME": str(folder),
        "LC_ALL": "C",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    printed: dict[int, str] = {}
    for part in f"\n{done.stdout}".split(f"\n{_MARK}")[1:]:
        line, _, output = part.partition("\n")
        printed[int(line)] = output
    return printed, "" if done.returncode == 0 else f"exit status {done.returncode}\n{done.stderr}"


def missing_line(claimed: str, printed: str) -> str | None:
    """The first claimed line that the output does not hold after the lines before it, or None."""
    lines = iter(printed.splitlines())
    for claim in claimed.splitlines():
        if claim.strip() in ("", "…"):
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in claim.rstrip().split("…")))
        if not any(pattern.fullmatch(line.rstrip()) for line in lines):
            return claim
    return None
