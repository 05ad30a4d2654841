"""What a proposal says of one family: kind, tagged members, expansion, required diffs (ADR-009 *Reviewed
repeat families*; FAM-02, FAM-04, FAM-05)."""

from __future__ import annotations

from dataclasses import dataclass

from tekrar.core.curation import fields
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.vocabulary import FAMILY_KINDS, MEMBER_TAGS
from tekrar.core.encoding import Json
from tekrar.core.identity import uuid_text


@dataclass(frozen=True)
class Member:
    """A tagged reference to one occurrence or one exact class.

    Attributes:
        tag: occurrence or class.
        id: its UUID (16 bytes).
        witness: mask witness root of an occurrence, class witness of a class (32 bytes).
        count, inventory: of a class, how many occurrences it has and the digest of their IDs; else None.
    """

    tag: str
    id: bytes
    witness: bytes
    count: int | None = None
    inventory: bytes | None = None

    @property
    def key(self) -> tuple[str, bytes]:
        """Place in the canonical order."""
        return self.tag, self.id

    @property
    def reference(self) -> Json:
        """Tag and ID alone."""
        return {"tag": self.tag, "id": uuid_text(self.id)}

    def as_json(self) -> Json:
        """The member as it stands in an action."""
        found: dict[str, Json] = {
            "tag": self.tag,
            "id": uuid_text(self.id),
            "witness": self.witness.hex(),
        }
        if self.count is not None and self.inventory is not None:
            found |= {"count": str(self.count), "inventory": self.inventory.hex()}
        return found


@dataclass(frozen=True)
class RequiredDiff:
    """A diff that the assertion rests on: ordered occurrences, and the `passage-diff` UUID."""

    left: bytes
    right: bytes
    diff: bytes

    def as_json(self) -> Json:
        """The diff as it stands in an action."""
        return {"left": uuid_text(self.left), "right": uuid_text(self.right), "diff": uuid_text(self.diff)}


@dataclass(frozen=True)
class Family:
    """One complete member set, asserted whole.

    Attributes:
        kind: near_exact or variant.
        members: tagged members; any order, the bytes hold the canonical one.
        expansion_count, expansion_root: how many occurrences the members expand to, and the digest of their
            IDs (`core.identity.members_digest`).
        diffs: the diffs it rests on.
        allow_dominated: whether a dominated class may be a member (AMB-18).
    """

    kind: str
    members: tuple[Member, ...]
    expansion_count: int
    expansion_root: bytes
    diffs: tuple[RequiredDiff, ...]
    allow_dominated: bool = False

    def as_json(self) -> Json:
        """The body as it stands in an action, members and diffs in canonical order."""
        found: dict[str, Json] = {
            "kind": self.kind,
            "members": [one.as_json() for one in sorted(self.members, key=lambda one: one.key)],
            "expansion": {"count": str(self.expansion_count), "root": self.expansion_root.hex()},
            "diffs": [one.as_json() for one in sorted(self.diffs, key=lambda one: (one.left, one.right))],
        }
        return found | ({"allow_dominated": "yes"} if self.allow_dominated else {})


def read_family(value: object, item: str) -> Family:
    """A family body; its own form is checked, nothing that lies outside it.

    Raises:
        CurationRefusal: another form, a kind outside the closed list, a member without a tag or with that
            of another record, a member or pair twice, another order than the canonical one.
    """
    held = fields.an_object(
        value,
        item=item,
        required=("kind", "members", "expansion", "diffs"),
        optional=("allow_dominated",),
    )
    kind = fields.one_of(held["kind"], FAMILY_KINDS, item=f"{item}.kind")
    members = fields.a_list(held["members"], _member, item=f"{item}.members")
    fields.ascending([one.key for one in members], item=f"{item}.members", kind="double_membership")
    if len(members) < 2:
        refuse(
            "too_few_members",
            f"{len(members)} tagged members make no family",
            item=f"{item}.members",
            expected="at least two",
        )
    place = f"{item}.expansion"
    expansion = fields.an_object(held["expansion"], item=place, required=("count", "root"))
    diffs = fields.a_list(held["diffs"], _diff, item=f"{item}.diffs")
    fields.ascending([(one.left, one.right) for one in diffs], item=f"{item}.diffs")
    return Family(
        kind=kind,
        members=members,
        expansion_count=fields.a_number(expansion["count"], item=f"{place}.count"),
        expansion_root=fields.a_digest(expansion["root"], item=f"{place}.root"),
        diffs=diffs,
        allow_dominated=allowed(held, item=item),
    )


def allowed(held: fields.Object, *, item: str) -> bool:
    """Whether `allow_dominated` stands there; its one value is "yes"."""
    return "allow_dominated" in held and bool(
        fields.one_of(held["allow_dominated"], ("yes",), item=f"{item}.allow_dominated", kind="malformed")
    )


def _member(value: object, item: str) -> Member:
    if not isinstance(value, dict) or "tag" not in value:
        refuse(
            "untagged_member",
            "a member says whether it is an occurrence or an exact class",
            item=item,
            expected='{"tag": "occurrence" | "class", "id", "witness", …}',
        )
    tag = fields.one_of(value["tag"], MEMBER_TAGS, item=f"{item}.tag", kind="unknown_tag")
    whole = ("count", "inventory") if tag == "class" else ()
    fields.an_object(value, item=item, required=("tag", "id", "witness", *whole))
    return Member(
        tag=tag,
        id=fields.an_id(value["id"], item=f"{item}.id", version=5),
        witness=fields.a_digest(value["witness"], item=f"{item}.witness"),
        count=fields.a_number(value["count"], item=f"{item}.count") if whole else None,
        inventory=fields.a_digest(value["inventory"], item=f"{item}.inventory") if whole else None,
    )


def _diff(value: object, item: str) -> RequiredDiff:
    held = fields.an_object(value, item=item, required=("left", "right", "diff"))
    left, right, diff = (
        fields.an_id(held[k], item=f"{item}.{k}", version=5) for k in ("left", "right", "diff")
    )
    return RequiredDiff(left, right, diff)
