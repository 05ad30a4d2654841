"""`tekrar propose`: make actions of lines that people wrote, judge all of them, and submit them together."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tekrar.cli import arguments
from tekrar.cli.curation import note_argument, note_of
from tekrar.cli.database import acting, actor_argument, database_argument
from tekrar.cli.outcome import print_json, say, say_next
from tekrar.core.curation.vocabulary import REVIEW_POLICIES
from tekrar.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from tekrar.store.curation.foreseen import Foreseen
    from tekrar.store.curation.human_lines import HumanLine
    from tekrar.store.curation.propose import Drafted
    from tekrar.store.curation.workflow import EditConflictError
    from tekrar.store.session import Connection

KINDS: Final = (
    "near_exact", "variant", "verbatim_quotation", "adapted_quotation", "formulaic_reuse", "source_uncertain",
)  # fmt: skip
_FORESEEN: Final = {
    "already_submitted": "was submitted already",
    "edit_conflict": "is the newest of the draft: --revises names the one that is edited",
    "draft_closed": "was applied: the draft takes no more revisions",
}
#: Candidates that one command may propose of.
MOST: Final = 10_000
_RANGE: Final = re.compile(r"([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?", re.ASCII)


#: What `--help` says of lines; a test holds it to the keys that are read.
LINES: Final = """\
A line is one JSON object: "operation", "rationale", and
  accept_family            "kind" (near_exact, variant), "members"
  accept_quotation         "kind" (verbatim_quotation, adapted_quotation, formulaic_reuse, source_uncertain),
                           "source", "quoting", "attribution"; perhaps "mapping", "diff"
  choose_canonical         "structure", "member", "policy"; perhaps "supersedes"
  compensate_choice        "choice", "reason"
  override_false_positive  "candidate"
  replace, split, merge, restructure
                           "predecessors", "successors", "reason"; perhaps "mapping", "residue"
  retire                   "predecessors", "reason"
Any line may name its "release" or "profile", its "draft" and the revision of it that it "revises",
"candidates", "evidence", and the "policy_of_review" that says how many must approve it; what a dominated
class is in says "allow_dominated". A member is an ID, an address such as "liman/1/p1", or a side of a
candidate, {"candidate": 1, "side": "left"}. An end of a quotation may be part of an occurrence,
{"occurrence": …, "text": "its words"} or {"occurrence": …, "words": "3-7"}. A "policy" is the "name" and
"version" of one that is registered (tekrar policies). For example:
  {"operation": "accept_family", "kind": "variant", "members": ["liman/1/p3", "tarla/1/p3"],
   "rationale": "why"}, all on one line.
