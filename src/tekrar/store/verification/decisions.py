"""Proposals, reviews, decisions and what decisions made, against the entries of the ledger (CUR-05).

Every row of these tables is made again from the entries alone, with the expansion of classes from the rows of
their profiles: a row that no entry explains, one that an entry asks for and that is not there, and one that
says something else are findings.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tekrar.core.curation.action import proposal_digest
from tekrar.core.curation.carried import KEY, check_carried
from tekrar.core.curation.refusal import CurationRefusal
from tekrar.core.encoding import Json, canonical_json, sha256
from tekrar.store.session import Connection
from tekrar.store.verification.findings import Findings, rows_of
from tekrar.store.verification.ledger import Entry

_NAME: Final = "(SELECT a.name FROM curation.actor a WHERE a.actor_key = {})"
_TIME: Final = "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
#: Table -> what of its rows is compared, as text; bytes in hex, arrays as PostgreSQL writes them.
_COLUMNS: Final = {
    "proposal": "encode(proposal_digest, 'hex'), operation, edition, profile, text_release, policy,"
    f" encode(action, 'hex'), {_NAME.format('author')}, draft, revision, freeze_epoch,"
    f" {_TIME.format('recorded_at')}, ledger_seq",
    "review": f"review, encode(proposal_digest, 'hex'), outcome, {_NAME.format('reviewer')}, note,"
    f" {_TIME.format('recorded_at')}, ledger_seq",
    "decision": "decision, encode(decision_digest, 'hex'), encode(document, 'hex'),"
    f" encode(proposal_digest, 'hex'), operation, {_NAME.format('applied_by')},"
    f" {_TIME.format('recorded_at')}",
    "decision_review": "review, decision",
    "family": "family, profile, text_release, kind, encode(members, 'hex'), encode(expansion, 'hex'), size,"
    " decision",
    "family_member": "family, position, occurrence, class, encode(witness, 'hex'), size,"
    " encode(inventory, 'hex')",
    "family_diff": "family, left_occurrence, right_occurrence, diff",
    "effective_membership": "profile, occurrence, family, position, since, until",
    "quotation": "quotation, profile, text_release, kind, source_occurrence, encode(source_witness, 'hex'),"
    " source_selection, source_ranges, quoting_occurrence, encode(quoting_witness, 'hex'), quoting_selection,"
    " quoting_ranges, extent_mapping, diff, attribution, decision",
    "canonical_choice": "choice, profile, exact_class, family, release, member, policy, policy_version, rule,"
    " encode(policy_document, 'hex'), supersedes, decision",
    "effective_choice": "choice, profile, structure, policy, since, until",
    "compensation": "choice, reason, decision",
    "false_positive_override": "candidate, encode(event, 'hex'), encode(generator, 'hex'),"
    " encode(participants, 'hex'), profile, decision",
    "supersession": "predecessor, operation, reason, decision",
    "succession": "predecessor, successor",
    "succession_member": "predecessor, tag, member, successor",
    "choice_policy": f"name, version, rule, document, encode(digest, 'hex'), {_NAME.format('author')},"
    f" {_TIME.format('recorded_at')}, ledger_seq",
    "crosswalk": f"namespace, external, structure, {_NAME.format('recorded_by')},"
    f" {_TIME.format('recorded_at')}, ledger_seq",
}
_CLASSES: Final = """
    SELECT DISTINCT p.profile::text AS profile, o.class::text AS class, o.occurrence::text AS occurrence
    FROM repetition.occurrence o JOIN repetition.profile p USING (profile_key)
    WHERE o.class IN (SELECT m.class FROM curation.family_member m WHERE m.class IS NOT NULL
                      UNION SELECT unnest(%s::uuid[]))
