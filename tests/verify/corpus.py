"""A small structured corpus, written for these tests, in which every wrong builder does something wrong.

It has headings, a note, markers that differ, a stretch of 13 sentences that returns, stretches that return at
three lengths, equal sentences with the same separator bytes inside and between paragraphs, a composed and a
decomposed letter, an empty paragraph and equal paragraphs.
"""

from __future__ import annotations

from typing import Any

from tests.small import in_books, mark

LONG = [f"The {word} lamp went out at dusk." for word in "first second third fourth fifth sixth".split()]
LONG += [f"Then the {word} boat came in." for word in "grey green red black white brown old".split()]
assert len(LONG) == 13

MILL = ["The mill stood by the river.", "Its wheel turned slowly.", "Nobody lived there any more."]
WELL = ["They dug a well[4].", "It stayed dry.", "So they went north."]
WELL_AGAIN = ["They dug a well[17].", "It stayed dry.", "So they went north."]
GATE = ["The gate was shut.", "A dog barked."]
OWLS = ["Dusk fell.", "Owls woke."]


def corpus() -> dict[str, Any]:
    """The structured document."""
    books = {
        "b1": [
            [["Of mills"], MILL, [], WELL, ["[4] So the elders say."], GATE, ["Gate heading"], GATE],
            [LONG, ["Snow lay on the roof."], OWLS, ["Snow lay on the roof."]],
            [["He drank caf\u00e9.", "He paid."], ["Alone here."]],
        ],
        "b2": [
            [["Of mills"], ["Before it.", *MILL, "After it."], WELL_AGAIN, ["A barn burned.", *MILL[:2]]],
            [["Another start."], LONG, ["Dusk fell."], ["Owls woke."]],
            [["He drank cafe\u0301.", "He paid."], ["Well.", "They dug a well."], ["It stayed dry."]],
            [["The gate was shut."], ["A dog barked."], ["Late words."]],
        ],
    }
    source = in_books(books, language="en", edition="verifier tests")
    owls = source["corpus"]["books"][0]["chapters"][1]["paragraphs"][2]
    assert owls["sentences"] == OWLS
    owls["seps"] = ["\n\n"]  # the bytes that stand between the two paragraphs of b2
    for paragraph in source["corpus"]["books"][0]["chapters"][0]["paragraphs"][5:7]:
        paragraph["after"] = ""  # so that the heading touches what stands before and after it
    for needle in ("Of mills", "Gate heading"):
        source = mark(source, "headings", needle)
    source = mark(source, "note_bodies", "[4] So the elders say.", id="n4")
    source = mark(source, "note_markers", "[4]", only=0, id="n4")
    return mark(source, "note_markers", "[17]", status="source_gap")
