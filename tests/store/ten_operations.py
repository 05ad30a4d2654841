"""Each of the ten operations approved and not yet applied, and what else curation writes, as command lines.

Two books of fourteen paragraphs: twelve are nearly the same, in the other order, the last two are equal.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tekrar.settings import read_settings
from tekrar.store.curation.workflow import crosswalk
from tekrar.store.session import connect
from tests.store.curation_scenario import POLICY, Scenario
from tests.store.curation_small import packages

_WHO = (
    *("Kaptan", "Balıkçı", "Marangoz", "Terzi", "Çoban", "Değirmenci", "Bahçıvan", "Demirci"),
    *("Hancı", "Kuyumcu", "Dokumacı", "Fırıncı", "Bekçi", "Postacı"),
)
_WHAT = (
    *("yelkeni sabah erkenden toplayıp", "ağını gece yarısı denize bırakıp", "tahtayı ölçmeden kesip"),
    *("kumaşı iki kere katlayıp", "sürüyü yamaçtan aşağı indirip", "taşı suyun başında döndürüp"),
    *("gülleri öğleden sonra budayıp", "demiri kızgınken dövüp", "yolcuya sıcak çorba koyup"),
    *("gümüşü ince ince işleyip", "ipliği boyadan önce eğirip", "hamuru uzun süre dinlendirip"),
    *("kapıyı her akşam kilitleyip", "mektupları tek tek ayırıp"),
)
_THEN = (
    *("limana herkesten önce vardı.", "dönüşte kıyıda şarkı söyledi.", "ustasından azar işitti bugün."),
    *("bayrama yeni gömlek dikti.", "dere boyunda gölge aradı.", "unu çuvallara doldurup yığdı."),
    *("kokusunu bütün sokağa yaydı.", "nalı ata kendi eliyle çaktı.", "ocağın başında masal anlattı."),
    *("yüzüğü kadife kutuya sakladı.", "kilimi pazarda hemen sattı.", "ekmeği komşulara da dağıttı."),
    *("fenerini duvara astı usulca.", "yağmurda bile yola koyuldu."),
)
APPLIES = (
    *("accept_family", "accept_quotation", "choose_canonical", "compensate_choice"),
    *("override_false_positive", "replace", "split", "merge", "restructure", "retire"),
)


def texts() -> dict[str, str]:
    one = [f"{who} {what} {then}" for who, what, then in zip(_WHO, _WHAT, _THEN, strict=True)]
    other = [f"{who} ise {what} {then}" for who, what, then in zip(_WHO, _WHAT, _THEN, strict=True)]
    return {"a": "\n\n".join(one) + "\n", "b": "\n\n".join([*other[11::-1], *one[12:]]) + "\n"}


def both(*numbers: int) -> list[str]:
    """The paragraphs of these numbers in the first book, and those of the second that say the same."""
    return [f"a/1/p{n}" for n in numbers] + [f"b/1/p{13 - n}" for n in numbers]


@dataclass(frozen=True)
class Prepared:
    """What waits.

    Attributes:
        scenario: its database and its people.
        words: command line of each act, by its name; an operation is the apply of its proposal.
        by: who does it.
    """

    scenario: Scenario
    words: dict[str, tuple[str, ...]]
    by: dict[str, str]


def said(operation: str, **more: Any) -> dict[str, Any]:
    return {"operation": operation, "rationale": "Yan yana okundu.", **more}


def family(*numbers: int, kind: str = "variant") -> dict[str, Any]:
    return said("accept_family", kind=kind, members=both(*numbers))


def quotation(number: int) -> dict[str, Any]:
    ends = dict(zip(("source", "quoting"), both(number), strict=True))
    return said("accept_quotation", kind="adapted_quotation", attribution="adıyla anılır", **ends)


def correction(operation: str, before: list[str], *after: list[str]) -> dict[str, Any]:
    successors = [{"kind": "near_exact", "members": members} for members in after]
    more = {"successors": successors} if after else {}
    return said(operation, predecessors=sorted(before), reason="Sınır yanlıştı.", **more)


def choice(structure: str, member: str, **more: str) -> dict[str, Any]:
    return said("choose_canonical", structure=structure, member=member, policy=POLICY, **more)


def prepare(folder: Path) -> Prepared:
    """A database of its own in which everything waits."""
    return prepare_in(packages(folder, texts=texts()))


def prepare_in(one: Scenario) -> Prepared:
    """Load, publish, decide what the ten end, propose and approve the ten."""
    folder = one.folder
    one.authority()
    one.load()
    one.register()
    one.publish()
    listed = one.run("release", "classes", one.releases[0])["classes"]
    classes = sorted(found["class"] for found in listed)
    assert len(classes) == 2
    before = [family(4), family(5, 6), family(7), family(8), family(9), family(10), family(11)]
    replaced, divided, left, right, third, fourth, retired = one.decide(one.propose(*before))
    members = [
        sorted(row["occurrence"] for row in one.run("duplicates", one.releases[0], exact)["members"])
        for exact in classes
    ]
    chosen, regretted = one.decide(
        one.propose(*(choice(exact, held[0]) for exact, held in zip(classes, members, strict=True)))
    )
    one.publish()
    one.decide(one.propose(choice(retired, one.members(retired)[0])))
    package = str(folder / "candidates")
    own = one.lines("candidates", "list", package, "--release", folder / "release")[0]["id"]
    one.run("candidates", "mark", package, 1, "false_positive", "--database", actor="yazar")
    ten = (
        family(1),
        quotation(2),
        choice(classes[0], members[0][1], supersedes=chosen),
        said("compensate_choice", choice=regretted, reason="Sorulmadan seçilmişti."),
        said("override_false_positive", candidate=own),
        correction("replace", [replaced], both(4)),
        correction("split", [divided], both(5), both(6)),
        correction("merge", [left, right], both(7, 8)),
        correction("restructure", [third, fourth], both(9, 10)[:2], both(9, 10)[2:]),
        correction("retire", [retired]),
    )
    assert tuple(line["operation"] for line in ten) == APPLIES
    proposals = one.propose(*ten)
    one.run("review", *proposals, "approve", "--note", "Uygun.", actor="okur")
    words = {name: ("apply", proposal) for name, proposal in zip(APPLIES, proposals, strict=True)}
    (waiting,) = one.propose(quotation(12))
    for name, line in (("öneri.jsonl", family(3)), ("taslak.jsonl", family(12))):
        (folder / name).write_text(_line(line), "utf-8")
    (folder / "fullest.md").write_text("En geniş yer esastır.", "utf-8")
    about = ("--name", "fullest", "--policy-version", "1.0.0", "--rule", "fullest_context")
    words |= {
        "policy": ("policies", "add", str(folder / "fullest.md"), *about),
        "propose": ("propose", str(folder / "öneri.jsonl"), "--draft", "üçüncü"),
        "review": ("review", waiting, "approve", "--note", "Okundu."),
        "draft": ("drafts", "save", "yarım", str(folder / "taslak.jsonl")),
        "crosswalk": ("crosswalk", replaced, "isbn", "978"),
        "mark": ("candidates", "mark", package, "2", "uncertain", "--database"),
    }
    by = dict.fromkeys(words, "yazar") | {"review": "okur"}
    return Prepared(one, words, by)


def decide_all(prepared: Prepared) -> None:
    """Do everything that waits, and publish."""
    for act, words in prepared.words.items():
        if act != "crosswalk":
            prepared.scenario.run(*words, actor=prepared.by[act])
    with connect(read_settings(prepared.scenario.database)) as connection:
        crosswalk(connection, *prepared.words["crosswalk"][1:], actor=prepared.by["crosswalk"])
    prepared.scenario.publish()


def _line(line: dict[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"
