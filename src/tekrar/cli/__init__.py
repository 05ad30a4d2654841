"""The command line: one table of verbs, one place where errors become messages and exit statuses.

Only the module of the verb that is used is imported, for starting is part of what `tekrar build` is measured
by. This module itself imports next to nothing, so that a Ctrl-C finds `main` at work as early as can be.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Final, NoReturn

    from tekrar.cli.parser import Parser

#: verb -> (module, what it does); the order of the help.
VERBS: Final[dict[str, tuple[str, str]]] = {
    "import": ("tekrar.cli.import_", "make a text release from a corpus file or folder"),
    "reconstruct": ("tekrar.cli.reconstruct", "give back the exact bytes of a text release"),
    "build": ("tekrar.cli.build", "find and prove every exact repetition of a release"),
    "verify": ("tekrar.cli.verify", "recompute an artifact from its release and compare"),
    "prove": ("tekrar.cli.prove", "write the inclusion proof of one occurrence"),
    "check-proof": ("tekrar.cli.check_proof", "check an inclusion proof without the artifact"),
    "show": ("tekrar.cli.show", "show an occurrence, its status and its class"),
    "classes": ("tekrar.cli.classes", "list exact classes"),
    "coverage": ("tekrar.cli.coverage", "show what was enumerated, excluded, matched, unique"),
    "diff-artifacts": ("tekrar.cli.diff_artifacts", "say what differs between two artifacts, and why"),
    "diff": ("tekrar.cli.diff", "show exactly how two passages differ, or verify a diff"),
    "candidates": ("tekrar.cli.candidates", "find what is nearly the same, for people to judge"),
    "find": ("tekrar.cli.find", "say where a passage occurs, exactly or nearly"),
    "report": ("tekrar.cli.report", "write a page that shows what repeats"),
    "db": ("tekrar.cli.db", "start, stop, migrate, back up the database"),
    "load": ("tekrar.cli.load", "bring an artifact and its text, or candidates, into the database"),
    "publish": ("tekrar.cli.publish", "make profiles of a loaded artifact visible, whole or not at all"),
    "releases": ("tekrar.cli.releases", "list the published releases"),
    "release": ("tekrar.cli.release", "show what a published release binds, or its coverage"),
    "withdraw": ("tekrar.cli.withdraw", "withdraw a release by an integrity incident"),
    "status": ("tekrar.cli.status", "say the status of an occurrence under a release"),
    "why": ("tekrar.cli.why", "say how that status came about"),
    "occurrence": ("tekrar.cli.occurrence", "show an occurrence of a release, with its exact bytes"),
    "duplicates": ("tekrar.cli.duplicates", "list the equal occurrences of a class under a release"),
    "repeats": ("tekrar.cli.repeats", "say where a passage recurs in a release, in every layer"),
    "unresolved": ("tekrar.cli.unresolved", "list evidence of a release that no decision took up"),
    "propose": ("tekrar.cli.propose", "propose families, quotations, choices and corrections"),
    "policies": ("tekrar.cli.policies", "register and show the texts of choice policies"),
    "proposals": ("tekrar.cli.proposals", "list proposals, or show one with texts and diffs"),
    "drafts": ("tekrar.cli.drafts", "keep what one is still writing, version by version"),
    "review": ("tekrar.cli.review", "approve or reject proposals, or request changes"),
    "apply": ("tekrar.cli.apply", "apply approved proposals"),
    "history": ("tekrar.cli.history", "tell what was decided of an ID"),
    "resolve": ("tekrar.cli.resolve", "say what an ID of curation names, and what took its place"),
    "crosswalk": ("tekrar.cli.crosswalk", "record and list the names that others gave to structures"),
    "families": ("tekrar.cli.families", "list the families of a release, or the members of one"),
    "quotations": ("tekrar.cli.quotations", "list the quotations of a release"),
    "choices": ("tekrar.cli.choices", "list the canonical choices of a release"),
    "canonical": ("tekrar.cli.canonical", "name the canonical occurrence under a policy"),
    "agreement": ("tekrar.cli.agreement", "say how far two people agree"),
    "ledger": ("tekrar.cli.ledger", "export, replay or verify the ledger"),
    "rebuild": ("tekrar.cli.rebuild", "rebuild everything in a fresh database and compare all roots"),
    "actor": ("tekrar.cli.actor", "name an actor"),
    "grant": ("tekrar.cli.grant", "grant a role to an actor, or list the grants"),
    "revoke": ("tekrar.cli.revoke", "revoke a grant"),
    "freeze": ("tekrar.cli.freeze", "refuse what was prepared for publication before"),
    "demo": ("tekrar.cli.demo", "run everything on a real corpus"),
    "completion": ("tekrar.cli.completion", "print a shell completion script"),
}
#: Verbs whose answer goes to standard output and nowhere else.
ANSWERING: Final = ("show", "classes", "coverage", "diff-artifacts", "find", "completion")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: words after the program's name; the process's own when None.

    Returns:
        The exit status (`docs/errors.md`).
    """
    try:
        return _run(argv)
    except KeyboardInterrupt as stop:
        from tekrar.cli.signals import stopped_early

        return stopped_early(stop)


