"""The report page: one self-contained HTML document that shows what repeats and where.

It reads the artifact and its text release, decides nothing and issues no ID. The same artifact gives the
same bytes: no clock, host or path enters the page. Everything quoted is autoescaped and isolated, hidden
controls are shown as marks, and the page's policy forbids every connection.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import numpy as np

from tekrar.artifact.reader import Artifact, ArtifactProfile
from tekrar.artifact.schema import PROFILES
from tekrar.corpus.release_package import OpenRelease, open_release
from tekrar.errors import IntegrityError
from tekrar.view import report_charts, report_lists, report_spread
from tekrar.view.report_places import Places
from tekrar.view.report_text import lines_direction, marked, visible
from tekrar.view.stitch import Groups, joined, published_groups, stitch

#: Short name -> (title, what it compares) of the four profiles.
PROFILE_WORDS = {
    "FP": (
        "Whole paragraphs, full context",
        "Each paragraph against every other one, byte for byte, with headings, notes and note markers.",
    ),
    "FS": (
        "Sentence runs, full context",
        "Each run of 2 to 12 sentences inside a chapter against every other one, "
        "with headings, notes and note markers.",
    ),
    "PP": (
        "Whole paragraphs, prose only",
        "As whole paragraphs, but headings and note bodies are left out, "
        "and a note marker counts by its position, not its bytes.",
    ),
    "PS": (
        "Sentence runs, prose only",
        "As sentence runs, but headings and note bodies are left out, "
        "and a note marker counts by its position, not its bytes.",
    ),
}
#: The five parts with their names on the page and what they mean.
PARTS = (
    ("matched", "matched", "has at least one equal elsewhere, compared byte for byte"),
    ("evaluated_unique", "unique", "was compared with the whole universe and has no equal"),
    ("not_evaluated", "not evaluated", "was put off: nothing is known about it"),
    ("excluded", "excluded", "is left out by a rule of the profile, such as a heading under prose only"),
    ("failed", "failed", "could not be evaluated; a complete result has none"),
)


def open_pair(artifact: Path, release: Path) -> tuple[Artifact, OpenRelease]:
    """Open an artifact and the release it was built from.

    Raises:
        NotFoundError: nothing at a path.
        IntegrityError: a file of either differs from its digest, or the artifact was built from another
            release.
    """
    found = Artifact(artifact)
    opened = open_release(release)
    stated = opened.package_manifest["text_release"]
    if found.text_release != stated:
        raise IntegrityError(
            f"the artifact was built from text release {found.text_release}",
            where=str(artifact),
            expected=f"{stated}, the release at {release}",
            mend="give the release that the artifact was built from",
            kind="other_release",
        )
    found.package.check_transport()
    units = found.sentences
    same = np.array_equal(units["start"], opened.release.sentence_start)
    if not (same and np.array_equal(units["end"], opened.release.sentence_end)):
        raise IntegrityError(
            "the artifact counts other sentences than its release",
            where=f"{artifact}: units/sentences",
            expected="the sentences of the release",
            mend="verify the artifact, and build it again",
            kind="geometry",
        )
    return found, opened


def report_page(artifact: Artifact, opened: OpenRelease) -> tuple[bytes, dict[str, Any]]:
    """The page as UTF-8 bytes, and what it shows as a JSON record.

    Raises:
        IntegrityError: places that the artifact calls equal are not equal in the release.
    """
    facts = page_facts(artifact, opened)
    page = _environment().get_template("report.html.j2").render(facts).encode("utf-8")
    return page, {
        "artifact_root": facts["artifact_root"],
        "text_release": facts["text_release"],
        "bytes": len(page),
        "published_run_classes": len(facts["run_groups"].number),
        "stretches": facts["stretches_total"],
        "repeats": facts["repeats_total"],
        "repeats_shown": len(facts["repeats"]),
    }


def page_facts(artifact: Artifact, opened: OpenRelease) -> dict[str, Any]:
    """Everything the template draws."""
    release = opened.release
    places = Places(release)
    profiles = {short: artifact.profile(short) for short in PROFILES}
    groups = {
        short: published_groups(profile, paragraph_sentences=release.paragraph_sentence_start)
        for short, profile in profiles.items()
    }
    stitched = stitch(groups["FS"])
    lone = report_lists.lone_paragraphs(stitched.stretches, groups["FP"], places)
    repeats = report_lists.ranked([*stitched.stretches, *lone], places)
    shown = report_lists.stretch_views(repeats, places)
    spread = report_spread.recurrence([groups["FP"], groups["FS"]], places)
    books = _books(places, spread)
    for book, entries in zip(
        books, report_lists.book_entries(repeats, places, anchors=len(shown)), strict=True
    ):
        book |= entries
    return {
        **_title(artifact, opened),
        "coverage": [_coverage(short, profile) for short, profile in profiles.items()],
        "parts": PARTS,
        "heat": report_charts.heat_map(
            report_spread.matrix(joined(groups["FS"], groups["FP"]), places), places
        ),
        "books": books,
        "share": _share(places, spread.anywhere),
        "share_elsewhere": _share(places, spread.elsewhere),
        "histograms": _histograms(groups, profiles),
        "classes": {
            short: report_lists.largest_classes(profiles[short], groups[short], places)
            for short in ("FS", "FP")
        },
        "class_totals": {short: len(one.number) for short, one in groups.items()},
        "run_groups": groups["FS"],
        "repeats": shown,
        "repeats_total": len(repeats),
        "stretches_total": len(stitched.stretches),
        "all_pairs": stitched.all_pairs,
        "limits": {
            name: getattr(module, name)
            for module in (report_lists, report_spread)
            for name in dir(module)
            if name.isupper()
        },
        "chapter_name": places.chapter_name,
    }


def _title(artifact: Artifact, opened: OpenRelease) -> dict[str, Any]:
    return {
        "edition": opened.release.edition,
        "language": opened.release.language,
        "segmenter": opened.release.segmenter,
        "text_release": artifact.text_release,
        "artifact_root": artifact.artifact_root.hex(),
        "policy": artifact.manifest["policy"],
        "counts": opened.manifest,
        "partial": [short for short in PROFILES if artifact.profile(short).partial],
    }


def _coverage(short: str, profile: ArtifactProfile) -> dict[str, Any]:
    record = profile.manifest["coverage"]
    total = max(record["emitted"], 1)
    title, meaning = PROFILE_WORDS[short]
    widths, at = [], 0.0
    for key, label, _ in PARTS:
        width = 100 * record[key] / total
        widths.append((key, label, round(at, 3), round(width, 3), record[key]))
        at += width
    return {"short": short, "title": title, "meaning": meaning, "record": record, "bar": widths}


def _books(places: Places, spread: report_spread.Recurrence) -> list[dict[str, Any]]:
    found = []
    for book in range(len(places.release.book_chapters)):
        here = places.book_of == book
        shares = report_spread.strip(book, places, spread)
        found.append(
            {
                "ordinal": book,
                "name": places.book_name(book),
                "sentences": int(here.sum()),
                "share": _share(places, spread.anywhere, here),
                "share_elsewhere": _share(places, spread.elsewhere, here),
                "elsewhere": report_charts.strip_path(shares, which=0),
                "inside": report_charts.strip_path(shares, which=1),
                "bins": report_spread.BINS,
            }
        )
    return found


def _share(places: Places, flags: report_spread.Flags, within: report_spread.Flags | None = None) -> str:
    weight = places.release.sentence_end - places.release.sentence_start
    inside = np.ones(len(weight), bool) if within is None else within
    total = int(weight[inside].sum())
    return report_charts.percent(int(weight[inside & flags].sum()) / total if total else 0.0)


def _histograms(groups: dict[str, Groups], profiles: dict[str, ArtifactProfile]) -> list[dict[str, Any]]:
    lengths = [
        {
            "title": f"Length of classes in sentences, {short}",
            "label": "sentences",
            "bars": report_charts.length_bars(groups[short], runs=profiles[short].is_runs),
        }
        for short in ("FS", "PS")
    ]
    sizes = [
        {
            "title": f"Places of a class, {short}",
            "label": "places",
            "bars": report_charts.size_bars(groups[short]),
        }
        for short in ("FS", "FP")
    ]
    return [*lengths, *sizes]


def _number(value: int) -> str:
    return f"{value:,}"


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.PackageLoader("tekrar.view", "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": _number,
        "marked": marked,
        "visible": visible,
        "direction": lines_direction,
    }
    return environment
