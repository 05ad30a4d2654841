"""`tekrar resolve`: what an ID of curation names, its state, and what took its place; nothing is followed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tekrar.cli.crosswalk import external_name
from tekrar.cli.curation import asking, role_arguments, told
from tekrar.cli.database import say
from tekrar.cli.withdrawn import incident_words, tell_incident
from tekrar.errors import NotFoundError
from tekrar.view.plain import safe

if TYPE_CHECKING:
    from tekrar.store.curation.listing import Asker


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar resolve`."""
    parser.add_argument(
        "id", metavar="ID|NAMESPACE=EXTERNAL",
        help="a family, quotation or canonical choice, or a name that somebody else gave to one (crosswalk)",
    )  # fmt: skip
    parser.add_argument(
        "--release", metavar="RELEASE", help="its state as of this published release (default: now)"
    )
    parser.add_argument(
        "--current",
        action="store_true",
        help="say too what stands in its place: through a split it is ambiguous",
    )
    role_arguments(parser, reader=True)


def run(args: argparse.Namespace) -> int:
    """Resolve it."""
    with asking(args, reader=True) as ask:
        own = ask(lambda asker: _named(asker, args.id))
        found = ask(lambda asker: asker.resolve(own, release=args.release))
        if args.current:
            found["current"] = ask(lambda asker: asker.current(own, release=args.release))
    tell_incident(args.release or "", found.get("withdrawn"))
    ended = found.get("ended", {})
    lines = [*map(safe, [*_lines(found), *_ending(ended)]), *told(ended.get("reason", ""), indent="  ┃ ")]
    return say(args, found, "\n".join(lines), always=True)


def _named(asker: Asker, name: str) -> str:
    """The structure that is meant: by its own ID, or by a name that somebody else gave to it (ID-08)."""
    if "=" not in name:
        return name
    namespace, external = external_name(name, where="ID")
    found = asker.crosswalk(namespace=namespace, external=external, page=1)
    if not found:
        raise NotFoundError(
            f"nobody recorded {external!r} as a name of namespace {namespace!r}",
            where="database",
            expected="a name that was recorded, of a structure that may be read",
            mend="tekrar crosswalk list shows those that were",
            kind="not_found",
        )
    return str(found[0]["structure"])


def _lines(found: dict[str, Any]) -> Iterator[str]:
    record = found["record"]
    yield f"{found['kind']}  {found['id']}"
    yield f"state        {found['state']}"
    if "withdrawn" in found:
        yield f"release      {incident_words(found['withdrawn'])}"
    if "kind" in record:
        yield f"kind         {record['kind']}"
    if "expansion" in record:
        yield f"expansion    {record['expansion']['count']} occurrences"
        for member in record["members"]:
            count = f", {member['count']} occurrences" if "count" in member else ""
            yield f"member       {member['tag']} {member['id']}{count}"
    for name in ("source", "quoting"):
        if name in record:
            ranges = record[name]["ranges"]
            told = ", ".join(f"{a}..{b}" for a, b in zip(ranges[::2], ranges[1::2], strict=True))
            yield f"{name:<12} {record[name]['occurrence']} bytes {told}"
    if "member" in record:
        policy = record["policy"]
        yield f"chosen       {record['member']} for {record['structure']['tag']} {record['structure']['id']}"
        yield f"policy       {policy['name']} {policy['version']}, {policy['rule']}"
    for name, words in (("successors", "successor"), ("predecessors", "predecessor")):
        for one in found[name]:
            yield f"{words:<12} {one}"
    for one in found["also"]:
        yield f"also         {one['namespace']}={one['external']}"
    if "current" in found:
        yield f"current      {found['current']['status']}  {found['current']['current'] or ''}".rstrip()


def _ending(ended: dict[str, Any]) -> Iterator[str]:
    """How it ended: by which operation, and where each member went."""
    if ended:
        yield f"ended        {ended['operation']}, entry {ended['decision']} of the ledger"
    for line in ended.get("mapping", ()):
        went = ", ".join(line["to"]) or "residue"
        yield f"went         {line['tag']} {line['member']} to {went}"