def _run(argv: Sequence[str] | None) -> int:
    from tekrar.cli.signals import Signals

    signals = Signals()
    if argv is None:
        signals.watch()
        if sys.getfilesystemencoding() != "utf-8":
            _start_again_in_utf8()
    from tekrar.cli.outcome import run_guarded

    words = list(sys.argv[1:] if argv is None else argv)
    status = run_guarded(
        lambda: _dispatch(words), json_wanted="--json" in words, received=lambda: signals.received
    )
    signals.end()
    return status


def _start_again_in_utf8() -> NoReturn:
    """Replace the process by itself in UTF-8 mode.

    No locale decides what the bytes of a word mean (REB-05).
    """
    import os

    os.execv(sys.executable, [sys.orig_argv[0], "-X", "utf8", *sys.orig_argv[1:]])


def _dispatch(words: list[str]) -> int:
    from tekrar.errors import EXIT_OK

    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return EXIT_OK
    if words[0] in ("-V", "--version"):
        from tekrar import __version__

        print(f"tekrar {__version__}")
        return EXIT_OK
    verb = words[0]
    module = verb_module(verb)
    given = module.as_given(words[1:]) if hasattr(module, "as_given") else words[1:]
    args = verb_parser(verb, module).parse_args(given)
    if verb in ANSWERING or getattr(args, "out", verb) is None:
        from tekrar.cli.streams import require_stdout

        require_stdout()
    status = module.run(args)
    return EXIT_OK if status is None else int(status)


def verb_module(verb: str) -> ModuleType:
    """The module of a verb.

    Raises:
        UsageError: an unknown verb; near ones are named.
    """
    import importlib

    if verb not in VERBS:
        import difflib

        from tekrar.errors import UsageError

        near = difflib.get_close_matches(verb, VERBS, n=3, cutoff=0.5)
        raise UsageError(
            f"unknown verb {verb!r}",
            expected=" or ".join(near) if near else ", ".join(VERBS),
            mend="tekrar --help",
            kind="unknown_verb",
        )
    return importlib.import_module(VERBS[verb][0])


def verb_parser(verb: str, module: ModuleType) -> Parser:
    """The parser of one verb, common options included."""
    from tekrar.cli.parser import Parser

    parser = Parser(prog=f"tekrar {verb}", description=VERBS[verb][1], allow_abbrev=False)
    fill_parser(parser, module)
    return parser


def fill_parser(parser: argparse.ArgumentParser, module: ModuleType) -> None:
    """Give a parser a verb's arguments and the common options."""
    module.add_arguments(parser)
    parser.add_argument(
        "--json", action="store_true", help="machine-readable output; the last line is one object"
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing but results and errors")


def overview() -> str:
    """The help that lists all verbs."""
    from tekrar.settings import VARIABLES

    width = max(map(len, [*VERBS, *VARIABLES]))
    lines = [
        "usage: tekrar VERB [options]",
        "",
        "Finds, proves and publishes exact repeated passages in immutable text corpora.",
        "",
        *(f"  {verb:<{width}}  {text}" for verb, (_, text) in VERBS.items()),
        "",
        "Environment:",
        *(f"  {name:<{width}}  {text}" for name, text in VARIABLES.items()),
        "",
        "tekrar VERB --help describes a verb; tekrar --version prints the version.",
        "Exit statuses are listed in docs/errors.md.",
    ]
    return "\n".join(lines)
