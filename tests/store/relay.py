"""A relay between a client and the server that counts the client's messages, to cut a connection at one.

What the server sees is what it sees when the client dies there: the messages up to that one, then the end.
"""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Final

PORT: Final = 5432

#: Messages that make the server do something: a simple query, the execution of a prepared one, the end.
STATEMENTS: Final = b"QEX"


@dataclass
class Cut:
    """Where a connection ends.

    Attributes:
        at: number of the message, from 1; 0 for none.
        forwarded: whether that message still reaches the server.
        commit_of: part of a statement; where it is named, the connection ends at the COMMIT that follows it.
        kinds: the first bytes of the messages that count.
        kill: holds what is called at that place, before anything else happens.
        said: what each counted message did, for the list of places.
    """

    at: int = 0
    forwarded: bool = False
    commit_of: str = ""
    kinds: bytes = STATEMENTS
    kill: SimpleQueue[Callable[[], None]] = field(default_factory=SimpleQueue)
    said: list[str] = field(default_factory=list)

    def here(self) -> bool:
        """Whether the last counted message is that place."""
        asked = self.commit_of and any(self.commit_of in one for one in self.said)
        return len(self.said) == self.at or bool(asked and self.said[-1][2:] == "COMMIT")


class Relay:
    """Takes one connection in a folder of its own and passes it on to the server's socket."""

    def __init__(self, server: Path, folder: Path) -> None:
        self._server = server
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / f".s.PGSQL.{PORT}"))
        self._listening.listen(1)
        self._listening.settimeout(30)

    def close(self) -> None:
        self._listening.close()

    def start(self, cut: Cut) -> threading.Thread:
        """Relay the next connection in a thread."""
        thread = threading.Thread(target=self._relay, args=(cut,))
        thread.start()
        return thread

    def _relay(self, cut: Cut) -> None:
        client, _ = self._listening.accept()
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(str(self._server / f".s.PGSQL.{PORT}"))
            waiting, started, query = b"", False, ""
            while True:
                for end in select.select([client, server], [], [])[0]:
                    data = end.recv(65536)
                    if not data:
                        return
                    if end is server:
                        client.sendall(data)
                        continue
                    waiting += data
                    while (size := _size(waiting, started)) and len(waiting) >= size:
                        message, waiting = waiting[:size], waiting[size:]
                        if not started:
                            started = True
                            server.sendall(message)
                            continue
                        if message[:1] in b"PQ":
                            query = message[5:].lstrip(b"\0").split(b"\0")[0].decode() or query
                        if message[:1] in cut.kinds:
                            cut.said.append(f"{message[:1].decode()} {query}")
                            if cut.here():
                                if cut.forwarded:
                                    server.sendall(message)
                                with suppress(ProcessLookupError):  # it ended after its last message
                                    cut.kill.get()()
                                return
                        server.sendall(message)


def _size(waiting: bytes, started: bool) -> int:
    """Bytes of the first message of a buffer, once its length is there; 0 before."""
    head = 1 if started else 0
    if len(waiting) < head + 4:
        return 0
    return head + int.from_bytes(waiting[head : head + 4], "big")
