"""What curation refuses: one error that names the item and the rule.

Every rule of an action has one kind, the same whether it is asked when the proposal is written, when it is
submitted, reviewed or applied (`docs/curation.md` lists them).
"""

from __future__ import annotations

from typing import NoReturn

from tekrar.errors import UsageError


class CurationRefusal(UsageError):
    """An action that cannot be: `where` is the item, `kind` the rule that it breaks."""


def refuse(kind: str, message: str, *, item: str, expected: str = "", mend: str = "") -> NoReturn:
    """Raise the refusal.

    Args:
        kind: the rule's name.
        message: what is wrong, in one sentence.
        item: the place in the action, a JSON path, or the record that is concerned.
        expected, mend: as in `TekrarError`.

    Raises:
        CurationRefusal: always.
    """
    if kind.startswith("unknown_") and not (expected or mend):
        mend = "copy the ID as tekrar printed it"
    raise CurationRefusal(message, where=item, expected=expected, mend=mend, kind=kind)
