"""Test vectors of the encoding: shipped in the package, recomputed in every certified build (AMB-44, AMB-52).

`compute_vectors` is the single list of what version 1 promises; `data/vectors.json` holds its result and
never changes under one version.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final

from tekrar.core import identity
from tekrar.core.encoding import canonical_json, manifest_root, no_scope, profile_scope, sha256, u64
from tekrar.core.policy import FULL_CONTEXT, MATRIX, PROSE_ONLY, scope_policy
from tekrar.core.preimage import (
    fold_preimage,
    masked_items,
    member_record,
    passage_head,
    passage_preimage,
    passage_witness_head,
    plain_items,
    run_header,
    run_preimage,
    run_witness_header,
    sentence_preimage,
)
from tekrar.core.profile import profile_for
from tekrar.core.projection import Projection
from tekrar.errors import IntegrityError

_ID: Final = uuid.UUID("11111111-2222-5333-8444-555555555555").bytes
_TEXT: Final = "Bu söz[1] tekrardır.".encode()
_MASKS: Final = [(8, 11)]


def compute_vectors() -> dict[str, str]:
    """Every vector by name, in hex or canonical text."""
    plain, masked = plain_items(_TEXT), masked_items(_TEXT, _MASKS)
    digest = sha256(sentence_preimage(plain))
    fold = sha256(fold_preimage([(2, plain_items(b"\n\n")), (2, plain_items(b"\n\n"))], digest))
    first = member_record(kind=0, gap=b"", projected_length=len(_TEXT), digest=digest)
    inner = member_record(kind=1, gap=b" ", projected_length=len(_TEXT), digest=digest)
    folded = member_record(kind=3, gap=b"", projected_length=len(_TEXT), digest=fold)
    records = [first, inner, folded]
    found = {
        "items_plain": plain.hex(),
        "items_masked": masked[0].hex(),
        "items_empty": plain_items(b"").hex(),
        "member_digest": digest.hex(),
        "member_digest_masked": sha256(sentence_preimage(masked[0])).hex(),
        "fold_digest": fold.hex(),
        "run_fingerprint": sha256(run_preimage(run_header(_ID), records)).hex(),
        "run_witness": sha256(run_preimage(run_witness_header(), records)).hex(),
        "passage_fingerprint": sha256(passage_preimage(_ID, masked[0], masked[1])).hex(),
        "passage_head": passage_head(_ID).hex(),
        "passage_witness": sha256(passage_witness_head() + u64(masked[1]) + masked[0]).hex(),
    }
    return found | _root_vectors() | _identity_vectors()


def _root_vectors() -> dict[str, str]:
    scope = profile_scope(_ID, "exact_passage_bytes")
    many = [(u64(i), b"") for i in range(1000)]
    return {
        "root_empty": manifest_root("work", scope, []).hex(),
        "root_one": manifest_root("work", scope, many[:1]).hex(),
        "root_256": manifest_root("work", scope, many[:256]).hex(),
        "root_257": manifest_root("work", scope, many[:257]).hex(),
        "root_1000": manifest_root("work", no_scope(), many).hex(),
        "witness_empty_full": Projection(FULL_CONTEXT, ()).witness_root([]).hex(),
        "witness_empty_prose": Projection(PROSE_ONLY, ()).witness_root([]).hex(),
    }


def _identity_vectors() -> dict[str, str]:
    root = sha256(b"core release manifest")
    release = identity.text_release_id(edition="vector", manifest_root=root)
    found = {
        "namespace": str(identity.namespace()),
        "text_release": identity.uuid_text(release),
        "selection": identity.uuid_text(identity.selection_id(release, [(0, 5), (9, 12)])),
        "members_digest": identity.members_digest([_ID, release]).hex(),
        "policy_tr": scope_policy("tr").digest.hex(),
        "policy_en": scope_policy("en").digest.hex(),
        "json": canonical_json({"b": ["gecikme ≥ 200 — Nursî 😀", 1, None], "a": True}).hex(),
    }
    for spec in MATRIX:
        profile = profile_for(scope_policy("tr"), spec, release=release, manifest_root=root, language="tr")
        found[f"profile_{spec.short}"] = identity.uuid_text(profile.id)
    facts: dict[str, dict[str, str]] = {
        "passage-occurrence": {
            "coord": identity.COORDINATE_PROFILE,
            "profile": identity.uuid_text(_ID),
            "release": identity.uuid_text(release),
            "granularity": "sentence-sequence",
            "mask": root.hex(),
            "selection": found["selection"],
        },
        "exact-class": {
            "profile": identity.uuid_text(_ID),
            "predicate": "exact_passage_bytes",
            "scope": root.hex(),
            "members": root.hex(),
            "witness": root.hex(),
        },
    }
    for kind, values in facts.items():
        found[kind] = identity.uuid_text(identity.issue(kind, values))
    return found


def check_vectors(stated: Mapping[str, Any]) -> None:
    """Compare the shipped vectors with what this process computes.

    Raises:
        IntegrityError: names the first vector that differs.
    """
    computed = compute_vectors()
    for name in sorted(computed.keys() | stated.keys()):
        if computed.get(name) != stated.get(name):
            raise IntegrityError(
                f"vector {name!r} does not hold",
                where="tekrar/core/data/vectors.json",
                expected=f"{stated.get(name)}, computed {computed.get(name)}",
                mend="reinstall tekrar; this installation would compute other IDs",
                kind="compiler_vectors",
            )
