"""The independent verifier: an artifact against its text release, and inclusion proofs.

It shares no pipeline code with the build; docs/encoding.md is what both are written from.
"""

from tekrar.verify.full import verify_full
from tekrar.verify.quick import verify_quick
from tekrar.verify.result import ArtifactDiffers, Difference, Verification

__all__ = ["ArtifactDiffers", "Difference", "Verification", "verify_full", "verify_quick"]
