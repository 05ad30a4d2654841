"""How a run ends: results on stdout, messages on stderr, one exit status.

No traceback reaches a user unasked.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from tekrar.errors import EXIT_BUG, EXIT_OK, Interrupted, StorageError, TekrarError
from tekrar.settings import Settings, read_settings


def run_guarded(work: Callable[[], int], *, json_wanted: bool) -> int:
    """Run a verb and turn whatever it raises into a message and an exit status."""
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
        _silence_stdout()
        return EXIT_OK
    except TekrarError as error:
        return _report(error, json_wanted=json_wanted)
    except KeyboardInterrupt:
        return _report(
            Interrupted("stopped", mend="run it again; nothing half-written remains"), json_wanted=json_wanted
        )
    except MemoryError:
        return _fault("out of memory", "give it more memory, or import fewer books", json_wanted=json_wanted)
    except Exception as error:
        if settings.traceback:
            traceback.print_exc()
        return _fault(
            f"internal error: {type(error).__name__}: {error}",
            "please report this with the command you ran; TEKRAR_TRACEBACK=1 shows where it happened",
            json_wanted=json_wanted,
        )


def print_json(record: Mapping[str, Any]) -> None:
    """One JSON object on a line of stdout, keys in the order given."""
    print(json.dumps(record, ensure_ascii=False, separators=(", ", ": ")))


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
    try:
        if json_wanted:
            print_json({"error": record})
        sys.stdout.flush()
    except OSError:  # stdout is what failed: a full disk, a closed pipe
        _silence_stdout()
    with suppress(OSError):
        print("\n".join(lines), file=sys.stderr, flush=True)
    return status


def _storage(error: OSError) -> StorageError:
    from tekrar.package.storage import storage_error

    return storage_error(error, error.filename if error.filename is not None else "standard output")


def _silence_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's last flush finds no broken pipe or full disk."""
    with suppress(OSError, ValueError, AttributeError):
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
        os.close(sink)
