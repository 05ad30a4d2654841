"""Opening a package: every name, size and digest is checked before a byte is believed (threats T9, T11).

The folder is read in place and never unpacked. Refused are a symlink, device, pipe or further folder inside,
a name that could leave the folder, two names that one file system would take for one, an extra or a missing
file, a document that is not canonical.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn

from tekrar.core import strict_json
from tekrar.core.encoding import canonical_json
from tekrar.errors import IntegrityError, NotFoundError
from tekrar.package.layout import (
    FILES,
    FILES_FORMAT,
    MANIFEST,
    MAX_DOCUMENT_BYTES,
    OBJECTS,
    is_logical_name,
    is_temporary,
    object_digest,
    unsafe_name,
)
from tekrar.package.mends import called, mend_for
from tekrar.package.storage import reading

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK: Final = 1 << 20
#: A table that says it grows more than this from its stored bytes is refused before it is decoded.
MAX_EXPANSION: Final = 2000
EXPANSION_FLOOR: Final = 1 << 30


class Package:
    """An opened package.

    Args:
        path: the folder.
        format: the `format` that its manifest must have.

    Raises:
        NotFoundError: there is nothing at the path.
        IntegrityError: it is no sound package of that format; the file is named.
    """

    def __init__(self, path: Path, *, format: str) -> None:
        self.path = Path(path)
        self.format = format
        with reading(self.path):
            self._root = Path(os.path.realpath(self.path))
            if not stat.S_ISDIR(os.stat(self._root).st_mode):
                self._refuse(
                    "",
                    f"this is a file, not {called(format)}",
                    kind="not_a_package",
                    expected=f"a folder: a {format} package",
                )
            if is_temporary(self._root.name):
                self._refuse("", "an unfinished package that its writer left", kind="not_a_package")
            self._check_entries()
        self._files = self._read_files()
        self.manifest: dict[str, Any] = self._parse(MANIFEST, self.manifest_bytes)
        if (stated := self.manifest.get("format")) != format:
            self._refuse(
                MANIFEST,
                f"a package of format {str(stated)[:80]!r}, not {called(format)}",
                kind="wrong_format",
                expected=format,
                found=str(stated),
            )
        with reading(self.path):
            self._check_objects()

    @property
    def names(self) -> tuple[str, ...]:
        """Logical names, ascending."""
        return tuple(sorted(self._files))

    @property
    def stored_bytes(self) -> int:
        """Bytes of all objects, equal contents counted once."""
        return sum({row["object"]: row["bytes"] for row in self._files.values()}.values())

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def size(self, name: str) -> int:
        """Stored bytes of a logical name."""
        return int(self._row(name)["bytes"])

    def read_bytes(self, name: str, *, check: bool = False) -> bytes:
        """The bytes of a logical name; with `check` their digest is taken too.

        Raises:
            NotFoundError: no such name.
            IntegrityError: size or digest differ.
        """
        row = self._row(name)
        with self._open(row["object"]) as file:
            data = file.read(row["bytes"] + 1)
        if len(data) != row["bytes"]:
            self._size_differs(row, len(data))
        if check and hashlib.sha256(data).hexdigest() != row["sha256"]:
            self._digest_differs(row)
        return data

    def read_table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """The Arrow table of a logical name.

        Raises:
            NotFoundError: no such name.
            IntegrityError: the file is no Parquet table, lacks a column, or says that it grows beyond
                measure.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        row = self._row(name)
        with self._open(row["object"]) as file:
            try:
                parquet = pq.ParquetFile(file, pre_buffer=False)
                meta = parquet.metadata
                grown = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
                if grown > max(EXPANSION_FLOOR, MAX_EXPANSION * row["bytes"]):
                    self._refuse(row["object"], f"table {name} says it holds {grown} bytes", kind="expansion")
                missing = set(columns or ()) - set(parquet.schema_arrow.names)
                if missing:
                    self._refuse(
                        row["object"], f"table {name} has no column {min(missing)!r}", kind="bad_table"
                    )
                return parquet.read(columns=None if columns is None else list(columns), use_threads=False)
            except (pa.ArrowException, OSError, ValueError) as error:
                self._refuse(row["object"], f"table {name} cannot be decoded: {error}", kind="bad_table")

    def check_transport(self) -> None:
        """Hash every file.

        Raises:
            IntegrityError: names the first file, in the order of the logical names, whose bytes differ.
        """
        done: set[str] = set()
        for name in self.names:
            row = self._files[name]
            if row["object"] not in done and self._hash(row["object"]) != row["sha256"]:
                self._digest_differs(row)
            done.add(row["object"])

    # -- opening ------------------------------------------------------------

    def _check_entries(self) -> None:
        entries = {entry.name: entry for entry in os.scandir(self._root)}
        wanted = {MANIFEST: stat.S_ISREG, FILES: stat.S_ISREG, OBJECTS: stat.S_ISDIR}
        missing = sorted(set(wanted) - set(entries))
        if missing:
            self._refuse(
                missing[0],
                f"is missing: this is not {called(self.format)}"
                + (", or one that lost a file" if len(missing) == 1 else ""),
                kind="not_a_package" if len(missing) > 1 else "missing_file",
                expected=f"a {self.format} package: {FILES}, {MANIFEST}, {OBJECTS}/",
            )
        for name in sorted(entries):
            if name not in wanted:
                self._refuse(name, "is no part of the package", kind="extra_file", expected="no further file")
            if not wanted[name](entries[name].stat(follow_symlinks=False).st_mode):
                self._refuse(name, "is a link or of the wrong file type", kind="unsafe_file")

    def _read_files(self) -> dict[str, dict[str, Any]]:
        document = self._parse(FILES, self._read_document(FILES))
        sealed = dict(document)
        seal = sealed.pop("self_sha256", None)
        if set(sealed) != {"format", "files", "manifest_sha256"} or sealed["format"] != FILES_FORMAT:
            self._refuse(
                FILES, "is not of format 1", kind="wrong_format", expected="format 1 with its four keys"
            )
        if seal != hashlib.sha256(canonical_json(sealed)).hexdigest():
            self._refuse(FILES, "was altered: its own digest differs", kind="digest_differs")
        self.manifest_bytes = self._read_document(MANIFEST)
        found = hashlib.sha256(self.manifest_bytes).hexdigest()
        if found != sealed["manifest_sha256"]:
            expected = f"SHA-256 {sealed['manifest_sha256']}, found {found}"
            self._refuse(MANIFEST, "was altered", kind="digest_differs", expected=expected)
        files = sealed["files"]
        if not isinstance(files, dict):
            self._refuse(FILES, "`files` is no object", kind="wrong_format")
        folded: set[str] = set()
        for name, row in files.items():
            self._check_row(name, row)
            if name.casefold() in folded:
                self._refuse(FILES, f"two names differ in case only: {name!r}", kind="case_clash")
            folded.add(name.casefold())
        return files

    def _check_row(self, name: str, row: Any) -> None:
        if not is_logical_name(name):
            raise unsafe_name(name, where=self._shown(FILES))
        if not isinstance(row, dict) or set(row) != {"object", "sha256", "bytes"}:
            self._refuse(FILES, f"the row of {name} is malformed", kind="wrong_format")
        digest = object_digest(row["object"]) if isinstance(row["object"], str) else None
        if digest is None:
            raise unsafe_name(row["object"], where=self._shown(FILES))
        size = row["bytes"]
        if digest != row["sha256"] or isinstance(size, bool) or not isinstance(size, int) or size < 0:
            self._refuse(FILES, f"the row of {name} contradicts itself", kind="wrong_format")

    def _check_objects(self) -> None:
        rows = {row["object"].removeprefix(f"{OBJECTS}/"): row for row in self._files.values()}
        entries = {entry.name: entry for entry in os.scandir(self._root / OBJECTS)}
        for name in sorted(set(entries) | set(rows)):
            shown = f"{OBJECTS}/{name}"
            if name not in rows:
                self._refuse(
                    shown, "is no part of the package", kind="extra_file", expected="no further file"
                )
            if name not in entries:
                self._refuse(
                    shown, "is missing", kind="missing_file", expected="the file that files.json names"
                )
            state = entries[name].stat(follow_symlinks=False)
            if not stat.S_ISREG(state.st_mode):
                self._refuse(shown, "is a link or no regular file", kind="unsafe_file")
            if state.st_size != rows[name]["bytes"]:
                self._size_differs(rows[name], state.st_size)

    # -- reading ------------------------------------------------------------

    def _row(self, name: str) -> dict[str, Any]:
        row = self._files.get(name)
        if row is None:
            raise NotFoundError(
                f"the package holds nothing named {name!r}",
                where=self._shown(FILES),
                expected=", ".join(self.names[:12]),
                kind="no_such_name",
            )
        return row

    @contextmanager
    def _open(self, name: str) -> Iterator[BinaryIO]:
        with reading(self._shown(name)):
            handle = os.open(self._root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    self._refuse(name, "is no regular file", kind="unsafe_file")
                yield file

    def _read_document(self, name: str) -> bytes:
        with self._open(name) as file:
            data = file.read(MAX_DOCUMENT_BYTES + 1)
        if len(data) > MAX_DOCUMENT_BYTES:
            self._refuse(
                name, "is too large", kind="too_large", expected=f"at most {MAX_DOCUMENT_BYTES} bytes"
            )
        return data

    def _parse(self, name: str, data: bytes) -> dict[str, Any]:
        try:
            document = strict_json.parse(data)
            canonical = isinstance(document, dict) and canonical_json(document) == data
        except strict_json.JsonFlaw as flaw:
            message = f"{flaw.message} {flaw.place}".rstrip()
            self._refuse(name, message, kind="not_canonical", expected="RFC 8785 bytes")
        except (ValueError, RecursionError) as error:
            message = f"has no canonical form: {error}"
            self._refuse(name, message, kind="not_canonical", expected="RFC 8785 bytes")
        if not canonical:
            self._refuse(name, "is no canonical JSON object", kind="not_canonical", expected="RFC 8785 bytes")
        return dict(document)

    def _hash(self, name: str) -> str:
        state = hashlib.sha256()
        with self._open(name) as file:
            while block := file.read(_BLOCK):
                state.update(block)
        return state.hexdigest()

    # -- refusing ------------------------------------------------------------

    def _shown(self, name: str) -> str:
        return f"{self.path}/{name}" if name else str(self.path)

    def _size_differs(self, row: dict[str, Any], size: int) -> NoReturn:
        self._refuse(
            row["object"], f"has {size} bytes", kind="size_differs", expected=f"{row['bytes']} bytes"
        )

    def _digest_differs(self, row: dict[str, Any]) -> NoReturn:
        self._refuse(
            row["object"], "was altered", kind="digest_differs", expected=f"bytes of SHA-256 {row['sha256']}"
        )

    def _refuse(self, name: str, message: str, *, kind: str, expected: str = "", found: str = "") -> NoReturn:
        mend = mend_for(kind, self.path, name, wanted=self.format, found=found)
        raise IntegrityError(message, where=self._shown(name), expected=expected, mend=mend, kind=kind)
