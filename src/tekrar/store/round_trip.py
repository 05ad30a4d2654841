"""Statements of one implicit transaction in one round trip: prepared, pipelined, one Sync behind the last.

psycopg's own pipeline takes the same round trip but several times the processor time of the client, which
counts where a question itself takes less than a tenth of a millisecond. Values are adapted by psycopg all the
same.
"""

from __future__ import annotations

import select
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import psycopg
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format

if TYPE_CHECKING:
    from psycopg import abc
    from psycopg.pq.abc import PGconn, PGresult

    from tekrar.store.session import Connection

Statement = tuple[bytes, Sequence[Any]]

#: Statements that a connection keeps prepared; beyond them the one that was prepared first is given up.
MOST_PREPARED: Final = 64

_Key = tuple[bytes, tuple[int, ...]]
_prepared: WeakKeyDictionary[Connection, dict[_Key, bytes]] = WeakKeyDictionary()
_numbers = count()


def run_together(connection: Connection, statements: Sequence[Statement]) -> list[tuple[Any, ...]]:
    """Run statements as one implicit transaction and return the rows of the last one, read in binary.

    Args:
        connection: outside a transaction, in autocommit mode.
        statements: queries with `%s` for each of their parameters and no other percent sign.

    Raises:
        psycopg.Error: the server refused one of them, and nothing of any happened; or was lost.
    """
    with connection.lock:
        known = _prepared.setdefault(connection, {})
        for again in (False, True):
            try:
                return _run(connection, statements, known)
            except psycopg.errors.InvalidSqlStatementName:
                # Somebody between us and the server forgot what was prepared (DISCARD ALL, another server).
                known.clear()
                if again:
                    raise
    raise AssertionError("not reached")


def _run(
    connection: Connection, statements: Sequence[Statement], known: dict[_Key, bytes]
) -> list[tuple[Any, ...]]:
    conn = connection.pgconn
    adapter: abc.Transformer = Transformer(connection)
    sent: list[_Key | None] = []
    try:
        conn.enter_pipeline_mode()
        for query, parameters in statements:
            values: Sequence[Any]
            types: tuple[int, ...] = ()
            formats: Sequence[Any] | None = None
            if all(type(value) is str for value in parameters):
                values = [
                    value.encode() for value in parameters
                ]  # as psycopg has it: text, of the place's type
            else:
                values = adapter.dump_sequence(parameters, [PyFormat.AUTO] * len(parameters))
                types, formats = adapter.types or (), adapter.formats
            key = (query, types)
            name = known.get(key)
            if name is None:
                name = _prepare(conn, key, known, sent)
            conn.send_query_prepared(name, values, formats, Format.BINARY)
            sent.append(None)
        conn.pipeline_sync()
        results = _results(conn, len(sent))
        conn.exit_pipeline_mode()
    except BaseException:  # also an interrupt: what is on its way cannot be told apart from what comes next
        with suppress(psycopg.Error):
            connection.cancel()
        connection.close()
        raise
    for made, result in zip(sent, results, strict=False):
        if made is not None and result.status != ExecStatus.COMMAND_OK:
            known.pop(made, None)
    return _rows(connection, adapter, results)


def _prepare(conn: PGconn, key: _Key, known: dict[_Key, bytes], sent: list[_Key | None]) -> bytes:
    if len(known) >= MOST_PREPARED:
        oldest = known.pop(next(iter(known)))
        conn.send_query_params(b"DEALLOCATE " + oldest, None)
        sent.append(None)
    name = b"tekrar_%d" % next(_numbers)
    parts = key[0].split(b"%s")
    text = b"".join(part + (b"$%d" % at if at < len(parts) else b"") for at, part in enumerate(parts, 1))
    conn.send_prepare(name, text, key[1])
    known[key] = name
    sent.append(key)
    return name


def _results(conn: PGconn, expected: int) -> list[PGresult]:
    """One result of each message that was sent, in order; the Sync's own is read and left out."""
    poll = select.poll()
    poll.register(conn.socket, select.POLLIN | select.POLLOUT)
    while conn.flush():
        if poll.poll()[0][1] & select.POLLIN:
            conn.consume_input()
    poll.modify(conn.socket, select.POLLIN)
    found: list[PGresult] = []
    while True:
        while conn.is_busy():
            poll.poll()
            conn.consume_input()
        result = conn.get_result()
        if result is None:
            continue  # the end of one message's results
        if result.status == ExecStatus.PIPELINE_SYNC:
            return found
        found.append(result)
        if len(found) > expected:
            raise psycopg.OperationalError("the server sent a result too many")


def _rows(connection: Connection, adapter: abc.Transformer, results: list[PGresult]) -> list[tuple[Any, ...]]:
    for result in results:
        if result.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(result, encoding=connection.info.encoding)
    last = results[-1]
    adapter.set_pgresult(last)
    return adapter.load_rows(0, last.ntuples, tuple)
