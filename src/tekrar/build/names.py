"""What the names of selections and occurrences begin with, for bulk issuing
(`docs/encoding.md` section 9)."""

from __future__ import annotations

from tekrar.core.identity import COORDINATE_PROFILE, name_prefix, uuid_text
from tekrar.core.profile import Profile
from tekrar.core.witness import Witnesses


def selection_prefix(release: bytes) -> bytes:
    """What every selection's name of a release (UUID bytes) begins with, namespace included."""
    return name_prefix("selection", {"release": uuid_text(release), "coord": COORDINATE_PROFILE})


def occurrence_prefixes(profile: Profile, witnesses: Witnesses, *, release: bytes) -> list[bytes]:
    """What the names of a profile's occurrences begin with, one prefix for each mask witness."""
    facts = {
        "coord": COORDINATE_PROFILE,
        "profile": uuid_text(profile.id),
        "release": uuid_text(release),
        "granularity": profile.spec.granularity,
    }
    empty = name_prefix("passage-occurrence", {**facts, "mask": "0" * 64})
    return [empty.replace(b"0" * 64, root.hex().encode("ascii")) for root in witnesses.root]
