"""Test vectors of curation (`docs/encoding.md` section 13).

They have a file of their own, `data/curation-vectors.json`.
"""

from __future__ import annotations

import uuid
from typing import Final

from tekrar.core.curation.action import (
    Action,
    Body,
    Expected,
    canonical_bytes,
    expected_occurrences,
    proposal_digest,
)
from tekrar.core.curation.choice import Choice, ChoicePolicy, Compensation, Override
from tekrar.core.curation.decision import START, Decision, moved_head
from tekrar.core.curation.family import Family, Member, RequiredDiff
from tekrar.core.curation.ledger import entry_hash
from tekrar.core.curation.quotation import End, Mapped, Quotation
from tekrar.core.curation.supersession import MemberMove, Supersession
from tekrar.core.curation.vocabulary import OPERATIONS
from tekrar.core.encoding import canonical_json, sha256
from tekrar.core.identity import members_digest, selection_id

RELEASE: Final = uuid.UUID("11111111-2222-5333-8444-555555555555").bytes
PROFILE: Final = uuid.UUID("66666666-7777-5888-8999-aaaaaaaaaaaa").bytes
REPETITION: Final = uuid.UUID("77777777-8888-5999-8aaa-bbbbbbbbbbbb").bytes
CLASS: Final = uuid.UUID("cccccccc-dddd-5eee-8fff-000000000000").bytes
RECORDED: Final = "2026-12-01T08:00:00.000000Z"


def of_five(number: int) -> bytes:
    """A made-up UUIDv5."""
    return uuid.UUID(int=(0x5000 << 64) | (1 << 63) | number).bytes


def of_seven(number: int) -> bytes:
    """A made-up UUIDv7."""
    return uuid.UUID(int=(0x7000 << 64) | (1 << 63) | number).bytes


def witness(number: int) -> bytes:
    """A made-up digest."""
    return sha256(bytes([number]))


def sample_members() -> tuple[Member, ...]:
    """Two occurrences and a class of two."""
    inventory = members_digest([of_five(3), of_five(4)])
    return (
        Member("occurrence", of_five(2), witness(2)),
        Member("class", CLASS, witness(9), 2, inventory),
        Member("occurrence", of_five(1), witness(1)),
    )


def sample_family(kind: str = "variant") -> Family:
    """A family whose reference is occurrence 1."""
    expanded = [of_five(n) for n in (1, 2, 3, 4)]
    return Family(
        kind=kind,
        members=sample_members(),
        expansion_count=4,
        expansion_root=members_digest(expanded),
        diffs=(
            RequiredDiff(of_five(1), of_five(3), of_five(103)),
            RequiredDiff(of_five(1), of_five(2), of_five(102)),
        ),
    )


def sample_small(*numbers: int) -> Family:
    """A family of occurrences alone; the first is the reference."""
    ids = [of_five(n) for n in numbers]
    return Family(
        kind="near_exact",
        members=tuple(Member("occurrence", of_five(n), witness(n)) for n in numbers),
        expansion_count=len(ids),
        expansion_root=members_digest(ids),
        diffs=tuple(RequiredDiff(ids[0], of_five(n), of_five(100 + n)) for n in numbers[1:]),
    )


def sample_quotation() -> Quotation:
    """Two pairs of extents, one of them out of order in what quotes."""
    ranges = ((10, 30), (40, 50))
    source = End(of_five(1), witness(1), selection_id(RELEASE, list(ranges)), ranges)
    quoting = End(of_five(2), witness(2), selection_id(RELEASE, [(100, 131)]), ((100, 131),))
    pairs = (Mapped((40, 50), (100, 110)), Mapped((10, 30), (111, 131)))
    return Quotation(
        "adapted_quotation", source, quoting, pairs, 'Kaynak: *"Liman"*, ilk bölüm.\n', of_five(102)
    )


def sample_choice() -> Choice:
    """A choice for a class, in the place of an older one."""
    policy = ChoicePolicy("editorial", "1.0.0", "editorially_designated", witness(7))
    return Choice("class", CLASS, REPETITION, of_five(3), policy, of_seven(8), True)


