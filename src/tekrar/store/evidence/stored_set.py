"""A set of candidates in the database: its rows read back, and everything that they say made again.

A load seals a set, a publication binds it and a verification finds a change of it by the same function
(CND-01, CND-10): participants, selections, exact bytes and fingerprints from the text and the occurrences,
then the IDs and roots.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tekrar.core.encoding import sha256
from tekrar.core.identity import uuid_text
from tekrar.core.policy import MATRIX
from tekrar.errors import IntegrityError
from tekrar.store.evidence import result as made
from tekrar.store.load.columns import copy_out
from tekrar.store.load.read_back import differs
from tekrar.store.session import Connection

_SET: Final = b"""
    SELECT s.package_root, uuid_send(s.profile), s.generator, s.manifest, s.profile_key, a.artifact_root,
        a.release_key, uuid_send(r.text_release), r.manifest_root, p.short, p.predicate
    FROM curation.candidate_set s JOIN repetition.artifact a USING (artifact_key)
    JOIN core.release r USING (release_key) JOIN repetition.profile p ON p.profile_key = s.profile_key
    WHERE s.set_key = %s
"""
_ROWS: Final = """
    SELECT c.rank, uuid_send(c.candidate), uuid_send(c.profile), c.generator, c.participants, c.result_digest,
        c.result, uuid_send(e.evidence), e.kind, e.participants, e.producer, e.payload_digest, e.payload,
        p.bytes
    FROM {candidate} c
    FULL JOIN {evidence} e USING (rank)
    FULL JOIN (
        SELECT q.candidate, CASE WHEN max(q.side) = count(*) - 1 AND bool_and(q.whole) THEN
            int4send(count(*)::integer) || string_agg(q.side_bytes, ''::bytea ORDER BY q.side) END AS bytes
        FROM (SELECT m.candidate, m.side, max(m.position) = count(*) - 1 AS whole,
                  int4send(count(*)::integer)
                  || string_agg(uuid_send(m.occurrence), ''::bytea ORDER BY m.position) AS side_bytes
              FROM {candidate_participant} m
              GROUP BY m.candidate, m.side) AS q
        GROUP BY q.candidate) AS p ON p.candidate = c.candidate
    ORDER BY c.rank
"""
_TEXT: Final = b"SELECT data FROM core.text_block WHERE release_key = %s ORDER BY block"
_EVIDENCE_ROOT: Final = b"""
    SELECT root FROM repetition.root JOIN repetition.profile p USING (artifact_key)
    WHERE p.profile_key = %s AND name = concat_ws('/', p.projection, p.enumerator, p.predicate, 'evidence')
