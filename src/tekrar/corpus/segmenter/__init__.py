"""The named, versioned sentence segmenter of the importer (contract C9, Segmenter).

Sentence boundaries are an input fact of a text release. A source that does not bring them is segmented
once, at import, by these rules, and the release records ``IDENTITY``. Any change that moves a boundary
is a new ``VERSION``.
"""

from __future__ import annotations

from typing import Final

from .engine import segment

NAME: Final = "tekrar-rules"
VERSION: Final = "1"
IDENTITY: Final = f"{NAME}/{VERSION}"

__all__ = ["IDENTITY", "NAME", "VERSION", "segment"]
