"""`tekrar release verify`: the rows of the database against what its published releases bind."""

from __future__ import annotations

from tekrar.store.verification.findings import CHECKS, Finding
from tekrar.store.verification.run import DatabaseDiffers, Verified, examine, verify_releases

__all__ = ["CHECKS", "DatabaseDiffers", "Finding", "Verified", "examine", "verify_releases"]
