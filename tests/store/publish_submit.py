"""Prepares and publishes by the transaction alone, for artifacts whose roots are invented.

`python -m tests.store.publish_submit ROOT`, with TEKRAR_DATABASE_URL and TEKRAR_ACTOR as `tekrar publish`
takes them, and its exit statuses. The command recomputes rows before this transaction; no setting turns that
off. `crosswalk` is a function of the store without a verb.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from tekrar.errors import TekrarError
from tekrar.settings import read_settings
from tekrar.store.curation import workflow
from tekrar.store.migrate import require_current
from tekrar.store.publish import prepare, submit
from tekrar.store.session import connect


def main(words: Sequence[str]) -> int:
    actor = os.environ["TEKRAR_ACTOR"]
    try:
        with connect(read_settings(os.environ)) as connection:
            require_current(connection)
            submit(connection, prepare(connection, words[0], None, actor=actor), actor=actor)
    except TekrarError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


def crosswalk(words: Sequence[str]) -> int:
    """Record an external name: structure, namespace, name."""
    try:
        with connect(read_settings(os.environ)) as connection:
            workflow.crosswalk(connection, *words, actor=os.environ["TEKRAR_ACTOR"])
    except TekrarError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
