"""Twelve record classes, one channel each; UUIDv5 names; canonical UUIDs at every boundary."""

from __future__ import annotations

import sys
import uuid
from pathlib import Path

import pyarrow as pa
import pytest

from tekrar.core import identity
from tekrar.core.identity import CORE_KINDS, RECORD_CLASSES, Channel, issue, parse_uuid
from tekrar.errors import TekrarError, UsageError
from tekrar.verify import verify_full
from tests.oracle import encoding as oracle
from tests.small import Built, document
from tests.verify.altering import sealed_again

U = "11111111-2222-5333-8444-555555555555"
H = "0" * 64
FACTS: dict[str, dict[str, str]] = {
    "repetition-profile": {"rule": H, "semver": "1.0.0"},
    "passage-occurrence": {
        "coord": "utf8-byte.v1", "profile": U, "release": U, "granularity": "whole-paragraph", "mask": H,
        "selection": U,
    },
    "exact-class": {"profile": U, "predicate": "exact_passage_bytes", "scope": H, "members": H, "witness": H},
    "repeat-candidate": {"profile": U, "participants": H, "generator": H, "result": H},
    "repeat-evidence": {"evidence-kind": "fingerprint", "participants": H, "producer": H, "payload": H},
    "passage-diff": {"left": U, "right": U, "algorithm": "adr009.diff-lcs-move.1", "script": H},
    "repetition-release": {"profile": U, "roots": H, "compiler": H},
    "propagation-policy": {"rule": H, "semver": "1.0.0"},
    "text-release": {"edition": H, "root": H},
    "selection": {"release": U, "coord": "utf8-byte.v1", "ranges": "0-5,9-12"},
}  # fmt: skip
CURATED = {"repeat-family", "quotation-relation", "canonical-choice", "repetition-review"}


@pytest.mark.req("LAY-09", "ID-01", "LAY-01")
def test_twelve_record_classes_have_one_channel_each() -> None:
    assert len(RECORD_CLASSES) == 12
    assert {n for n, k in RECORD_CLASSES.items() if k.channel is Channel.CURATION} == CURATED
    assert RECORD_CLASSES["exact-class"].channel is Channel.PACKAGE
    facts = [k.facts for k in RECORD_CLASSES.values() if k.channel is Channel.PACKAGE]
    assert all(facts)
    for name in CURATED:
        with pytest.raises(UsageError, match="ledger"):
            issue(name, {})


@pytest.mark.req("ID-02", "ID-06")
@pytest.mark.parametrize("kind", sorted(FACTS))
def test_an_id_is_made_of_its_facts_and_of_nothing_else(kind: str) -> None:
    facts = FACTS[kind]
    made = issue(kind, facts)
    assert made == oracle.identity(kind, *facts.items()).bytes
    seen = {made}
    for name, value in facts.items():
        changed = value[:-1] + ("a" if value[-1] != "a" else "b")
        seen.add(issue(kind, {**facts, name: changed}))
    assert len(seen) == 1 + len(facts)
    assert issue(kind, facts, key="another key") not in seen
    with pytest.raises(UsageError, match="in this order"):
        issue(kind, {**facts, "display-label": "x"})
    with pytest.raises(UsageError, match="in this order"):
        issue(kind, dict(list(facts.items())[:-1]))
    with pytest.raises(UsageError, match="in this order"):
        issue(kind, dict(reversed(list(facts.items()))))
    assert set(FACTS) == {n for n in RECORD_CLASSES if n not in CURATED} | set(CORE_KINDS)


@pytest.mark.parametrize("value", ["", "A", "a/b", "a%20", "ş", " ", "a\n"])
def test_values_outside_the_path_grammar_are_refused(value: str) -> None:
    with pytest.raises(UsageError, match="path grammar"):
        issue("repetition-profile", {"rule": value, "semver": "1.0.0"})


@pytest.mark.parametrize("kind", sorted(FACTS))
def test_bulk_prefixes_hash_the_same_bytes(kind: str) -> None:
    facts = FACTS[kind]
    *leading, last = facts.items()
    prefix = identity.name_prefix(kind, dict(leading))
    assert (
        prefix + last[1].encode()
        == identity.namespace().bytes
        + (f"v1/kind={kind}" + "".join(f"/{k}={v}" for k, v in facts.items())).encode()
    )


@pytest.mark.parametrize("granularity", ["whole-paragraph", "sentence-sequence"])
def test_one_sha1_block_an_occurrence_is_left_after_its_prefix(granularity: str) -> None:
    leading = {**FACTS["passage-occurrence"], "granularity": granularity}
    del leading["selection"]
    prefix = len(identity.name_prefix("passage-occurrence", leading))
    assert prefix >= 4 * 64
    assert prefix + 36 + 9 <= 5 * 64


@pytest.mark.req("ID-06")
def test_the_key_is_pinned_and_another_key_changes_every_id(monkeypatch: pytest.MonkeyPatch) -> None:
    base = identity.namespace()
    assert identity.namespace(identity.identity_release_key()) == base
    assert identity.namespace("another") != base
    monkeypatch.setattr(identity, "KEY_DIGEST", H)
    with pytest.raises(identity.IntegrityError, match="identity release key was changed"):
        identity.identity_release_key()


