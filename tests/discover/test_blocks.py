"""Signatures, blocks and workers: exact shares, and equal bytes however the work is cut."""

from __future__ import annotations

import os
import random
import signal
from itertools import combinations

import numpy as np
import pytest

from tekrar.core.feature.authority import AUTHORITY_CLASSES
from tekrar.discover import blocks
from tekrar.discover.bits import BIT
from tekrar.discover.lines import lines
from tekrar.discover.pipeline import generate
from tekrar.discover.seeds import Enough, seeds_of
from tekrar.discover.signatures import LEAST_WORDS, SHARE, signed_pairs
from tekrar.discover.stream import stream_of
from tekrar.discover.suffix import suffix_order
from tekrar.discover.weights import weigh
from tekrar.discover.workers import Columns, joined, run_tasks
from tekrar.errors import StorageError
from tests.discover.made import source_of
from tests.discover.test_generate import corpus, words


def shared(one: str, other: str) -> tuple[int, int]:
    a, b = set(one.split()), set(other.split())
    return len(a & b), len(a | b)


@pytest.mark.req("CND-03")
def test_pairs_by_signature_are_those_that_share_half_of_their_words() -> None:
    """Every pair that is given shares the half, counted over the words; nine of ten are given."""
    rng = random.Random(3)
    made: list[str] = []
    for _ in range(60):
        base = words(rng, 24)
        for changed in (0, 3, 6, 9, 12):
            one = base.copy()
            for at in rng.sample(range(24), changed):
                one[at] = f"yeni{rng.randrange(10_000)}"
            rng.shuffle(one)
            made.append(" ".join(one))
    made = list(dict.fromkeys(made))
    source = source_of([made])
    found = signed_pairs(stream_of(source), source.tokens.forms)
    given = set(zip(found.left.tolist(), found.right.tolist(), strict=True))
    due = {
        pair
        for pair in combinations(range(len(made)), 2)
        if SHARE[1] * (counts := shared(*(made[at] for at in pair)))[0] >= SHARE[0] * counts[1]
    }
    assert given <= due
    assert 10 * len(given) >= 9 * len(due) > 1000
    assert sorted(given) == list(zip(found.left.tolist(), found.right.tolist(), strict=True))
    assert "minhash" in AUTHORITY_CLASSES


def test_units_of_few_words_have_no_signature() -> None:
    source = source_of([["bir iki üç", "bir iki üç!", "bir iki, üç", "üç iki bir"]])
    assert len({"bir", "iki", "üç"}) < LEAST_WORDS
    assert len(signed_pairs(stream_of(source), source.tokens.forms).left) == 0


@pytest.mark.req("CND-09")
def test_workers_and_the_size_of_blocks_change_no_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    books = corpus(6)
    books[1].append(" ".join(sorted(books[0][0].split())))  # met by its signature alone
    source = source_of(books)
    alone = generate(source)
    assert len(signed_pairs(alone.stream, source.tokens.forms).left) > 0
    listed = list(lines(source, alone))
    assert len(listed) > 3
    monkeypatch.setattr(blocks, "BLOCK_PLACES", 500)
    assert len(blocks.block_edges(alone.stream.first, len(alone.stream.row))) > 7
    for workers in (1, 2, 3):
        again = generate(source, workers=workers)
        assert list(lines(source, again)) == listed
        assert again.bounds["left_out"] == alone.bounds["left_out"]


def test_results_are_in_the_order_of_the_tasks() -> None:
    def work(task: int) -> Columns:
        return [np.arange(task, dtype=np.int32), np.zeros((2, task, 3), np.int64), np.array([task])]

    for workers in (1, 2, 3, 9):
        found = run_tasks(work, tasks=7, workers=workers)
        assert [int(columns[2][0]) for columns in found] == list(range(7))
        assert [columns[1].shape for columns in found] == [(2, task, 3) for task in range(7)]
        assert all(columns[0].tolist() == list(range(task)) for task, columns in enumerate(found))


def test_a_worker_that_is_killed_or_fails_ends_the_run() -> None:
    parent = os.getpid()

    def killed(task: int) -> Columns:
        if task == 1 and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return [np.array([task])]

    def failing(task: int) -> Columns:
        raise ValueError(f"task {task}")

    with pytest.raises(StorageError, match="status 9") as caught:
        run_tasks(killed, tasks=4, workers=2)
    assert caught.value.kind == "worker_killed"
    with pytest.raises(StorageError, match="task 0"):
        run_tasks(failing, tasks=4, workers=2)


def test_results_that_cannot_be_kept_end_the_run() -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limits[1]))
    try:
        with pytest.raises(StorageError, match="task 1") as caught:
            run_tasks(lambda task: [np.zeros(task << 20, np.int64)], tasks=3, workers=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.kind == "disk_full"


def test_results_one_after_another() -> None:
    results: list[Columns] = [[np.arange(n), np.ones((n, 3), np.int32)] for n in (2, 0, 3)]
    one, other = joined(results)
    assert one.tolist() == [0, 1, 0, 1, 2]
    assert (other.shape, other.dtype, results) == ((5, 3), np.dtype(np.int32), [])


@pytest.mark.req("CND-09")
def test_seeds_are_sifted_as_if_all_of_them_were_sorted() -> None:
    """With a bar that every pair clears, seeds are those of a higher bar and of the pairs it turns away."""
    source = source_of(corpus(6))
    stream = stream_of(source)
    order = suffix_order(stream.words)
    weights = weigh(order, words=source.tokens.words)
    paragraphs = len(stream.row)

    def sifted(enough: Enough) -> tuple[dict[tuple[int, int], list[tuple[int, ...]]], set[tuple[int, int]]]:
        seeds, light = seeds_of(
            order, weights, stream.paragraph, stream.first, span=(0, paragraphs), enough=enough
        )
        rows = list(zip(*(column.tolist() for column in vars(seeds).values()), strict=True))
        assert rows == sorted(rows)
        found: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        for left, right, *rest in rows:
            found.setdefault((left, right), []).append(tuple(rest))
        pairs = list(zip(light[0].tolist(), light[1].tolist(), strict=True))
        assert len(pairs) == len(set(pairs))
        return found, set(pairs)

    every, none = sifted(Enough(0, 0, 0))
    assert len(every) > 20
    assert not none
    heavy, light = sifted(Enough(20 * BIT, 8, 6))
    tokens = np.diff(stream.first) - 1
    for (left, right), seeds in every.items():
        weight, held = sum(seed[3] for seed in seeds), sum(seed[2] for seed in seeds)
        shorter = min(tokens[left], tokens[right])
        enough = weight >= 20 * BIT or held >= 8 or 16 * held >= 6 * shorter
        assert ((left, right) in heavy, (left, right) in light) == (enough, not enough)
    assert all(every[pair] == seeds for pair, seeds in heavy.items())
    assert light
    assert heavy


@pytest.mark.req("CND-09")
def test_the_list_depends_on_the_order_of_the_corpus_only_in_its_sides() -> None:
    """The same books the other way round: the same passages, left and right changed."""
    books = corpus(8)

    def passages(order: list[list[str]]) -> set[frozenset[str]]:
        source = source_of(order)
        text = source.release.text
        entries = generate(source).entries
        pairs = np.flatnonzero(entries.kind == 0)
        starts, ends = source.tokens.start, source.tokens.end
        return {
            frozenset(
                text[
                    int(starts[getattr(entries, f"{side}0")[k]]) : int(
                        ends[getattr(entries, f"{side}1")[k] - 1]
                    )
                ].decode()
                for side in "ab"
            )
            for k in pairs.tolist()
        }

    assert passages(books) == passages(books[::-1])
