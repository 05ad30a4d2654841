"""The ledger replayed into a model: an independent account of what the database holds (REB-01, CUR-06, CUR-09
to CUR-11).

The model takes the entries as the database exports them and asks of each what is a function of the ledger
alone: who held which grant at the recorded time, who wrote and who reviewed, which revision is the last,
whether there was a freeze, and that every ID, digest and head follows. Expansions, witnesses and text are the
rules' part (`rules.check_action`), asked of a view.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tekrar.core.curation.action import Action, parse, proposal_digest
from tekrar.core.curation.carried import action_of, check_carried
from tekrar.core.curation.choice import Choice, read_policy
from tekrar.core.curation.decision import INSTANT, Decision
from tekrar.core.curation.fields import a_digest, a_number, an_id, matching, one_of
from tekrar.core.curation.inventory import Applied, Inventory
from tekrar.core.curation.ledger import BEFORE, entry_hash, payload_bytes
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.rules import check_applicable
from tekrar.core.curation.transition import APPROVALS, OUTCOMES, moved, reviewed
from tekrar.core.curation.vocabulary import TEXT_BYTES
from tekrar.core.encoding import sha256
from tekrar.core.identity import uuid_text


@dataclass(frozen=True)
class Entry:
    """One entry: number, kind, flat payload, hash of the one before, own hash (32 bytes each)."""

    seq: int
    kind: str
    payload: Mapping[str, str]
    previous: bytes
    hash: bytes


@dataclass(frozen=True)
class Grant:
    """A role for an edition, or "*", from a time until another ("" for none)."""

    actor: str
    role: str
    scope: str
    valid_from: str
    valid_to: str


@dataclass
class Proposal:
    """A submitted revision and what became of it.

    Attributes:
        digest, action, author, draft, revision, epoch: as submitted.
        reviews: review UUID -> (reviewer, outcome), oldest first.
        outdated: whether a newer revision was submitted.
        applied: the decision, or None.
    """

    digest: bytes
    action: Action
    author: str
    draft: str
    revision: int
    epoch: int
    reviews: dict[bytes, tuple[str, str]] = field(default_factory=dict)
    outdated: bool = False
    applied: Decision | None = None

    @property
    def state(self) -> str:
        """submitted, approved, changes_requested, rejected, outdated or applied."""
        if self.applied is not None:
            return "applied"
        if self.outdated:
            return "outdated"
        outcomes = [outcome for _, outcome in self.reviews.values()]
        return reviewed(outcomes, policy=self.action.policy_of_review)

    @property
    def approvals(self) -> tuple[bytes, ...]:
        """UUIDs of the approving reviews, ascending."""
        return tuple(sorted(one for one, (_, outcome) in self.reviews.items() if outcome == "approve"))


@dataclass
class Ledger:
    """The model: everything that follows from the entries taken so far.

    Attributes:
        length, head: number of entries, hash of the last.
        actors: names, in the order they were named.
        grants: number (from 1) -> grant; `revoked` holds the numbers of those taken back.
        epoch: freeze epoch.
        proposals: digest -> proposal.
        inventory: what the decisions amount to; its head is the head of curation.
        policies: (name, version) -> digest and rule of every choice policy whose text is registered.
    """

    length: int = 0
    head: bytes = BEFORE
    actors: list[str] = field(default_factory=list)
    grants: dict[int, Grant] = field(default_factory=dict)
    revoked: set[int] = field(default_factory=set)
    epoch: int = 0
    proposals: dict[bytes, Proposal] = field(default_factory=dict)
    inventory: Inventory = field(default_factory=Inventory)
    policies: dict[tuple[str, str], tuple[bytes, str]] = field(default_factory=dict)
    _drafts: dict[tuple[str, str], list[Proposal]] = field(default_factory=dict)
    _issued: set[bytes] = field(default_factory=set)

    def take(self, entry: Entry) -> None:
        """Take the next entry.

        Raises:
            CurationRefusal: it does not follow on the one before (`ledger_chain`), or says what cannot be.
        """
        item = f"ledger entry {entry.seq}"
        own = entry_hash(entry.seq, entry.kind, payload_bytes(entry.payload), previous=self.head)
        if (entry.seq, entry.previous, entry.hash) != (self.length, self.head, own):
            refuse(
                "ledger_chain",
                "the entry does not follow on the one before",
                item=item,
                expected=f"entry {self.length} after {self.head.hex()}, hash {own.hex()}",
                mend="export the ledger again; an entry is missing or was altered",
            )
        read = {
            "actor": self._actor,
            "grant": self._grant,
            "revocation": self._revocation,
            "freeze": self._freeze,
            "policy": self._policy,
            "proposal": self._proposal,
            "review": self._review,
            "apply": self._apply,
        }.get(entry.kind)
        try:
            if read is not None:
                read(entry.payload, item)
        except KeyError as missing:
            refuse("missing_key", f"{missing.args[0]} is not given", item=item)
        self.length, self.head = self.length + 1, own

    def holds(self, actor: str, roles: tuple[str, ...], edition: str | None, moment: str) -> bool:
        """Whether an actor held one of the roles for an edition (None: for any) at a recorded moment
        (CUR-06)."""
        return any(
            one.actor == actor
            and one.role in roles
            and (edition is None or one.scope in ("*", edition))
            and one.valid_from <= moment
            and (not one.valid_to or moment < one.valid_to)
            and number not in self.revoked
            for number, one in self.grants.items()
        )

    def require(
        self, actor: str, roles: tuple[str, ...], edition: str | None, moment: str, *, item: str
    ) -> None:
        """Refuse an actor who held none of the roles for an edition (None: for any) at a recorded moment
        (CUR-06)."""
        if not self.holds(actor, roles, edition, moment):
            refuse(
                "no_grant",
                f"{actor} held no grant of {' or '.join(roles)} for {edition or 'any edition'}",
                item=item,
                expected="a grant that was valid at the recorded time",
            )

    def _actor(self, payload: Mapping[str, str], item: str) -> None:
        if payload["actor"] in self.actors:
            refuse("duplicate_item", f"{payload['actor']} is named already", item=item)
        self.actors.append(payload["actor"])

    def _grant(self, payload: Mapping[str, str], item: str) -> None:
        if not self.grants and payload["actor"] not in self.actors:
            self.actors.append(payload["actor"])  # the first grant names the first actor
        if payload["actor"] not in self.actors:
            refuse("unknown_actor", f"{payload['actor']} is no actor", item=item)
        facts = (payload[name] for name in ("actor", "role", "scope", "valid_from", "valid_to"))
        self.grants[len(self.grants) + 1] = Grant(*facts)

    def _revocation(self, payload: Mapping[str, str], item: str) -> None:
        number = a_number(payload["grant"], item=f"{item}, grant")
        if number not in self.grants or number in self.revoked:
            refuse("unknown_grant", f"grant {number} cannot be taken back", item=item)
        self.revoked.add(number)

    def _freeze(self, payload: Mapping[str, str], item: str) -> None:
        epoch = a_number(payload["epoch"], item=f"{item}, epoch")
        if epoch != self.epoch + 1:
            refuse("frozen", f"the epoch goes from {self.epoch} to {epoch}", item=item)
        self.epoch = epoch

    def _proposal(self, payload: Mapping[str, str], item: str) -> None:
        data = payload["action"].encode("utf-8")
        author, draft = payload["author"], payload["draft"]
        revision = a_number(payload["revision"], item=f"{item}, revision")
        made = Proposal(
            digest=a_digest(payload["digest"], item=f"{item}, digest"),
            action=parse(data),
            author=author,
            draft=draft,
            revision=revision,
            epoch=a_number(payload["freeze"], item=f"{item}, freeze"),
        )
        check_carried(payload, action_of(payload), item=item)
        own = proposal_digest(data, author=author, draft=draft, revision=revision)
        if made.digest != own:
            _differs("digest", made.digest, own, item)
        self._check_epoch(made.epoch, item)
        self.require(author, ("curator",), made.action.edition, _moment(payload, item), item=item)
        self._check_policy(made.action, item)
        earlier = self._drafts.setdefault((author, draft), [])
        if revision != len(earlier) + 1:
            refuse("revision", f"revision {revision} of a draft with {len(earlier)}", item=item)
        if earlier:
            moved(earlier[-1].state, "resubmit", item=item)
            earlier[-1].outdated = True
        earlier.append(made)
        self.proposals[made.digest] = made

    def _policy(self, payload: Mapping[str, str], item: str) -> None:
        text = payload["document"].encode("utf-8")
        given = {name: payload[name] for name in ("name", "version", "rule")}
        made = read_policy({**given, "document": payload["digest"]}, item)
        if made.document != sha256(text):
            _differs("digest", made.document, sha256(text), item)
        if not 1 <= len(text) <= TEXT_BYTES:
            refuse("bad_text", f"{len(text)} bytes of a policy", item=item, expected=f"1 to {TEXT_BYTES}")
        self.require(payload["by"], ("curator",), None, _moment(payload, item), item=item)
        version, said = (made.name, made.version), (made.document, made.rule)
        if version in self.policies or self.inventory.policies.get(version, said) != said:
            refuse("policy_differs", f"policy {made.name} {made.version} says something else", item=item)
        self.policies[version] = said

    def _check_policy(self, action: Action, item: str) -> None:
        """A choice after the first registration is under a registered policy; before it, texts were not
        kept, and choices were held against each other alone."""
        if not self.policies or not isinstance(action.body, Choice):
            return
        policy = action.body.policy
        said = self.policies.get((policy.name, policy.version))
        if said != (policy.document, policy.rule):
            refuse(
                "policy_not_registered" if said is None else "policy_differs",
                f"policy {policy.name} {policy.version} is not what is registered",
                item=item,
                expected="a policy that was registered before, with its text and rule",
            )

    def _review(self, payload: Mapping[str, str], item: str) -> None:
        held = self._known(payload, item)
        reviewer = payload["reviewer"]
        outcome = one_of(payload["outcome"], OUTCOMES, item=f"{item}, outcome", kind="unknown_outcome")
        review = an_id(payload["review"], item=f"{item}, review", version=7)
        self._check_epoch(held.epoch, item)
        if reviewer == held.author:
            refuse("self_review", f"{reviewer} wrote it", item=item, expected="another reviewer")
        self.require(reviewer, ("reviewer",), held.action.edition, _moment(payload, item), item=item)
        if any(who == reviewer and outcome == said for who, said in held.reviews.values()):
            refuse("already_reviewed", f"{reviewer} said so already", item=item)
        if review in self._issued:
            refuse("issued_twice", f"{uuid_text(review)} is issued twice", item=item)
        moved(held.state, outcome, item=item)
        self._issued.add(review)
        held.reviews[review] = (reviewer, outcome)

    def _apply(self, payload: Mapping[str, str], item: str) -> None:
        held = self._known(payload, item)
        moved(held.state, "apply", item=item)
        self._check_epoch(held.epoch, item)
        check_applicable(held.action)
        moment, edition = _moment(payload, item), held.action.edition
        self.require(payload["actor"], ("curator", "reviewer"), edition, moment, item=item)
        self.require(held.author, ("curator",), edition, moment, item=item)
        self._check_policy(held.action, item)
        reviews = _ids(payload["reviews"], f"{item}, reviews")
        if reviews != self._valid_approvals(held, moment, item):
            refuse("not_approved", "the reviews are not the valid approvals of this proposal", item=item)
        decision = Decision(
            held.action.operation, held.digest, reviews, _ids(payload["structures"], item), moment
        )
        stated = a_digest(payload["decision"], item=f"{item}, decision")
        if stated != decision.digest:
            _differs("decision", stated, decision.digest, item)
        self._check_structures(held.action, item)
        self.inventory.add(Applied(self.length, held.action, decision))
        held.applied = decision

    def _valid_approvals(self, held: Proposal, moment: str, item: str) -> tuple[bytes, ...]:
        """Those whose reviewer may review at the moment; refused for the first who may not, if too few."""
        edition = held.action.edition
        valid = tuple(
            one for one in held.approvals if self.holds(held.reviews[one][0], ("reviewer",), edition, moment)
        )
        if len(valid) < APPROVALS[held.action.policy_of_review]:
            for reviewer, outcome in held.reviews.values():
                if outcome == "approve":
                    self.require(reviewer, ("reviewer",), edition, moment, item=item)
        return valid

    def _check_structures(self, action: Action, item: str) -> None:
        for structure, state in action.expected.structures:
            if (found := self.inventory.state(structure)) != state:
                refuse(
                    "expected_state_mismatch", f"{uuid_text(structure)} is {found}", item=item, expected=state
                )
        if isinstance(action.body, Choice) and action.body.tag == "family":
            self.inventory.record(action.body.structure)

    def _check_epoch(self, epoch: int, item: str) -> None:
        if epoch != self.epoch:
            refuse(
                "frozen",
                f"the freeze epoch is {self.epoch}",
                item=item,
                expected=f"{epoch}, as when it was submitted",
                mend="submit it anew",
            )

    def _known(self, payload: Mapping[str, str], item: str) -> Proposal:
        digest = a_digest(payload["proposal"], item=f"{item}, proposal")
        if digest not in self.proposals:
            refuse("unknown_proposal", f"no proposal has the digest {digest.hex()}", item=item)
        return self.proposals[digest]


def replay(entries: Iterable[Entry]) -> Ledger:
    """The model after all entries.

    Raises:
        CurationRefusal: the first entry that is missing, altered, or says what cannot be.
    """
    made = Ledger()
    for entry in entries:
        made.take(entry)
    return made


def _moment(payload: Mapping[str, str], item: str) -> str:
    form = "YYYY-MM-DDTHH:MM:SS.ffffffZ"
    return matching(payload["recorded_at"], INSTANT, item=f"{item}, recorded_at", expected=form)


def _ids(text: str, item: str) -> tuple[bytes, ...]:
    return tuple(an_id(one, item=item, version=7) for one in text.split(",") if one)


def _differs(what: str, stated: bytes, own: bytes, item: str) -> None:
    refuse("digest_mismatch", f"{what} is {stated.hex()}", item=item, expected=own.hex())