docs/curation.md tells all of it.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar propose`."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, LINES
    parser.add_argument(
        "file", nargs="?", metavar="FILE|-", help="JSON lines, one proposal a line; - reads standard input"
    )
    parser.add_argument(
        "--from-candidates", type=arguments.path, metavar="CANDIDATES",
        help="propose of candidates of this package, one proposal each, instead of a FILE",
    )  # fmt: skip
    parser.add_argument(
        "--from-draft", type=arguments.words, metavar="NAME",
        help="propose what this draft of one's own says (tekrar drafts), as its next revision",
    )  # fmt: skip
    parser.add_argument("--ranks", metavar="N-M,…", help="which of them, by rank")
    parser.add_argument("--kind", choices=KINDS, help="what each of them is")
    note_argument(parser, "--rationale", help="why, for each of them (Markdown)")
    note_argument(parser, "--attribution", help="of quotations: where the source is known from")
    parser.add_argument(
        "--candidates", type=arguments.path, metavar="CANDIDATES", help="package of the ranks that FILE names"
    )
    parser.add_argument("--release", metavar="RELEASE", help="the published release that lines are about")
    parser.add_argument(
        "--profile", choices=("FP", "FS", "PP", "PS"), default="FP",
        help="without --release: the profile whose only visible release is meant (default FP)",
    )  # fmt: skip
    parser.add_argument(
        "--draft", type=arguments.words, metavar="NAME", help="the draft that a single line is a revision of"
    )
    parser.add_argument(
        "--revises", type=arguments.words, metavar="N|DIGEST",
        help="the revision of the draft that the line edits: needed where the draft was submitted before",
    )  # fmt: skip
    parser.add_argument(
        "--review-policy", choices=REVIEW_POLICIES, default=REVIEW_POLICIES[0],
        help="how many others must approve, of lines that name no policy_of_review (default.v1: one)",
    )  # fmt: skip
    parser.add_argument(
        "--dry-run", action="store_true", help="print actions and digests, and submit nothing"
    )
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Draft, judge, submit, and say what reviews must name."""
    from tekrar.store.curation.foreseen import foresee
    from tekrar.store.curation.propose import Wording, draft_lines, submit_all
    from tekrar.store.curation.workflow import EditConflictError

    _one_source(args)
    lines, name, folder = ([], "", Path()) if args.from_draft is not None else _lines(args)
    version: int | None = None
    package = args.from_candidates or args.candidates
    with acting(args) as (connection, actor):
        if args.from_draft is not None:
            lines, name, version = _saved(connection, args.from_draft, actor)
        wording = Wording(
            name=name,
            read_file=lambda word: _beside(folder, word),
            ranked=None if package is None else _Ranks(package),
            release=args.release,
            profile=args.profile,
            draft=args.draft if args.from_draft is None else args.from_draft,
            revises=args.revises,
            version=version,
            review_policy=args.review_policy,
        )
        drafted = draft_lines(connection, lines, wording, actor=actor)
        if args.dry_run:
            return _dry(args, drafted, foresee(connection, drafted, actor=actor))
        try:
            done = submit_all(connection, drafted, actor=actor)
        except EditConflictError as error:
            raise _conflict(args, error, single=len(drafted) == 1) from error
    if args.json:
        for one in done:
            print_json(one.as_record())
        submitted = sum(one.outcome == "submitted" for one in done)
        print_json({"proposals": [one.proposal for one in done], "submitted": submitted})
        return EXIT_OK
    for one in done:
        again = "" if one.outcome == "submitted" else "  was submitted already"
        say(f"{one.proposal}  {one.operation}{again}")
    if not args.quiet:
        for one in done:
            if one.revision > 1 and one.outcome == "submitted":
                say(f"draft {one.draft}: revision {one.revision}; reviews of earlier ones count no more")
        say(f"{len(done)} proposals; nothing is decided before somebody else reviews them")
        say_next("tekrar", "proposals", "show", done[0].proposal)
    return EXIT_OK


def _dry(args: argparse.Namespace, drafted: list[Drafted], foreseen: list[Foreseen]) -> int:
    for one, next_ in zip(drafted, foreseen, strict=True):
        if args.json:
            print_json({**one.as_record(), **next_.as_record()})
            continue
        words = [next_.proposal or "unknown (no --as)", one.line.operation, f"draft {one.draft}"]
        words += [] if next_.revision is None else [f"revision {next_.revision}"]
        words += [_FORESEEN[next_.outcome]] if next_.outcome in _FORESEEN else []
        say("  ".join(words), f"action {one.digest}", one.action.decode("utf-8"))
    if args.json:
        print_json({"drafted": len(drafted), "submitted": 0})
    elif not args.quiet:
        say(f"{len(drafted)} proposals would be submitted; nothing was written", file=sys.stderr)
    return EXIT_OK


def _one_source(args: argparse.Namespace) -> None:
    if [args.file, args.from_candidates, args.from_draft].count(None) != 2:
        raise UsageError(
            "one source of proposals is needed",
            expected="FILE, or - , or --from-candidates CANDIDATES, or --from-draft NAME",
            mend="tekrar propose --help",
            kind="bad_arguments",
        )
    own = [one for one in ("ranks", "kind", "rationale", "attribution") if getattr(args, one) is not None]
    if own and args.from_candidates is None:
        raise UsageError(
            f"--{own[0]} goes with --from-candidates",
            expected="the same word in each line",
            kind="bad_arguments",
        )
    if args.draft is not None and args.from_draft is not None:
        raise UsageError(
            "--from-draft names the draft already", mend="leave --draft away", kind="bad_arguments"
        )


def _conflict(args: argparse.Namespace, error: EditConflictError, *, single: bool) -> EditConflictError:
    """Show both sides, and name the words that submit what was brought together."""
    from tekrar.cli.drafts import show_both

    if error.theirs:
        show_both(error, json=args.json)
    again = ["tekrar", "propose"]
    if args.from_draft is not None:
        again += ["--from-draft", args.from_draft]
    elif args.from_candidates is not None:
        again += ["FILE", "--draft", error.draft]
    else:
        again += [args.file, "--draft", error.draft]
    error.expected = f"{error.of} {error.version}, read and edited" if error.version else "no revision"
    if error.of == "version":
        error.mend = f"tekrar drafts show {shlex.quote(error.draft)}; then {shlex.join(again)}"
    elif error.version == 0:
        error.mend = "leave --revises away, or name the draft that was submitted (tekrar proposals list)"
    elif single:
        error.mend = f"bring both together; {shlex.join([*again, '--revises', str(error.version)])}"
    else:
        named = json.dumps({"draft": error.draft, "revises": error.version}, ensure_ascii=False)[1:-1]
        error.mend = f"bring both together; write {named} into line {error.line}"
    if not single:
        error.where = f"line {error.line}" + (f", {error.where}" if error.where else "")
    return error


def _saved(connection: Connection, name: str, actor: str | None) -> tuple[list[HumanLine], str, int]:
    """The line of a draft at its newest version, what messages call it, and that version; files that it names
    with @ stand in the current folder."""
    from tekrar.cli.drafts import draft_named
    from tekrar.store.curation.human_lines import read_lines

    one = draft_named(connection, name, None, actor=actor)
    shown = f"draft {name} version {one.version}"
    return read_lines(one.document, name=shown), shown, one.version


def _lines(args: argparse.Namespace) -> tuple[list[HumanLine], str, Path]:
    """The lines, the name of their file, and the folder that files they name stand in."""
    from tekrar.store.curation.human_lines import MOST_FILE, read_lines

    if args.from_candidates is not None:
        return _of_candidates(args), f"{args.from_candidates}", Path()
    if args.file == "-":
        return (
            read_lines(sys.stdin.buffer.read(MOST_FILE + 1), name="standard input"),
            "standard input",
            Path(),
        )
    from tekrar.package.storage import regular_bytes

    path = arguments.path(args.file)
    return read_lines(regular_bytes(path, limit=MOST_FILE), name=str(path)), str(path), path.parent


def _of_candidates(args: argparse.Namespace) -> list[HumanLine]:
    from tekrar.store.curation.propose import from_candidates

    for one in ("ranks", "kind", "rationale"):
        if getattr(args, one) is None:
            raise UsageError(
                f"--{one} is needed: what the candidates are, and why, is somebody's word",
                mend="give --ranks 1-20 --kind variant --rationale TEXT",
                kind="bad_arguments",
            )
    ranks = _ranks(args.ranks)
    named = _Ranks(args.from_candidates)
    return from_candidates(
        [named(rank) for rank in ranks],
        kind=args.kind,
        rationale=note_of(args.rationale, option="--rationale"),
        attribution=note_of(args.attribution or "", option="--attribution"),
    )


def _ranks(text: str) -> list[int]:
    ranks: dict[int, None] = {}
    for part in text.split(","):
        found = _RANGE.fullmatch(part)
        low = int(found[1]) if found else 0
        high = int(found[2] or low) if found else 0
        if not 1 <= low <= high or high - low >= MOST:
            raise UsageError(
                f"{part[:40]!r} is no range of ranks",
                where="--ranks",
                expected=f"such as 1-20,25; at most {MOST:,} candidates",
                kind="bad_arguments",
            )
        ranks.update(dict.fromkeys(range(low, high + 1)))
    if len(ranks) > MOST:
        raise UsageError(f"{len(ranks)} candidates", expected=f"at most {MOST:,}", kind="bad_arguments")
    return list(ranks)


class _Ranks:
    """UUIDs of the candidates of a package by rank, opened when the first is asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ids: list[bytes] | None = None

    def __call__(self, rank: int) -> str:
        from tekrar.core.identity import uuid_text
        from tekrar.errors import NotFoundError

        if self._ids is None:
            from tekrar.candidates.stored import open_stored

            self._ids = [one.id for one in open_stored(self._path).candidates]
        if not 1 <= rank <= len(self._ids):
            raise NotFoundError(
                f"no candidate of rank {rank}",
                where=str(self._path),
                expected=f"a rank from 1 to {len(self._ids)}",
                mend="tekrar candidates list",
                kind="no_such_candidate",
            )
        return uuid_text(self._ids[rank - 1])


def _beside(folder: Path, word: str) -> bytes:
    """Bytes of a file beside the proposals. A line may come from elsewhere, so it names no other place."""
    from tekrar.cli.curation import MOST_WORDS
    from tekrar.package.storage import regular_bytes

    path = folder / word
    here = folder.resolve()
    if "\0" in word or not path.resolve().is_relative_to(here):
        raise UsageError(
            f"@{word[:80]} leads out of the folder of the proposals",
            where=str(here),
            expected="a file in this folder or below it",
            mend="put the file there",
            kind="outside_folder",
        )
    return regular_bytes(path, limit=MOST_WORDS)
