"""Test vectors of candidates (`docs/encoding.md` section 12).

They have a file of their own, `data/candidate-vectors.json`.
"""

from __future__ import annotations

import uuid
from typing import Any, Final

from tekrar.core.candidate import roots
from tekrar.core.candidate.evidence import evidence_of
from tekrar.core.candidate.generator import FORMAT, Generator, checked_generator
from tekrar.core.candidate.record import Candidate, Participants, Result, Side, candidate_of, sha
from tekrar.core.identity import uuid_text

PREDICATE: Final = "exact_passage_bytes"
RELEASE: Final = uuid.UUID("11111111-2222-5333-8444-555555555555").bytes
PROFILE: Final = uuid.UUID("66666666-7777-5888-8999-aaaaaaaaaaaa").bytes
EXACT: Final = uuid.UUID("bbbbbbbb-cccc-5ddd-8eee-ffffffffffff").bytes
OCCURRENCES: Final = tuple(uuid.UUID(int=0x5000 << 64 | 1 << 63 | n).bytes for n in (3, 1, 2))
BOUNDS: Final[dict[str, Any]] = {"left_out": {"pairs": 12}, "thresholds": {"local": 502}}


def sample_document() -> dict[str, Any]:
    """A small generator document."""
    return {
        "format": FORMAT,
        "name": "example.generator",
        "semver": "1.0.0",
        "constants": {"seeds.LEAST": 320, "align.OFTEN": [4, 8]},
        "tokenizer": "example-tokens.1",
        "normalizers": [{"name": "example-fold", "version": 1, "authority": "normalized_text"}],
        "features": [{"name": "bigrams", "version": 1, "authority": "token_ngram"}],
        "metrics": [
            {"name": "cover_left", "version": 1, "scale": "ratio", "meaning": "equal over the left side"},
            {"name": "difference", "version": 1, "scale": "kinds", "meaning": "what alone differs"},
            {"name": "score", "version": 2, "scale": "1/16 bit", "meaning": "what equal words are worth"},
        ],
        "rules": {
            "version": "example.rules.1",
            "table": [{"disposition": "probable_variant", "least": {"cover_left": [3, 5]}, "why": "enough"}],
            "otherwise": "uncertain",
        },
    }


def sample_generator() -> Generator:
    """The generator of the vectors."""
    return checked_generator(sample_document())


def sample_pair() -> tuple[Result, Participants]:
    """A pair with two segments."""
    result = Result(
        kind="pair",
        release=RELEASE,
        features=sha(b"features"),
        fingerprints=sha(b"fingerprints"),
        left=Side(0, 40, EXACT),
        right=Side(100, 145),
        segments=(((0, 20), (125, 145)), ((22, 40), (100, 118))),
        places=(),
        metrics={"score": -7, "cover_left": (6, 7), "difference": ("case", "punctuation")},
        disposition="probable_quotation",
        direction="right_to_left",
        why="one side stands in quotation marks",
    )
    return result, Participants((OCCURRENCES[:2], OCCURRENCES[2:]))


def sample_group() -> tuple[Result, Participants]:
    """A group of three places."""
    result = Result(
        kind="group",
        release=RELEASE,
        features=sha(b"features"),
        fingerprints=sha(b"fingerprints"),
        left=Side(0, 12),
        right=Side(50, 62),
        segments=(),
        places=((0, 12), (50, 62), (90, 102)),
        metrics={"score": 900},
        disposition="uncertain",
        direction=None,
        why="",
    )
    return result, Participants(tuple((one,) for one in OCCURRENCES))


def compute_candidate_vectors() -> dict[str, str]:
    """Every vector by name: bytes in hex, IDs as canonical text."""
    generator = sample_generator()
    found = {"generator": generator.digest.hex()}
    made: list[Candidate] = []
    evidence = []
    for name, (result, who) in (("pair", sample_pair()), ("group", sample_group())):
        one = candidate_of(result, who, profile=PROFILE, generator=generator)
        sides = [(sha(bytes([n])), sha(bytes([n, n]))) for n in range(len(who.sides))]
        held = evidence_of(one, sides, generator=generator)
        found |= {
            f"participants_{name}": one.participants.hex(),
            f"result_{name}": one.result.hex(),
            f"repeat-candidate_{name}": uuid_text(one.id),
            f"payload_{name}": held.payload.hex(),
            f"repeat-evidence_{name}": uuid_text(held.id),
        }
        made.append(one)
        evidence.append(held)
    ids = [one.id for one in made]
    listed = {
        "artifact": sha(b"artifact"),
        "text-release": sha(b"release"),
        "generator": generator.digest,
        "candidates": roots.candidates_root(PROFILE, PREDICATE, ((c.id, sha(c.result)) for c in made)),
        "order": roots.order_root(PROFILE, PREDICATE, ids),
        "evidence": roots.evidence_root(PROFILE, PREDICATE, ((e.id, sha(e.payload)) for e in evidence)),
        "features": roots.features_root([(0, b"\0\0\0\x01" + sha(b"\0\0\0\x05"))]),
        "bounds": roots.bounds_root(BOUNDS),
    }
    found |= {f"root_{name}": root.hex() for name, root in listed.items()}
    for kind in ("candidates-pending", "candidates-rejected"):
        found[f"root_{kind}"] = roots.listed_root(kind, PROFILE, PREDICATE, ids[:1]).hex()
    found["root_package"] = roots.package_root(listed).hex()
    return found
