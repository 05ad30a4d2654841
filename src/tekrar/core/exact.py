"""Grouping by exact equality, collision detection and byte verification (ADR-009 *Exact comparison*;
requirements 3.3).

Equal runs get equal integers by induction over their names, so groups are decided by compared bytes and never
by a digest. Fingerprints of all evaluated items are then checked to differ between groups, and the witness
bytes are read again from the core buffer. A collision never splits a bucket: its items fail, whatever truly
equal pairs lie in it (AMB-13).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.atoms import UNREADABLE, AtomNamer, NamedAtoms
from tekrar.core.occurrence import Runs
from tekrar.core.policy import MAX_RUN, MIN_RUN
from tekrar.core.preimage import KIND_FOLDED, masked_items
from tekrar.errors import IntegrityError

Ints = NDArray[np.int64]
UNGROUPED = -1
SuspectsOf = Callable[[NDArray[np.uint8], Ints], Ints]


def group_runs(named: NamedAtoms, runs: Runs, reach: Ints) -> NDArray[np.int32]:
    """Group number per row: equal numbers for equal runs of two or more; UNGROUPED for a run with no equal.

    Args:
        named: atom names of the projection.
        runs: the universe.
        reach: per sentence, the longest run from it that the projection neither excludes nor fails to read.

    A run of k+1 sentences can repeat only where its two runs of k repeat, and is named by that pair (pruned
    doubling); both halves are live wherever the whole is, since an exclusion or missing byte inside a half
    lies in the whole.
    """
    group = np.full(runs.rows, UNGROUPED, np.int32)
    count = len(named.sentence)
    if not runs.rows:
        return group
    link_key = (named.gap + 1) * (int(named.sentence.max(initial=0)) + 2) + named.sentence + 1
    _, link = np.unique(link_key, return_inverse=True)
    repeated = np.zeros(count, bool)
    counts = np.bincount(named.sentence + 1)
    repeated[:] = counts[named.sentence + 1] > 1
    repeated &= named.sentence != UNREADABLE
    current = np.where(repeated, named.sentence, UNGROUPED)
    following = np.where(repeated, link, UNGROUPED)
    issued = 0
    for length in range(MIN_RUN, MAX_RUN + 1):
        starts = np.flatnonzero((reach[:-1] >= length) & (current[:-1] >= 0) & (following[1:] >= 0))
        if not len(starts):
            break
        key = current[starts] * (int(following.max()) + 1) + following[starts + 1]
        starts, number = _repeated(starts, key)
        group[runs.row_of(starts, length)] = number + issued
        issued += int(number.max(initial=-1)) + 1
        current = np.full(count, UNGROUPED, np.int64)
        current[starts] = number
        following = current
    return group


def _repeated(starts: Ints, key: Ints) -> tuple[Ints, Ints]:
    """The starts whose key occurs at least twice, ascending, each with a dense number of its key."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    ident = np.cumsum(new) - 1
    many = np.bincount(ident) > 1
    keep = many[ident]
    dense = (np.cumsum(many) - 1)[ident[keep]]
    chosen = order[keep]
    back = np.argsort(chosen, kind="stable")
    return starts[chosen[back]], dense[back]


@dataclass(frozen=True)
class Groups:
    """Groups of two or more rows.

    Attributes:
        offset: start of each group in `rows`, with a final total.
        rows: member rows, ascending inside a group, groups ordered by first member.
    """

    offset: Ints
    rows: Ints

    def __len__(self) -> int:
        return len(self.offset) - 1

    @property
    def first(self) -> Ints:
        """First member row of every group: its representative."""
        return self.rows[self.offset[:-1]]

    @property
    def size(self) -> Ints:
        """Members of every group."""
        return np.diff(self.offset)


