"""Makes docs/errors.md from the one table of exit statuses: `python -m tests.errors_page`."""

from pathlib import Path

from tekrar.errors import EXIT_BUG, EXIT_OK, EXIT_STATUS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "errors.md"

_HEAD = """\
# Errors and exit statuses

Made from `tekrar.errors.EXIT_STATUS` by `python -m tests.errors_page`; a test holds it equal.

Every error that a user can cause names what is wrong, where (file and line, byte or JSON path), what was
expected and how to mend it. On standard error:

    tekrar: error [code/kind]: what is wrong
      where:    file and place
      expected: what would have been right
      mend:     what to do

With `--json` the last line of standard output is
`{"error": {"code", "kind", "message", "where", "expected", "mend"}}`. Codes and kinds are stable names;
messages are not. A field of more than 1,200 characters is said without its middle, and how long that was.
An error leaves no half-written file or folder.

| status | code | meaning |
|---:|---|---|
"""

_FOOT = """
A reader that closes the pipe early (`tekrar classes … | head`) ends the run quietly with status 0. Status 1
is a fault in tekrar itself: the message asks for a report, and `TEKRAR_TRACEBACK=1` shows where it
happened. Statuses of a query (`unique`, `excluded`, `not_evaluated` …) are results, never errors.
"""


def page() -> str:
    """The text of docs/errors.md."""
    rows = [(EXIT_OK, "", "success"), (EXIT_BUG, "internal_error", "a fault in tekrar, or out of memory")]
    rows += [(status, code, meaning) for code, (status, meaning) in EXIT_STATUS.items()]
    table = [
        f"| {status} | {f'`{code}`' if code else ''} | {meaning} |" for status, code, meaning in sorted(rows)
    ]
    return _HEAD + "\n".join(table) + "\n" + _FOOT


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
