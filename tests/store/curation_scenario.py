"""The scripted scenario of curation, every step of it a command: families, quotations, choices, corrections,
releases, by several people."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tekrar.cli import main

PEOPLE = {
    "yazar": ("curator",),
    "ikinci": ("curator", "reviewer"),
    "okur": ("reviewer",),
    "basan": ("publisher",),
    "bakan": ("auditor",),
}
ADMINISTRATOR = "yönetici"
POLICY = {"name": "edition.first", "version": "1.0.0"}
RULE, POLICY_TEXT = "editorially_designated", "İlk yazılan yer esastır."
Record = dict[str, Any]


@contextlib.contextmanager
def environment(**values: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@dataclass
class Scenario:
    """One corpus in one database.

    Attributes:
        folder: where packages and files stand.
        database: settings of the environment that name the database.
        families, quotations, choices: IDs in the order in which they were issued.
        releases: IDs in the order of publication.
        every: every ID that was ever issued.
    """

    folder: Path
    database: dict[str, str]
    families: list[str] = field(default_factory=list)
    quotations: list[str] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)
    releases: list[str] = field(default_factory=list)
    every: list[str] = field(default_factory=list)

    def run(self, *words: object, actor: str | None = None, status: int = 0) -> Record:
        """Run a command; its last line of JSON."""
        with (
            environment(**self.database, **({"TEKRAR_ACTOR": actor} if actor else {})),
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as err,
        ):
            done = main([*map(str, words), "--json"])
        assert done == status, (words, out.getvalue()[-2000:], err.getvalue()[-2000:])
        found: Record = json.loads(out.getvalue().splitlines()[-1])
        return found

    def lines(self, *words: object, actor: str | None = None) -> list[Record]:
        """Run a command; all lines of JSON but the last."""
        with (
            environment(**self.database, **({"TEKRAR_ACTOR": actor} if actor else {})),
            contextlib.redirect_stdout(io.StringIO()) as out,
        ):
            assert main([*map(str, words), "--json"]) == 0, words
        return [json.loads(line) for line in out.getvalue().splitlines()][:-1]

    # -- steps ------------------------------------------------------------

    def load(self) -> None:
        self.run("load", self.folder / "artifact", "--release", self.folder / "release")
        self.run("load", self.folder / "candidates")

    def authority(self) -> None:
        self.run("db", "init", "--administrator", ADMINISTRATOR)
        self.people()

    def people(self) -> None:
        """Everybody named and granted."""
        for name, roles in PEOPLE.items():
            self.run("actor", name, actor=ADMINISTRATOR)
            for role in roles:
                self.run("grant", name, role, actor=ADMINISTRATOR)

    def publish(self) -> str:
        done = self.run("publish", self.folder / "artifact", "--profile", "FP", actor="basan")
        (release,) = done["releases"]
        self.releases.append(release["release"] if isinstance(release, Mapping) else release)
        return self.releases[-1]

    def decide(self, proposals: list[str], *, reviewer: str = "okur", by: str = "yazar") -> list[str]:
        """Review and apply proposals; the structures that were issued."""
        self.run("review", *proposals, "approve", "--note", "Okundu; **uygun**.", actor=reviewer)
        issued = self.run("apply", *proposals, actor=by)["all_structures"]
        self.every += issued
        return list(issued)

    def propose(self, *lines: Record, actor: str = "yazar", **options: Any) -> list[str]:
        file = self.folder / f"propose-{len(list(self.folder.iterdir()))}.jsonl"
        file.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines), "utf-8")
        more = [word for name, value in options.items() for word in (f"--{name}", value)]
        found: list[str] = self.run("propose", file, *more, actor=actor)["proposals"]
        return found

    def of_candidates(self, ranks: list[int], kind: str, *, actor: str) -> list[str]:
        done = self.run(
            "propose", "--from-candidates", self.folder / "candidates", "--ranks", ",".join(map(str, ranks)),
            "--kind", kind, "--rationale", "Aynı sözün iki yeri.", "--attribution", "bölümün başı",
            actor=actor,
        )  # fmt: skip
        found: list[str] = done["proposals"]
        assert len(found) == len(ranks)
        return found

    def apart(self, count: int) -> list[int]:
        """Ranks of pairs that share no paragraph, each side in one paragraph, best first."""
        listed = self.lines("candidates", "list", self.folder / "candidates", "--kind", "pair",
                            "--page-size", 2000, "--release", self.folder / "release")  # fmt: skip
        seen: set[tuple[Any, ...]] = set()
        ranks: list[int] = []
        for one in listed:
            sides = [one["left"], one["right"]]
            keys = [(side["book"], side["chapter"], side["ord"]) for side in sides]
            alone = all(side["ord"] == side["end_ord"] and side["class_id"] is None for side in sides)
            if alone and len(set(keys)) == 2 and not seen & set(keys):
                seen |= set(keys)
                ranks.append(one["rank"])
        assert len(ranks) >= count
        return ranks[:count]

    def members(self, family: str) -> list[str]:
        return [one["id"] for one in self.run("resolve", family, actor="yazar")["record"]["members"]]

    def play(self) -> None:
        """Everything, from an empty ledger on; the packages are loaded."""
        self.authority()
        self.publish()
        ranks = self.apart(30)
        for half, author, by in ((ranks[:10], "yazar", "yazar"), (ranks[10:20], "ikinci", "ikinci")):
            self.families += self.decide(self.of_candidates(half, "variant", actor=author), by=by)
        self.quotations += self.decide(self.of_candidates(ranks[20:], "adapted_quotation", actor="yazar"))
        self.publish()
        self._choose()
        self._correct()
        self.publish()

    def register(self, name: str = "edition.first", text: str = POLICY_TEXT, *, rule: str = RULE) -> Record:
        """Keep the text of a policy, version 1.0.0."""
        file = self.folder / f"{name}.md"
        file.write_text(text, "utf-8")
        words = ("--name", name, "--policy-version", "1.0.0", "--rule", rule)
        return self.run("policies", "add", file, *words, actor="yazar")

    def _choose(self) -> None:
        """A canonical choice that is changed twice."""
        assert self.register()["outcome"] == "registered"
        family = self.families[0]
        one, other = self.members(family)
        for number, member in enumerate((one, other, one)):
            line: Record = {
                "operation": "choose_canonical", "structure": family, "member": member, "policy": POLICY,
                "rationale": "Asıl yeri burası.",
            }  # fmt: skip
            if number:
                line["supersedes"] = self.choices[-1]
            self.choices += self.decide(self.propose(line), reviewer="ikinci")

    def _correct(self) -> None:
        """A merge, the split of what it made, and a retirement."""
        first, second = self.families[1:3]
        a, b, c, d = *self.members(first), *self.members(second)
        said = {"rationale": "Bir daha okundu.", "reason": "Sınır yanlıştı."}
        (merged,) = self.decide(
            self.propose(
                {"operation": "merge", "predecessors": sorted([first, second]),
                 "successors": [{"kind": "variant", "members": [a, b, c, d]}], **said},
                actor="ikinci",
            )
        )  # fmt: skip
        parts = [{"kind": "variant", "members": [a, c]}, {"kind": "near_exact", "members": [b, d]}]
        halves = self.decide(
            self.propose({"operation": "split", "predecessors": [merged], "successors": parts, **said})
        )
        gone = {"operation": "retire", "predecessors": [self.families[3]], **said}
        assert self.decide(self.propose(gone)) == []
        self.families += [merged, *halves]

    def states(self) -> dict[str, Record]:
        """What every ID that was ever issued resolves to."""
        return {one: self.run("resolve", one, actor="yazar") for one in self.every}
