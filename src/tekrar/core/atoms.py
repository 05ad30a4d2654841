"""Names of projected atoms: equal integers for byte-equal items, and the 64-byte member records built on
them.

Serves ADR-009 *Exact comparison* (requirements 3.3, steps 1 and 2). A dictionary on the items' own bytes
gives the names, so equality is decided by bytes; digests are made once a name and checked never to be shared
by two names (EX-08, EX-09).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.policy import ATOM_INTER_SENTENCE
from tekrar.core.preimage import (
    GAP_BYTES,
    KIND_FIRST,
    KIND_FOLDED,
    PLAIN_SENTENCE_HEAD,
    RECORD,
    fold_preimage,
    masked_items,
    sentence_preimage,
)
from tekrar.core.projection import Treated
from tekrar.core.rows import TextDigests, big_endian, dense_numbers, distinct_slices, slices
from tekrar.core.text import TextRelease

Digest = Callable[[str, bytes], bytes]
Ints = NDArray[np.int64]
UNREADABLE = -1
_FOLDED = (
    KIND_FOLDED,
    b"",
)  # leads a folded gap's key, so a plain gap whose bytes imitate items never shares it
_MASKED = b"\xff"  # no UTF-8 text starts with this byte, so masked and plain contents never share a key


def standard_digest(purpose: str, data: bytes) -> bytes:
    """SHA-256, whatever the purpose: the digest function of every certified build."""
    return hashlib.sha256(data).digest()


@dataclass
class AtomTables:
    """Names shared by both projections: contents of sentences and of gaps, with one digest a sentence
    name."""

    digest: Digest = standard_digest
    #: Keys: a plain sentence's bytes, or 0xff and the items when a mask lies in it.
    sentences: dict[bytes, int] = field(default_factory=dict)
    #: Digests of the sentence names: rows of the plain ones, then the masked ones one by one.
    plain_digests: NDArray[np.uint8] = field(default_factory=lambda: np.empty((0, 32), np.uint8))
    masked_digests: list[bytes] = field(default_factory=list)
    gaps: dict[tuple[tuple[int, bytes], ...], int] = field(default_factory=dict)
    folds: dict[tuple[int, int], bytes] = field(default_factory=dict)

    def masked_sentence(self, items: bytes) -> int:
        """Name of a sentence in which a mask lies, by its items."""
        content = _MASKED + items
        name = self.sentences.get(content)
        if name is None:
            name = self.sentences[content] = len(self.sentences)
            self.masked_digests.append(self.digest("member", sentence_preimage(items)))
        return name

    @property
    def digests(self) -> NDArray[np.uint8]:
        """Member digest of every sentence name, uint8 (names, 32)."""
        masked = np.frombuffer(b"".join(self.masked_digests), np.uint8).reshape(-1, 32)
        return np.concatenate([self.plain_digests, masked])

    def digest_of(self, name: int) -> bytes:
        """Member digest of one sentence name."""
        plain = len(self.plain_digests)
        return self.masked_digests[name - plain] if name >= plain else self.plain_digests[name].tobytes()

    def fold(self, gap: int, atoms: Sequence[tuple[int, bytes]], sentence: int) -> bytes:
        """Digest of a folded member: gap atoms and the sentence after them."""
        key = (gap, sentence)
        found = self.folds.get(key)
        if found is None:
            found = self.digest("member", fold_preimage(atoms, self.digest_of(sentence)))
            self.folds[key] = found
        return found


@dataclass(frozen=True)
class NamedAtoms:
    """Sentences and gaps of one projection.

    Attributes:
        sentence: name per sentence, UNREADABLE where a byte could not be read.
        gap: name of what stands before each sentence in its chapter; UNREADABLE at a chapter's start.
        first, inner: member records, uint8 (sentences, 64): as a run's first member, and after its gap.
        masks: mask spans relative to the sentence, by sentence ordinal.
        gap_masks: mask spans relative to the separator, by atom ordinal.
    """

    sentence: Ints
    gap: Ints
    first: NDArray[np.uint8]
    inner: NDArray[np.uint8]
    masks: dict[int, list[tuple[int, int]]]
    gap_masks: dict[int, list[tuple[int, int]]]


def marker_places(
    release: TextRelease, masks: Treated | None
) -> tuple[dict[int, list[tuple[int, int]]], dict[int, list[tuple[int, int]]]]:
    """Mask spans by sentence ordinal and by separator atom, relative to the atom they lie in."""
    sentences: dict[int, list[tuple[int, int]]] = {}
    separators: dict[int, list[tuple[int, int]]] = {}
    if masks is None:
        return sentences, separators
    atoms = np.searchsorted(release.atom_end, masks.start, side="right")
    rank = np.searchsorted(release.sentence_atom, atoms)
    for atom, sentence, low, high in zip(
        atoms.tolist(), rank.tolist(), masks.start.tolist(), masks.end.tolist(), strict=True
    ):
        base = int(release.atom_start[atom])
        if release.atom_kind[atom]:
            separators.setdefault(atom, []).append((low - base, high - base))
        else:
            sentences.setdefault(sentence, []).append((low - base, high - base))
    return sentences, separators


class AtomNamer:
    """Names the atoms of a release: once in full, then with the few masked atoms of a projection patched
    in."""

    def __init__(
        self,
        release: TextRelease,
        text: memoryview,
        *,
        unreadable: NDArray[np.bool_],
        digest: Digest,
        digests: TextDigests,
    ) -> None:
        self.release = release
        self.text = text
        self.unreadable = unreadable
        self.tables = AtomTables(digest)
        self._text_digests = digests
        bounds = release.chapter_sentence_start
        self.opens = np.zeros(len(release.sentence_atom) + 1, bool)
        self.opens[bounds] = True

    def plain(self) -> NamedAtoms:
        """Names and records with every byte included (full context)."""
        release, tables = self.release, self.tables
        start, end = release.sentence_start, release.sentence_end
        known = tables.sentences
        names = [known.setdefault(data, len(known)) for data in slices(self.text, start, end)]
        sentence = np.array(names, np.int64)
        bearer = np.flatnonzero(np.diff(np.maximum.accumulate(sentence), prepend=-1))
        frames = np.empty((len(bearer), len(PLAIN_SENTENCE_HEAD) + 4), np.uint8)
        frames[:, :-4] = np.frombuffer(PLAIN_SENTENCE_HEAD, np.uint8)
        frames[:, -4:] = big_endian(end[bearer] - start[bearer], 4)
        tables.plain_digests = self._text_digests("member", frames, self.text, start[bearer], end[bearer])
        sentence[self.unreadable[release.sentence_atom]] = UNREADABLE
        gap = np.full(len(names), UNREADABLE, np.int64)
        plain = self._plain_gaps()
        single = np.flatnonzero(plain)
        atoms = release.sentence_atom[single] - 1
        gap[single] = self._name_separators(atoms)
        first, inner = self._records(sentence, gap)
        named = NamedAtoms(sentence, gap, first, inner, {}, {})
        for i in np.flatnonzero(~plain & ~self.opens[:-1]).tolist():
            self._patch(named, i)
        return named

    def _name_separators(self, atoms: Ints) -> Ints:
        """Names of single separators, by kind and bytes."""
        release = self.release
        start, end = release.atom_start[atoms], release.atom_end[atoms]
        bytes_name, _ = distinct_slices(self.text, start, end)
        name, _ = dense_numbers(2 * bytes_name + (release.atom_kind[atoms] != ATOM_INTER_SENTENCE))
        first = np.full(int(name.max(initial=-1)) + 1, -1, np.int64)
        first[name[::-1]] = np.arange(len(name))[::-1]
        kinds = release.atom_kind[atoms[first]].tolist()
        for kind, data in zip(kinds, slices(self.text, start[first], end[first]), strict=True):
            self.tables.gaps[((kind, data),)] = len(self.tables.gaps)
        return name

    def masked(self, plain: NamedAtoms, masks: Treated | None) -> NamedAtoms:
        """Names and records with masks in place of the marked spans; shares the tables, so equal names mean
        equal items."""
        sentences, separators = marker_places(self.release, masks)
        if not sentences and not separators:
            return plain
        named = NamedAtoms(
            plain.sentence.copy(),
            plain.gap.copy(),
            plain.first.copy(),
            plain.inner.copy(),
            sentences,
            separators,
        )
        touched = set(sentences)
        for i, spans in sentences.items():
            if named.sentence[i] != UNREADABLE:
                named.sentence[i] = self.tables.masked_sentence(masked_items(self._bytes(i), spans)[0])
        for atom in separators:
            after = int(np.searchsorted(self.release.sentence_atom, atom))
            if after < len(named.sentence) and not self.opens[after]:
                touched.add(after)
        for i in sorted(touched):
            self._patch(named, i)
        return named

    def _bytes(self, i: int) -> bytes:
        return bytes(self.text[int(self.release.sentence_start[i]) : int(self.release.sentence_end[i])])

    def _plain_gaps(self) -> NDArray[np.bool_]:
        """Sentences after exactly one short separator of their chapter."""
        release = self.release
        atom = release.sentence_atom
        plain = ~self.opens[:-1].copy()
        if len(atom):
            plain[1:] &= np.diff(atom) == 2
            plain &= release.atom_length[np.maximum(atom - 1, 0)] <= GAP_BYTES
        return plain

    def _records(self, sentence: Ints, gap: Ints) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        count = len(sentence)
        digests = self.tables.plain_digests if count else np.empty((1, 32), np.uint8)
        first = np.zeros((count, RECORD), np.uint8)
        first[:, 0] = KIND_FIRST
        first[:, 2:6] = big_endian(self.release.sentence_end - self.release.sentence_start, 4)
        first[:, 32:] = digests.take(np.maximum(sentence, 0), axis=0)
        inner = first.copy()
        table = np.zeros((max(len(self.tables.gaps), 1), 28), np.uint8)
        for atoms, name in self.tables.gaps.items():
            kind, data = atoms[0]
            table[name, 0], table[name, 1] = kind, len(data)
            table[name, 2 : 2 + len(data)] = np.frombuffer(data, np.uint8)
        known = np.flatnonzero(gap != UNREADABLE)
        rows = table[gap[known]]
        inner[known, 0:2] = rows[:, 0:2]
        inner[known, 6:32] = rows[:, 2:]
        return first, inner

    def _patch(self, named: NamedAtoms, i: int) -> None:
        """Write the records of one sentence that has a mask in it or anything but one short plain separator
        before it."""
        if named.sentence[i] == UNREADABLE:
            return
        name = int(named.sentence[i])
        spans = named.masks.get(i, [])
        size = int(self.release.sentence_end[i] - self.release.sentence_start[i])
        projected = size - sum(high - low for low, high in spans)
        digest = np.frombuffer(self.tables.digest_of(name), np.uint8)
        for records in (named.first, named.inner):
            records[i, 2:6] = np.frombuffer(projected.to_bytes(4, "big"), np.uint8)
            records[i, 32:] = digest
        if self.opens[i]:
            return
        atoms = self.gap_atoms(i, named.gap_masks)
        plain = len(atoms) == 1 and named.inner[i, 0] in (ATOM_INTER_SENTENCE, 2)
        if plain and int(self.release.sentence_atom[i]) - 1 not in named.gap_masks:
            return
        gap = self.tables.gaps.setdefault((_FOLDED, *atoms), len(self.tables.gaps))
        named.gap[i] = gap
        named.inner[i, 0:2] = (KIND_FOLDED, 0)
        named.inner[i, 6:32] = 0
        named.inner[i, 32:] = np.frombuffer(self.tables.fold(gap, atoms, name), np.uint8)

    def gap_atoms(self, i: int, gap_masks: dict[int, list[tuple[int, int]]]) -> list[tuple[int, bytes]]:
        """Separator atoms before sentence i of its chapter, each (kind, items)."""
        release = self.release
        atoms = []
        for atom in range(int(release.sentence_atom[i - 1]) + 1, int(release.sentence_atom[i])):
            data = bytes(self.text[int(release.atom_start[atom]) : int(release.atom_end[atom])])
            atoms.append((int(release.atom_kind[atom]), masked_items(data, gap_masks.get(atom, []))[0]))
        return atoms


def member_collisions(tables: AtomTables, named: NamedAtoms) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Sentences, and folded members, whose digest another content of this projection shares (EX-09).

    Contents of the other projection, and what stands at unreadable places, do not count: nothing of them is
    compared here.

    Returns:
        (per sentence, per inner record): True where the member digest does not determine the content.
    """
    count = len(named.sentence)
    sentence, inner = np.zeros(count, bool), np.zeros(count, bool)
    digests = tables.digests
    is_used = np.zeros(len(digests), bool)
    is_used[named.sentence[named.sentence != UNREADABLE]] = True
    used = np.flatnonzero(is_used)
    digests = digests[used]
    lead = np.sort(np.ascontiguousarray(digests).view(np.uint64)[:, 0])
    if (lead[1:] == lead[:-1]).any():
        listed = [row.tobytes() for row in digests]
        shared = _shared(listed)
        bad = np.zeros(int(used[-1]) + 2, bool)
        bad[used] = [digest in shared for digest in listed]
        sentence = bad[named.sentence]
    folded = np.flatnonzero((named.inner[:, 0] == KIND_FOLDED) & (named.sentence != UNREADABLE))
    members = {
        (int(named.gap[i]), int(named.sentence[i])): named.inner[i, 32:].tobytes() for i in folded.tolist()
    }
    shared = _shared(list(members.values()))
    for i in folded.tolist() if shared else ():
        inner[i] = named.inner[i, 32:].tobytes() in shared
    return sentence, inner


def _shared(digests: list[bytes]) -> set[bytes]:
    if len(set(digests)) == len(digests):
        return set()
    seen: set[bytes] = set()
    return {digest for digest in digests if digest in seen or seen.add(digest)}  # type: ignore[func-returns-value]


def unreadable_atoms(release: TextRelease, ranges: Sequence[tuple[int, int]]) -> NDArray[np.bool_]:
    """Atoms that share a byte with an unreadable range."""
    bad = np.zeros(len(release.atom_kind), bool)
    for low, high in ranges:
        bad |= (release.atom_start < high) & (release.atom_end > low) & (release.atom_length > 0)
    return bad


def intervals(ranges: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    """Ranges sorted and merged, as start and end columns."""
    merged: list[list[int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        elif high > low:
            merged.append([low, high])
    array: NDArray[Any] = np.array(merged, np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]
