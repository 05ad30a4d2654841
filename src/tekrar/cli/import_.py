"""`tekrar import`: a corpus file or folder becomes a text release (contracts C1, C9)."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tekrar.cli import arguments
from tekrar.cli.outcome import print_json, say, say_next
from tekrar.cli.outside import check_outside
from tekrar.cli.progress import Progress, progress
from tekrar.errors import EXIT_OK, SourceError, UsageError

if TYPE_CHECKING:
    from tekrar.corpus.folder import Listing
    from tekrar.corpus.imported import Imported
    from tekrar.corpus.release_package import ReleaseInfo
    from tekrar.corpus.sources import SourceText


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar import`."""
    parser.add_argument(
        "source",
        nargs="+",
        type=arguments.path,
        help="a file, a folder of files, or several files (plain or gzip)",
    )
    parser.add_argument("--out", required=True, type=arguments.path, metavar="RELEASE", help="folder to make")
    parser.add_argument(
        "--format",
        choices=("structured", "jsonl", "text", "markdown"),
        help="default: told by the content",
    )
    parser.add_argument(
        "--language", metavar="TAG", help="BCP 47 language; needed for JSON lines and text; structured: tr"
    )
    parser.add_argument(
        "--edition", metavar="NAME", help="name of this text version (default: the source's, else unnamed)"
    )
    parser.add_argument(
        "--order",
        type=arguments.path,
        metavar="FILE",
        help="book order: file names, one a line (default: byte order)",
    )
    parser.add_argument(
        "--ignore-sents", action="store_true", help="JSON lines: segment, though the source brings sentences"
    )


def run(args: argparse.Namespace) -> int:
    """Import and say what was imported."""
    from tekrar.corpus.release_package import write_release
    from tekrar.package.atomic import target_exists

    if args.edition is not None and not _is_name(args.edition):
        raise UsageError(
            "--edition is empty or not UTF-8",
            where=ascii(args.edition),
            expected="a name",
            mend="leave it out for `unnamed`",
        )
    check_outside(args.out, "--out")
    if args.out.exists() or args.out.is_symlink():
        raise target_exists(args.out)  # before a long read, not after it
    imported = read_corpus(args)
    with progress(args, "writing the release"):
        info = write_release(imported, args.out)
    record = summary(imported, info)
    if args.json:
        print_json(record)
    elif not args.quiet:
        say(*_told(record))
        if None not in record["datasets"].values():
            say_next("tekrar", "build", args.out, "--out", "artifact")
    return EXIT_OK


def _is_name(text: str) -> bool:
    return bool(text) and not any("\ud800" <= character <= "\udfff" for character in text)


def read_corpus(args: argparse.Namespace) -> Imported:
    """The import itself: which files, of which format, by which importer."""
    from tekrar.corpus.folder import list_sources
    from tekrar.corpus.sources import read_source

    listing = list_sources(args.source, order=args.order)
    with progress(args, "reading") as advance:
        files = []
        for number, path in enumerate(listing.files):
            advance(number, len(listing.files))
            files.append(read_source(path))
    importer = _IMPORTERS[args.format or format_of(files, place=args.source[0])]
    with progress(args, "importing") as advance:
        return importer(args, files, listing, advance)


def format_of(files: Sequence[SourceText], *, place: Path) -> str:
    """The one format of all files, by content.

    Raises:
        SourceError: two formats; a file of each is named.
    """
    from tekrar.corpus.detection import detect_format
    from tekrar.corpus.folder import two_formats

    found: dict[str, str] = {}
    for file in files:
        found.setdefault(detect_format(file.data, file.name), file.name)
    if len(found) > 1:
        raise two_formats(place, ", ".join(f"{kind} ({name})" for kind, name in sorted(found.items())))
    return next(iter(found))


def _structured(
    args: argparse.Namespace, files: Sequence[SourceText], listing: Listing, advance: Progress
) -> Imported:
    from dataclasses import replace

    from tekrar.corpus.imported import SourceFile
    from tekrar.corpus.structured import import_structured

    if len(files) > 1:
        raise SourceError(
            f"{len(files)} structured documents",
            where=files[1].name,
            expected="one document, which holds all books",
            mend="join the books in one document",
            kind="several_documents",
        )
    file = files[0]
    imported = import_structured(
        file.data,
        where=file.name,
        edition=args.edition,
        language=args.language,
        source=SourceFile(file.name, file.stored_bytes, file.sha256),
    )
    return replace(imported, unread=listing.unread)


