"""How a run ends: results on stdout, messages on stderr, one exit status.

No traceback reaches a user unasked.
"""

from __future__ import annotations

import shlex
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TextIO

from tekrar.cli.signals import Termination
from tekrar.cli.streams import fill_closed, silence_stdout
from tekrar.errors import EXIT_BUG, EXIT_OK, Interrupted, StorageError, TekrarError, Terminated, shortened
from tekrar.settings import Settings, read_settings

#: Mends of the core's errors by kind: the core knows no verb and no option, so it can name none.
_MENDS: Final = {
    "no_such_book": "copy a book's name as `tekrar classes` shows it in addresses; #N is the Nth book, "
    "where the source gives it no name",
    "no_such_place": "copy an address as `tekrar classes` prints it, or count from 1 with headings and empty "
    "paragraphs included",
    "unknown_profile": "give one of them as it stands here, such as --profile FS",
}


def run_guarded(
    work: Callable[[], int], *, json_wanted: bool, received: Callable[[], int] = lambda: 0
) -> int:
    """Run a verb and turn whatever it raises into a message and an exit status.

    Args:
        work: the verb; gives its exit status.
        json_wanted: whether an error goes to stdout as JSON too.
        received: number of the signal that was received last, 0 for none.
    """
    fill_closed()
    for stream in (sys.stdout, sys.stderr):
        # Output is UTF-8 in every locale; what no encoding can hold (a file name's stray bytes) is escaped.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    settings = Settings()
    try:
        try:
            settings = read_settings()
            status = work()
            sys.stdout.flush()
        except SystemExit as error:  # argparse after --help
            sys.stdout.flush()
            return EXIT_OK if error.code is None else int(error.code)
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            raise _storage(error) from error
        return status
    except BrokenPipeError:
        silence_stdout()
        return EXIT_OK
    except KeyboardInterrupt as stop:
        return _report(_stopped(isinstance(stop, Termination)), json_wanted=json_wanted)
    except Exception as error:
        if number := received():  # code in C answers a signal with an error of its own
            return _report(_stopped(number == signal.SIGTERM), json_wanted=json_wanted)
        return _failed(error, shown=settings.traceback, json_wanted=json_wanted)


def _stopped(terminated: bool) -> TekrarError:
    if terminated:
        return Terminated("ended by SIGTERM", mend="run it again; nothing half-written remains")
    return Interrupted("stopped", mend="run it again; nothing half-written remains")


def _failed(error: Exception, *, shown: bool, json_wanted: bool) -> int:
    if isinstance(error, TekrarError):
        error.mend = error.mend or _MENDS.get(error.kind, "")
        return _report(error, json_wanted=json_wanted)
    if isinstance(error, MemoryError):
        return _fault("out of memory", "give it more memory, or import fewer books", json_wanted=json_wanted)
    if shown:
        traceback.print_exception(error)
    return _fault(
        f"internal error: {type(error).__name__}: {error}",
        "please report this with the command you ran; TEKRAR_TRACEBACK=1 shows where it happened",
        json_wanted=json_wanted,
    )


def say(*lines: str, file: TextIO | None = None) -> None:
    """Lines for people, on stdout unless another stream is given.

    Names of files, books and editions come from outside: control and direction characters in them are shown
    as marks, so that no name can imitate a line of ours.
    """
    from tekrar.view.plain import safe

    print("\n".join(map(safe, lines)), file=file or sys.stdout)


def say_next(*words: object) -> None:
    """The command that usually comes next, ready to be copied; for people only."""
    say(f"next: {shlex.join(map(str, words))}")


def print_json(record: Mapping[str, Any]) -> None:
    """One JSON object on a line of stdout, keys in the order given."""
    from tekrar.view.plain import json_text

    print(json_text(record, separators=(", ", ": ")))


def _report(error: TekrarError, *, json_wanted: bool) -> int:
    name = f"{error.code}/{error.kind}" if error.kind else error.code
    lines = [f"tekrar: error [{name}]: {error.message}"]
    for label in ("where", "expected", "mend"):
        if text := getattr(error, label):
            lines.append(f"  {label + ':':<9} {text}")
    return _say(lines, error.as_record(), status=error.exit_status, json_wanted=json_wanted)


def _fault(message: str, mend: str, *, json_wanted: bool) -> int:
    record = {
        "code": "internal_error",
        "kind": "",
        "message": message,
        "where": "",
        "expected": "",
        "mend": mend,
    }
    lines = [f"tekrar: {message}", f"  mend:     {mend}"]
    return _say(lines, record, status=EXIT_BUG, json_wanted=json_wanted)


def _say(lines: list[str], record: dict[str, str], *, status: int, json_wanted: bool) -> int:
    """Say a failure; a file's or an argument's own words in it never make it longer than a screen."""
    try:
        if json_wanted:
            print_json({"error": {key: shortened(value) for key, value in record.items()}})
        sys.stdout.flush()
    except OSError:  # stdout is what failed: a full disk, a closed pipe
        silence_stdout()
    with suppress(OSError):
        say(*map(shortened, lines), file=sys.stderr)
        sys.stderr.flush()
    return status


def _storage(error: OSError) -> StorageError:
    from tekrar.package.storage import storage_error

    return storage_error(error, error.filename if error.filename is not None else "standard output")
