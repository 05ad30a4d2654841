"""Candidate records: participants, result bytes and the ID that all facts decide.

Serves CND-01, CND-02 and CND-04 (`docs/encoding.md` section 12). The result says what was found and where:
extents and segments of the sides, the places of a group, metrics as whole numbers, ratios or names, the
probable disposition, direction and why. Rank is no part of it: it hangs on the others and has a root
of its own.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NoReturn

from tekrar.core.candidate.disposition import DIRECTIONS, DISPOSITIONS, STATED
from tekrar.core.candidate.generator import Generator
from tekrar.core.encoding import i64, lp, opt, u8, u16, u32
from tekrar.core.identity import COORDINATE_PROFILE, name_prefix, uuid_text
from tekrar.errors import IntegrityError, UsageError

RESULT_TAG: Final = b"tekrar/candidate-result/v1"
PARTICIPANTS_TAG: Final = b"tekrar/candidate-participants/v1"
KINDS: Final = ("pair", "stretch", "group")
INTEGER, RATIO, NAMES = 0, 1, 2

Extent = tuple[int, int]
#: A whole number, a ratio of two, or names from a closed list of the metric.
Value = int | tuple[int, int] | tuple[str, ...]
_TWO: Final = struct.Struct(">QQ")
_FOUR: Final = struct.Struct(">QQQQ")
_RESULT_HEAD: Final = lp(RESULT_TAG)
_PARTICIPANTS_HEAD: Final = lp(PARTICIPANTS_TAG)
_ONE_INTEGER: Final = struct.Struct(">BBq")
_ONE_RATIO: Final = struct.Struct(">BqQ")


@dataclass(frozen=True)
class Side:
    """One side: its bytes in the release, and the exact class it stands for, if any (16 bytes)."""

    start: int
    end: int
    exact: bytes | None = None


@dataclass(frozen=True)
class Result:
    """What a generator says of one candidate.

    Attributes:
        kind: pair, stretch or group.
        release: text-release UUID (16 bytes).
        features: root of what the generator compared (32 bytes).
        fingerprints: root of the participants' exact fingerprints (the profile's evidence, 32 bytes).
        left, right: the sides; left begins first in the document.
        segments: matched extents, left and right.
        places: all places of a group, ascending; empty otherwise.
        metrics: name -> value; names and scales are the generator's.
        disposition, direction, why: what the rule table gives.
    """

    kind: str
    release: bytes
    features: bytes
    fingerprints: bytes
    left: Side
    right: Side
    segments: tuple[tuple[Extent, Extent], ...]
    places: tuple[Extent, ...]
    metrics: dict[str, Value]
    disposition: str
    direction: str | None
    why: str

    @property
    def sides(self) -> tuple[Extent, ...]:
        """Extents of all sides: the places of a group, else left and right."""
        return self.places or ((self.left.start, self.left.end), (self.right.start, self.right.end))


@dataclass(frozen=True)
class Participants:
    """Occurrence UUIDs that each side touches, sides apart, in the order of the sides."""

    sides: tuple[tuple[bytes, ...], ...]

    @property
    def encoded(self) -> bytes:
        """Canonical bytes: inside a side ascending and each once."""
        parts = [_PARTICIPANTS_HEAD, u32(len(self.sides))]
        for side in self.sides:
            once = sorted(set(side))
            parts += [u32(len(once)), *once]
        return b"".join(parts)


@dataclass(frozen=True)
class Candidate:
    """A candidate: ID, participants, result bytes."""

    id: bytes
    participants: bytes
    result: bytes


def encode_result(result: Result, generator: Generator) -> bytes:
    """Canonical bytes of a result.

    Raises:
        UsageError: an unknown kind or direction, a disposition no generator may state, a metric that the
            generator does not name, a value that is no whole number, ratio or name; an empty extent.
    """
    if result.kind not in KINDS:
        _refuse(f"{result.kind!r} is no kind of candidate", ", ".join(KINDS), "unknown_kind")
    if result.disposition not in STATED:
        _refuse(f"a generator cannot say {result.disposition!r}", ", ".join(STATED), "unknown_disposition")
    if result.direction not in DIRECTIONS:
        _refuse(f"{result.direction!r} is no direction", "left_to_right, right_to_left", "unknown_direction")
    for name, held, size in (
        ("release", result.release, 16),
        ("features", result.features, 32),
        ("fingerprints", result.fingerprints, 32),
    ):
        if len(held) != size:
            _refuse(f"{name} is not bound", f"{size} bytes", "unbound_fact")
    parts = [
        _RESULT_HEAD,
        u8(KINDS.index(result.kind)),
        u8(DISPOSITIONS[result.disposition]),
        u8(DIRECTIONS[result.direction]),
        result.release,
        result.features,
        result.fingerprints,
    ]
    parts += [_side(side, result.release) for side in (result.left, result.right)]
    parts += [lp(result.why.encode()), u32(len(result.segments))]
    parts += [_FOUR.pack(*left, *right) for left, right in result.segments]
    parts.append(u32(len(result.places)))
    parts += [_TWO.pack(*place) for place in result.places]
    known, metrics = generator.metric_number, result.metrics
    parts.append(u16(len(metrics)))
    for name in sorted(metrics):
        if name not in known:
            _refuse(f"{name!r} is no metric of {generator.label}", ", ".join(known), "unscaled_metric")
        value = metrics[name]
        if type(value) is int:
            parts.append(_ONE_INTEGER.pack(known[name], INTEGER, value))
        else:
            parts.append(u8(known[name]) + _value(name, value))
    return b"".join(parts)


def _side(side: Side, release: bytes) -> bytes:
    if not 0 <= side.start < side.end:
        _refuse(f"the extent {side.start}..{side.end} holds no byte", "start before end", "empty_extent")
    return _selection(release, side.start, side.end) + _TWO.pack(side.start, side.end) + opt(side.exact)


def _value(name: str, value: Value) -> bytes:
    if type(value) is int:
        return u8(INTEGER) + i64(value)
    if isinstance(value, tuple) and len(value) == 2:
        above, below = value
        if type(above) is int and type(below) is int and below > 0:
            return _ONE_RATIO.pack(RATIO, above, below)
    if isinstance(value, tuple) and value and all(isinstance(one, str) for one in value):
        return u8(NAMES) + u16(len(value)) + b"".join(lp(str(one).encode()) for one in value)
    _refuse(f"{name} is {value!r}", "a whole number, a ratio of two, or names", "bad_metric")


@dataclass(frozen=True)
class Heading:
    """What a list is chosen by, read from the first bytes of a result without decoding the rest."""

    kind: str
    disposition: str
    left: Extent
    right: Extent


def heading_of(data: bytes) -> Heading:
    """The heading of result bytes that were checked when their package was opened."""
    at = 4 + len(RESULT_TAG)
    kind, disposition = data[at : at + 2]
    at += 83  # kind, disposition, direction, release, two roots
    left = _TWO.unpack_from(data, at + 16)
    at += 33 + (16 if data[at + 32] else 0)
    right = _TWO.unpack_from(data, at + 16)
    return Heading(KINDS[kind], list(DISPOSITIONS)[disposition - 1], left, right)


def decode_result(data: bytes, generator: Generator) -> Result:
    """The result that canonical bytes say.

    Raises:
        IntegrityError: the bytes are no result of this generator.
    """
    try:
        found = _decoded(data, generator)
        if encode_result(found, generator) == data:
            return found
    except (IndexError, KeyError, ValueError, struct.error, UsageError):
        pass
    raise IntegrityError(
        "the bytes are no candidate result of this generator",
        where=f"result of {len(data)} bytes",
        expected="canonical bytes as docs/encoding.md section 12 has them",
        kind="bad_result",
    )


def _decoded(data: bytes, generator: Generator) -> Result:
    at = 4 + len(RESULT_TAG)
    if data[:at] != lp(RESULT_TAG):
        raise ValueError("tag")
    kind, disposition, direction = data[at : at + 3]
    release, features, fingerprints = data[at + 3 : at + 19], data[at + 19 : at + 51], data[at + 51 : at + 83]
    at += 83
    sides = []
    for _ in range(2):
        start, end = _TWO.unpack_from(data, at + 16)
        has, at = data[at + 32], at + 33
        sides.append(Side(start, end, data[at : at + 16] if has else None))
        at += 16 if has else 0
    why, at = _text(data, at)
    count, at = _number(data, at, 4)
    segments = [_FOUR.unpack_from(data, at + 32 * k) for k in range(count)]
    count, at = _number(data, at + 32 * count, 4)
    places = [_TWO.unpack_from(data, at + 16 * k) for k in range(count)]
    count, at = _number(data, at + 16 * count, 2)
    metrics: dict[str, Value] = {}
    for _ in range(count):
        name = generator.metric(data[at])["name"]
        metrics[name], at = _read_value(data, at + 1)
    return Result(
        kind=KINDS[kind],
        release=release,
        features=features,
        fingerprints=fingerprints,
        left=sides[0],
        right=sides[1],
        segments=tuple(((a, b), (c, d)) for a, b, c, d in segments),
        places=tuple((a, b) for a, b in places),
        metrics=metrics,
        disposition=list(DISPOSITIONS)[disposition - 1],
        direction=list(DIRECTIONS)[direction],
        why=why,
    )


def _read_value(data: bytes, at: int) -> tuple[Value, int]:
    form, at = data[at], at + 1
    if form == NAMES:
        count, at = _number(data, at, 2)
        names = []
        for _ in range(count):
            name, at = _text(data, at)
            names.append(name)
        return tuple(names), at
    above = int.from_bytes(data[at : at + 8], "big", signed=True)
    if form == INTEGER:
        return above, at + 8
    return (above, int.from_bytes(data[at + 8 : at + 16], "big")), at + 16


def _number(data: bytes, at: int, width: int) -> tuple[int, int]:
    if len(data) < at + width:
        raise ValueError("short")
    return int.from_bytes(data[at : at + width], "big"), at + width


def _text(data: bytes, at: int) -> tuple[str, int]:
    size, at = _number(data, at, 4)
    return data[at : at + size].decode("utf-8"), at + size


# -- IDs ---------------------------------------------------------------


def candidate_of(
    result: Result, participants: Participants, *, profile: bytes, generator: Generator
) -> Candidate:
    """The candidate of a result.

    Args:
        result: what was found.
        participants: what it is about; every side touches at least one occurrence.
        profile: repetition-profile UUID (16 bytes) of the participants.
        generator: what found it.

    Raises:
        UsageError: as `encode_result`; a side without a participant, sides that do not fit the result.
    """
    if len(participants.sides) != len(result.sides) or not all(participants.sides):
        _refuse("a side has no participant", "an occurrence on every side of the result", "no_participant")
    who, data = participants.encoded, encode_result(result, generator)
    own = candidate_id(profile, sha(who), generator.digest, sha(data))
    return Candidate(own, who, data)


def candidate_id(profile: bytes, participants: bytes, generator: bytes, result: bytes) -> bytes:
    """`repeat-candidate` UUID (16 bytes) from the profile's UUID and three digests."""
    return _uuid5(
        _candidate_prefix(profile), f"{participants.hex()}/generator={generator.hex()}/result={result.hex()}"
    )