def all_ids(place: Path) -> list[bytes]:
    """Every ID that an import and a build issue, in one order."""
    built = Built(document([[["A.", "B."], ["C."]], [["A.", "B."], ["C."]]]), place)
    manifest = built.artifact.manifest
    found = [parse_uuid(manifest["release"]["text_release"])]
    found += [parse_uuid(profile["id"]) for profile in manifest["profiles"].values()]
    tables = ["selections/paragraphs", "selections/runs"]
    tables += [f"{short}/{name}" for short in manifest["profiles"] for name in ("occurrences", "class-ids")]
    for name in tables:
        column = {"occurrences": "occurrence", "class-ids": "class"}.get(name.split("/")[1], "selection")
        found += [row.tobytes() for row in built.artifact.columns(name)[column]]
    return found


@pytest.mark.req("ID-06")
@pytest.mark.parametrize("change", ["key", "grammar"])
def test_another_key_or_grammar_version_changes_every_id_of_a_build(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And another place and name of the package changes none."""
    base = all_ids(tmp_path / "base")
    assert all_ids(tmp_path / "another-label") == base
    if change == "key":
        monkeypatch.setattr(identity, "identity_release_key", lambda: "another key")
    else:
        name, prefix = identity._name, identity.name_prefix

        def later_prefix(kind: str, facts: dict[str, str]) -> bytes:
            return prefix(kind, facts).replace(b"v1/kind=", b"v2/kind=", 1)

        monkeypatch.setattr(identity, "_name", lambda *given: name(*given).replace("v1/", "v2/", 1))
        users = [m for m in list(sys.modules.values()) if getattr(m, "name_prefix", None) is prefix]
        assert {"tekrar.build.names", "tekrar.core.release"} <= {m.__name__ for m in users}
        for module in users:
            monkeypatch.setattr(module, "name_prefix", later_prefix)
    changed = all_ids(tmp_path / change)
    assert len(changed) == len(base) > 20
    assert not set(changed) & set(base)


@pytest.mark.req("ID-04", "ID-05")
@pytest.mark.parametrize(
    "text",
    [
        U.upper().replace("1", "A"), "{" + U + "}", "urn:uuid:" + U, U.replace("-", ""), U + "\n", " " + U,
        "",
        "11111111-2222-4333-8444-555555555555", "11111111-2222-1333-8444-555555555555",
        "11111111-2222-5333-c444-555555555555", "11111111-2222-5333-7444-555555555555",
        H, "42", "b1/1/p1", "١١١١١١١١-2222-5333-8444-555555555555",
    ],
)  # fmt: skip
def test_what_is_no_canonical_uuid_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no canonical UUID") as error:
        parse_uuid(text)
    assert ("tekrar repeats" in error.value.mend) == ("/" in text)


@pytest.mark.req("ID-04")
def test_canonical_text_round_trips_for_versions_5_and_7() -> None:
    for text in (U, "01890000-0000-7000-8000-000000000000"):
        assert identity.uuid_text(parse_uuid(text)) == text


@pytest.mark.req("ID-04")
def test_every_id_a_build_issues_is_a_version_5_uuid(tmp_path: Path) -> None:
    built = Built(document([[["A.", "B."]], [["A.", "B."]]]), tmp_path)
    seen = 0
    for short in ("FP", "FS", "PP", "PS"):
        profile = built.artifact.profile(short)
        for column in (profile.occurrences["occurrence"], profile.selection, profile.classes["class"]):
            for row in column:
                value = uuid.UUID(bytes=row.tobytes())
                assert (value.version, value.variant) == (5, uuid.RFC_4122)
                seen += 1
    assert seen > 8


@pytest.mark.req("ID-02")
def test_the_members_digest_does_not_depend_on_order() -> None:
    ids = [bytes([i]) * 16 for i in (3, 1, 2)]
    assert identity.members_digest(ids) == identity.members_digest(sorted(ids))
    assert identity.members_digest(ids) != identity.members_digest(ids[:2])


@pytest.mark.req("ID-12", "OCC-03")
def test_an_id_under_other_facts_than_its_own_is_an_integrity_error(tmp_path: Path) -> None:
    """Two occurrences of one class change their IDs: the IDs are the same, the facts under them are not."""
    built = Built(document([[["A."]], [["A."]], [["B."]]]), tmp_path)
    table = built.artifact.package.read_table("FP/occurrences")
    rows = table.to_pylist()
    rows[0]["occurrence"], rows[1]["occurrence"] = rows[1]["occurrence"], rows[0]["occurrence"]
    swapped = pa.Table.from_pylist(rows, schema=table.schema)
    forged = sealed_again(built.path, tmp_path / "forged", tables={"FP/occurrences": swapped})
    verify_full(built.path, built.release)
    with pytest.raises(TekrarError) as caught:
        verify_full(forged, built.release)
    assert caught.value.code in ("verification_failed", "integrity_error")
    assert "FP" in str(caught.value)
