"""What a database was loaded from: text releases, artifacts and sets of candidates, by their roots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tekrar.store.permission import require_role
from tekrar.store.roles import Role
from tekrar.store.session import Connection, transaction

_INPUTS: Final = b"""
    SELECT r.text_release::text, encode(r.manifest_root, 'hex'),
        ARRAY(SELECT encode(a.artifact_root, 'hex') FROM repetition.artifact a
              JOIN repetition.seal USING (artifact_key) WHERE a.release_key = r.release_key ORDER BY 1),
        ARRAY(SELECT encode(c.package_root, 'hex') FROM curation.candidate_set c
              JOIN curation.candidate_seal USING (set_key) JOIN repetition.artifact a USING (artifact_key)
              WHERE a.release_key = r.release_key ORDER BY 1)
    FROM core.release r JOIN core.release_seal USING (release_key) ORDER BY r.release_key
"""


@dataclass(frozen=True)
class StoredInput:
    """One text release that is loaded, with the roots of what was made from it, in hex."""

    text_release: str
    manifest_root: str
    artifacts: tuple[str, ...]
    candidates: tuple[str, ...]


def stored_inputs(connection: Connection) -> list[StoredInput]:
    """What is loaded and sealed, in the order of loading.

    Raises:
        DatabaseError: the login may not be the owner.
    """
    require_role(connection, Role.OWNER)
    with transaction(connection, role=Role.OWNER, read_only=True):
        rows = connection.execute(_INPUTS).fetchall()
    return [StoredInput(text, root, tuple(built), tuple(found)) for text, root, built, found in rows]
