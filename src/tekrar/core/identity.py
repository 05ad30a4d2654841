"""Identity: twelve record classes, one issuance channel each, and the UUIDv5 path grammar
(`docs/encoding.md` section 9).

Serves ADR-009 *Identity contracts*. Package-issued kinds are UUIDv5 over `v1/kind=…/fact=value…` under a
namespace made from the immutable identity release key. Curation-issued kinds are UUIDv7 from the ledger;
nothing in this module can make one. A UUID travels as its 16 bytes inside the code and as canonical
lower-case text at every boundary.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import Final

from tekrar.errors import IntegrityError, UsageError

PROJECT_NS: Final = uuid.UUID("7f1d6a52-3c0e-5b9f-8a47-d2c94e61b038")
KEY_DIGEST: Final = "6f5d86b2c59cc3805d41c210eca7e28c90bd28f2b1f230ea81d10b656f54ab53"
COORDINATE_PROFILE: Final = "utf8-byte.v1"

_VALUE = re.compile(r"[a-z0-9\-_.:,+]+", re.ASCII)
_UUID_TEXT = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[57][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.ASCII)


class Channel(StrEnum):
    """Issuance channels of ADR-002."""

    PACKAGE = "package_deterministic"
    CURATION = "curation_generated"


@dataclass(frozen=True)
class IdentityKind:
    """A record class: its channel and, for package kinds, the facts of its name in their fixed order."""

    name: str
    channel: Channel
    facts: tuple[str, ...] = ()


#: ADR-009, *Record classes* and *Identity contracts*: twelve classes, exactly one channel each.
RECORD_CLASSES: Final[dict[str, IdentityKind]] = {
    kind.name: kind
    for kind in (
        IdentityKind("repetition-profile", Channel.PACKAGE, ("rule", "semver")),
        IdentityKind(
            "passage-occurrence",
            Channel.PACKAGE,
            ("coord", "profile", "release", "granularity", "mask", "selection"),
        ),
        IdentityKind("exact-class", Channel.PACKAGE, ("profile", "predicate", "scope", "members", "witness")),
        IdentityKind("repeat-candidate", Channel.PACKAGE, ("profile", "participants", "generator", "result")),
        IdentityKind(
            "repeat-evidence", Channel.PACKAGE, ("evidence-kind", "participants", "producer", "payload")
        ),
        IdentityKind("passage-diff", Channel.PACKAGE, ("left", "right", "algorithm", "script")),
        IdentityKind("repeat-family", Channel.CURATION),
        IdentityKind("quotation-relation", Channel.CURATION),
        IdentityKind("canonical-choice", Channel.CURATION),
        IdentityKind("repetition-review", Channel.CURATION),
        IdentityKind("repetition-release", Channel.PACKAGE, ("profile", "roots", "compiler")),
        IdentityKind("propagation-policy", Channel.PACKAGE, ("rule", "semver")),
    )
}

#: Identities of the core that occurrences stand on (contracts C1 and C3); they are no repetition record
#: classes.
CORE_KINDS: Final[dict[str, IdentityKind]] = {
    "text-release": IdentityKind("text-release", Channel.PACKAGE, ("edition", "root")),
    "selection": IdentityKind("selection", Channel.PACKAGE, ("release", "coord", "ranges")),
}


def identity_release_key() -> str:
    """The immutable identity release key shipped in the package, checked against its pinned digest."""
    text = files("tekrar.core").joinpath("data/identity-release-key.txt").read_text("utf-8")
    key = text.removesuffix("\n")
    if hashlib.sha256(key.encode()).hexdigest() != KEY_DIGEST:
        raise IntegrityError(
            "the identity release key was changed",
            where="tekrar/core/data/identity-release-key.txt",
            expected=f"SHA-256 {KEY_DIGEST}",
            mend="reinstall tekrar; under another key every ID would be another ID",
        )
    return key


def namespace(key: str | None = None) -> uuid.UUID:
    """Namespace of all package-issued IDs under an identity release key (the package's own when none is
    given)."""
    return uuid.uuid5(PROJECT_NS, "identity-release-key=" + (identity_release_key() if key is None else key))


def _name(kind: IdentityKind, facts: dict[str, str]) -> str:
    if kind.channel is not Channel.PACKAGE:
        raise UsageError(
            f"{kind.name} is {kind.channel}: its UUIDv7 comes from the ledger", kind="wrong_channel"
        )
    if tuple(facts) != kind.facts:
        raise UsageError(
            f"{kind.name} is named by the facts {', '.join(kind.facts)} in this order",
            expected=", ".join(kind.facts),
        )
    for fact, value in facts.items():
        if _VALUE.fullmatch(value) is None:
            raise UsageError(f"{kind.name}: {fact} has a value outside the path grammar: {value!r}")
    return f"v1/kind={kind.name}" + "".join(f"/{fact}={value}" for fact, value in facts.items())


def issue(kind: str, facts: dict[str, str], *, key: str | None = None) -> bytes:
    """UUIDv5 (16 bytes) of a package-issued kind from its identity-bearing facts, given in the grammar's
    order.

    Raises:
        UsageError: an unknown or curation-issued kind, facts missing or out of order, a value outside the
            grammar.
    """
    known = RECORD_CLASSES.get(kind) or CORE_KINDS.get(kind)
    if known is None:
        raise UsageError(f"unknown identity kind {kind!r}")
    return uuid.uuid5(namespace(key), _name(known, facts)).bytes


def name_prefix(kind: str, facts: dict[str, str]) -> bytes:
    """Namespace bytes and the leading facts of a name, for bulk issuing: `uuid5` hashes exactly these bytes
    first.

    `facts` are the leading facts, each in order; the returned bytes end with the next fact's `=`.
    """
    known = RECORD_CLASSES.get(kind) or CORE_KINDS[kind]
    given = tuple(facts)
    if known.facts[: len(given)] != given or len(given) >= len(known.facts):
        raise UsageError(f"{kind}: {given} do not lead its facts {known.facts}")
    text = f"v1/kind={kind}" + "".join(f"/{fact}={value}" for fact, value in facts.items())
    return namespace().bytes + f"{text}/{known.facts[len(given)]}=".encode("ascii")


def uuid_text(value: bytes) -> str:
    """Canonical lower-case text of 16 UUID bytes."""
    return str(uuid.UUID(bytes=bytes(value)))


def parse_uuid(text: str, *, what: str = "ID") -> bytes:
    """16 bytes of a canonical lower-case UUID of version 5 or 7.

    Raises:
        UsageError: upper case, braces, `urn:`, a hash, a row number, a wrong version or variant (ID-04,
            ID-05).
    """
    if _UUID_TEXT.fullmatch(text) is None:
        raise UsageError(
            f"{what} {text!r} is no canonical UUID",
            expected="lower-case RFC 9562 text, version 5 or 7: 2f1c0c62-6f3e-5d0a-9c33-0f6f7f2b9a11",
            mend="tekrar repeats RELEASE ADDRESS prints the IDs of the occurrence there and of what it is in"
            if text.count("/") == 2
            else "copy the ID as tekrar printed it; hashes and row numbers are not public IDs",
            kind="not_a_uuid",
        )
    return uuid.UUID(text).bytes


def edition_fact(edition: str) -> str:
    """The `edition` fact of a text release: SHA-256 of the edition name."""
    return hashlib.sha256(edition.encode("utf-8")).hexdigest()


def text_release_id(*, edition: str, manifest_root: bytes) -> bytes:
    """ID of a text release from its edition name and core release manifest root."""
    return issue("text-release", {"edition": edition_fact(edition), "root": manifest_root.hex()})


def selection_id(release: bytes, ranges: list[tuple[int, int]]) -> bytes:
    """ID of a selection of ascending, coalesced, half-open byte ranges of one release (contract C3)."""
    text = ",".join(f"{start}-{end}" for start, end in ranges)
    return issue("selection", {"release": uuid_text(release), "coord": COORDINATE_PROFILE, "ranges": text})


def members_digest(ids: list[bytes]) -> bytes:
    """SHA-256 of a count and the UUID bytes ascending: the `members` fact of a class, whatever order they
    come in."""
    ordered = sorted(ids)
    return hashlib.sha256(len(ordered).to_bytes(8, "big") + b"".join(ordered)).digest()
