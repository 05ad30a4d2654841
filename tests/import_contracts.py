"""An import contract that may name modules which are not written yet.

import-linter refuses a forbidden contract whose modules are missing. The house is built floor by floor, so a
missing module is reported as a warning and the rest of the contract is still held.
"""

from grimp import ImportGraph
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.domain.contract import ContractCheck


class ForbiddenWhereBuilt(ForbiddenContract):
    """A forbidden contract over those of its modules that exist."""

    type_name = "forbidden_where_built"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        missing: list[str] = []
        for field in ("source_modules", "forbidden_modules"):
            named = getattr(self, field)
            absent = {one for one in named if _is_missing(str(one), graph)}
            setattr(self, field, named - absent)
            missing += sorted(str(one) for one in absent)
        result = super().check(graph=graph, verbose=verbose)
        result.warnings = [*result.warnings, *(f"{name} is not written yet" for name in missing)]
        return result


def _is_missing(expression: str, graph: ImportGraph) -> bool:
    internal = expression == "tekrar" or expression.startswith("tekrar.")
    return internal and "*" not in expression and expression not in graph.modules
