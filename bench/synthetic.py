"""A generator of its own, for a machine without the shared corpora: invented words, a skewed vocabulary, and
passages planted again elsewhere. It writes paragraph JSON lines; the seed decides every byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

VOCABULARY = 30_000
BOOK_WORDS, CHAPTER_WORDS = 60_000, 3_000
#: One paragraph in so many is a repetition of an earlier one.
REPEAT_EVERY = 12
REMEMBERED = 4_000
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvyz", "aeiou"


def words(random: Random) -> list[str]:
    """Distinct invented words, the frequent ones short."""
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        syllables = 1 + len(found) * 4 // VOCABULARY + random.randrange(2)
        word = "".join(random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(syllables))
        found[word + random.choice(("", "", "n", "r", "k"))] = None
    return list(found)


def paragraphs(count: int, seed: int) -> Iterator[list[str]]:
    """Paragraphs of 1 to 8 sentences of 4 to 20 words until `count` words are given."""
    random = Random(seed)
    vocabulary = words(random)
    earlier: list[list[str]] = []
    given = 0
    while given < count:
        if earlier and random.randrange(REPEAT_EVERY) == 0:
            sentences = list(random.choice(earlier))
            if len(sentences) > 3 and random.randrange(2):
                sentences[random.randrange(len(sentences))] = _sentence(random, vocabulary)
        else:
            sentences = [_sentence(random, vocabulary) for _ in range(1 + random.randrange(8))]
            if len(earlier) < REMEMBERED:
                earlier.append(sentences)
            else:
                earlier[random.randrange(REMEMBERED)] = sentences
        given += sum(sentence.count(" ") + 1 for sentence in sentences)
        yield sentences


def _sentence(random: Random, vocabulary: list[str]) -> str:
    """A skewed draw: the fourth power of an even one favours the first words."""
    size = 4 + random.randrange(17)
    drawn = [vocabulary[int(VOCABULARY * random.random() ** 4)] for _ in range(size)]
    return " ".join(drawn).capitalize() + "."


def record(place: tuple[str, int, int], sentences: list[str]) -> str:
    """One line: place is book, chapter and paragraph number; the text is ASCII, so offsets are bytes."""
    spans, at = [], 0
    for sentence in sentences:
        spans.append([at, at + len(sentence)])
        at += len(sentence) + 1
    book, chapter, para = place
    return json.dumps(
        {
            "book": book,
            "chapter": chapter,
            "para": para,
            "kind": "body",
            "text": " ".join(sentences),
            "sents": spans,
        },
        separators=(",", ":"),
    )


def write_corpus(target: Path, *, count: int, seed: int = 1) -> None:
    """A corpus of about `count` words in books and chapters of about equal size."""
    given = 0
    with target.open("w", encoding="utf-8") as file:
        for number, sentences in enumerate(paragraphs(count, seed), 1):
            place = (f"book{1 + given // BOOK_WORDS:03}", 1 + given // CHAPTER_WORDS, number)
            file.write(record(place, sentences) + "\n")
            given += sum(sentence.count(" ") + 1 for sentence in sentences)


def write_equal_sentences(target: Path, *, count: int = 200_000) -> None:
    """One chapter of equal sentences, ten a paragraph."""
    sentences = ["The same short sentence stands here again."] * 10
    _write_one_chapter(target, (sentences for _ in range(count // 10)))


def write_tenfold(target: Path, *, count: int = 20_000) -> None:
    """One chapter: a text of distinct sentences, five a paragraph, ten times in a row."""
    random = Random(2)
    vocabulary = words(random)
    text = [f"{_sentence(random, vocabulary)[:-1]} {number}." for number in range(count)]
    once = [text[at : at + 5] for at in range(0, count, 5)]
    _write_one_chapter(target, (sentences for _ in range(10) for sentences in once))


def write_equal_paragraphs(target: Path, *, count: int = 100_000) -> None:
    """One chapter of identical paragraphs of two sentences."""
    sentences = ["A line that everyone knows by heart.", "It is said twice."]
    _write_one_chapter(target, (sentences for _ in range(count)))


def _write_one_chapter(target: Path, given: Iterator[list[str]]) -> None:
    with target.open("w", encoding="utf-8") as file:
        for number, sentences in enumerate(given, 1):
            file.write(record(("book", 1, number), sentences) + "\n")
