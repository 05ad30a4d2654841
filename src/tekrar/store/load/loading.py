"""The two transactions of a load: the text release, once, then the artifact over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from tekrar.artifact.reader import Artifact
from tekrar.core.encoding import canonical_json
from tekrar.core.identity import uuid_text
from tekrar.core.policy import MATRIX
from tekrar.core.text import TextRelease
from tekrar.corpus.release_package import OpenRelease
from tekrar.errors import DatabaseError, IntegrityError
from tekrar.store.load.artifact import artifact_facts, profile_tables
from tekrar.store.load.columns import copy_in
from tekrar.store.load.identities import Selections, check_identities
from tekrar.store.load.seal import recomputed_root
from tekrar.store.load.sources import book_sources, public_sources, sources_bytes
from tekrar.store.load.stored_text import StoredText, read_text
from tekrar.store.load.text import Tables, text_tables, with_key
from tekrar.store.roles import Role
from tekrar.store.session import Connection, transaction

#: Called with the number and the name of each step before it is done; a seam for tests that stop there.
AtStep = Callable[[int, str], None]

_BEGIN_TEXT: Final = b"SELECT api.begin_text(%s, %s, %s, %s, %s, %s, %s, %s, %s)"
_SEAL_TEXT: Final = b"SELECT api.seal_text(%s, %s, %s, %s)"
_BEGIN_ARTIFACT: Final = b"SELECT api.begin_artifact(%s::jsonb, %s, %s)"
#: Every query goes by a key; a small sample tells the planner as much about these tables as a large one.
_FEW_STATISTICS: Final = b"SELECT set_config('default_statistics_target', '10', true)"
_RELEASE_KEY: Final = b"SELECT release_key FROM core.release WHERE text_release = %s::uuid"


@dataclass(frozen=True)
class Loaded:
    """What a load did.

    Attributes:
        text_release: UUID text.
        artifact_root: 32 bytes.
        release_key, artifact_key: keys in this database.
        text_loaded, artifact_loaded: False where it was loaded and sealed before, so that nothing was done.
        rows: rows that were written.
    """

    text_release: str
    artifact_root: bytes
    release_key: int
    artifact_key: int
    text_loaded: bool
    artifact_loaded: bool
    rows: int

    def as_record(self) -> dict[str, Any]:
        """The outcome as one JSON record."""
        return {
            "text_release": self.text_release,
            "artifact_root": self.artifact_root.hex(),
            "text": "loaded" if self.text_loaded else "already_loaded",
            "artifact": "loaded" if self.artifact_loaded else "already_loaded",
            "rows": self.rows,
        }


class _Steps:
    """Counts the steps of one load over both transactions."""

    def __init__(self, at_step: AtStep | None) -> None:
        self._at_step = at_step
        self._done = 0

    def __call__(self, name: str) -> None:
        self._done += 1
        if self._at_step is not None:
            self._at_step(self._done, name)


def load(
    connection: Connection,
    artifact: Artifact,
    release: OpenRelease | None = None,
    *,
    at_step: AtStep | None = None,
) -> Loaded:
    """Load an artifact, and its text release before it where that is not loaded yet.

    The caller has verified the artifact; here it is proved that the database holds exactly what it states.

    Args:
        connection: of a login that may become `tekrar_builder`, outside a transaction.
        artifact: the artifact.
        release: its text release; None when that is loaded already.
        at_step: called before each step.

    Raises:
        IntegrityError: the artifact is of another release, has columns that fit nothing, or the rows in the
            database differ from it; nothing was sealed.
        DatabaseError: kind `text_release_not_loaded`, `permission_denied`, a server that refused or was lost;
            what was not sealed is not there.
    """
    steps = _Steps(at_step)
    stored: StoredText | None = None
    text_rows: int | None = None
    if release is not None:
        _check_release(artifact, release)
        stored, text_rows = _load_text(connection, release, steps)
    key, release_key, rows = _load_artifact(connection, artifact, stored, steps)
    steps("end")
    return Loaded(
        text_release=artifact.text_release,
        artifact_root=artifact.artifact_root,
        release_key=release_key,
        artifact_key=key,
        text_loaded=text_rows is not None,
        artifact_loaded=rows is not None,
        rows=(text_rows or 0) + (rows or 0),
    )


def _check_release(artifact: Artifact, release: OpenRelease) -> None:
    ours = uuid_text(release.id)
    if ours != artifact.text_release:
        raise IntegrityError(
            f"the artifact was built from another text release, {artifact.text_release[:80]}",
            where=f"{artifact.path}/manifest.json",
            expected=f"text release {ours}, as {release.path} has it",
            mend="give the release the artifact was built from",
            kind="other_release",
        )
    if "\0" in release.release.edition:
        raise IntegrityError(
            "the edition's name holds U+0000, which no database name can",
            where=f"{release.path}/manifest.json",
            mend="import the source again with --edition",
            kind="edition_name",
        )


def _load_text(
    connection: Connection, opened: OpenRelease, steps: _Steps
) -> tuple[StoredText | None, int | None]:
    """The text release read back and the rows written; None and None when it was loaded before."""
    release, books = opened.release, len(opened.release.book_chapters)
    files = public_sources(opened.package_manifest["provenance"], books=books)
    steps("text: begin")
    with transaction(connection, role=Role.BUILDER):
        facts = (
            *(uuid_text(opened.id), release.edition, release.language, release.segmenter),
            *(opened.certified, opened.manifest_root, canonical_json(opened.manifest), len(release.text)),
            sources_bytes(files),
        )
        steps("text: begin_text")
        began = _one(connection, _BEGIN_TEXT, facts)
        if began["sealed"]:
            return None, None
        key = began["release_key"]
        tables = text_tables(release, identity=opened.id, sources=book_sources(files, books=books))
        rows = _copy(connection, tables, began["targets"], key=("release_key", key), steps=steps)
        steps("text: attach_text")
        connection.execute(b"SELECT api.attach_text(%s)", (key,))
        steps("text: read back")
        stored = read_text(connection, key)
        steps("text: seal_text")
        connection.execute(_SEAL_TEXT, (key, stored.certified, stored.manifest_root, stored.counts))
        steps("text: commit")
    return stored, rows


def _load_artifact(
    connection: Connection, artifact: Artifact, stored: StoredText | None, steps: _Steps
) -> tuple[int, int, int | None]:
    """artifact_key, release_key and the rows written; None rows when it was loaded before."""
    with _sound(artifact):
        facts, manifest = artifact_facts(artifact), canonical_json(artifact.manifest)
    steps("artifact: begin")
    with transaction(connection, role=Role.BUILDER):
        steps("artifact: begin_artifact")
        provenance = artifact.package.read_bytes("provenance")
        began = _one(connection, _BEGIN_ARTIFACT, (facts, manifest, provenance))
        key, release_key = began["artifact_key"], _one(connection, _RELEASE_KEY, (artifact.text_release,))
        if began["sealed"]:
            return key, release_key, None
        if stored is None:
            steps("artifact: read the text back")
            stored = read_text(connection, release_key)
        rows = _copy_profiles(connection, artifact, stored.release, opened=began["profiles"], steps=steps)

        def attach() -> None:
            steps("artifact: attach_artifact")
            connection.execute(_FEW_STATISTICS)
            connection.execute(b"SELECT api.attach_artifact(%s)", (key,))

        # The tables are this transaction's own: what is read is what is attached, also before its indexes.
        # IDs are made again mostly while the server builds them (ID-12).
        selections, text = Selections(stored.identity), stored
        with ThreadPoolExecutor(1) as naming:
            named: list[Future[int]] = []
            root = recomputed_root(
                connection,
                key,
                text,
                sources={short: one["targets"] for short, one in began["profiles"].items()},
                at_profile=lambda short: steps(f"artifact: read {short} back"),
                after_reading=attach,
                inspect=lambda own: named.append(naming.submit(check_identities, own, text, selections)),
            )
            for one in named:
                one.result()
        steps("artifact: seal_artifact")
        connection.execute(b"SELECT api.seal_artifact(%s, %s)", (key, root))
        steps("artifact: commit")
    return key, release_key, rows


def _copy_profiles(
    connection: Connection,
    artifact: Artifact,
    text: TextRelease,
    *,
    opened: dict[str, dict[str, Any]],
    steps: _Steps,
) -> int:
    """Rows of all profiles; while the server takes those of one, the next one's columns are made."""

    def tables_of(short: str) -> Tables:
        with _sound(artifact):
            return profile_tables(artifact.profile(short), text)

    rows = 0
    with ThreadPoolExecutor(1) as making:
        following = making.submit(tables_of, MATRIX[0].short)
        for at, spec in enumerate(MATRIX):
            tables = following.result()
            if at + 1 < len(MATRIX):
                following = making.submit(tables_of, MATRIX[at + 1].short)
            own = opened[spec.short]
            rows += _copy(
                connection, tables, own["targets"], key=("profile_key", own["profile_key"]), steps=steps
            )
    return rows


def _copy(
    connection: Connection, tables: Tables, targets: dict[str, str], *, key: tuple[str, int], steps: _Steps
) -> int:
    rows = 0
    for table, columns in tables.items():
        target = targets[table]
        steps(f"copy {target}")

        def half_way(target: str = target) -> None:
            steps(f"inside copy {target}")

        rows += copy_in(connection, target, with_key(columns, *key), half_way=half_way)
    return rows


@contextmanager
def _sound(artifact: Artifact) -> Iterator[None]:
    """Columns or a manifest that fit nothing, which a verified artifact does not have, are a typed error."""
    try:
        yield
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise IntegrityError(
            f"columns or manifest do not fit each other: {error}",
            where=str(artifact.path),
            expected="an artifact that verifies",
            mend="verify the artifact, and build it again",
            kind="bad_table",
        ) from error


def _one(connection: Connection, query: bytes, parameters: tuple[Any, ...]) -> Any:
    row = connection.execute(query, parameters).fetchone()
    if row is None:
        raise DatabaseError("the database gave no row", where="database", kind="row_form")
    return row[0]
