"""A proposal as a reviewer reads it: what it does, the passages side by side, and how they differ.

Texts are cut from the store now and stored nowhere. Rationale and notes are shown as given, with every
character that could disturb a terminal as a mark; nothing of them is rendered.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tekrar.store.curation.passages import Readable, StoredPassage
from tekrar.view.changes import changes_of
from tekrar.view.diff_text import diff_lines
from tekrar.view.endpoints import Passage
from tekrar.view.plain import approval_words, isolated, quoted, safe

#: Members and diffs that are shown unless all are asked for.
SHOWN: Final = 12
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Wanted:
    """What must be read to show an action."""

    occurrences: tuple[str, ...]
    classes: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]


def bodies_of(action: Record) -> list[Record]:
    """Families and quotations of an action, in the order of their IDs."""
    if "supersession" in action:
        return [next(iter(one.values())) for one in action["supersession"]["successors"]]
    return [action[key] for key in ("family", "quotation") if key in action]


def wanted_of(action: Record, *, most: int | None = SHOWN) -> Wanted:
    """What must be read to show an action; at most so many members and diffs of each body, and members of
    what it ends."""
    occurrences: list[str] = []
    classes: list[str] = []
    pairs: list[tuple[str, str]] = []
    for body in bodies_of(action):
        if "members" in body:
            for member in body["members"][:most]:
                (classes if member["tag"] == "class" else occurrences).append(member["id"])
            pairs += [(one["left"], one["right"]) for one in body["diffs"][:most]]
        else:
            ends = body["source"]["occurrence"], body["quoting"]["occurrence"]
            occurrences += ends
            pairs += [ends] if "diff" in body else []
    if "choice" in action:
        occurrences.append(action["choice"]["member"])
    for move in action["supersession"]["mapping"][:most] if "supersession" in action else ():
        if move["member"]["tag"] != "quotation":
            (classes if move["member"]["tag"] == "class" else occurrences).append(move["member"]["id"])
    return Wanted(tuple(occurrences), tuple(classes), tuple(pairs))


def proposal_lines(
    record: Record, readable: Readable, *, width: int, colour: bool, most: int | None = SHOWN
) -> Iterator[str]:
    """Everything about one proposal for people.

    Args:
        record: of `Asker.proposal`, and of a choice `policy_text`, which is None where it is not kept.
        readable: what `wanted_of` asked for.
        width: columns.
        colour: whether differences are coloured.
        most: members and diffs of each body; None for all.
    """
    action = json.loads(record["action"])
    yield f"proposal     {record['proposal']}"
    yield f"operation    {record['operation']}"
    yield f"edition      {isolated(record['edition'])}  profile {record['profile']}"
    yield f"author       {isolated(record['author'])}, {record['recorded_at']}"
    yield f"draft        {isolated(record['draft'])}, revision {record['revision']}"
    stale = "; what it expects no longer holds" if record["stale"] else ""
    yield f"state        {record['state']}{stale}"
    given = record["reviews"]
    count = None if given is None else sum(one["outcome"] == "approve" and one["counts"] for one in given)
    yield f"approvals    {record['policy_of_review']}, {approval_words(count, record['approvals_needed'])}"
    yield "rationale"
    yield from quoted(action["rationale"], width=width, indent="  ┃ ")
    yield from _grounds(action, most)
    for body in bodies_of(action):
        yield ""
        yield from _body(body, readable, width=width, colour=colour, most=most)
    text = record.get("policy_text")
    yield from _others(action, readable, width=width, most=most, policy_text=text)
    for review in record["reviews"] or ():
        counts = "" if review["counts"] else "  outdated, counts for nothing"
        who = isolated(review["reviewer"])
        yield f"review       {review['recorded_at']}  {who}  {review['outcome']}{counts}"
        yield from quoted(review["note"], width=width, indent="  ┃ ")
    if "decision" in record:
        yield f"applied      {record['applied_at']}  {isolated(record['applied_by'])}"
        for one in record["structures"]:
            yield f"structure    {one}"


def _grounds(action: Record, most: int | None) -> Iterator[str]:
    """Candidates and evidence that it rests on."""
    for name, key in (("candidate", "candidates"), ("evidence", "evidence")):
        for one in action[key][:most]:
            yield f"{name:<12} {one}"
        yield from _more(action[key], most)


def _body(body: Record, readable: Readable, *, width: int, colour: bool, most: int | None) -> Iterator[str]:
    if "members" not in body:
        yield from _quotation(body, readable, width=width, colour=colour, most=most)
        return
    count = body["expansion"]["count"]
    yield f"family       {body['kind']}, {len(body['members'])} members, {count} occurrences"
    for member in sorted(body["members"][:most], key=lambda one: _start(one, readable)):
        first = member["id"]
        if member["tag"] == "class":
            first, _ = readable.firsts.get(member["id"], ("", 0))
            yield f"class        {member['id']}, {member['count']} exactly equal; the first of them:"
        yield from passage_lines(readable.passages.get(first), width=width)
    yield from _more(body["members"], most)
    for one in body["diffs"][:most]:
        yield ""
        yield from difference_lines((one["left"], one["right"]), readable, colour=colour)
    yield from _more(body["diffs"], most)


def _quotation(
    body: Record, readable: Readable, *, width: int, colour: bool, most: int | None
) -> Iterator[str]:
    yield f"quotation    {body['kind']}"
    for name in ("source", "quoting"):
        end = body[name]
        passage = readable.passages.get(end["occurrence"])
        ranges = ", ".join(f"{start}..{stop}" for start, stop in end["ranges"])
        yield f"{name:<12} bytes {ranges}"
        yield from passage_lines(passage, width=width)
        for start, stop in end["ranges"] if passage is not None else ():
            cut = passage.slice(int(start), int(stop)).decode(errors="backslashreplace") if passage else ""
            yield "  extent"
            yield from quoted(cut, width=width, indent="  ┃ ")
    for pair in body["mapping"][:most]:
        taken = (f"{start}..{stop}" for start, stop in (pair["source"], pair["quoting"]))
        yield "corresponds  bytes " + " to bytes ".join(taken)
    yield from _more(body["mapping"], most)
    yield "attribution"
    yield from quoted(body["attribution"], width=width, indent="  ┃ ")
    if "diff" in body:
        yield ""
        ends = body["source"]["occurrence"], body["quoting"]["occurrence"]
        yield from difference_lines(ends, readable, colour=colour)


def _moves(held: Record, readable: Readable, *, width: int, most: int | None) -> Iterator[str]:
    """What a supersession ends, with the text of each member and where it goes."""
    for one in held["predecessors"]:
        yield f"ends         {one}"
    for move in held["mapping"][:most]:
        to = move["to"] if isinstance(move["to"], str) else "successor " + ", ".join(move["to"])
        tag, member = move["member"]["tag"], move["member"]["id"]
        yield f"member       {tag} {member} -> {to}"
        if tag != "quotation":  # of an earlier text it is not readable here
            first = readable.firsts.get(member, ("", 0))[0] if tag == "class" else member
            if first in readable.passages:
                yield from passage_lines(readable.passages[first], width=width)
    yield from _more(held["mapping"], most)


def _others(
    action: Record, readable: Readable, *, width: int, most: int | None, policy_text: str | None
) -> Iterator[str]:
    if "supersession" in action:
        held = action["supersession"]
        yield ""
        yield from _moves(held, readable, width=width, most=most)
        yield "reason"
        yield from quoted(held["reason"], width=width, indent="  ┃ ")
    elif "choice" in action:
        held = action["choice"]
        policy = held["policy"]
        yield ""
        yield f"choice       for {held['structure']['tag']} {held['structure']['id']}"
        yield f"policy       {policy['name']} {policy['version']}, {policy['rule']}"
        yield f"document     {policy['document']}{'' if policy_text else ', not kept here'}"
        yield from quoted(policy_text or "", width=width, indent="  ┃ ")
        if "supersedes" in held:
            yield f"supersedes   {held['supersedes']}"
        yield from passage_lines(readable.passages.get(held["member"]), width=width)
    elif "compensation" in action:
        yield f"takes back   {action['compensation']['choice']}"
        yield from quoted(action["compensation"]["reason"], width=width, indent="  ┃ ")
    elif "override" in action:
        yield f"overrides    the mark of candidate {action['override']['candidate']} as a false positive"
        for passage in sorted(readable.passages.values(), key=lambda one: one.start)[:most]:
            yield from passage_lines(passage, width=width)


def _start(member: Record, readable: Readable) -> int:
    """Where a member stands first, so that they are read in the order of the document."""
    first = readable.firsts.get(member["id"], (member["id"], 0))[0]
    return readable.passages[first].start if first in readable.passages else 0


def passage_lines(passage: StoredPassage | None, *, width: int) -> Iterator[str]:
    """ID, address and text of one occurrence."""
    if passage is None:
        yield "occurrence   not readable here"
        return
    yield f"occurrence   {passage.occurrence}  {isolated(passage.address)}"
    yield from quoted(passage.content.decode(errors="backslashreplace"), width=width, indent="  ┃ ")


def difference_lines(pair: tuple[str, str], readable: Readable, *, colour: bool) -> Iterator[str]:
    """The diff of a pair, in both texts."""
    made = readable.diffs.get(pair)
    if made is None:
        yield f"diff         {pair[0]} -> {pair[1]}: not readable here"
        return
    sides = [
        Passage(end, readable.passages[own].address if own in readable.passages else safe(own), "")
        for end, own in zip((made.left, made.right), pair, strict=True)
    ]
    yield from diff_lines(made, (sides[0], sides[1]), changes_of(made), colour=colour)


def _more(held: list[Any], most: int | None) -> Iterator[str]:
    if most is not None and len(held) > most:
        yield f"             and {len(held) - most} more (--all shows them)"
