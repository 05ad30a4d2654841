"""Ranges and mapping of a quotation: the database and the core refuse the same, and twice as many take twice
as long."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import psycopg
import pytest

from tekrar.core.curation.quotation import inside, read_quotation
from tekrar.core.curation.refusal import CurationRefusal
from tekrar.store.session import Connection

ID = "6b1f5c1e-0d4c-5c55-8b0b-3a6f3f4d9a10"
FORM = b"SELECT curation.form_quotation(%s::jsonb, '$')"
Spans = list[list[str]]


def body(source: Spans, quoting: Spans, mapping: list[tuple[list[str], list[str]]], kind: str) -> Any:
    ends = [
        {"occurrence": ID, "witness": "00" * 32, "selection": ID, "ranges": one} for one in (source, quoting)
    ]
    pairs = [{"source": a, "quoting": b} for a, b in mapping]
    return {"kind": kind, "source": ends[0], "quoting": ends[1], "mapping": pairs, "attribution": "başlık"}


def spans(rng: random.Random, start: int) -> Spans:
    found = []
    for _ in range(rng.randrange(1, 4)):
        start += rng.choice((0, 1, 1, 2, 3))
        end = start + rng.choice((1, 2, 4))
        found.append([str(start), str(end)])
        start = end
    if rng.randrange(8) == 0:
        rng.shuffle(found)
    return found


@pytest.mark.req("QUO-01")
def test_the_database_and_the_core_refuse_the_same_spans(admin: Connection) -> None:
    rng = random.Random(11)
    taken = 0
    for _ in range(1500):
        source, quoting = spans(rng, 0), spans(rng, 40)
        pieces = [spans(rng, int(one[0][0]) - rng.choice((0, 0, 0, 1))) for one in (source, quoting)]
        chosen = (source, quoting) if rng.randrange(2) else pieces
        made = body(source, quoting, list(zip(*chosen, strict=False)), "adapted_quotation")
        try:
            read_quotation(made, "$")
            refused = False
        except CurationRefusal:
            refused = True
        if refused:
            with pytest.raises(psycopg.Error, match=r"\$") as error:
                admin.execute(FORM, (json.dumps(made),))
            assert (error.value.sqlstate or "").startswith("TK")
        else:
            admin.execute(FORM, (json.dumps(made),))
        taken += not refused
    assert 200 < taken < 1300


def test_inside_is_what_it_says() -> None:
    rng = random.Random(3)
    for _ in range(2000):
        ranges = [(int(a), int(b)) for a, b in sorted(spans(rng, 0), key=lambda one: int(one[0]))]
        start = rng.randrange(14)
        span = (start, start + rng.randrange(1, 5))
        assert inside(span, ranges) == any(a <= span[0] and span[1] <= b for a, b in ranges)


def test_eight_times_the_spans_do_not_take_64_times_as_long(admin: Connection) -> None:
    taken = {}
    for count in (2_500, 20_000):
        sides = [[[str(base + 3 * n), str(base + 3 * n + 1)] for n in range(count)] for base in (0, 10**7)]
        made = body(sides[0], sides[1], list(zip(*sides, strict=True)), "verbatim_quotation")
        text = json.dumps(made)
        best = []
        for _ in range(2):
            begun = time.perf_counter()
            admin.execute(FORM, (text,))
            best.append(time.perf_counter() - begun)
        taken[count] = min(best)
        begun = time.process_time()
        read_quotation(made, "$")
        taken[-count] = time.process_time() - begun
    assert taken[20_000] < 24 * taken[2_500], taken
    assert taken[-20_000] < 24 * taken[-2_500], taken
