"""A planted corpus of our own: repeats with known places in a text that is made, sentence by sentence, from a
word-pair model of the demo's King James Version. It stands in where the shared generator is absent.

Records and truth have the shared generator's form. The types are exact_run, near, variant (seven rates),
nested, quotation and formula; a variant changes its share of words, a near repeat one or two.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

RATES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
KINDS = ("exact_run", "near", "variant", "variant", "nested", "quotation")
FAMILIES_PER_10K = 6
CHAPTER_WORDS, BOOK_WORDS = 3000, 60_000
JUMP = 0.22
LEARNED_VERSES = 12_000

Sentence = list[str]


def learned_words() -> list[str]:
    """Words of the demo's text in order.

    Raises:
        NotFoundError: the demo's package is not installed.
    """
    from tekrar.demo.kjv import installed_module, read_bible

    bible = read_bible(installed_module())
    last = list(bible.end.values())[LEARNED_VERSES]
    return re.findall(r"[A-Za-z]+", bible.text[:last])


class Model:
    """Sentences by a chain of words that now and then jumps anywhere."""

    def __init__(self, learned: list[str], seed: str) -> None:
        self.random = random.Random(seed)
        self._all = [word.lower() for word in learned]
        self._after: dict[str, list[str]] = defaultdict(list)
        for word, following in zip(self._all, self._all[1:], strict=False):
            self._after[word].append(following)

    def word(self) -> str:
        """A word as often as the text has it."""
        return self._all[int(self.random.random() * len(self._all))]

    def sentence(self, least: int = 5, most: int = 30) -> Sentence:
        """Words with a capital and a full stop; a comma now and then."""
        count = least + int(self.random.random() * (most - least + 1))
        found = [self.word()]
        while len(found) < count:
            after = self._after.get(found[-1])
            jumps = not after or self.random.random() < JUMP
            found.append(self.word() if jumps or not after else after[int(self.random.random() * len(after))])
        found = [
            w + "," if 1 < i < count - 2 and self.random.random() < 0.07 else w for i, w in enumerate(found)
        ]
        return [found[0].capitalize(), *found[1:-1], found[-1] + "."]

    def changed(self, sentences: list[Sentence], rate: float) -> list[Sentence]:
        """Every word replaced, preceded by another or dropped with this probability."""
        return [self._changed(sentence, rate) for sentence in sentences]

    def _changed(self, sentence: Sentence, rate: float) -> Sentence:
        found: Sentence = []
        for at, word in enumerate(sentence):
            last = at == len(sentence) - 1
            kind = self.random.random()
            if self.random.random() >= rate:
                found.append(word)
            elif kind < 0.5 or last:
                found.append(self.word() + ("." if last else ""))
            elif kind < 0.75:
                found += [self.word(), word]
        return found

    def edited(self, sentences: list[Sentence]) -> list[Sentence]:
        """One or two small edits: a comma, the case of a letter, another word."""
        found = [list(sentence) for sentence in sentences]
        for _ in range(1 + int(self.random.random() * 2)):
            mine = found[int(self.random.random() * len(found))]
            at = int(self.random.random() * (len(mine) - 1))
            kind = int(self.random.random() * 3)
            word = mine[at]
            mine[at] = (word.rstrip(",") if word.endswith(",") else word + ",", word.swapcase(), self.word())[
                kind
            ]
        return found


@dataclass
class _Writer:
    corpus: IO[str]
    truth: IO[str]
    words: int = 0
    ord: int = 0
    book: int = 1
    chapter: int = 1
    para: int = 0
    chapter_words: int = 0
    book_words: int = 0
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def paragraph(self, sentences: list[Sentence]) -> tuple[dict[str, Any], list[list[int]]]:
        """Write one; its place, and the extents of its sentences."""
        if self.chapter_words > CHAPTER_WORDS:
            self.chapter, self.para, self.chapter_words = self.chapter + 1, 0, 0
        if self.book_words > BOOK_WORDS:
            self.book, self.chapter, self.para, self.book_words = self.book + 1, 1, 0, 0
        self.ord, self.para = self.ord + 1, self.para + 1
        texts = [" ".join(sentence) for sentence in sentences]
        extents, at = [], 0
        for text in texts:
            extents.append([at, at + len(text)])
            at += len(text) + 1
        place = {"book": f"book{self.book:03d}", "chapter": self.chapter, "para": self.para, "ord": self.ord}
        record = {
            **place,
            "chapter_title": f"Chapter {self.chapter}",
            "kind": "body",
            "text": " ".join(texts),
        }
        self.corpus.write(json.dumps({**record, "sents": extents, "note_markers": []}) + "\n")
        count = sum(map(len, sentences))
        self.words += count
        self.chapter_words += count
        self.book_words += count
        return place, extents


@dataclass(frozen=True)
class _Plan:
    family: str
    kind: str
    occ: int
    rate: float


def write_planted(folder: Path, *, seed: int, words: int) -> None:
    """Write corpus.jsonl.gz and truth.jsonl.gz of about so many words.

    Args:
        folder: an existing folder.
        seed: another one, another corpus.
        words: how many.
    """
    learned = learned_words()
    model = Model(learned, f"{seed} text")
    plans = list(_plans(random.Random(f"{seed} plan"), words))
    with (
        gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as corpus,
        gzip.open(folder / "truth.jsonl.gz", "wt", encoding="utf-8") as truth,
    ):
        writer = _Writer(corpus, truth)
        bases: dict[str, list[Sentence]] = {}
        for number, plan in enumerate(plans):
            while writer.words < words * number // len(plans):
                writer.paragraph([model.sentence() for _ in range(1 + int(model.random.random() * 8))])
            _plant(writer, model, plan, bases)


def _plans(source: random.Random, words: int) -> Iterator[_Plan]:
    found = []
    for number in range(max(12, FAMILIES_PER_10K * words // 10_000)):
        kind = KINDS[number % len(KINDS)]
        rate = RATES[number // len(KINDS) % len(RATES)] if kind == "variant" else 0.0
        count = 2 + int(source.random() * 2) + (30 if number % 101 == 100 else 0)
        found += [_Plan(f"f{number:06d}", kind, occ, rate) for occ in range(count)]
    for number in range(max(1, words // 100_000)):
        found += [
            _Plan(f"g{number:06d}", "formula", occ, 0.0) for occ in range(20 + int(source.random() * 80))
        ]
    source.shuffle(found)
    yield from found


def _plant(writer: _Writer, model: Model, plan: _Plan, bases: dict[str, list[Sentence]]) -> None:
    if plan.family not in bases:
        count = {"formula": 1, "quotation": 1, "nested": 6}.get(plan.kind, 2 + int(model.random.random() * 5))
        least, most = (4, 8) if plan.kind == "formula" else (10, 25) if plan.kind == "quotation" else (5, 30)
        bases[plan.family] = [model.sentence(least, most) for _ in range(count)]
    mine, family, kind, role = bases[plan.family], plan.family, plan.kind, "member"
    before = [model.sentence() for _ in range(int(model.random.random() * 3))]
    after = [model.sentence() for _ in range(int(model.random.random() * 3))]
    if kind == "variant" and plan.occ:
        mine = model.changed(mine, plan.rate)
    elif kind == "near" and plan.occ:
        mine = model.edited(mine)
    elif kind == "nested" and plan.occ % 2:
        mine, family, kind = mine[2:4], f"{family}i", "nested_inner"
    elif kind == "quotation":
        role = "quote" if plan.occ else "source"
    if role == "quote":
        _quote(writer, model, plan, mine[0])
        return
    place, extents = writer.paragraph([*before, *mine, *after])
    extent = (extents[len(before)][0], extents[len(before) + len(mine) - 1][1])
    _tell(writer, plan, family=family, kind=kind, role=role, place=place, extent=extent, sentences=mine)


def _quote(writer: _Writer, model: Model, plan: _Plan, source: Sentence) -> None:
    host = model.sentence(8, 20)
    cut = len(host) // 2
    quoted = [*source[:-1], source[-1].rstrip(".")]
    opening = [*host[:cut], "saying,"]
    place, extents = writer.paragraph([model.sentence(), [*opening, *quoted, *host[cut:]], model.sentence()])
    low = extents[1][0] + len(" ".join(opening)) + 1
    extent = (low, low + len(" ".join(quoted)))
    _tell(
        writer,
        plan,
        family=plan.family,
        kind=plan.kind,
        role="quote",
        place=place,
        extent=extent,
        sentences=[quoted],
    )


def _tell(
    writer: _Writer,
    plan: _Plan,
    *,
    family: str,
    kind: str,
    role: str,
    place: dict[str, Any],
    extent: tuple[int, int],
    sentences: list[Sentence],
) -> None:
    text = " ".join(" ".join(sentence) for sentence in sentences)
    record = {"family": family, "type": kind, "occ": plan.occ, "role": role, "rate": plan.rate, "ops": []}
    record |= {"segments": [{**place, "start": extent[0], "end": extent[1]}], "words": len(text.split())}
    record |= {"sha": hashlib.sha256(text.encode()).hexdigest()[:16], "layout": "inline", "zone": "body"}
    if kind == "nested_inner":
        record["nested_in"] = family[:-1]
    writer.truth.write(json.dumps(record) + "\n")