def collect_groups(number: NDArray[Any], evaluated: NDArray[np.bool_]) -> Groups:
    """Groups among evaluated rows by group number; a number that is left with one row is no group."""
    rows = np.flatnonzero((number >= 0) & evaluated)
    order = np.argsort(number[rows], kind="stable")
    rows = rows[order]
    ids = number[rows]
    new = np.ones(len(ids), bool)
    new[1:] = ids[1:] != ids[:-1]
    start = np.flatnonzero(new)
    size = np.diff(np.concatenate([start, [len(ids)]]))
    rows = rows[np.repeat(size > 1, size)]
    size = size[size > 1]
    offset = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    by_first = np.argsort(rows[offset[:-1]], kind="stable")
    pieces = np.repeat(offset[:-1][by_first], size[by_first])
    new_offset = np.concatenate([[0], np.cumsum(size[by_first])]).astype(np.int64)
    within = np.arange(len(rows)) - np.repeat(new_offset[:-1], size[by_first])
    return Groups(new_offset, rows[pieces + within])


def colliding_rows(
    fingerprint: NDArray[np.uint8], groups: Groups, single: Ints, *, suspects_of: SuspectsOf | None = None
) -> Ints:
    """Rows of every bucket of equal fingerprints that holds more than one distinct preimage.

    Args:
        fingerprint: uint8 (rows, 32), filled for evaluated rows.
        groups: equal rows; all members of a group must carry its fingerprint.
        single: evaluated rows with no equal.
        suspects_of: `sharing_head`, or the same work shared out.

    Raises:
        IntegrityError: members of one group carry different fingerprints (a digest function that is no
            function).
    """
    lead = np.repeat(groups.first, groups.size)
    if len(groups) and not np.array_equal(fingerprint[groups.rows], fingerprint[lead]):
        raise IntegrityError(
            "equal preimages were given different fingerprints",
            where="fingerprints",
            expected="one digest for equal bytes",
            mend="use a digest function that depends on its bytes alone",
            kind="digest_not_a_function",
        )
    suspects = (suspects_of or sharing_head)(fingerprint, np.concatenate([groups.first, single]))
    if not len(suspects):
        return np.empty(0, np.int64)
    seen: dict[bytes, int] = {}
    for row in suspects.tolist():
        key = fingerprint[row].tobytes()
        seen[key] = seen.get(key, 0) + 1
    bad = np.array([r for r in suspects.tolist() if seen[fingerprint[r].tobytes()] > 1], np.int64)
    is_bad = np.zeros(len(fingerprint), bool)
    is_bad[bad] = True
    members = groups.rows[np.repeat(is_bad[groups.first], groups.size)]
    is_bad[members] = True
    return np.flatnonzero(is_bad)


def sharing_head(fingerprint: NDArray[np.uint8], rows: Ints) -> Ints:
    """The rows whose fingerprint's first four bytes another of the rows has too.

    Few are, and sorting four bytes costs half of sorting eight; the caller compares whole fingerprints.
    """
    return np.asarray(rows[repeated_words(head_words(fingerprint, rows))])


def head_words(fingerprint: NDArray[np.uint8], rows: Ints) -> NDArray[np.uint32]:
    """First four bytes of the rows' fingerprints, as a word of this machine."""
    return fingerprint.view(np.uint32)[:, 0].take(rows)


def repeated_words(words: NDArray[np.uint32]) -> Ints:
    """Positions, ascending, of the words that stand more than once."""
    ordered = np.sort(words)
    doubt = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(doubt):
        return np.empty(0, np.int64)
    low = np.zeros(1 << 16, bool)  # a coarse sieve on two bytes, before the search proper
    low[doubt & 0xFFFF] = True
    maybe = np.flatnonzero(low.take(words & 0xFFFF))
    place = np.searchsorted(doubt, words[maybe])
    return np.asarray(maybe[doubt.take(place, mode="clip") == words[maybe]])


