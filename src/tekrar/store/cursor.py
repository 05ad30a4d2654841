"""Cursors of paged answers: signed, and bound to release, query and role (contract C7)."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tekrar.errors import StorageError, UsageError
from tekrar.package.storage import storing
from tekrar.settings import Settings

#: Name of the key's file in the data folder.
KEY_FILE: Final = "cursor.key"
_KEY_BYTES: Final = 32
_TAG: Final = b"tekrar/cursor/v1\0"
_MAC_BYTES: Final = 32


@dataclass(frozen=True)
class Place:
    """What a cursor continues: the release, the query with its arguments, the role that asks."""

    release: str
    query: str
    role: str


def write_cursor(key: bytes, place: Place, after: Sequence[int]) -> str:
    """A cursor behind the row that the numbers `after` name; URL-safe."""
    said = {"after": list(after), "query": place.query, "release": place.release, "role": place.role}
    payload = json.dumps(said).encode("ascii")
    return base64.urlsafe_b64encode(_mac(key, payload) + payload).decode().rstrip("=")


def read_cursor(key: bytes, place: Place, cursor: str) -> tuple[int, ...]:
    """The numbers of the row behind which a cursor continues.

    Raises:
        UsageError: `bad_cursor` for one that this key did not sign, `foreign_cursor` for one of another
            release, query or role.
    """
    try:
        data = base64.b64decode(
            cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True
        )
    except (binascii.Error, UnicodeEncodeError, ValueError):
        data = b""
    mac, payload = data[:_MAC_BYTES], data[_MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(key, payload)):
        raise UsageError(
            "the cursor was not made here, or was changed",
            where="--cursor",
            expected="a cursor as the page before printed it",
            mend="copy it whole, or start at the first page",
            kind="bad_cursor",
        )
    found = json.loads(payload)
    for name, wanted in (("release", place.release), ("query", place.query), ("role", place.role)):
        if found[name] != wanted:
            raise UsageError(
                f"the cursor belongs to another {name}",
                where="--cursor",
                expected=f"a cursor of {name} {wanted}",
                mend="use it where it was printed, or start at the first page",
                kind="foreign_cursor",
            )
    return tuple(map(int, found["after"]))


def cursor_key(settings: Settings) -> bytes:
    """The key: TEKRAR_CURSOR_KEY, else the data folder's, which is made on first use and never changes.

    Raises:
        StorageError: the folder cannot be written, or the file is not a key.
    """
    if settings.cursor_key is not None:
        return settings.cursor_key
    if settings.data_dir is None:
        raise StorageError(
            "there is no data folder for the key of cursors",
            where="environment",
            mend="set TEKRAR_DATA_DIR or TEKRAR_CURSOR_KEY",
            kind="no_data_folder",
        )
    path = settings.data_dir / KEY_FILE
    with storing(path):
        if not path.exists():
            _make(path)
        key = path.read_bytes()
    if len(key) != _KEY_BYTES:
        raise StorageError(
            "the key of cursors is damaged",
            where=str(path),
            expected=f"{_KEY_BYTES} bytes",
            mend="remove the file; cursors printed before will be refused",
            kind="bad_key",
        )
    return key


def _make(path: Path) -> None:
    """Write a new key under another name and link it, so that of several makers one wins and none is half."""
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    part = path.with_name(f".{KEY_FILE}.{secrets.token_hex(8)}")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(part, path)
    finally:
        part.unlink()


def _mac(key: bytes, payload: bytes) -> bytes:
    return hmac.digest(key, _TAG + payload, "sha256")
