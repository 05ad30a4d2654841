"""The artifact on disk: columns of four evaluated profiles and one manifest of their roots.

The contract between whoever builds and whoever loads, verifies or shows: neither side imports the other.
`docs/artifact.md` describes the tables.
"""

from tekrar.artifact.reader import Artifact, ArtifactProfile
from tekrar.artifact.schema import FORMAT

__all__ = ["FORMAT", "Artifact", "ArtifactProfile"]