def sample_action(operation: str) -> Action:
    """One action of every operation."""
    moves = [(tag, one) for tag, one in sorted((m.tag, m.id) for m in sample_members())]
    bodies: dict[str, Body] = {
        "accept_family": sample_family(),
        "accept_quotation": sample_quotation(),
        "choose_canonical": sample_choice(),
        "compensate_choice": Compensation(of_seven(8), "Yanlış yer seçilmişti."),
        "override_false_positive": Override(of_five(50), witness(5), witness(6), witness(4)),
        "replace": Supersession(
            (of_seven(1),),
            (sample_family("near_exact"),),
            tuple(MemberMove(t, i, (0,)) for t, i in moves),
            "Tür.",
        ),
        "split": Supersession(
            (of_seven(1),),
            (sample_small(2, 6), sample_small(1, 5)),
            tuple(MemberMove(t, i, {of_five(1): (1,), of_five(2): (0,)}.get(i, ())) for t, i in moves),
            "Ayrı.",
        ),
        "merge": Supersession(
            (of_seven(3), of_seven(2)),
            (sample_small(1, 2, 5, 6),),
            tuple(MemberMove("occurrence", of_five(n), (0,)) for n in (1, 2, 5, 6)),
            "Bir.",
        ),
        "restructure": Supersession(
            (of_seven(1),),
            (sample_small(1, 3), sample_small(2, 4)),
            tuple(MemberMove(t, i, {of_five(1): (0,), of_five(2): (1,)}.get(i, (0, 1))) for t, i in moves),
            "Sınıf bölündü.",
        ),
        "retire": Supersession(
            (of_seven(9),), (), (MemberMove("quotation", of_seven(9), ()),), "Alıntı değil."
        ),
    }
    named = {
        "choose_canonical": (of_seven(8),),
        "compensate_choice": (of_seven(8),),
        "merge": (of_seven(2), of_seven(3)),
        "retire": (of_seven(9),),
    } | dict.fromkeys(("replace", "split", "restructure"), (of_seven(1),))
    return Action(
        operation=operation,
        edition="örnek · 1",
        profile=PROFILE,
        text_release=RELEASE,
        rationale='Gerekçe: "aynı" söz,\n\tbaşka yazım \\ 😀 \x7f\u2028.',
        expected=Expected(
            occurrences=_expected_of(operation, bodies[operation]),
            structures=tuple((one, "effective") for one in named.get(operation, ())),
        ),
        body=bodies[operation],
        candidates=(of_five(61), of_five(60)),
        evidence=(of_five(70),),
    )


def _expected_of(operation: str, body: Body) -> bytes:
    families: dict[str, dict[bytes, bytes | None]] = {
        "accept_family": {of_five(n): None for n in (1, 2, 3, 4)},
        "replace": {of_five(n): of_seven(1) for n in (1, 2, 3, 4)},
        "split": {of_five(1): of_seven(1), of_five(2): of_seven(1), of_five(5): None, of_five(6): None},
        "merge": {of_five(n): of_seven(3 if n > 2 else 2) for n in (1, 2, 5, 6)},
        "restructure": {of_five(n): of_seven(1) for n in (1, 2, 3, 4)},
    }
    return expected_occurrences(families.get(operation, {}))


def compute_curation_vectors() -> dict[str, str]:
    """Every vector by name: action and decision bytes as text, digests in hex."""
    found: dict[str, str] = {
        "expected_none": expected_occurrences({}).hex(),
        "expected_two": expected_occurrences({of_five(2): of_seven(1), of_five(1): None}).hex(),
    }
    head, previous = START, START
    for number, operation in enumerate(OPERATIONS):
        action = sample_action(operation)
        data = canonical_bytes(action)
        proposal = proposal_digest(data, author="Ayşe", draft="7", revision=number + 1)
        issued = tuple(of_seven(300 + 10 * number + n) for n in range(action.issued))
        decision = Decision(operation, proposal, (of_seven(200 + number),), issued, RECORDED)
        head = moved_head(head, decision.digest)
        previous = entry_hash(
            number, "proposal", canonical_json({"action": data.decode("utf-8")}), previous=previous
        )
        found |= {
            f"action_{operation}": data.decode("utf-8"),
            f"action_{operation}_sha256": sha256(data).hex(),
            f"proposal_{operation}": proposal.hex(),
            f"decision_{operation}": decision.encoded.decode("utf-8"),
            f"decision_{operation}_sha256": decision.digest.hex(),
        }
    return found | {"head": head.hex(), "ledger_head": previous.hex()}
