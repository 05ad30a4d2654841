"""Choice policies whose texts the store keeps, and the policy that a proposal means (CAN-03, CAN-04).

A choice binds the digest of its policy's text. The text itself is an entry of the ledger, made before the
first choice under it: one version of one name has one rule and one text for ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from tekrar.core.curation import fields
from tekrar.core.curation.choice import ChoicePolicy, read_policy
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.vocabulary import POLICY_RULES, TEXT_BYTES
from tekrar.core.encoding import sha256
from tekrar.errors import UsageError
from tekrar.store.curation.calling import Record, one
from tekrar.store.curation.facts import StoredView
from tekrar.store.roles import Role
from tekrar.store.session import Connection

_DIGEST: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)


def register_policy(
    connection: Connection, name: str, version: str, *, rule: str, document: bytes, actor: str | None
) -> Record:
    """Keep the text of a policy.

    Args:
        connection: of the store.
        name, version: how choices name it; 1.0.0 is a version.
        rule: what it goes by, from the closed list.
        document: its text, UTF-8, at most 64 KiB.
        actor: a curator.

    Returns:
        `outcome` (`registered`, or `already_registered` for the same again), `name`, `version`, `rule`, and
        `digest`, which choices bind.

    Raises:
        UsageError: the text is none.
        DatabaseError: `policy_differs`: this version has another text or rule, or a choice named another.
    """
    text = _text(document)
    read_policy(
        {"name": name, "version": version, "rule": rule, "document": sha256(document).hex()}, "policy"
    )
    query = b"SELECT api.register_policy(%s, %s, %s, %s)"
    return one(connection, query, (name, version, rule, text), role=Role.CURATOR, actor=actor)


def meant_policy(
    said: object, view: StoredView, *, text: Callable[[object, str], str], read_file: Callable[[str], bytes]
) -> ChoicePolicy:
    """The policy that a line of a proposal means; what it leaves out is as it was registered.

    Args:
        said: `name` and `version`; `rule` and `document` where they are said too.
        view: the records.
        text: of a value, as given or from a file named with @.
        read_file: the bytes of a file that a line names with @.

    Raises:
        CurationRefusal: policy_not_registered, with the words that register it; another form.
    """
    item = "$.policy"
    given = fields.an_object(said, item=item, required=("name", "version"), optional=("rule", "document"))
    name, version = (fields.a_string(given[key], item=f"{item}.{key}") for key in ("name", "version"))
    whole: dict[str, Any] = {"name": name, "version": version, "rule": given.get("rule", POLICY_RULES[-1])}
    digest = bytes(32)
    if "document" in given:
        digest = _digest(given["document"], f"{item}.document", text, read_file)
    read_policy({**whole, "document": digest.hex()}, item)
    known = view.choice_policy(name, version)
    if known is None or not known.registered:
        there = [f"{name} {one}" for one in view.policy_versions(name)] or list(view.policy_names())
        rule = given.get("rule", "RULE")
        refuse(
            "policy_not_registered",
            f"the text of policy {name} {version} is not registered",
            item=item,
            expected=f"one that is: {', '.join(there)}" if there else "one that is; there is none yet",
            mend=f"tekrar policies add FILE --name {name} --policy-version {version} --rule {rule}",
        )
    return ChoicePolicy(
        name,
        version,
        whole["rule"] if "rule" in given else known.rule,
        digest if "document" in given else known.document,
    )


def _digest(
    value: object, item: str, text: Callable[[object, str], str], read_file: Callable[[str], bytes]
) -> bytes:
    """Digest of a policy's text: given itself, as text, or as a file named with @."""
    said = fields.a_string(value, item=item)
    if _DIGEST.fullmatch(said):
        return bytes.fromhex(said)
    if said.startswith("@") and not said.startswith("@@"):
        return sha256(read_file(said[1:]))
    return sha256(text(said, item).encode())


def _text(document: bytes) -> str:
    try:
        text = document.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(
            "the text of the policy is not UTF-8", expected="text in UTF-8", kind="not_utf8"
        ) from None
    if not document or len(document) > TEXT_BYTES or "\0" in text:
        raise UsageError(
            f"{len(document)} bytes are no text of a policy",
            expected=f"1 to {TEXT_BYTES} bytes of UTF-8 without U+0000",
            mend="keep the text of a policy short, and what it rests on elsewhere",
            kind="bad_text",
        )
    return text
