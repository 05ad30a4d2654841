"""`tekrar load`: a text release and an artifact into the database, invisible until they are sealed.

Each of the two is one transaction (docs/store.md, "Load"): tables that nobody else sees are filled by COPY,
indexes are built after the rows, every root is recomputed from the rows in the database, and only then it is
sealed. A load that was killed leaves nothing and is run again; one that is there already is left alone.
"""

from __future__ import annotations

from tekrar.store.load.loading import AtStep, Loaded, load

__all__ = ["AtStep", "Loaded", "load"]
