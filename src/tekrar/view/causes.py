"""Why two artifacts can differ: their inputs, compared in the order in which a build takes them.

The first entry is the first reason: a later difference may follow from an earlier one. Equal inputs with
unequal roots have no honest reason; one of the two artifacts is wrong, and `tekrar verify` says which.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tekrar.artifact.reader import Artifact
from tekrar.artifact.schema import PROFILES

_RELEASE_FACTS: Final = (
    ("certified_digest", "other text or other sentences: the certified digests differ"),
    ("core_release_manifest_root", "the same bytes under another tree, labels or segmenter"),
    ("edition", "another edition name"),
    ("language", "another language"),
)
_DATASETS: Final = ("headings", "note-bodies", "note-markers")


@dataclass(frozen=True)
class Cause:
    """One differing input.

    Attributes:
        what: a token: text, tree, edition, language, dataset, policy, compiler, identity_key,
            profile_rule, open_items, unexplained.
        where: which one of several (dataset name, profile), or "".
        a, b: what either artifact states.
        why: a sentence.
    """

    what: str
    where: str
    a: str
    b: str
    why: str

    def as_record(self) -> dict[str, str]:
        """The cause as a flat record."""
        return {"what": self.what, "where": self.where, "a": self.a, "b": self.b, "why": self.why}


def causes(a: Artifact, b: Artifact) -> list[Cause]:
    """Every differing input, the first reason first; empty exactly when the artifact roots are equal."""
    if a.artifact_root == b.artifact_root:
        return []
    found = [*_release(a, b), *_datasets(a, b), *_program(a, b), *_rules(a, b), *_open_items(a, b)]
    if not found:
        found.append(
            Cause(
                "unexplained",
                "",
                a.artifact_root.hex(),
                b.artifact_root.hex(),
                "equal inputs gave unequal results: one of them is wrong; run `tekrar verify` on both",
            )
        )
    return found


def same_geometry(a: Artifact, b: Artifact) -> bool:
    """Whether rows mean the same places in both: the releases' core manifests are equal."""
    key = "core_release_manifest_root"
    return bool(a.manifest["release"][key] == b.manifest["release"][key])


def _release(a: Artifact, b: Artifact) -> Iterator[Cause]:
    names = {"certified_digest": "text", "core_release_manifest_root": "tree"}
    other_text = False
    for key, why in _RELEASE_FACTS:
        left, right = str(a.manifest["release"][key]), str(b.manifest["release"][key])
        if left == right or (other_text and key == "core_release_manifest_root"):
            continue
        other_text |= key == "certified_digest"
        yield Cause(names.get(key, key), "", left, right, why)


def _datasets(a: Artifact, b: Artifact) -> Iterator[Cause]:
    """Datasets of the same release only: under another release every dataset has another root."""
    if a.text_release != b.text_release:
        return
    left, right = dict(a.roots), dict(b.roots)
    for name in _DATASETS:
        ours, theirs = left[f"dataset/{name}"].hex(), right[f"dataset/{name}"].hex()
        if ours != theirs:
            yield Cause("dataset", name, ours, theirs, f"the same text with another dataset of {name}")


def _program(a: Artifact, b: Artifact) -> Iterator[Cause]:
    for key, why in (
        ("policy", "another scope policy"),
        ("compiler", "another encoding version or compiler"),
    ):
        left, right = a.manifest[key], b.manifest[key]
        if left != right:
            yield Cause(key, "", _shown(left), _shown(right), why)
    left, right = a.manifest["identity_release_key"], b.manifest["identity_release_key"]
    if left != right:
        yield Cause("identity_key", "", left, right, "IDs were issued under another identity release key")


def _rules(a: Artifact, b: Artifact) -> Iterator[Cause]:
    for short in PROFILES:
        left = _flat(a.manifest["profiles"][short]["document"])
        right = _flat(b.manifest["profiles"][short]["document"])
        for path in sorted(set(left) | set(right)):
            follows = path.startswith(
                ("scope.releases", "profile.policy", "profile.language", "profile.name")
            )
            if left.get(path) != right.get(path) and not follows:
                ours, theirs = (side.get(path, "absent") for side in (left, right))
                yield Cause("profile_rule", short, ours, theirs, f"the rule document differs at {path}")


def _open_items(a: Artifact, b: Artifact) -> Iterator[Cause]:
    for short in PROFILES:
        left, right = (x.manifest["profiles"][short]["coverage"] for x in (a, b))
        keys = ("exact_status", "not_evaluated", "failed")
        if any(left[key] != right[key] for key in keys):
            ours, theirs = (", ".join(f"{key} {side[key]}" for key in keys) for side in (left, right))
            yield Cause("open_items", short, ours, theirs, "items were put off or failed in one of them")


def _flat(document: Any, path: str = "") -> dict[str, str]:
    if isinstance(document, dict):
        found: dict[str, str] = {}
        for key, value in document.items():
            found |= _flat(value, f"{path}.{key}" if path else str(key))
        return found
    if isinstance(document, list):
        found = {}
        for number, value in enumerate(document):
            found |= _flat(value, f"{path}[{number}]")
        return found
    return {path: str(document)}


def _shown(record: dict[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in sorted(record.items()))