def evidence_id(kind: str, participants: bytes, producer: bytes, payload: bytes) -> bytes:
    """`repeat-evidence` UUID (16 bytes) from its kind and three digests."""
    return _uuid5(
        _evidence_prefix(kind), f"{participants.hex()}/producer={producer.hex()}/payload={payload.hex()}"
    )


def sha(data: bytes) -> bytes:
    """SHA-256, raw."""
    return hashlib.sha256(data).digest()


@lru_cache(maxsize=8)
def _candidate_prefix(profile: bytes) -> bytes:
    return name_prefix("repeat-candidate", {"profile": uuid_text(profile)})


@lru_cache(maxsize=8)
def _evidence_prefix(kind: str) -> bytes:
    return name_prefix("repeat-evidence", {"evidence-kind": kind})


@lru_cache(maxsize=8)
def _selection_prefix(release: bytes) -> bytes:
    return name_prefix("selection", {"release": uuid_text(release), "coord": COORDINATE_PROFILE})


@lru_cache(maxsize=1 << 14)
def _selection(release: bytes, start: int, end: int) -> bytes:
    return _uuid5(_selection_prefix(release), f"{start}-{end}")


def _uuid5(prefix: bytes, tail: str) -> bytes:
    found = bytearray(hashlib.sha1(prefix + tail.encode("ascii"), usedforsecurity=False).digest()[:16])
    found[6] = found[6] & 0x0F | 0x50
    found[8] = found[8] & 0x3F | 0x80
    return bytes(found)


def participants_sides(data: bytes) -> tuple[tuple[bytes, ...], ...]:
    """Occurrence UUIDs per side of canonical participants bytes.

    Raises:
        IntegrityError: they are none.
    """
    at = 4 + len(PARTICIPANTS_TAG)
    try:
        if data[:at] != lp(PARTICIPANTS_TAG):
            raise ValueError("tag")
        count, at = _number(data, at, 4)
        sides: list[tuple[bytes, ...]] = []
        for _ in range(count):
            size, at = _number(data, at, 4)
            if len(data) < at + 16 * size:
                raise ValueError("short")
            sides.append(tuple(data[at + 16 * k : at + 16 * k + 16] for k in range(size)))
            at += 16 * size
        if Participants(tuple(sides)).encoded == data:
            return tuple(sides)
    except ValueError:
        pass
    raise IntegrityError("the bytes are no participants", where=f"{len(data)} bytes", kind="bad_participants")


def _refuse(message: str, expected: str, kind: str) -> NoReturn:
    raise UsageError(message, where="candidate", expected=expected, kind=kind)
