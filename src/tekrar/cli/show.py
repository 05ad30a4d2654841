"""`tekrar show`: one occurrence or class, its status, and every member with its exact text and context."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, Final

from tekrar.cli import arguments
from tekrar.cli.beside import RELEASE_HELP, release_for
from tekrar.cli.outcome import print_json
from tekrar.errors import EXIT_OK, EXIT_STATUS

#: Sentences shown on either side of a member at most.
MAX_CONTEXT: Final = 10_000
#: What is said of members that follow one another.
IN_A_ROW: Final = "the member follows upon the one before it; often a refrain, not an error"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar show`."""
    parser.add_argument("artifact", type=arguments.path, help="artifact, as `tekrar build` made it")
    parser.add_argument(
        "query",
        metavar="ID|ADDRESS",
        help="an occurrence or class ID, book/chapter:start+length or book/chapter/pN (counted from 1)",
    )
    parser.add_argument("--release", type=arguments.path, metavar="RELEASE", help=RELEASE_HELP)
    parser.add_argument(
        "--profile", metavar="FP|FS|PP|PS", help="one profile (default: every profile that holds it)"
    )
    parser.add_argument(
        "--context",
        type=arguments.number(0, MAX_CONTEXT),
        default=1,
        metavar="N",
        help=f"sentences shown on either side, at most {MAX_CONTEXT} (default 1)",
    )
    parser.add_argument(
        "--show-invisible", action="store_true", help="show invisible characters as marks, such as ⟨U+200C⟩"
    )


def run(args: argparse.Namespace) -> int:
    """Answer; a broken partition ends with the exit status of an integrity error."""
    from tekrar.view.answer import answer_for
    from tekrar.view.open import open_corpus
    from tekrar.view.query import find
    from tekrar.view.records import about, absent_record, answer_record, class_answer

    corpus = open_corpus(args.artifact, release_for(args))
    found = find(corpus, args.query, profile=args.profile)
    answers = [answer_for(view, row) for view, row in found.rows]
    records = [answer_record(corpus, answer, context=args.context) for answer in answers]
    records += [class_answer(corpus, view, n, context=args.context) for view, n in found.classes]
    if not records:
        records.append(absent_record(corpus, found))
    if args.json:
        print_json({"query": args.query, **about(corpus), "answers": records})
    else:
        for line in _told(about(corpus), records, marks=args.show_invisible):
            print(line)
    broken = any(answer.problem for answer in answers)
    return EXIT_STATUS["integrity_error"][0] if broken else EXIT_OK


def _told(scope: dict[str, Any], records: list[dict[str, Any]], *, marks: bool) -> Iterator[str]:
    from tekrar.view.plain import isolated, terminal_width

    width = terminal_width()
    yield f"release        {scope['release']}  edition {isolated(scope['edition'])}"
    for record in records:
        yield ""
        yield from _filled("", record["why"], width)
        shown = record.get("presentation")
        yield f"status         {record['status']}" + (f", {shown}" if shown else "")
        if "profile" not in record:
            for row in record["enumerators"]:
                yield f"enumerator     {row['enumerator']}, {row['universe']} occurrences"
            continue
        yield f"profile        {record['profile']}  {record['profile_name']}  {record['profile_id']}"
        if record.get("code"):
            yield f"code           {record['code']}"
        if "occurrence" in record:
            yield from _member(record["occurrence"], width=width, marks=marks, label="occurrence     ")
        for span in record.get("spans", ()):
            place = f"bytes {span['start']}..{span['end']}, selection {span['selection']}"
            yield f"{span['annotation']:<14} {span['reason']}, {place}"
            yield from _quote(span["text"], width=width, marks=marks)
        if record["class"] is not None:
            yield from _class(record["class"], width=width, marks=marks)


def _class(record: dict[str, Any], *, width: int, marks: bool) -> Iterator[str]:
    from tekrar.cli.classes import named

    yield f"class          {named(record)}  length {record['length']}, {record['size']} members"
    if by := record["dominated_by"]:
        yield (
            f"dominated by   {by['class_id']}  length {by['length']}, {by['size']} members; "
            f"{by['left']} more before, {by['right']} more after"
        )
    for number, member in enumerate(record["members"], 1):
        yield ""
        yield from _member(member, width=width, marks=marks, label=f"member {number:<7} ")
    if any(member["adjacent"] for member in record["members"]):
        yield ""
        yield f"repeated in a row: {IN_A_ROW}"


def _member(record: dict[str, Any], *, width: int, marks: bool, label: str) -> Iterator[str]:
    from tekrar.view.plain import isolated

    row = "  repeated in a row" if record.get("adjacent") else ""
    yield f"{label}{isolated(record['address'])}  {record['id']}{row}"
    source = ", ".join(
        f"{key} {record[key]}" for key in ("chapter", "para", "ord", "end_ord") if record[key] is not None
    )
    yield f"               bytes {record['start']}..{record['end']}" + (
        f"; in the source: {source}" if source else ""
    )
    if record["before"]:
        yield from _quote(record["before"], width=width, marks=marks, sign="  … ")
    yield from _quote(record["text"], width=width, marks=marks)
    if record["after"]:
        yield from _quote(record["after"], width=width, marks=marks, sign="  … ")


def _quote(text: str, *, width: int, marks: bool, sign: str = "  ┃ ") -> Iterator[str]:
    from tekrar.view.plain import quoted

    yield from quoted(text, width=width, indent=sign, show_invisible=marks)


def _filled(indent: str, sentence: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(sentence, width, initial_indent=indent, subsequent_indent=indent)