"""
TABLES: Final = ("candidate", "candidate_participant", "evidence")
_TAG: Final = made.participants_bytes(())[:-4]


@dataclass(frozen=True)
class Occurrences:
    """Occurrences of a profile in document order: extents, IDs, fingerprints, classes; and the text."""

    text: bytes
    start: list[int]
    end: list[int]
    id: list[bytes]
    fingerprint: list[bytes]
    exact: list[bytes | None]

    def touched(self, start: int, end: int) -> tuple[int, int]:
        """First row that an extent touches, and the one behind the last."""
        return bisect_right(self.end, start), bisect_left(self.start, end)


def read_occurrences(
    connection: Connection, profile_key: int, release_key: int, text: bytes | None = None
) -> Occurrences:
    """The occurrences of a profile of whole paragraphs.

    Args:
        connection: of a role that may read them.
        profile_key, release_key: of the profile and of its text.
        text: the text, where it was read already.
    """
    named = (
        *(("row_no", "int4"), ("occurrence", "uuid"), ("start_byte", "int8"), ("extent", "int4")),
        *(("fingerprint", "digest?"), ("class", "uuid?")),
    )
    chosen = ", ".join(name for name, _ in named)
    query = f"SELECT {chosen} FROM repetition.occurrence WHERE profile_key = {profile_key:d}"
    rows = {column.name: column for column in copy_out(connection, query.encode(), named)}
    order = np.argsort(rows["row_no"].values)
    start = rows["start_byte"].values[order].astype(np.int64)
    if text is None:
        blocks = connection.execute(_TEXT, (release_key,), binary=True).fetchall()
        text = b"".join(bytes(block) for (block,) in blocks)
    given: Any = rows["class"].present
    classes = zip(rows["class"].values[order], given[order].tolist(), strict=True)
    return Occurrences(
        text,
        start.tolist(),
        (start + rows["extent"].values[order]).tolist(),
        [one.tobytes() for one in rows["occurrence"].values[order]],
        [one.tobytes() for one in rows["fingerprint"].values[order]],
        [one.tobytes() if present else None for one, present in classes],
    )


@dataclass(frozen=True)
class StoredSet:
    """What the rows of a set say, once they were found to be what its package root binds.

    Attributes:
        set_key: key in this database.
        profile: repetition-profile UUID (16 bytes); predicate: its token.
        generator: digest of the generator document.
        root: the package root, made again.
        candidates: (ID, result digest), best first; participants: the digest of each.
    """

    set_key: int
    profile: bytes
    predicate: str
    generator: bytes
    root: bytes
    candidates: list[tuple[bytes, bytes]]
    participants: list[bytes]


def read_set(
    connection: Connection,
    set_key: int,
    *,
    sources: dict[str, str] | None = None,
    occurrences: Occurrences | None = None,
) -> StoredSet:
    """Read a set of candidates back and make everything of it again.

    Args:
        connection: inside a transaction of a role that may read it.
        set_key: of the set.
        sources: by table of `TABLES`, the partition to read where it is not attached yet.
        occurrences: of its profile, where they were read already.

    Raises:
        IntegrityError: `stored_rows_differ`, with the first row or root that is another.
    """
    row = connection.execute(_SET, (set_key,), binary=True).fetchone()
    if row is None:
        raise differs("curation.candidate_set", f"no set {set_key} over a sealed artifact", "its row")
    (
        root,
        profile,
        generator,
        document,
        profile_key,
        artifact,
        release_key,
        release,
        core,
        short,
        predicate,
    ) = row
    manifest = json.loads(bytes(document))
    whole = {
        f"curation.{name}": f"(SELECT * FROM curation.{name} WHERE set_key = {set_key:d})" for name in TABLES
    }
    tables = {name: (sources or whole)[f"curation.{name}"] for name in TABLES}
    _check_head(manifest, (uuid_text(bytes(profile)), short, predicate), (bytes(release), bytes(core)))
    if short != MATRIX[0].short:
        raise differs("curation.candidate_set", f"candidates over profile {short}", MATRIX[0].short)
    held = occurrences or read_occurrences(connection, profile_key, release_key)
    fingerprints = connection.execute(_EVIDENCE_ROOT, (profile_key,), binary=True).fetchone()
    stated = {name: bytes.fromhex(one) for name, one in manifest["roots"].items()}
    bound = bytes(release) + stated["features"] + (bytes(fingerprints[0]) if fingerprints else b"")
    rows = connection.execute(_ROWS.format(**tables).encode(), binary=True).fetchall()
    candidates, evidence, who = [], [], []
    for rank, one in enumerate(rows, 1):
        try:
            own, theirs, participants = _remade(rank, one, (bytes(profile), bytes(generator), bound), held)
        except ValueError as error:
            raise differs(f"curation.candidate of rank {rank}", str(error), "what its facts give") from None
        candidates.append(own)
        evidence.append(theirs)
        who.append(participants)
    found = {"artifact": bytes(artifact), "text-release": bytes(core), "features": stated["features"]}
    try:
        found |= made.stated_roots(manifest)
        found |= made.listed_roots(bytes(profile), predicate, candidates, evidence)
    except (KeyError, ValueError) as error:
        raise differs(
            "curation.candidate_set", f"rows that are no set: {error}", "every candidate once"
        ) from None
    for name in made.ROOTS:
        if stated.get(name) != found[name]:
            raise differs(
                f"curation.candidate_set {set_key}, root {name}",
                found[name].hex(),
                manifest["roots"].get(name),
            )
    again = made.package_root(found)
    if not bytes(root) == again == bytes.fromhex(manifest["candidates_root"]) or found["generator"] != bytes(
        generator
    ):
        raise differs(f"curation.candidate_set {set_key}, package root", bytes(root).hex(), again.hex())
    return StoredSet(set_key, bytes(profile), predicate, bytes(generator), again, candidates, who)


def _check_head(manifest: Any, profile: tuple[str, str, str], text: tuple[bytes, bytes]) -> None:
    names = dict(zip(("id", "name", "predicate"), profile, strict=True))
    release = {"text_release": uuid_text(text[0]), "core_release_manifest_root": text[1].hex()}
    if not isinstance(manifest, dict) or (manifest.get("profile"), manifest.get("release")) != (
        names,
        release,
    ):
        raise differs(
            "curation.candidate_set, manifest", "another profile or text release", f"{names}, {release}"
        )


def _remade(
    rank: int, row: Sequence[Any], bound: tuple[bytes, bytes, bytes], held: Occurrences
) -> tuple[tuple[bytes, bytes], tuple[bytes, bytes], bytes]:
    """(candidate, result digest), (evidence, payload digest) and participants digest of a row, made again.

    Raises:
        ValueError: the first value of the row that is another.
    """
    number, candidate, *rest = [bytes(v) if isinstance(v, memoryview) else v for v in row]
    profile, generator, stated_who, result_digest, result, evidence, kind, *more = rest
    evidence_who, producer, payload_digest, payload, joined = more
    if number != rank or candidate is None or evidence is None or joined is None:
        raise ValueError("a rank, candidate, evidence or participants are not there")
    places = made.places_of(result)
    if (profile, generator, places.bound) != bound or places.disposition not in made.STATED:
        raise ValueError("it states another profile, generator, release, features or fingerprints")
    sides, facts = [], []
    for start, end in places.sides:
        first, last = held.touched(start, end)
        if not 0 <= start < end <= len(held.text) or first >= last:
            raise ValueError(f"the place {start}-{end} touches no occurrence")
        sides.append(held.id[first:last])
        facts.append((sha256(held.text[start:end]), sha256(b"".join(held.fingerprint[first:last]))))
    _check_ends(places, held)
    encoded = made.participants_bytes(sides)
    who, digest = sha256(encoded), sha256(result)
    if encoded != _TAG + joined or {stated_who, evidence_who} != {who}:
        raise ValueError("its participants are not the occurrences that its places touch")
    if result_digest != digest or made.candidate_id(profile, who, generator, digest) != candidate:
        raise ValueError(f"the candidate {uuid_text(candidate)} stands for other facts")
    again = made.payload_bytes(result, facts)
    if payload != again or payload_digest != sha256(again):
        raise ValueError("its evidence is of other bytes or fingerprints than stand there")
    if (kind, producer) != (made.EVIDENCE_KIND, generator):
        raise ValueError("its evidence is of another kind or producer")
    if made.evidence_id(who, generator, payload_digest) != evidence:
        raise ValueError(f"the evidence {uuid_text(evidence)} stands for other facts")
    return (candidate, digest), (evidence, payload_digest), who


def _check_ends(places: made.Places, held: Occurrences) -> None:
    for extent, selection, exact in zip(places.ends, places.selections, places.classes, strict=True):
        if made.selection(places.bound[:16], extent) != selection:
            raise ValueError(f"the selection of {extent[0]}-{extent[1]} stands for other bytes")
        if exact is not None:
            first, last = held.touched(*extent)
            if last - first != 1 or held.exact[first] != exact:
                raise ValueError(f"the place {extent[0]}-{extent[1]} is of another exact class")


def not_of_package(message: str, *, where: str, expected: str) -> IntegrityError:
    """The refusal of a package whose rows cannot be loaded."""
    return IntegrityError(
        message,
        where=where,
        expected=expected,
        mend="make the candidates anew: tekrar candidates ARTIFACT --out CANDIDATES",
        kind="bad_candidates",
    )
