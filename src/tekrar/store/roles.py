"""The database roles of contract C5, by the names they have in PostgreSQL."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """A role that a transaction may take; none of them can log in."""

    OWNER = "tekrar_owner"
    BUILDER = "tekrar_builder"
    READER = "tekrar_reader"
    CURATOR = "tekrar_curator"
    REVIEWER = "tekrar_reviewer"
    PUBLISHER = "tekrar_publisher"
    AUDITOR = "tekrar_auditor"
    ADMINISTRATOR = "tekrar_administrator"


#: The roles that a grant can give to an actor; owner migrates and builder loads, and neither is grantable.
GRANTABLE: Final = tuple(role for role in Role if role not in (Role.OWNER, Role.BUILDER))

#: The role that logs in and may do nothing but take one of `GRANTABLE` for a transaction.
LOGIN: Final = "tekrar_login"

#: The superuser of the embedded server, which administers and runs the tests' clean-up.
SUPERUSER: Final = "postgres"