"""

Fact = tuple[str | None, ...]
Document = Mapping[str, Any]


def check_decisions(connection: Connection, entries: Sequence[Entry], findings: Findings) -> None:
    """Every row of the workflow and of what it made is exactly what the entries say."""
    proposals = {
        e.payload["digest"]: json.loads(e.payload["action"]) for e in entries if e.kind == "proposal"
    }
    classes: dict[tuple[str, str], list[str]] = defaultdict(list)
    named = sorted({one for action in proposals.values() for one in _classes(action)})
    for row in rows_of(connection, _CLASSES, (named,)):
        classes[row["profile"], row["class"]].append(row["occurrence"])
    wanted = Wanted(classes)
    for entry in entries:
        wanted.take(entry, proposals, findings)
    for table, columns in _COLUMNS.items():
        _compare(connection, table, columns, wanted.facts(table), findings)


def _compare(connection: Connection, table: str, columns: str, wanted: set[Fact], findings: Findings) -> None:
    texts = ", ".join(f"({one})::text" for one in _split(columns))
    found = [tuple(row) for row in connection.execute(f"SELECT {texts} FROM curation.{table}".encode())]
    findings.count("decisions", max(len(found), len(wanted), 1))
    for fact in sorted(set(found) - wanted, key=str):
        findings.add("decisions", f"curation.{table}", expected="a row that an entry explains", found=fact)
    for fact in sorted(wanted - set(found), key=str):
        findings.add("decisions", f"curation.{table}", expected=fact, found="no such row")
    if len(found) != len(set(found)):
        findings.add("decisions", f"curation.{table}", expected="each row once", found="a row twice")


def _split(columns: str) -> Iterator[str]:
    """Expressions of a list, apart at the commas outside parentheses and quotes."""
    depth, quoted, start = 0, False, 0
    for place, sign in enumerate(columns):
        quoted ^= sign == "'"
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth and not quoted:
            yield columns[start:place].strip()
            start = place + 1
    yield columns[start:].strip()


class Wanted:
    """The rows that the entries taken so far ask for.

    Args:
        classes: (profile, class) -> its occurrences, as the profile's rows have them.
    """

    def __init__(self, classes: Mapping[tuple[str, str], list[str]]) -> None:
        self._classes = classes
        self._rows: dict[str, set[Fact]] = defaultdict(set)
        self._members: dict[str, dict[tuple[str, str], int]] = {}
        #: (table, its columns before `until`) -> the entry that ended it.
        self._memberships: dict[tuple[str, ...], str | None] = {}
        self._choices: dict[str, tuple[Fact, str | None]] = {}

    def facts(self, table: str) -> set[Fact]:
        """The rows of a table."""
        if table == "effective_membership":
            return {(*row, until) for row, until in self._memberships.items()}
        if table == "effective_choice":
            return {(*row, until) for row, until in self._choices.values()}
        return self._rows[table]

    def take(self, entry: Entry, proposals: Mapping[str, Document], findings: Findings) -> None:
        """Take the next entry."""
        p, seq = entry.payload, str(entry.seq)
        if entry.kind == "proposal":
            action = proposals[p["digest"]]
            digest = proposal_digest(
                p["action"].encode(), author=p["author"], draft=p["draft"], revision=int(p["revision"])
            )
            place = f"curation.ledger seq {seq}, digest"
            findings.same("decisions", place, expected=digest.hex(), found=p["digest"])
            try:
                check_carried(p, action, item=f"curation.ledger seq {seq}")
            except CurationRefusal as refusal:
                findings.add("decisions", refusal.where, expected=refusal.expected, found=p[KEY])
            self._add("proposal", p["digest"], *(action[k] for k in ("operation", "edition", "profile")),
                      action["text_release"], action["policy_of_review"], p["action"].encode().hex(),
                      p["author"], p["draft"], p["revision"], p["freeze"], p["recorded_at"], seq)  # fmt: skip
        elif entry.kind == "review":
            self._add("review", p["review"], p["proposal"], p["outcome"], p["reviewer"], p["note"],
                      p["recorded_at"], seq)  # fmt: skip
        elif entry.kind == "policy":
            text = sha256(p["document"].encode())
            place = f"curation.ledger seq {seq}, digest"
            findings.same("decisions", place, expected=text.hex(), found=p["digest"])
            self._add("choice_policy", p["name"], p["version"], p["rule"], p["document"], text.hex(), p["by"],
                      p["recorded_at"], seq)  # fmt: skip
        elif entry.kind == "crosswalk":
            self._add(
                "crosswalk", p["namespace"], p["external"], p["structure"], p["by"], p["recorded_at"], seq
            )
        elif entry.kind == "apply":
            document = decision_document(p)
            self._add("decision", seq, sha256(document).hex(), document.hex(), p["proposal"], p["operation"],
                      p["actor"], p["recorded_at"])  # fmt: skip
            for one in p["reviews"].split(","):
                self._add("decision_review", one, seq)
            place = f"curation.ledger seq {seq}, decision"
            findings.same("decisions", place, expected=sha256(document).hex(), found=p["decision"])
            self._decide(proposals[p["proposal"]], [s for s in p["structures"].split(",") if s], seq)

    def _add(self, table: str, *fact: str | None) -> None:
        self._rows[table].add(fact)

    def _decide(self, action: Document, issued: Sequence[str], seq: str) -> None:
        if "family" in action:
            self._family(action, action["family"], issued[0], seq)
        elif "quotation" in action:
            self._quotation(action, action["quotation"], issued[0], seq)
        elif "choice" in action:
            self._choice(action, action["choice"], issued[0], seq)
        elif "compensation" in action:
            body = action["compensation"]
            self._add("compensation", body["choice"], body["reason"], seq)
            self._end_choice(body["choice"], seq)
        elif "override" in action:
            body = action["override"]
            self._add("false_positive_override", body["candidate"], body["event"], body["generator"],
                      body["participants"], action["profile"], seq)  # fmt: skip
        else:
            self._supersede(action, action["supersession"], issued, seq)

    def _family(self, action: Document, body: Document, family: str, seq: str) -> None:
        profile, members = action["profile"], body["members"]
        self._add("family", family, profile, action["text_release"], body["kind"],
                  sha256(canonical_json(members)).hex(), body["expansion"]["root"],
                  body["expansion"]["count"], seq)  # fmt: skip
        self._members[family] = {(m["tag"], m["id"]): n for n, m in enumerate(members)}
        for n, one in enumerate(members):
            of_class = one["tag"] == "class"
            ids = (None, one["id"]) if of_class else (one["id"], None)
            size = one["count"] if of_class else "1"
            self._add("family_member", family, str(n), *ids, one["witness"], size, one.get("inventory"))
            for occurrence in self._classes[profile, one["id"]] if of_class else [one["id"]]:
                self._memberships[profile, occurrence, family, str(n), seq] = None
        for one in body["diffs"]:
            self._add("family_diff", family, one["left"], one["right"], one["diff"])

    def _quotation(self, action: Document, body: Document, quotation: str, seq: str) -> None:
        sides = [
            (side["occurrence"], side["witness"], side["selection"], _array(side["ranges"]))
            for side in (body["source"], body["quoting"])
        ]
        mapping = _array([one[side] for one in body["mapping"] for side in ("source", "quoting")])
        self._add("quotation", quotation, action["profile"], action["text_release"], body["kind"], *sides[0],
                  *sides[1], mapping, body.get("diff"), body["attribution"], seq)  # fmt: skip

    def _choice(self, action: Document, body: Document, choice: str, seq: str) -> None:
        structure, policy = body["structure"], body["policy"]
        ids = (structure["id"], None) if structure["tag"] == "class" else (None, structure["id"])
        self._add("canonical_choice", choice, action["profile"], *ids, structure["release"],
                  body["member"], policy["name"], policy["version"], policy["rule"], policy["document"],
                  body.get("supersedes"), seq)  # fmt: skip
        if "supersedes" in body:
            self._end_choice(body["supersedes"], seq)
        self._choices[choice] = ((choice, action["profile"], structure["id"], policy["name"], seq), None)

    def _end_choice(self, choice: str, seq: str) -> None:
        fact, until = self._choices[choice]
        self._choices[choice] = (fact, until or seq)

    def _supersede(self, action: Document, body: Document, issued: Sequence[str], seq: str) -> None:
        gone = set(body["predecessors"])
        for row, until in list(self._memberships.items()):
            if row[2] in gone and until is None:
                self._memberships[row] = seq
        for choice, (fact, until) in list(self._choices.items()):
            if fact[2] in gone and until is None:
                self._choices[choice] = (fact, seq)
        for one, structure in zip(body["successors"], issued, strict=True):
            if "family" in one:
                self._family(action, one["family"], structure, seq)
            else:
                self._quotation(action, one["quotation"], structure, seq)
        for predecessor in gone:
            self._add("supersession", predecessor, action["operation"], body["reason"], seq)
            went: set[str] = set()
            for line in body["mapping"]:
                member = (line["member"]["tag"], line["member"]["id"])
                if member not in self._members.get(predecessor, {("quotation", predecessor): 0}):
                    continue
                to = [] if line["to"] == "residue" else [issued[int(n)] for n in line["to"]]
                went |= set(to)
                self._rows["succession_member"] |= {(predecessor, *member, one) for one in to} or {
                    (predecessor, *member, None)
                }
            for successor in went or issued:
                self._add("succession", predecessor, successor)


def decision_document(payload: Mapping[str, str]) -> bytes:
    """Bytes of a decision from the payload of its entry (docs/encoding.md section 13)."""

    def listed(key: str) -> list[Json]:
        return [one for one in payload[key].split(",") if one]

    return canonical_json(
        {
            "format": "tekrar/curation-decision/v1",
            "operation": payload["operation"],
            "proposal": payload["proposal"],
            "recorded_at": payload["recorded_at"],
            "reviews": listed("reviews"),
            "structures": listed("structures"),
        }
    )


def _classes(action: Document) -> Iterator[str]:
    bodies = [action, *action.get("supersession", {}).get("successors", ())]
    for body in bodies:
        for one in body.get("family", {}).get("members", ()):
            if one["tag"] == "class":
                yield one["id"]


def _array(spans: Iterable[Sequence[str]]) -> str:
    return "{" + ",".join(number for span in spans for number in span) + "}"
