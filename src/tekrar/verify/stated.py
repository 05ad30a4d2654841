"""An artifact's own columns as a logical profile, once they are sound enough to be hashed.

Used by `--quick` and by inclusion proofs, which have no text release at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import Artifact
from tekrar.artifact.schema import PROFILE_TABLES
from tekrar.core.identity import parse_uuid
from tekrar.core.policy import RUNS, ProfileSpec
from tekrar.errors import IntegrityError, TekrarError
from tekrar.verify.columns import Columns, stated_columns
from tekrar.verify.document import root_name
from tekrar.verify.logical import DATASET_KINDS, PARTS, LogicalProfile
from tekrar.verify.universe import LONGEST_RUN, Universe, paragraphs_universe, runs_universe
from tekrar.verify.witnesses import Touched, exclusion_value

Ints = NDArray[np.int64]
#: Tables whose `row` column counts occurrences.
ROW_TABLES = (*PARTS, "published", "dominated", "provisional")
_CODES = {"not-evaluated": (1, 2, 3), "failed": (1, 2)}


class StatedArtifact:
    """What an artifact states, read strictly; a column that makes no sense is refused by name."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        self.roots = stated_roots(artifact)
        self.empty: Ints = self._common("units/empty-paragraphs")["ordinal"]
        self._universes: dict[bool, Universe] = {}

    def _common(self, name: str) -> Columns:
        return stated_columns(self.artifact, name)

    def _refuse(self, table: str, message: str, expected: str) -> IntegrityError:
        return IntegrityError(
            message,
            where=f"{self.artifact.path}: table {table}",
            expected=expected,
            mend="verify it against its release, and build it again",
            kind="bad_table",
        )

    def universe(self, spec: ProfileSpec) -> Universe:
        """Geometry of a profile's rows, from the units tables."""
        is_runs = spec.enumerator == RUNS
        if is_runs not in self._universes:
            name = "units/sentences" if is_runs else "units/paragraphs"
            units = self._common(name)
            start, end = units["start"], units["end"]
            if (end <= start).any() or (start[1:] < end[:-1]).any() or (start[:1] < 0).any():
                raise self._refuse(name, "units do not ascend", "0 <= start < end, each after the one before")
            if not is_runs:
                self._universes[is_runs] = paragraphs_universe(start, end)
            else:
                reach = units["reach"]
                at = np.arange(len(reach))
                if ((reach < 1) | (reach > LONGEST_RUN) | (at + reach > len(reach))).any():
                    raise self._refuse(
                        name, "reach out of range", f"1..{LONGEST_RUN}, never past the last sentence"
                    )
                self._universes[is_runs] = runs_universe(start, end, reach)
        return self._universes[is_runs]

    def profile(self, spec: ProfileSpec) -> LogicalProfile:
        """One profile's columns.

        Raises:
            IntegrityError: a table or the profile's part of the manifest is malformed.
        """
        short = spec.short
        universe = self.universe(spec)
        tables = {name: stated_columns(self.artifact, f"{short}/{name}") for name in PROFILE_TABLES}
        stated = self._document(short)
        self._check_rows(short, tables, len(universe))
        self._check_classes(short, tables, partial=bool(stated["partial"]))
        name = "selections/runs" if spec.enumerator == RUNS else "selections/paragraphs"
        selection = self._common(name)["selection"]
        if len(selection) != len(universe):
            raise self._refuse(name, f"{len(selection)} rows", f"{len(universe)}")
        return LogicalProfile(
            spec=spec,
            id=stated["id"],
            partial=bool(stated["partial"]),
            universe=universe,
            selection=selection,
            tables=tables,
            spans=self._spans(short, tables),
            empty=self.empty if spec.enumerator != RUNS else np.zeros(0, np.int64),
            validation=stated["validation"],
            compiler=stated["compiler"],
            dataset_roots={kind: self.roots[root_name(spec, kind)] for kind in DATASET_KINDS},
        )

    def _document(self, short: str) -> dict[str, Any]:
        manifest = self.artifact.manifest
        try:
            row = manifest["profiles"][short]
            compiler = manifest["compiler"]
            if not isinstance(row["partial"], bool):
                raise ValueError("partial is neither true nor false")
            return {
                "id": parse_uuid(row["id"]),
                "partial": row["partial"],
                "validation": {name: bytes.fromhex(value) for name, value in row["validation"].items()},
                "compiler": {
                    name: bytes.fromhex(value) if name == "vectors" else value.encode("ascii")
                    for name, value in compiler.items()
                },
            }
        except (KeyError, TypeError, ValueError, AttributeError, TekrarError) as error:
            raise malformed_manifest(self.artifact, f"profile {short}: {error}") from None

    def _check_rows(self, short: str, tables: Mapping[str, Columns], count: int) -> None:
        for name in ROW_TABLES:
            rows = tables[name]["row"]
            if len(rows) and (rows[0] < 0 or rows[-1] >= count or (rows[1:] <= rows[:-1]).any()):
                raise self._refuse(f"{short}/{name}", "rows do not ascend", f"ascending rows below {count}")
        for name, known in _CODES.items():
            if not np.isin(tables[name]["code"], known).all():
                raise self._refuse(f"{short}/{name}", "an unknown code", f"one of {known}")
        listed = len(tables["witnesses"]["root"])
        which = tables["occurrences"]["witness"]
        if len(which) != count:
            raise self._refuse(f"{short}/occurrences", f"{len(which)} rows", f"{count}")
        if count and (int(which.min()) < 0 or int(which.max()) >= listed):
            raise self._refuse(f"{short}/occurrences", "witness out of range", f"0..{listed - 1}")

    def _check_classes(self, short: str, tables: Mapping[str, Columns], *, partial: bool) -> None:
        classes, matched = tables["classes"], tables["matched"]
        count = len(classes["size"])
        number = matched["class"]
        if len(number) and (int(number.min()) < 0 or int(number.max()) >= count):
            raise self._refuse(f"{short}/matched", "class out of range", f"0..{count - 1}")
        issued = len(tables["class-ids"]["class"])
        if issued != (0 if partial else count):
            raise self._refuse(
                f"{short}/class-ids", f"{issued} IDs", "none in a partial profile, else one a class"
            )
        winner = classes["winner"]
        if count and (int(winner.min()) < -1 or int(winner.max()) >= count):
            raise self._refuse(f"{short}/classes", "winner out of range", f"-1..{count - 1}")
        if partial and (winner >= 0).any():
            raise self._refuse(f"{short}/classes", "a winner in a partial profile", "-1")
        for name in ("published", "dominated", "provisional"):
            if not np.isin(tables[name]["row"], matched["row"]).all():
                raise self._refuse(f"{short}/{name}", "a row that is not matched", "matched rows only")

    def _spans(self, short: str, tables: Mapping[str, Columns]) -> list[list[Touched]]:
        listed = len(tables["witnesses"]["root"])
        table = tables["witness-spans"]
        found: list[list[Touched]] = [[] for _ in range(listed)]
        selection = table["selection"]
        columns = [
            table[name].tolist() for name in ("witness", "start", "end", "kind", "treatment", "reason")
        ]
        for at, (witness, start, end, kind, treatment, reason) in enumerate(zip(*columns, strict=True)):
            if not 0 <= witness < listed or not 0 <= start < end:
                raise self._refuse(f"{short}/witness-spans", f"row {at} is out of range", f"0..{listed - 1}")
            found[witness].append((start, end, kind, selection[at].tobytes(), treatment, reason))
        excluded = np.unique(tables["occurrences"]["witness"][tables["excluded"]["row"]])
        for witness in excluded.tolist():
            try:
                exclusion_value(found[witness])
            except IndexError:
                raise self._refuse(
                    f"{short}/excluded", "an excluded row without an excluding span", "a span that excludes"
                ) from None
        return found


def stated_roots(artifact: Artifact) -> dict[str, bytes]:
    """The named roots of an artifact's manifest.

    Raises:
        IntegrityError: the list is malformed or repeats a name.
    """
    try:
        rows = artifact.manifest["roots"]
        found = {str(name): bytes.fromhex(root) for name, root in rows}
    except (KeyError, TypeError, ValueError) as error:
        raise malformed_manifest(artifact, f"roots: {error}") from None
    if len(found) != len(rows) or any(len(root) != 32 for root in found.values()):
        raise malformed_manifest(artifact, "roots: a name stands twice, or a root has not 32 bytes")
    return found


def malformed_manifest(artifact: Artifact, message: str) -> IntegrityError:
    """The refusal of a manifest document that lacks what it must say."""
    return IntegrityError(
        f"malformed: {message}",
        where=f"{artifact.path}/manifest.json",
        expected="the manifest of an artifact (docs/artifact.md)",
        mend="take the artifact from its maker again, or build it anew",
        kind="bad_manifest",
    )
