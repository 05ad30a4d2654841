"""`tekrar db`: the database - start, stop, status, migrate, init, shell, backup, restore."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tekrar.cli.arguments import words
from tekrar.cli.database import database_argument
from tekrar.cli.outcome import print_json
from tekrar.errors import EXIT_OK, UsageError
from tekrar.settings import Settings, read_settings, with_url

_HELP: Final = {
    "start": "start the embedded server; making its data, where there are none, is part of it",
    "stop": "stop the embedded server",
    "status": "say what runs where, and which schema it has; starts nothing",
    "migrate": "bring the database to this version's schema",
    "init": "name the first administrator, who grants roles",
    "shell": "open psql",
    "backup": "write the database to a file",
    "restore": "fill a fresh database from such a file",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar db`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in _HELP.items():
        one = actions.add_parser(action, help=text, description=text, allow_abbrev=False)
        # Common options are legal before and after the action; absent here, the outer default stands.
        for option in ("--json", "--quiet"):
            one.add_argument(option, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        if action not in ("start", "stop"):
            database_argument(one)
        if action in ("backup", "restore"):
            one.add_argument("file", type=Path, metavar="FILE", help="a file of pg_dump's custom format")
        if action == "init":
            one.add_argument(
                "--administrator", type=words, required=True, metavar="NAME", help="name of the actor"
            )
            one.add_argument(
                "--login",
                metavar="ROLE",
                help="the actor's database login (default: with a URL its user, else tekrar_login)",
            )
        if action == "shell":
            one.add_argument(
                "--login", action="store_true", help="as the login role, which sees nothing by itself"
            )


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    url = getattr(args, "database_url", None)
    return _ACTIONS[args.action](args, with_url(read_settings(), url, named="--database-url"))


def _start(args: argparse.Namespace, settings: Settings) -> int:
    from tekrar.store.embedded import database_of
    from tekrar.store.server.launcher import Launcher

    _embedded_only(settings, "start")
    launcher = Launcher(settings)
    launcher.place.make()
    ran = launcher.answering() is not None
    database_of(settings)
    running = launcher.ensure()
    record = {
        "started": not ran,
        "pid": running.pid,
        "socket": str(running.socket_dir),
        "data": str(launcher.place.data),
    }
    words = f"{'already running' if ran else 'started'}: process {running.pid}, data in {launcher.place.data}"
    return _say(args, record, words)


def _stop(args: argparse.Namespace, settings: Settings) -> int:
    from tekrar.store.server.launcher import Launcher

    _embedded_only(settings, "stop")
    stopped = Launcher(settings).stop()
    return _say(args, {"stopped": stopped}, "stopped" if stopped else "no server was running")


def _status(args: argparse.Namespace, settings: Settings) -> int:
    from tekrar.store.status import status

    record = status(settings)
    known = {key: value for key, value in record.items() if value is not None}
    width = max(map(len, known))
    lines = [f"{key:<{width}}  {value}" for key, value in known.items()]
    return _say(args, record, "\n".join(lines), always=True)


def _migrate(args: argparse.Namespace, settings: Settings) -> int:
    from tekrar.store.migrate import migrate
    from tekrar.store.session import connect

    with connect(settings, administrator=True) as connection:
        done = migrate(connection)
    made = ", ".join(done.applied) or "no new migration"
    record = {"head": done.head, "applied": list(done.applied)}
    return _say(args, record, f"schema {done.head} ({made}); functions and policies applied")


def _init(args: argparse.Namespace, settings: Settings) -> int:
    from tekrar.store.curate import initialize
    from tekrar.store.migrate import require_current
    from tekrar.store.roles import LOGIN
    from tekrar.store.session import connect

    with connect(settings, administrator=True) as connection:
        require_current(connection)
        login = args.login
        if login is None and settings.database_url is not None and connection.info.user != LOGIN:
            login = connection.info.user
        initialize(connection, args.administrator, login)
    record = {"administrator": args.administrator, "login": login or LOGIN}
    return _say(args, record, f"{args.administrator} is the administrator, by login {login or LOGIN}")


def _shell(args: argparse.Namespace, settings: Settings) -> int:
    from tekrar.store.backup import shell_command

    program, words, secrets = shell_command(settings, login=args.login)
    for name, value in secrets.items():
        os.putenv(name, value)
    os.execv(program, words)


def _backup(args: argparse.Namespace, settings: Settings) -> int:
    from tekrar.store.backup import backup

    size = backup(settings, args.file)
    return _say(args, {"file": str(args.file), "bytes": size}, f"{args.file}: {size} bytes")


def _restore(args: argparse.Namespace, settings: Settings) -> int:
    from tekrar.store.backup import restore

    head = restore(settings, args.file).head
    return _say(args, {"file": str(args.file), "head": head}, f"restored: schema {head}")


_ACTIONS: Final[dict[str, Callable[[argparse.Namespace, Settings], int]]] = {
    "start": _start,
    "stop": _stop,
    "status": _status,
    "migrate": _migrate,
    "init": _init,
    "shell": _shell,
    "backup": _backup,
    "restore": _restore,
}


def _embedded_only(settings: Settings, action: str) -> None:
    if settings.database_url is not None:
        raise UsageError(
            f"tekrar does not {action} the server of TEKRAR_DATABASE_URL",
            where="environment",
            mend="unset TEKRAR_DATABASE_URL for the embedded server",
            kind="not_embedded",
        )


def _say(args: argparse.Namespace, record: dict[str, Any], words: str, *, always: bool = False) -> int:
    if args.json:
        print_json(record)
    elif always or not args.quiet:
        print(words)
    return EXIT_OK
