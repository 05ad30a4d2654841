"""What a PostgreSQL error is called here: one table from SQLSTATE to the kind and the mend of a typed error.

No psycopg exception leaves the store.
"""

from __future__ import annotations

import json
from typing import Final

import psycopg

from tekrar.errors import DatabaseError, StorageError
from tekrar.store.refusal_words import CURATION_WORDS

#: SQLSTATE, or its first two characters for the whole class -> (kind, mend).
SQLSTATE: Final[dict[str, tuple[str, str]]] = {
    "08": ("connection_lost", "run it again; what was not committed did not happen"),
    "57P": ("connection_lost", "the server was stopped; start it, then run it again"),
    "53100": ("disk_full", "free space where the server keeps its data, then run it again"),
    "53200": ("out_of_memory", "give the server more memory, then run it again"),
    "53300": ("too_many_connections", "close other connections or raise max_connections of the server"),
    "42501": ("permission_denied", "log in as one who may, or have an administrator grant it (tekrar grant)"),
    "40001": ("conflict", "another transaction changed the same facts; run it again"),
    "40P01": ("conflict", "another transaction locked the same facts; run it again"),
    "55P03": ("locked", "another session holds the lock; wait for it, then run it again"),
    "57014": ("cancelled", "the statement was cancelled; run it again"),
    "25006": ("read_only", "the server or the transaction takes no writes; use the primary server"),
}

#: Class of the SQLSTATEs that the store's own functions raise. MESSAGE, HINT and a JSON DETAIL are the typed
#: error.
OWN: Final = "TK"
#: Those of curation, whose fact is an item: a JSON path in the action, or the record that is concerned.
CURATION: Final = "TK04"

#: Kind of the store's own errors -> (expected, mend), for what the database leaves unsaid.
OWN_WORDS: Final[dict[str, tuple[str, str]]] = {
    **CURATION_WORDS,
    "already_initialized": ("an empty ledger", "an administrator grants roles (tekrar grant)"),
    "already_published": ("a release that was not published before", "publish a successor"),
    "fact_mismatch": ("what the plan says", "prepare the publication again, and look at what changed"),
    "grant_expired": ("a grant that holds now", "ask an administrator for a new grant (tekrar grant)"),
    "grant_missing": ("a grant of the role for the edition", "ask an administrator for it (tekrar grant)"),
    "grant_not_yet_valid": ("a grant that holds now", "wait for its time, or ask an administrator"),
    "grant_revoked": ("a grant that was not revoked", "ask an administrator for a new grant (tekrar grant)"),
    "not_found": (
        "what is loaded, or published and in the reader's scope",
        "tekrar releases lists what there is",
    ),
    "release_id": ("the ID of what the plan binds", "prepare the publication again; plans are not edited"),
    "series_language": ("the language of the series", "publish the text under another edition"),
    "text_release_not_loaded": ("a text release that is loaded", "load it with --release"),
    "unknown_actor": ("the name of an actor (--as NAME, TEKRAR_ACTOR)", "an administrator names actors"),
    "unnamed_edition": ("a named edition", "import the text with --edition NAME, build and load it again"),
    "withdrawn": ("a release that was not withdrawn", "publish a corrected successor"),
}


def database_error(error: psycopg.Error, *, where: str = "", mend: str = "") -> DatabaseError | StorageError:
    """The typed error of a PostgreSQL error; a full disk is one of storage, as it is outside the database.

    Args:
        error: what psycopg raised.
        where: file or step that met it, or "".
        mend: a better mend than the table's, or "".
    """
    state = error.sqlstate or ""
    if state.startswith(OWN):
        return _own(error, where, mend)
    message = error.diag.message_primary or str(error).strip().partition("\n")[0] or type(error).__name__
    for key in (state, state[:3], state[:2]):
        if key in SQLSTATE:
            kind, usual = SQLSTATE[key]
            break
    else:
        lost = not state and isinstance(error, psycopg.OperationalError)
        kind = "connection_lost" if lost else f"sqlstate_{state.lower() or 'none'}"
        usual = SQLSTATE["08"][1] if lost else "mend what the server reports, then run it again"
    typed = StorageError if kind == "disk_full" else DatabaseError
    return typed(message, where=where or "database", mend=mend or usual, kind=kind)


def _own(error: psycopg.Error, where: str, better: str) -> DatabaseError:
    try:
        detail = json.loads(error.diag.message_detail or "{}")
    except ValueError:
        detail = {}
    kind = str(detail.get("kind") or f"sqlstate_{error.sqlstate}".lower())
    expected, usual = OWN_WORDS.get(kind, ("", ""))
    hint = error.diag.message_hint
    fact = detail.get("fact")
    if fact and not (error.sqlstate or "").startswith(CURATION):
        fact = f"fact {fact}"
    named = detail.get("relation") or fact or detail.get("argument") or "database"
    return DatabaseError(
        error.diag.message_primary or "",
        where=str(detail.get("where") or where or named),
        expected=str(detail.get("expected") or expected),
        mend=better or (usual if kind in CURATION_WORDS else hint or usual),
        kind=kind,
    )
