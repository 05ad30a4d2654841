"""The roots of a loaded artifact, recomputed from its rows in the database and from nothing else.

A load is sealed only after these equal the roots that the artifact states (requirements 3.9): whatever
happened between the artifact's files and the server's tables would show here, and nothing of it would become
visible.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tekrar.core.encoding import canonical_json, manifest_root, no_scope, u32
from tekrar.core.policy import MATRIX, ProfileSpec, ScopePolicy, scope_policy
from tekrar.core.profile import load_rule
from tekrar.core.projection import materialize
from tekrar.core.text import DATASETS
from tekrar.errors import IntegrityError, TekrarError
from tekrar.store.load.artifact import PARTS
from tekrar.store.load.derived import check_derived
from tekrar.store.load.read_back import Columns, differs, read_table
from tekrar.store.load.stored_profile import StoredProfile
from tekrar.store.load.stored_text import StoredText
from tekrar.store.session import Connection

#: Tables whose rows give a root, by its kind; `repetition.occurrence` gives the others.
_TABLES: Final = {
    "text-release": "core.release",
    "dataset": "core.annotation",
    "policy": "repetition.artifact",
    "artifact_root": "repetition.artifact",
    "classes": "repetition.class",
    "dominated-classes": "repetition.class",
    "enumeration-exclusions": "repetition.enumeration_exclusion",
    "dataset-headings": "core.annotation",
    "dataset-note-bodies": "core.annotation",
    "dataset-note-markers": "core.annotation",
    "validation": "repetition.validation",
    "compiler": "repetition.artifact",
}
_PREDICATES: Final = frozenset(spec.name for spec in MATRIX)

Roots = list[tuple[str, bytes]]
#: profile -> table -> partition.
Sources = Mapping[str, dict[str, str]]

_ARTIFACT: Final = (
    b"SELECT artifact_root, release_key, policy_name, policy_digest, language, manifest"
    b" FROM repetition.artifact WHERE artifact_key = %s"
)
_PROFILES: Final = (
    b"SELECT profile_key, short, uuid_send(profile), document, partial, exact_status, coverage,"
    b" projection_root FROM repetition.profile WHERE artifact_key = %s"
)
_VALIDATION: Final = (
    b"SELECT position, name, digest FROM repetition.validation WHERE profile_key = %s ORDER BY position"
)
_ROOTS: Final = b"SELECT name, root FROM repetition.root WHERE artifact_key = %s ORDER BY position"


def recomputed_root(
    connection: Connection,
    key: int,
    text: StoredText,
    *,
    sources: Sources | None = None,
    at_profile: Callable[[str], object] = str,
    after_reading: Callable[[], object] = bool,
    inspect: Callable[[StoredProfile], object] = bool,
    only: Collection[str] | None = None,
) -> bytes:
    """The artifact root that the rows in the database give.

    One profile is hashed while the server sends the next one, and the last while `after_reading` goes on.

    Args:
        connection: inside a transaction that may read the rows.
        key: `artifact_key`.
        text: the release, read back.
        sources: for each profile the partitions to read, by table, where they are not attached yet.
        at_profile: called with the short name of each profile before it is read.
        after_reading: called when every row has been read.
        inspect: called with each profile's rows when they were found to give its roots; what it raises is
            raised here.
        only: short names of the profiles whose rows are read, None for all four. The stated roots of the
            others are taken as they are; the artifact root binds them.

    Raises:
        IntegrityError: a row differs from what the stated roots bind; the first one is named.
        psycopg.Error: the server refused, or was lost.
    """
    row = connection.execute(_ARTIFACT, (key,), binary=True).fetchone()
    if row is None or row[1] != text.key:
        raise differs("repetition.artifact", f"artifact {key} is not of release {text.key}", "its release")
    stated, _, policy_name, policy_digest, language, manifest = row
    policy = scope_policy(text.release.language)
    if (policy_name, bytes(policy_digest), language) != (policy.name, policy.digest, policy.language):
        raise differs("repetition.artifact", f"policy {policy_name}", f"the release's, {policy.name}")
    document = json.loads(bytes(manifest))
    roots: Roots = [("text-release", text.manifest_root)]
    roots += [("dataset/" + name.replace("_", "-"), text.dataset_roots[name]) for name in DATASETS]
    roots.append(("policy", policy.digest))
    rows = {row[1]: row for row in connection.execute(_PROFILES, (key,), binary=True).fetchall()}
    if set(rows) != {spec.short for spec in MATRIX}:
        raise differs("repetition.profile", f"profiles {sorted(rows)}", "the four of the matrix")
    stated_roots = connection.execute(_ROOTS, (key,), binary=True).fetchall()
    with ThreadPoolExecutor(1) as hashing:
        found_roots: list[Future[Roots]] = []
        for spec in MATRIX:
            if only is not None and spec.short not in only:
                found_roots.append(hashing.submit(_stated, spec, stated_roots))
                continue
            at_profile(spec.short)
            own = _Own(spec, rows[spec.short], text, policy, document)
            profile = _read_profile(connection, own, (sources or {}).get(spec.short, {}))
            if found_roots:
                found_roots[-1].result()  # no more than two profiles in memory
            found_roots.append(hashing.submit(_profile_roots, own, profile, inspect))
        after_reading()
        roots += [root for found in found_roots for root in found.result()]
    _compare(roots, stated_roots)
    names = ((u32(i) + name.encode("ascii"), root) for i, (name, root) in enumerate(roots))
    found = manifest_root("artifact", no_scope(), names)
    _compare([("artifact_root", found)], [("artifact_root", stated)])
    _compare_document(document, roots, found)
    return found


@dataclass(frozen=True)
class _Own:
    """What belongs to one profile: row of the matrix and of `repetition.profile`, text, policy, manifest."""

    spec: ProfileSpec
    row: tuple[Any, ...]
    text: StoredText
    policy: ScopePolicy
    document: dict[str, Any]

    @property
    def place(self) -> str:
        return f"profile {self.spec.short}"


def _read_profile(connection: Connection, own: _Own, sources: dict[str, str]) -> StoredProfile:
    key, _, identity, rule, partial, *_ = own.row
    try:
        profile = load_rule(json.loads(bytes(rule)), own.policy)
    except TekrarError as error:
        raise differs(own.place, error.message, "the rule document of the profile") from error
    if (profile.id, profile.spec, profile.release) != (bytes(identity), own.spec, own.text.identity):
        raise differs(own.place, "the rule document is another profile's or release's", own.spec.name)

    def table(name: str) -> Columns:
        name = "repetition." + name
        return read_table(connection, name, key, source=sources.get(name, ""))

    records = connection.execute(_VALIDATION, (key,), binary=True).fetchall()
    return StoredProfile(
        spec=own.spec,
        id=profile.id,
        partial=partial,
        occurrences=table("occurrence"),
        classes=table("class"),
        witnesses=table("witness"),
        witness_spans=table("witness_span"),
        exclusions=table("enumeration_exclusion"),
        validation=[(position, name, bytes(digest)) for position, name, digest in records],
        compiler=_compiler(own.document),
        datasets=[own.text.dataset_roots[name] for name in DATASETS],
    )


def _profile_roots(own: _Own, stored: StoredProfile, inspect: Callable[[StoredProfile], object]) -> Roots:
    """The twenty named roots of a profile, after everything that no root covers was compared."""
    try:
        _check_statements(own, stored)
        _check_numbers(stored, own.text, own.place)
        check_derived(stored, own.text, own.place)
        roots = [(f"{own.spec.name}/{kind}", root) for kind, root in stored.roots()]
        inspect(stored)
        return roots
    except (IndexError, ValueError, OverflowError) as error:
        raise differs(own.place, str(error), "rows that fit each other") from error


def _check_statements(own: _Own, stored: StoredProfile) -> None:
    *_, partial, exact_status, coverage, projection_root = own.row
    release = own.text.release
    datasets = {name: one for name in DATASETS if (one := release.datasets.get(name)) is not None}
    projection = materialize(
        own.spec.projection, policy=own.policy, datasets=datasets, release=own.text.identity
    )
    if projection.root() != bytes(projection_root):
        raise differs(
            f"repetition.profile, {own.place}",
            "another projection root than the datasets give",
            projection.root().hex(),
        )
    open_parts = np.isin(stored.occurrences["part"].values, [PARTS["not-evaluated"], PARTS["failed"]])
    status = "partial" if open_parts.any() else "complete"
    if (partial, exact_status) != (status == "partial", status):
        raise differs(f"repetition.profile, {own.place}", f"stated {exact_status}, partial {partial}", status)
    if bytes(coverage) != canonical_json(own.document["profiles"][own.spec.short]["coverage"]):
        raise differs(
            f"repetition.profile, {own.place}", "another coverage record than its manifest's", "the same"
        )


def _check_numbers(stored: StoredProfile, text: StoredText, place: str) -> None:
    """What no root covers: row numbers, units, lengths, witness numbers; the roots' columns imply them."""
    rows, classes, release = stored.occurrences, stored.classes, text.release
    unit, length = rows["unit"].values.astype(np.int64), rows["length"].values.astype(np.int64)
    of_rows, of_classes = f"repetition.occurrence of {place}", f"repetition.class of {place}"
    start, end = rows["start_byte"].values, rows["start_byte"].values + rows["extent"].values
    runs = stored.spec.short in ("FS", "PS")
    begins, ends = (
        (release.sentence_start, release.sentence_end)
        if runs
        else (release.paragraph_start, release.paragraph_end)
    )
    last = unit + length - 1
    if len(unit) and int(last.max()) >= len(begins):
        raise differs(of_rows, f"unit {int(last.max())}", f"below {len(begins)}")
    for what, wrong in (
        ("row number", rows["row_no"].values != np.arange(len(unit))),
        ("unit", begins[unit] != start),
        ("length", (ends[last] != end) | (not runs and length != 1)),
        ("witness", rows["witness"].values >= len(stored.witnesses["root"].values)),
    ):
        if wrong.any():
            raise differs(
                of_rows, f"{what} of row {int(np.flatnonzero(wrong)[0])} is another", "its extent's"
            )
    if not (classes["class_no"].values == np.arange(len(classes["class_no"].values))).all():
        raise differs(of_classes, "class numbers with a gap", "0, 1, 2 …")
    first = classes["first_row"].values
    if len(first) and (int(first.max()) >= len(length) or (length[first] != classes["length"].values).any()):
        raise differs(of_classes, "a class of another length than its first member", "the member's")
    matched = np.flatnonzero(rows["part"].values == PARTS["matched"])
    found, at, size = np.unique(rows["class_no"].values[matched], return_index=True, return_counts=True)
    if not (
        np.array_equal(found, classes["class_no"].values)
        and np.array_equal(matched[at], first)
        and np.array_equal(size, classes["size"].values)
    ):
        raise differs(of_classes, "a class of other members than its size and first row", "its members")
    numbers = stored.witnesses["witness"].values
    if not (numbers == np.arange(len(numbers))).all():
        raise differs(f"repetition.witness of {place}", "witness numbers with a gap", "0, 1, 2 …")
    for number, root in enumerate(stored.witness_roots()):
        if root != stored.witnesses["root"].values[number].tobytes():
            raise differs(
                f"repetition.witness_span of {place}",
                f"witness {number} has other spans than its root says",
                root.hex(),
            )


