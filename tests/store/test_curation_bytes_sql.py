"""The bytes of an action, read by the database and by the core: the same are taken, the same are refused."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tekrar.core.curation.action import parse
from tekrar.core.curation.refusal import CurationRefusal
from tekrar.core.curation.vectors import compute_curation_vectors
from tekrar.core.curation.vocabulary import OPERATIONS
from tekrar.store.session import Connection

VECTORS = compute_curation_vectors()
FORM = b"SELECT curation.form_action(curation.read_action(%s))"
WORDS = (
    "",
    "x",
    "0",
    "00",
    "9223372036854775808",
    "class",
    "occurrence",
    "residue",
    "family",
    "\n",
    *OPERATIONS,
)


@pytest.mark.req("CUR-03")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_database_takes_every_vector(admin: Connection, operation: str) -> None:
    data = VECTORS[f"action_{operation}"].encode()
    admin.execute(FORM, (data,))
    revision = str(OPERATIONS.index(operation) + 1)
    row = admin.execute(
        "SELECT curation.proposal_digest(%s, 'Ayşe', '7', %s)".encode(), (data, revision)
    ).fetchone()
    assert row is not None
    assert bytes(row[0]).hex() == VECTORS[f"proposal_{operation}"]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield from places(value[key], (*path, key))


def damaged(rng: random.Random, document: Any) -> Any:
    """A document with one place changed; not in `expected.structures`, which the database compares later."""
    made = copy.deepcopy(document)
    path = rng.choice([one for one in places(made) if one[:2] != ("expected", "structures")])
    at = made
    for key in path[:-1]:
        at = at[key]
    key, value, what = path[-1], at[path[-1]], rng.randrange(6)
    if what == 0:
        del at[key]
    elif what == 1 and isinstance(value, list):
        value.reverse()
    elif what == 2 and isinstance(value, list) and value:
        value.append(copy.deepcopy(value[-1]))
    elif what == 3 and isinstance(value, str):
        at[key] = rng.choice([*WORDS, value.upper(), value[:-1], value + "0"])
    elif what == 4 and isinstance(value, dict):
        value["x"] = "y"
    else:
        at[key] = rng.choice([[], {}, "1", None, True])
    return made


def test_the_database_and_the_core_refuse_the_same(admin: Connection) -> None:
    rng = random.Random(5)
    for _ in range(600):
        document = damaged(rng, json.loads(VECTORS[f"action_{rng.choice(OPERATIONS)}"]))
        data = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
        try:
            parse(data)
            mine = None
        except CurationRefusal as refusal:
            mine = str(refusal)
        try:
            with admin.transaction():
                admin.execute(FORM, (data,))
            theirs = None
        except psycopg.Error as refusal:
            theirs = str(refusal)
        assert (mine is None) == (theirs is None), (data, mine, theirs)
