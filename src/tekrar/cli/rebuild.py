"""`tekrar rebuild --check`: a clean rebuild from source releases, evidence and ledger (REB-01)."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tekrar.cli import arguments
from tekrar.cli.database import actor_argument, database_argument, say, settings_of
from tekrar.cli.typed import Typed
from tekrar.errors import IntegrityError, UsageError
from tekrar.settings import with_url

if TYPE_CHECKING:
    from tekrar.settings import Settings
    from tekrar.store.curation.compared import Difference


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar rebuild`."""
    parser.add_argument(
        "release", nargs="+", type=arguments.path, metavar="RELEASE",
        help="text releases, as `tekrar import` made them: all that are loaded",
    )  # fmt: skip
    parser.add_argument(
        "--check", action="store_true", required=True,
        help="compare with the database, and change nothing in it; the one way there is",
    )  # fmt: skip
    parser.add_argument(
        "--workers",
        type=arguments.number(0, 256),
        metavar="N",
        help="processes of builds (0 = one a processor)",
    )
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Build everything anew beside the database, replay its ledger, compare every root, clean up."""
    from tekrar.store.curation.compared import compare
    from tekrar.store.curation.scratch import scratch_database
    from tekrar.store.permission import require_role
    from tekrar.store.roles import Role
    from tekrar.store.session import connect

    settings = settings_of(args)
    typed = Typed(silent=args.quiet or args.json)
    with _folder() as folder:
        wanted = _wanted(args, settings)
        ledger = folder / "ledger.jsonl"
        _export(args, settings, typed, ledger)
        with scratch_database(settings) as url:
            for number, (release, artifacts, sets) in enumerate(wanted):
                _again(args, typed, folder / str(number), release, artifacts, sets, url)
            typed.run("ledger", "replay", str(ledger), "--database-url", url)
            with (
                connect(settings, administrator=True) as stored,
                connect(with_url(settings, url, named="--database-url")) as rebuilt,
            ):
                require_role(stored, Role.OWNER)
                counts, differences = compare(stored, rebuilt)
    if differences:
        raise _differs(differences)
    record: dict[str, Any] = {"outcome": "equal", "compared": counts}
    words = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return say(args, record, f"everything was made again and is equal: {words}")


def _export(args: argparse.Namespace, settings: Settings, typed: Typed, ledger: Path) -> None:
    """The ledger as it stands. The login of a URL may be the owner, as the rest needs it, and so is no
    actor's."""
    if settings.database_url is None:
        acting = ["--as", args.acting] if args.acting else []
        typed.run("ledger", "export", "--out", str(ledger), *acting)
        return
    from tekrar.cli.ledger import write_lines
    from tekrar.store.curation.ledger import export_ledger
    from tekrar.store.roles import Role
    from tekrar.store.session import connect

    with connect(settings) as connection:
        write_lines(ledger, export_ledger(connection, actor=None, role=Role.OWNER))


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder of one's own for packages and ledger, removed at the end; those that a killed run left are
    removed first."""
    from tekrar.package.storage import storing
    from tekrar.package.temporary import TemporaryFolder

    target = Path(os.path.abspath(tempfile.gettempdir()), "tekrar-rebuild")
    with storing(target):
        made = TemporaryFolder(target)
    try:
        os.chmod(made.path, 0o700)
        yield made.path
    finally:
        made.remove()


def _wanted(args: argparse.Namespace, settings: Settings) -> list[tuple[Path, set[str], set[str]]]:
    """Of each text release that is loaded: its package, roots of its artifacts, and of their candidates."""
    from tekrar.core.identity import uuid_text
    from tekrar.corpus.release_package import open_release
    from tekrar.store.curation.stored_inputs import stored_inputs
    from tekrar.store.session import connect

    with connect(settings, administrator=True) as connection:
        loaded = stored_inputs(connection)
    packages: dict[tuple[str, str], Path] = {}
    for path in args.release:
        opened = open_release(path)
        packages[uuid_text(opened.id), opened.manifest_root.hex()] = path
    missing = [one.text_release for one in loaded if (one.text_release, one.manifest_root) not in packages]
    if missing:
        raise UsageError(
            f"{len(missing)} text releases of the database are not given",
            where=", ".join(missing[:8]),
            expected="the package of every text release that is loaded",
            mend="name them all: tekrar rebuild --check RELEASE…",
            kind="release_needed",
        )
    return [
        (packages[one.text_release, one.manifest_root], set(one.artifacts), set(one.candidates))
        for one in loaded
    ]


def _again(
    args: argparse.Namespace,
    typed: Typed,
    folder: Path,
    release: Path,
    artifacts: set[str],
    sets: set[str],
    url: str,
) -> None:
    """Build, find and load again what hangs on one text release."""
    workers = [] if args.workers is None else ["--workers", str(args.workers)]
    if not artifacts:
        raise IntegrityError(
            "a text release is loaded without an artifact",
            where=str(release),
            expected="an artifact of it",
            kind="rebuild_differs",
        )
    folder.mkdir()
    artifact, found = folder / "artifact", folder / "candidates"
    typed.run("build", str(release), "--out", str(artifact), *workers)
    from tekrar.artifact import Artifact

    _equal("artifact", {Artifact(artifact).artifact_root.hex()}, artifacts, release)
    typed.run("load", str(artifact), "--release", str(release), "--database-url", url)
    if sets:
        from tekrar.candidates.stored import open_stored

        typed.run(
            "candidates", "build", str(artifact), "--release", str(release), "--out", str(found), *workers
        )
        _equal("candidates", {open_stored(found).root}, sets, release)
        typed.run("load", str(found), "--database-url", url)


def _equal(what: str, found: set[str], expected: set[str], release: Path) -> None:
    if found != expected:
        raise IntegrityError(
            f"the {what} of {release} were made with another root",
            where=", ".join(sorted(found)),
            expected=", ".join(sorted(expected)),
            mend="rebuild with the version and options that made what is loaded",
            kind="rebuild_differs",
        )


def _differs(differences: list[Difference]) -> IntegrityError:
    first = differences[0]
    return IntegrityError(
        f"the rebuild differs in {', '.join(one.what for one in differences)}",
        where=f"{first.what}: {first.found or 'no row'}",
        expected=first.expected or "no row",
        mend="tekrar release verify --all names every row that the ledger does not explain",
        kind="rebuild_differs",
    )