def _stated(spec: ProfileSpec, stated: list[Any]) -> Roots:
    return [(name, bytes(root)) for name, root in stated if name.startswith(spec.name + "/")]


def _compiler(document: dict[str, Any]) -> dict[str, bytes]:
    compiler = document["compiler"]
    return {
        "name": compiler["name"].encode("ascii"),
        "encoding": compiler["encoding"].encode("ascii"),
        "vectors": bytes.fromhex(compiler["vectors"]),
    }


def _compare(found: Roots, stated: list[Any]) -> None:
    for (name, root), (stated_name, stated_root) in zip(found, stated, strict=False):
        if (name, root) != (stated_name, bytes(stated_root)):
            raise IntegrityError(
                f"the rows in the database give another root of {name}",
                where=f"database, {_table_of(name)}, {name}",
                expected=f"{stated_name} {bytes(stated_root).hex()}, found {root.hex()}",
                mend="nothing was sealed; load it again, and check the disk and memory of the server",
                kind="stored_rows_differ",
            )
    if len(found) != len(stated):
        raise differs("repetition.root", f"{len(stated)} roots", f"{len(found)}")


def _table_of(name: str) -> str:
    """The table whose rows give a root, by the root's name."""
    group, _, kind = name.rpartition("/")
    return _TABLES.get(kind if group in _PREDICATES else group or name, "repetition.occurrence")


def _compare_document(document: dict[str, Any], roots: Roots, artifact_root: bytes) -> None:
    """The stored manifest states the same roots as the rows of `repetition.root`."""
    stated = (document["artifact_root"], document["roots"])
    if stated != (artifact_root.hex(), [[name, root.hex()] for name, root in roots]):
        raise differs("repetition.artifact", "a manifest of other roots", "the artifact's own")