def _jsonl(
    args: argparse.Namespace, files: Sequence[SourceText], listing: Listing, advance: Progress
) -> Imported:
    from tekrar.corpus.jsonl import import_jsonl

    return import_jsonl(
        files,
        edition=args.edition,
        language=args.language,
        unread=listing.unread,
        ignore_sents=args.ignore_sents,
        progress=advance,
    )


def _text(
    args: argparse.Namespace, files: Sequence[SourceText], listing: Listing, advance: Progress
) -> Imported:
    return _plain(args, files, listing, markdown=False)


def _markdown(
    args: argparse.Namespace, files: Sequence[SourceText], listing: Listing, advance: Progress
) -> Imported:
    return _plain(args, files, listing, markdown=True)


def _plain(
    args: argparse.Namespace, files: Sequence[SourceText], listing: Listing, *, markdown: bool
) -> Imported:
    from tekrar.corpus.plaintext import import_text

    return import_text(
        files, edition=args.edition, language=args.language, unread=listing.unread, markdown=markdown
    )


_IMPORTERS: dict[str, Callable[[argparse.Namespace, Sequence[SourceText], Listing, Progress], Imported]] = {
    "structured": _structured,
    "jsonl": _jsonl,
    "text": _text,
    "markdown": _markdown,
}


def summary(imported: Imported, info: ReleaseInfo) -> dict[str, Any]:
    """What was imported, as one record."""
    from tekrar.core.policy import scope_policy

    core = info.manifest["core_release_manifest"]
    policy = scope_policy(core["language"])
    markers = imported.release.datasets.get("note_markers")
    return {
        "release": str(info.path),
        "text_release": info.manifest["text_release"],
        "edition": info.manifest["edition"],
        "language": core["language"],
        "certified_digest": core["certified_digest"],
        "core_release_manifest_root": info.manifest["core_release_manifest_root"],
        "importer": imported.importer,
        "segmenter": core["segmenter"],
        "policy": policy.name,
        "policy_digest": policy.digest.hex(),
        "counts": {key: core[key] for key in ("books", "chapters", "paragraphs", "sentences", "bytes")},
        "datasets": {kind: row and row["spans"] for kind, row in info.manifest["datasets"].items()},
        "source_gaps": 0 if markers is None else int(markers.status.sum()),
        "sources": len(imported.sources),
        "unread": list(imported.unread),
    }


def _told(record: dict[str, Any]) -> list[str]:
    from tekrar.view.plain import counted

    counts = record["counts"]
    holds = (counted(n, name.removesuffix("s"), name, form=",") for name, n in counts.items())
    files = "1 file" if record["sources"] == 1 else f"{record['sources']} files"
    lines = [
        f"{record['release']}: text release {record['text_release']}",
        f"  edition       {record['edition']}",
        f"  language      {record['language']}, scope policy {record['policy']}",
        f"  source        {files}, {record['importer']}",
        f"  sentences     {_segmented(record['segmenter'])}",
        "  holds         " + ", ".join(holds),
        f"  certified     {record['certified_digest']}",
        f"  manifest      {record['core_release_manifest_root']}",
    ]
    for kind, spans in record["datasets"].items():
        label = kind.replace("_", " ")
        if spans is None:
            lines.append(f"  {label:<12}  MISSING: a build of this release will be refused")
        else:
            gaps = record["source_gaps"] if kind == "note_markers" else 0
            noted = f", of which {gaps:,} without a note (source_gap)" if gaps else ""
            lines.append(f"  {label:<12}  {spans:,}{noted}")
    if record["unread"]:
        lines.append(f"  not read      {', '.join(record['unread'])}")
    if not counts["sentences"]:
        lines.append("  The source holds no sentence; the release is complete and empty.")
    return lines


def _segmented(segmenter: str) -> str:
    return "as the source gives them" if segmenter == "source" else f"cut by {segmenter}"
