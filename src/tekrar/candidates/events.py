"""Dispositions as append-only events beside a package of candidates (CND-06, CND-08; AMB-36, AMB-46).

One canonical JSON line an event, bound to the one before it by its hash, appended and fsynced under a lock:
a mark writes one line, and reads the hashes of the others. A last line that a killed writer left unfinished
was never confirmed: readers leave it out, the next mark takes it away. The candidate never changes; its
current disposition is that of its last event. `false_positive` suppresses what has the same participants
under the same generator and profile, and nothing else: a new generator shows the pair again, and another
pair with equal text is another pair. A note is for people; it stands in the event and in no ID of a
candidate.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NoReturn

from tekrar.candidates.stored import Stored
from tekrar.core.candidate.disposition import check_disposition
from tekrar.core.candidate.record import sha
from tekrar.core.curation.names import is_name
from tekrar.core.encoding import canonical_json, lp
from tekrar.core.identity import uuid_text
from tekrar.core.strict_json import JsonFlaw, parse
from tekrar.errors import IntegrityError, StorageError, UsageError
from tekrar.package.storage import regular_bytes, storing, sync_folder
from tekrar.package.temporary import parent_locked

TAG: Final = b"tekrar/disposition-event/v1"
FORMAT: Final = TAG.decode()
FIRST: Final = bytes(32).hex()
_KEYS: Final = (
    "format", "previous", "candidate", "participants", "generator", "profile", "disposition", "author",
    "recorded_at", "note", "hash",
)  # fmt: skip
#: Characters of a name and of a note at most.
MOST_NAME: Final = 200
MOST_NOTE: Final = 4000
_MOST_BYTES: Final = 1 << 40  # whatever fits in memory is read
#: How every line begins: the keys are in order, and this is the first.
_OPENING: Final = b'{"author":"'
_HASH: Final = re.compile(rb',"hash":"([0-9a-f]{64})"')
_PREVIOUS: Final = re.compile(rb',"previous":"([0-9a-f]{64})","profile":')
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)

#: Participants digest, generator digest, profile UUID, all as text: what a false positive suppresses.
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Event:
    """One event.

    Attributes:
        candidate: candidate UUID text.
        key: what it is about: participants, generator, profile.
        disposition: of the closed list.
        author: who says so.
        recorded_at: UTC, whole seconds.
        note: words for people, or "".
        hash: SHA-256 (hex) over the tag and the canonical JSON of all other facts.
    """

    candidate: str
    key: Key
    disposition: str
    author: str
    recorded_at: str
    note: str
    hash: str


@dataclass(frozen=True)
class Events:
    """All events of a log, oldest first.

    Attributes:
        path: the log.
        rows: its events.
        unfinished: bytes of a last line that a killed writer left; they are no event.
    """

    path: Path
    rows: tuple[Event, ...]
    unfinished: int = 0

    @property
    def head(self) -> str:
        """Hash of the last event (hex); zeros when there is none."""
        return self.rows[-1].hash if self.rows else FIRST

    def current(self) -> dict[str, str]:
        """Candidate -> disposition of its last event."""
        return {event.candidate: event.disposition for event in self.rows}

    def suppressed(self) -> frozenset[Key]:
        """Keys whose last event is a false positive."""
        last = {event.key: event.disposition for event in self.rows}
        return frozenset(key for key, disposition in last.items() if disposition == "false_positive")


def log_beside(package: Path) -> Path:
    """Where the events of a package lie when no place is named."""
    resolved = package if package.name not in ("", "..") else package.resolve()
    return resolved.with_name(f"{resolved.name}.dispositions.jsonl")


def key_of(stored: Stored, position: int) -> Key:
    """What a false positive at a position suppresses."""
    one = stored.candidates[position]
    return sha(one.participants).hex(), stored.generator.digest.hex(), uuid_text(stored.profile)


def read_events(path: Path) -> Events:
    """The events of a log; none where there is no file.

    Raises:
        IntegrityError: a line that is no event, or not bound to the one before it.
        StorageError, UsageError: it cannot be read, or is no regular file.
    """
    if not path.exists() and not path.is_symlink():
        return Events(path, ())
    lines, unfinished = _lines(path, regular_bytes(path, limit=_MOST_BYTES))
    rows: list[Event] = []
    previous = FIRST
    for number, line in enumerate(lines, 1):
        rows.append(_event(path, number, line, previous))
        previous = rows[-1].hash
    return Events(path, tuple(rows), len(unfinished))


def _lines(path: Path, data: bytes) -> tuple[list[bytes], bytes]:
    """The lines of a log, and what is left of one whose writer was killed.

    An event that lacks nothing but its line end is an event. What is not the beginning of one was left by no
    writer of ours and is refused.
    """
    lines = data.split(b"\n")
    last = lines.pop()
    if not last:
        return lines, b""
    if _bound(last) is not None:
        return [*lines, last], b""
    if last[: len(_OPENING)] != _OPENING[: len(last)] or last.endswith(b'Z"}'):
        _broken(path, len(lines) + 1, "the last line has no end, and is not the beginning of an event")
    return lines, last


def _bound(line: bytes) -> tuple[str, str] | None:
    """Hash of the event before a line and its own, where its own is that of its bytes; else None.

    The hash is over the line without it (`_hash`), so no line is parsed: inside a text every quotation mark
    is escaped, so what is searched for can only be the key.
    """
    own, before = _HASH.search(line), _PREVIOUS.search(line)
    if own is None or before is None:
        return None
    facts = line[: own.start()] + line[own.end() :]
    if hashlib.sha256(lp(TAG) + facts).hexdigest() != own[1].decode():
        return None
    return before[1].decode(), own[1].decode()


def _head(path: Path, lines: list[bytes]) -> str:
    """The hash of the last event, every line bound to the one before it."""
    previous = FIRST
    for number, line in enumerate(lines, 1):
        bound = _bound(line)
        if bound is None or bound[0] != previous:
            _event(path, number, line, previous)  # says what is wrong
            _broken(path, number, "it does not follow the event before it")
        previous = bound[1]
    return previous


def _event(path: Path, number: int, line: bytes, previous: str) -> Event:
    try:
        found = parse(line)
    except JsonFlaw as flaw:
        _broken(path, number, flaw.message)
    if not isinstance(found, dict) or sorted(found) != sorted(_KEYS):
        _broken(path, number, "keys are missing or unknown")
    if not all(isinstance(value, str) for value in found.values()) or canonical_json(found) != line:
        _broken(path, number, "the line is not canonical")
    if (
        found["format"] != FORMAT
        or found["previous"] != previous
        or not _TIME.fullmatch(found["recorded_at"])
    ):
        _broken(path, number, "it does not follow the event before it")
    if _hash(found) != found["hash"]:
        _broken(path, number, "its hash is not that of its facts")
    try:
        check_disposition(found["disposition"])
    except UsageError as error:
        _broken(path, number, error.message)
    key = found["participants"], found["generator"], found["profile"]
    names = ("candidate", "disposition", "author", "recorded_at", "note", "hash")
    facts = {name: found[name] for name in names}
    return Event(key=key, **facts)


def mark(
    stored: Stored,
    position: int,
    disposition: str,
    *,
    author: str,
    note: str = "",
    log: Path,
    now: datetime | None = None,
) -> Event:
    """Add an event about a candidate, whole or not at all.

    Args:
        stored: the package.
        position: the candidate's place in it.
        disposition: of the closed list.
        author: who says so.
        note: words for people.
        log: the file of the events.
        now: the time of the event (the clock's when None).

    Raises:
        UsageError: an unknown disposition, no author, a name or note too long or with control characters;
            another disposition of a false positive (CUR-01: overriding one is a reviewed decision).
        IntegrityError: the log was altered.
        StorageError: another writer holds the folder, or the file system refuses.
    """
    check_disposition(disposition)
    _check_words(author, "the author", MOST_NAME, least=1)
    _check_name(author)
    _check_words(note, "the note", MOST_NOTE, least=0)
    stored.result(position)
    participants, generator, profile = key_of(stored, position)
    at = (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    log = Path(os.path.realpath(log))  # writers that come by different links wait for the same folder
    with storing(log), parent_locked(log.parent) as alone:
        if not alone:
            raise StorageError(
                "another program holds the folder of the events",
                where=str(log),
                mend="try again when it has ended",
                kind="locked",
            )
        held = regular_bytes(log, limit=_MOST_BYTES) if os.path.lexists(log) else b""
        lines, unfinished = _lines(log, held)
        head = _head(log, lines)
        _refuse_override(log, lines, (participants, generator, profile), disposition)
        document: dict[str, Any] = {
            "format": FORMAT,
            "previous": head,
            "candidate": uuid_text(stored.candidates[position].id),
            "participants": participants,
            "generator": generator,
            "profile": profile,
            "disposition": disposition,
            "author": author,
            "recorded_at": at,
            "note": note,
        }
        document["hash"] = _hash(document)
        line = canonical_json(document)
        kept = len(held) - len(unfinished)
        ended = kept == 0 or held[kept - 1 : kept] == b"\n"
        _append(log, (b"" if ended else b"\n") + line + b"\n", kept=kept)
    return _event(log, len(lines) + 1, line, head)


def _refuse_override(log: Path, lines: list[bytes], key: Key, disposition: str) -> None:
    """A false positive stays one in a log: overriding it needs a proposal and its review (CUR-01, AMB-46)."""
    held = [number for number, line in enumerate(lines, 1) if key[0].encode() in line]
    for number in reversed(held):
        found = parse(lines[number - 1])
        assert isinstance(found, dict)
        if (found["participants"], found["generator"], found["profile"]) != key:
            continue
        if found["disposition"] == "false_positive" != disposition:
            raise UsageError(
                f"the candidate is a false positive by the event of {found['author']}; no mark overrides one",
                where=f"{log}, line {number}",
                expected="a decision: overriding a false positive is proposed and reviewed",
                mend="record the log in a database (tekrar candidates record) and propose "
                "override_false_positive; or begin another log (--events FILE)",
                kind="override_needs_decision",
            )
        return


def _append(log: Path, data: bytes, *, kept: int) -> None:
    """Write after the bytes that are kept and fsync; what cannot be written whole is taken away again.

    Raises:
        OSError: the file system refuses; the log holds what it held.
    """
    new = not log.exists()
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        os.ftruncate(handle, kept)
        try:
            done = 0
            while done < len(data):
                done += os.pwrite(handle, data[done:], kept + done)
            os.fsync(handle)
        except BaseException:
            os.ftruncate(handle, kept)
            raise
    finally:
        os.close(handle)
    if new:
        sync_folder(log.parent)


def _hash(document: dict[str, Any]) -> str:
    facts = {name: value for name, value in document.items() if name != "hash"}
    return hashlib.sha256(lp(TAG) + canonical_json(facts)).hexdigest()


def _check_words(text: str, what: str, most: int, *, least: int) -> None:
    flawed = any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 or c in "\u2028\u2029\x85\x7f" for c in text)
    if flawed or not least <= len(text.strip()) <= most:
        raise UsageError(
            f"{what} is empty, too long or holds control characters",
            expected=f"{least} to {most} characters in one line",
            kind="bad_words",
        )


def _check_name(author: str) -> None:
    """Refuse an author whom the ledger would not take either; events that stand are read as they are."""
    if not is_name(author):
        raise UsageError(
            "the author is no name: it holds what is not seen, or turns the line",
            expected=f"1 to {MOST_NAME} characters that show themselves",
            mend="write the name without invisible characters",
            kind="bad_words",
        )


def _broken(path: Path, number: int, message: str) -> NoReturn:
    raise IntegrityError(
        message,
        where=f"{path}, line {number}",
        expected="events as `tekrar candidates mark` writes them, each bound to the one before it",
        mend="take the file from a copy; nothing was read from it",
        kind="events_broken",
    )


def matching(stored: Stored, keys: Iterable[Key]) -> frozenset[int]:
    """Positions of a package whose key is among these."""
    wanted = frozenset(keys)
    if not wanted:
        return frozenset()
    return frozenset(at for at in range(len(stored.candidates)) if key_of(stored, at) in wanted)
