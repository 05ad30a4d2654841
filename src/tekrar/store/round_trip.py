"""Statements of one implicit transaction in one round trip: prepared, pipelined, one Sync behind the last.

psycopg's own pipeline takes the same round trip but several times the processor time of the client, which
counts where a question itself takes less than a tenth of a millisecond. Values are adapted by psycopg all the
same.
"""

from __future__ import annotations

import select
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import psycopg
from psycopg.adapt import AdaptersMap, PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus, Format

if TYPE_CHECKING:
    from psycopg import abc
    from psycopg.pq.abc import PGconn, PGresult

    from tekrar.store.session import Connection

Statement = tuple[bytes, Sequence[Any]]

#: Statements that a connection keeps prepared; beyond them the one that was prepared first is given up.
MOST_PREPARED: Final = 64

_Key = tuple[bytes, tuple[int, ...]]
_numbers = count()


@dataclass(frozen=True)
class _Context:
    """Adapters without the connection, which they would keep alive; it always speaks UTF-8."""

    adapters: AdaptersMap
    connection: None = None


@dataclass
class _Kept:
    """What a connection keeps between its questions.

    Attributes:
        adapter: of values to and from the server; it finds the loader of a type once.
        names: of what is prepared, by query and types.
    """

    adapter: abc.Transformer
    names: dict[_Key, bytes] = field(default_factory=dict)


_kept: WeakKeyDictionary[Connection, _Kept] = WeakKeyDictionary()


def run_together(connection: Connection, statements: Sequence[Statement]) -> list[tuple[Any, ...]]:
    """Run statements as one implicit transaction and return the rows of the last one, read in binary.

    Args:
        connection: outside a transaction, in autocommit mode.
        statements: queries with `%s` for each of their parameters and no other percent sign.

    Raises:
        psycopg.Error: the server refused one of them, and nothing of any happened; or was lost.
    """
    with connection.lock:
        kept = _kept.get(connection)
        if kept is None:
            kept = _kept[connection] = _Kept(Transformer(_Context(connection.adapters)))
        for again in (False, True):
            try:
                return _run(connection, statements, kept)
            except psycopg.errors.InvalidSqlStatementName:
                # Somebody between us and the server forgot what was prepared (DISCARD ALL, another server).
                kept.names.clear()
                if again:
                    raise
    raise AssertionError("not reached")


def _run(connection: Connection, statements: Sequence[Statement], kept: _Kept) -> list[tuple[Any, ...]]:
    conn, adapter, known = connection.pgconn, kept.adapter, kept.names
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


def copied_out(connection: Connection, statement: bytes) -> Iterator[Any]:
    """The messages of a COPY TO STDOUT, one a row in the binary format; for half the time that psycopg takes.

    Args:
        connection: inside a transaction.
        statement: the COPY.

    Raises:
        psycopg.Error: the server refused it, or was lost.
    """
    conn = connection.pgconn
    with connection.lock:
        try:
            conn.send_query_params(statement, None)
            _flushed(conn)
            _check_copy(connection, conn.get_result(), ExecStatus.COPY_OUT)
            poll = select.poll()
            poll.register(conn.socket, select.POLLIN)
            receive = conn.get_copy_data
            while True:
                size, message = receive(1)
                if size > 0:
                    yield message
                elif size == 0:  # nothing yet
                    poll.poll()
                    conn.consume_input()
                else:
                    break
            _check_copy(connection, conn.get_result(), ExecStatus.COMMAND_OK)
            while conn.get_result() is not None:
                pass
        except psycopg.Error:
            while conn.status == ConnStatus.OK and conn.get_result() is not None:
                pass
            raise
        except BaseException:  # also of one who stops reading: what is on its way is for nobody
            connection.close()
            raise


def _flushed(conn: PGconn) -> None:
    poll = select.poll()
    poll.register(conn.socket, select.POLLIN | select.POLLOUT)
    while conn.flush():
        if poll.poll()[0][1] & select.POLLIN:
            conn.consume_input()


def _check_copy(connection: Connection, result: PGresult | None, expected: ExecStatus) -> None:
    if result is not None and result.status == ExecStatus.FATAL_ERROR:
        raise error_from_result(result, encoding=connection.info.encoding)
    if result is None or result.status != expected:
        raise psycopg.OperationalError("the server answered a COPY with something else")


def _results(conn: PGconn, expected: int) -> list[PGresult]:
    """One result of each message that was sent, in order; the Sync's own is read and left out."""
    _flushed(conn)
    poll = select.poll()
    poll.register(conn.socket, select.POLLIN)
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
