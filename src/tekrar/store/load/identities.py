"""IDs made again from the facts they stand for (ID-12): selections, occurrences, members digests, classes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.identity import COORDINATE_PROFILE, issue, name_prefix, uuid_text
from tekrar.core.profile import scope_root
from tekrar.store.load.read_back import differs
from tekrar.store.load.stored_profile import StoredProfile
from tekrar.store.load.stored_text import StoredText

Bytes2D = NDArray[np.uint8]
Ints = NDArray[np.int64]
#: Places of the hyphens in the text of a UUID, in digits before each.
_GROUPS: Final = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))
_DIGITS: Final = np.frombuffer(b"0123456789abcdef", np.uint8)


class Selections:
    """Selection UUIDs of extents; two profiles with one enumerator share them."""

    def __init__(self, release: bytes) -> None:
        """`release`: UUID bytes of the text release."""
        facts = {"release": uuid_text(release), "coord": COORDINATE_PROFILE}
        self._state = hashlib.sha1(name_prefix("selection", facts), usedforsecurity=False)
        self._known: dict[bytes, Bytes2D] = {}

    def of(self, start: Ints, end: Ints) -> Bytes2D:
        """Uint8 (n, 16) of single ranges of bytes."""
        key = hashlib.sha256(start.tobytes() + end.tobytes()).digest()
        if key not in self._known:
            ranges = map(b"%d-%d".__mod__, zip(start.tolist(), end.tolist(), strict=True))
            self._known[key] = _uuids(_after([self._state], np.zeros(len(start), np.int64), ranges))
        return self._known[key]


def check_identities(stored: StoredProfile, text: StoredText, selections: Selections) -> int:
    """Compare every ID of a profile with the one that its facts give.

    Returns:
        How many were compared.

    Raises:
        IntegrityError: names the first row whose ID stands for other facts.
    """
    place, rows = f"profile {stored.spec.short}", stored.occurrences
    start = rows["start_byte"].values.astype(np.int64)
    selection = selections.of(start, start + rows["extent"].values)
    _compare(rows["selection"].values, selection, f"{place}, repetition.occurrence, selection of row")
    found = _occurrences(stored, text, selection)
    _compare(rows["occurrence"].values, found, f"{place}, repetition.occurrence, occurrence of row")
    compared = 2 * len(start)
    if stored.partial:
        return compared
    members, classes = _classes(stored, text)
    table = stored.classes
    _compare(table["members"].values, members, f"{place}, repetition.class, members of class")
    _compare(table["class"].values, classes, f"{place}, repetition.class, class")
    return compared + 2 * len(classes)


def _compare(stated: Bytes2D, found: Bytes2D, what: str) -> None:
    wrong = np.flatnonzero((np.asarray(stated) != found).any(axis=1))
    if len(wrong):
        at = int(wrong[0])
        message = f"{stated[at].tobytes().hex()} stands for other facts"
        raise differs(f"{what} {at}", message, found[at].tobytes().hex())


def _occurrences(stored: StoredProfile, text: StoredText, selection: Bytes2D) -> Bytes2D:
    facts = {
        "coord": COORDINATE_PROFILE,
        "profile": uuid_text(stored.id),
        "release": uuid_text(text.identity),
        "granularity": stored.spec.granularity,
    }
    states = [
        hashlib.sha1(
            name_prefix("passage-occurrence", {**facts, "mask": root.tobytes().hex()}), usedforsecurity=False
        )
        for root in stored.witnesses["root"].values
    ]
    data = _uuid_texts(selection)
    texts = (data[at : at + 36] for at in range(0, len(data), 36))
    return _uuids(_after(states, stored.occurrences["witness"].values, texts))


def _after(states: list[Any], which: NDArray[Any], texts: Iterable[bytes]) -> list[bytes]:
    """SHA-1 of each text behind the state of its number."""
    copies: list[Callable[[], Any]] = [state.copy for state in states]
    found = []
    for number, text in zip(which.tolist(), texts, strict=True):
        state = copies[number]()
        state.update(text)
        found.append(state.digest())
    return found


def _uuids(digests: list[bytes]) -> Bytes2D:
    """UUIDs of version 5 from SHA-1 digests."""
    raw = np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 20)[:, :16].copy()
    raw[:, 6] = raw[:, 6] & 0x0F | 0x50
    raw[:, 8] = raw[:, 8] & 0x3F | 0x80
    return raw


def _uuid_texts(ids: Bytes2D) -> bytes:
    """Canonical texts, 36 bytes each, one after the other."""
    digits = np.empty((len(ids), 32), np.uint8)
    digits[:, 0::2], digits[:, 1::2] = _DIGITS[ids >> 4], _DIGITS[ids & 15]
    text = np.full((len(ids), 36), ord("-"), np.uint8)
    for group, (low, high) in enumerate(_GROUPS):
        text[:, low + group : high + group] = digits[:, low:high]
    return text.tobytes()


def _classes(stored: StoredProfile, text: StoredText) -> tuple[Bytes2D, Bytes2D]:
    """Members digest, uint8 (n, 32), and UUID, uint8 (n, 16), of every class."""
    rows, table = stored.occurrences, stored.classes
    present: Any = rows["class_no"].present
    matched = np.flatnonzero(present)
    number, ids = rows["class_no"].values[matched], rows["occurrence"].values[matched]
    words = np.ascontiguousarray(ids).view(">u8").reshape(-1, 2)
    data = ids[np.lexsort((words[:, 1], words[:, 0], number))].tobytes()
    scope = scope_root([(text.identity, text.manifest_root)]).hex()
    facts = {"profile": uuid_text(stored.id), "predicate": stored.spec.predicate, "scope": scope}
    state = hashlib.sha1(name_prefix("exact-class", facts), usedforsecurity=False)
    members, names, at = [], [], 0
    for size, witness in zip(np.bincount(number).tolist(), table["witness"].values, strict=True):
        own = hashlib.sha256(size.to_bytes(8, "big") + data[at : at + 16 * size]).digest()
        members.append(own)
        names.append(f"{own.hex()}/witness={witness.tobytes().hex()}".encode())
        at += 16 * size
    found = _uuids(_after([state], np.zeros(len(names), np.int64), names))
    if names:  # one of them by the plain way, so that the fast one cannot stray from it
        first = {**facts, "members": members[0].hex(), "witness": table["witness"].values[0].tobytes().hex()}
        assert issue("exact-class", first) == found[0].tobytes()
    return np.frombuffer(b"".join(members), np.uint8).reshape(-1, 32), found
