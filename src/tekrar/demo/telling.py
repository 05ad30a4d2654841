"""The demo's words on the terminal. Every number and every text in them is handed in; none is known here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tekrar.demo.findings import Findings, Repetition
from tekrar.demo.sample import Line
from tekrar.view import plain
from tekrar.view.open import Corpus

PLACES_SHOWN: Final = 3
TEXT_SHOWN: Final = 76
MEANING: Final = {
    "FP": "whole paragraphs, everything compared",
    "FS": "runs of 2 to 12 sentences, everything compared",
    "PP": "whole paragraphs; nothing with a heading or note in it, note numbers masked",
    "PS": "runs of 2 to 12 sentences; nothing with a heading or note in it, note numbers masked",
}


def counted(corpus: Corpus) -> list[str]:
    """What the artifact counts, profile by profile."""
    release = corpus.release
    lines = [
        ", ".join(
            plain.counted(count, one, f"{one}s", form=",")
            for count, one in (
                (len(release.labels.book), "book"),
                (len(release.chapter_paragraphs), "chapter"),
                (len(release.paragraph_sentences), "paragraph"),
                (len(release.sentence_start), "sentence"),
            )
        ),
        "",
    ]
    for short, meaning in MEANING.items():
        record = corpus.view(short).coverage
        lines += [
            f"{short}  {meaning}",
            f"    {record['emitted']:,} enumerated, {record['excluded']:,} excluded with a reason, "
            f"{plain.counted(record['published_classes'], 'repetition', 'repetitions', form=',')} published: "
            f"{record['exact_status']}",
        ]
    return lines


def found(findings: Findings) -> list[str]:
    """What repeats in the corpus."""
    lines = ["", "Longest repeated runs of sentences:"]
    for item in findings.longest:
        lines += [f"  {item.length} sentences  {_places(item)}", f"      {excerpt(item.text)}"]
    lines += ["", "Most repeated whole paragraphs:"]
    for item in findings.frequent:
        lines += [f"  {len(item.places)} times  {_places(item)}", f"      {excerpt(item.text)}"]
    lines += ["", "Chapters that have most paragraphs in common, byte for byte:"]
    for pair in findings.parallels:
        size = f"{pair.bytes:,} bytes; such as {pair.address}"
        lines.append(f"  {pair.paragraphs:>3}  {pair.left} ∥ {pair.right}  ({size})")
    if not (findings.longest or findings.frequent):
        lines.append("  Nothing repeats exactly.")
    return lines


def _places(item: Repetition) -> str:
    shown = " ∥ ".join(item.places[:PLACES_SHOWN])
    rest = len(item.places) - PLACES_SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


def excerpt(text: str) -> str:
    """A text on one line, short enough for a terminal."""
    line = text.replace("\n\n", " ¶ ").replace("\n", " ")
    return f"“{line}”" if len(line) <= TEXT_SHOWN else f"“{line[:TEXT_SHOWN].rstrip()}…”"


def explained(line: Line) -> list[str]:
    """One paragraph of the sample; profiles that say the same share a line."""
    told = ["", f"{line.address}  {excerpt(line.text) if line.text else '(empty)'}"]
    if line.look:
        told.append(f"    ({line.look})")
    for pair in (("FP", "PP"), ("FS", "PS")):
        left, right = (line.verdicts[short] for short in pair)
        if left == right:
            told.append(f"    {' '.join(pair)}  {left}")
        else:
            told += [f"    {short:<5}  {line.verdicts[short]}" for short in pair]
    return told


def published(record: Mapping[str, Any]) -> list[str]:
    """The published release and what it answers, each answer behind the command that asks for it.

    Args:
        record: `published` of the demo's JSON record, not None.
    """
    if "missing" in record:
        return ["", f"Nothing was published: {record['missing']}.", f"  To mend it: {record['mend']}"]
    lines = ["", "Published, all four in one transaction, by a PostgreSQL server of the demo's own:"]
    lines += [f"  {short}  {release}" for short, release in record["releases"].items()]
    lines += ["", f"Asked of the release, as any reader may ask, about {record['address']}:"]
    for name, answer in (
        ("status", [_status(record["status"])]),
        ("duplicates", _members(record["duplicates"])),
        ("coverage", [_coverage(record["coverage"])]),
        ("why", record["why"]["account"][:1]),
    ):
        lines += [f"  {record['questions'][name]}", *(f"      {line}" for line in answer)]
    return lines


def _status(found: Mapping[str, Any]) -> str:
    shown = f", {found['presentation']}" if found["presentation"] else ""
    return f"{found['status']}{shown}: {found['size']} equal occurrences in {found['short']}"


def _members(found: Mapping[str, Any]) -> list[str]:
    shown = found["members"][:PLACES_SHOWN]
    lines = [
        f"bytes {one['start_byte']:,} to {one['end_byte']:,}, in {one['book_label']}: {one['occurrence']}"
        for one in shown
    ]
    rest = found["size"] - len(shown)
    return [*lines, f"and {rest} more"] if rest > 0 else lines


def _coverage(found: Mapping[str, Any]) -> str:
    parts = ("matched", "evaluated_unique", "excluded", "not_evaluated", "failed")
    counted = found["counted"]
    told = ", ".join(
        f"{counted[part]:,} {part.removeprefix('evaluated_').replace('_', ' ')}" for part in parts
    )
    return f"{found['exact_status']}: {told}, of {counted['emitted']:,} enumerated"


def ending(record: Mapping[str, Any], *, activate: str) -> list[str]:
    """How long it took, where things are, and what to do next.

    Args:
        record: the demo's JSON record.
        activate: what puts `tekrar` on the path, or "" where it is.
    """
    lines = [
        "",
        f"Took {record['seconds']:.1f} s, verification included; artifact root {record['artifact_root']}",
        f"Report: {record['report']} (open it in a browser; it needs no network)",
        f"Next, after `{activate}`:" if activate else "Next:",
        *(f"  {command}" for command in record["next"]),
    ]
    database = record["published"]
    if database and "next" in database:
        lines.append(
            "And of what is published; the first command starts the demo's server, the last stops it:"
        )
        lines += [f"  {command}" for command in (*database["environment"], *database["next"])]
    return lines