def reach_before(runs: Runs, limit: Ints) -> Ints:
    """Longest run from each sentence whose end does not pass that sentence's byte limit."""
    ends = np.searchsorted(runs.end, limit, side="right") - np.arange(len(runs.end))
    return np.asarray(np.minimum(runs.reach, np.maximum(ends, 0)))


def rows_beyond(runs: Runs, reach: Ints) -> NDArray[np.bool_]:
    """Rows longer than the reach of their first sentence; most often there are none."""
    if np.array_equal(reach, runs.reach):
        return np.zeros(runs.rows, bool)
    return np.asarray(runs.row_length > reach.astype(np.int8).take(runs.row_sentence))


def rows_with(runs: Runs, sentence: NDArray[np.bool_], inner: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows that contain a marked sentence, or a marked inner member after their first sentence."""
    marked = np.concatenate([[0], np.cumsum(sentence)])
    folded = np.concatenate([[0], np.cumsum(inner)])
    begin = runs.row_sentence.astype(np.int64)
    end = begin + runs.row_length
    hit = (marked[end] > marked[begin]) | (folded[end] > folded[begin + 1])
    return np.asarray(hit)


def matched_sentences(runs: Runs, groups: Groups, count: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Sentences inside a matched run, and those whose gap before them is inside one."""
    start = runs.row_sentence[groups.rows].astype(np.int64)
    end = start + runs.row_length[groups.rows]
    closing = np.bincount(end, minlength=count + 1)
    edge = np.bincount(start, minlength=count + 1) - closing
    gap_edge = np.bincount(start + 1, minlength=count + 1) - closing
    return np.cumsum(edge)[:-1] > 0, np.cumsum(gap_edge)[:-1] > 0


def verify_atoms(
    namer: AtomNamer, named: NamedAtoms, *, inside: NDArray[np.bool_], gaps: NDArray[np.bool_]
) -> None:
    """Compare the witness bytes of matched atoms, read again from the core buffer, with their name's first
    bearer.

    By induction over names, equal atoms make equal runs, so this verifies every member of every class byte
    by byte (EX-08, EX-12).

    Raises:
        IntegrityError: bytes of one name differ now: the buffer changed after it was fingerprinted.
    """
    release, text, masks = namer.release, namer.text, named.masks
    chosen = np.flatnonzero(inside)
    places = (chosen, release.sentence_start[chosen], release.sentence_end[chosen], named.sentence[chosen])
    bearer: dict[int, bytes] = {}
    for i, start, end, name in zip(*(column.tolist() for column in places), strict=True):
        data = bytes(text[start:end])
        if i in masks:
            data = b"\xff" + masked_items(data, masks[i])[0]
        if bearer.setdefault(name, data) != data:
            raise _changed(start)
    _verify_gaps(namer, named, np.flatnonzero(gaps))


def _verify_gaps(namer: AtomNamer, named: NamedAtoms, chosen: Ints) -> None:
    release, text = namer.release, namer.text
    folded = named.inner[chosen, 0] == KIND_FOLDED
    single = chosen[~folded]
    atom = release.sentence_atom[single] - 1
    places = (named.gap[single], release.atom_kind[atom], release.atom_start[atom], release.atom_end[atom])
    bearer: dict[int, object] = {}
    for name, kind, start, end in zip(*(column.tolist() for column in places), strict=True):
        data = (kind, bytes(text[start:end]))
        if bearer.setdefault(name, data) != data:
            raise _changed(start)
    for i in chosen[folded].tolist():
        atoms = namer.gap_atoms(i, named.gap_masks)
        if bearer.setdefault(int(named.gap[i]), atoms) != atoms:
            raise _changed(int(release.sentence_end[i - 1]))


def _changed(at: int) -> IntegrityError:
    return IntegrityError(
        "witness bytes changed between fingerprint and verification",
        where=f"release byte {at}",
        expected="the bytes that were fingerprinted",
        mend="build again from an unchanging text release",
        kind="witness_changed",
    )
