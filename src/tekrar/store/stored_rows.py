"""Right before a publication: its text, profiles and candidates recomputed from the rows (REL-05).

The publishing transaction compares the stored roots, the seals and the row counts under its lock. That the
rows still give those roots is found here, before the lock, with what a load's seal and a verification use.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from tekrar.core.encoding import canonical_json
from tekrar.errors import DatabaseError, IntegrityError, TekrarError
from tekrar.store.evidence.stored_set import read_set
from tekrar.store.load.read_back import differs
from tekrar.store.load.seal import recomputed_root
from tekrar.store.load.stored_profile import StoredProfile
from tekrar.store.load.stored_text import StoredText, read_text
from tekrar.store.session import Connection
from tekrar.store.verification.artifacts import SEALED, coverage_of

_MEND: Final = (
    "nothing was published; restore a backup from before the change, or load the artifact into a new database"
)
_ARTIFACT: Final = b"""
    SELECT a.artifact_key, a.release_key, s.artifact_root, s.counts, r.byte_count, t.certified_digest,
        t.manifest_root, t.counts
    FROM repetition.artifact a JOIN repetition.seal s ON s.artifact_key = a.artifact_key
    JOIN core.release r ON r.release_key = a.release_key
    JOIN core.release_seal t ON t.release_key = a.release_key
    WHERE encode(a.artifact_root, 'hex') = %s
"""
_SETS: Final = b"""
    SELECT p.short, s.set_key FROM curation.candidate_set s JOIN repetition.profile p USING (profile_key)
    WHERE s.artifact_key = %s ORDER BY s.set_key
"""
_COVERAGE: Final = b"SELECT short, coverage FROM repetition.profile WHERE artifact_key = %s"


def check_rows(
    connection: Connection,
    wanted: Sequence[tuple[str, str]],
    *,
    progress: Callable[[int, int], object],
) -> None:
    """Recompute the text and the profiles of a plan, and compare them with roots, seals and counts.

    An artifact that the caller does not see is left to the publishing transaction, which refuses it.

    Args:
        connection: inside a publisher's transaction of one snapshot.
        wanted: (artifact root in hex, short name of a profile).
        progress: called with the parts done and all of them, before each text and profile.

    Raises:
        IntegrityError: the first row, root or seal that is another; names the table.
        psycopg.Error: the server refused, or was lost.
    """
    # Names without a schema are the catalog's, whatever the login's own search path is.
    connection.execute(b"SELECT set_config('search_path', 'pg_catalog, pg_temp', true)")
    roots = dict.fromkeys(root for root, _ in wanted)
    done = iter(range(len(roots) + len(set(wanted)) + 1))
    total = len(roots) + len(set(wanted))
    for root in roots:
        found = connection.execute(_ARTIFACT, (root,), binary=True).fetchone()
        if found is None:
            continue
        with _published_nothing(f"repetition.artifact {root}"):
            progress(next(done), total)
            text = _text(connection, found)
            shorts = {short for own, short in wanted if own == root}
            _profiles(connection, found, text, shorts, at_profile=lambda short: progress(next(done), total))


def _text(connection: Connection, found: tuple[Any, ...]) -> StoredText:
    stored = read_text(connection, found[1])
    sealed = (found[4], *map(bytes, found[5:]))
    if sealed != (len(stored.release.text), stored.certified, stored.manifest_root, stored.counts):
        raise differs("core.release_seal", "a seal of other digests or counts than the rows give", "theirs")
    return stored


def _profiles(
    connection: Connection,
    found: tuple[Any, ...],
    text: StoredText,
    shorts: set[str],
    *,
    at_profile: Callable[[str], object],
) -> None:
    key, _, sealed, counts, *_ = found
    stated = {short: bytes(one) for short, one in connection.execute(_COVERAGE, (key,), binary=True)}
    counted = json.loads(bytes(counts))

    def inspect(stored: StoredProfile) -> None:
        short, coverage = stored.spec.short, coverage_of(stored)
        if canonical_json({**coverage}) != stated[short]:
            raise differs(f"repetition.profile, profile {short}", "another coverage than its rows'", "theirs")
        if counted[short] != {name: coverage[name] for name in SEALED}:
            raise differs(f"repetition.seal, profile {short}", "other counts than its rows'", "theirs")

    for name, set_key in connection.execute(_SETS, (key,)).fetchall():
        if name in shorts:
            read_set(connection, set_key)
    root = recomputed_root(connection, key, text, at_profile=at_profile, inspect=inspect, only=shorts)
    if root != bytes(sealed):
        raise differs("repetition.seal", f"a seal of {bytes(sealed).hex()}", root.hex())


@contextmanager
def _published_nothing(place: str) -> Iterator[None]:
    """Whatever stops the recomputation, rows that fit nothing included, refuses the publication.

    Raises:
        IntegrityError: says that nothing was published, and what to do.
    """
    try:
        yield
    except IntegrityError as error:
        error.mend = _MEND
        raise
    except DatabaseError:
        raise
    except (TekrarError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        message = error.message if isinstance(error, TekrarError) else f"{type(error).__name__}: {error}"
        refusal = differs(place, message, "rows that fit each other")
        refusal.mend = _MEND
        raise refusal from error
