"""Writing a package: objects by digest, two documents, one rename (ADR-009 *Publication and rebuild
closure*).

Interrupted at any point (SIGKILL, file-size limit, full disk) nothing is left that reads as a package, and
the next writer of the same target sweeps what is left. Two writers of one target do not harm each other.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from tekrar.core.encoding import canonical_json
from tekrar.errors import IntegrityError, StorageError
from tekrar.package.atomic import target_exists
from tekrar.package.layout import FILES, FILES_FORMAT, MANIFEST, OBJECTS, is_logical_name
from tekrar.package.storage import storage_error, storing, sync_folder
from tekrar.package.temporary import TemporaryFolder

if TYPE_CHECKING:
    import pyarrow as pa

_TARGET_TAKEN: Final = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)


class HashedFile:
    """A binary file that can only be appended to; it hashes what passes. `pyarrow` takes it as a sink."""

    def __init__(self, path: Path, *, shown: str) -> None:
        self._shown = shown
        self._state = hashlib.sha256()
        self._size = 0
        self.closed = False
        with storing(shown):
            self._file: BinaryIO = open(path, "xb")  # noqa: SIM115  (closed by seal or drop)

    def write(self, data: bytes | bytearray | memoryview) -> int:
        """Append bytes.

        Raises:
            StorageError: the file system refuses.
        """
        try:
            self._file.write(data)
        except OSError as error:
            raise storage_error(error, self._shown) from error
        view = memoryview(data)
        self._state.update(view)
        self._size += view.nbytes
        return view.nbytes

    def tell(self) -> int:
        """Bytes so far."""
        return self._size

    def writable(self) -> bool:
        """True."""
        return True

    def readable(self) -> bool:
        """False."""
        return False

    def seekable(self) -> bool:
        """False: the digest is taken on the way."""
        return False

    def flush(self) -> None:
        """Nothing: `seal` makes the bytes last."""

    def close(self) -> None:
        """Nothing: the writer seals or drops the file."""

    def seal(self) -> tuple[str, int]:
        """Flush, fsync and close; the SHA-256 (hex) and the size."""
        with storing(self._shown):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
        self.closed = True
        return self._state.hexdigest(), self._size

    def drop(self) -> None:
        """Close without a promise; an error of closing is of no more interest."""
        self.closed = True
        with suppress(OSError):
            self._file.close()


class PackageWriter:
    """Writes one package; a context manager that leaves nothing behind unless `commit` came to its end.

    Args:
        target: the folder to make.
        format: value of the manifest's `format`.
        exist_ok: go on when the target exists; `commit` then succeeds only if it holds an equal manifest.

    Raises:
        UsageError: the target exists.
        StorageError: the parent folder is missing or refuses.
    """

    def __init__(self, target: Path, *, format: str, exist_ok: bool = False) -> None:
        self.target = Path(os.path.abspath(target))
        self.format = format
        self._files: dict[str, dict[str, str | int]] = {}
        self._parts = 0
        if not self.target.name or (not exist_ok and os.path.lexists(self.target)):
            raise target_exists(self.target)  # the root of the file system always is, and has no sibling
        with storing(self.target):
            self._folder = TemporaryFolder(self.target)

    @property
    def folder(self) -> Path:
        """The temporary folder."""
        return self._folder.path

    def __enter__(self) -> PackageWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.remove()  # after a commit there is nothing there any more

    def add_bytes(self, name: str, data: bytes | memoryview) -> None:
        """Store bytes under a logical name."""
        with self.add_file(name) as file:
            file.write(data)

    def add_table(
        self,
        name: str,
        table: pa.Table,
        *,
        compression: str | dict[str, str] | None = None,
        use_dictionary: bool | list[str] = False,
        column_encoding: dict[str, str] | None = None,
        row_group_size: int | None = None,
    ) -> None:
        """Store an Arrow table as Parquet; equal tables give equal bytes with one library version."""
        import pyarrow.parquet as pq

        with self.add_file(name, suffix=".parquet") as file:
            pq.write_table(
                table,
                file,
                compression=compression or "none",
                use_dictionary=use_dictionary,
                column_encoding=column_encoding,
                row_group_size=row_group_size,
                version="2.6",
                data_page_version="1.0",
                write_statistics=False,
            )

    @contextmanager
    def add_file(self, name: str, *, suffix: str = "") -> Iterator[HashedFile]:
        """A binary file to be written from start to end; it gets its name when the block ends well."""
        if not is_logical_name(name) or name.casefold() in map(str.casefold, self._files):
            raise ValueError(f"logical name {name!r} is unsafe or taken")
        self._parts += 1
        part = self.folder / f"part-{self._parts}"
        file = HashedFile(part, shown=f"{self.target} ({name})")
        try:
            yield file
            digest, size = file.seal()
        except BaseException:
            file.drop()
            raise
        object_name = f"{OBJECTS}/{digest}{suffix}"
        with storing(f"{self.target} ({name})"):
            os.replace(part, self.folder / object_name)
        self._files[name] = {"object": object_name, "sha256": digest, "bytes": size}

    def commit(self, manifest: Mapping[str, Any]) -> None:
        """Write the two documents, make everything last, and give the folder its name.

        Raises:
            StorageError: the target appeared meanwhile with another manifest (it is left as it is), or the
                file system refuses.
        """
        if manifest.get("format") != self.format:
            raise ValueError(f"manifest of format {manifest.get('format')!r} in a package of {self.format!r}")
        data = canonical_json(dict(manifest))
        with storing(self.target):
            self._document(FILES, canonical_json(files_document(self._files, manifest=data)))
            self._document(MANIFEST, data)
            sync_folder(self.folder / OBJECTS)
            sync_folder(self.folder)
            try:
                self._folder.give_name()
            except OSError as error:
                if error.errno not in _TARGET_TAKEN:
                    raise
                self._accept_other(data)
            sync_folder(self.target.parent)

    def _document(self, name: str, data: bytes) -> None:
        with open(self.folder / name, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def _accept_other(self, manifest: bytes) -> None:
        """Another writer was first: its package stands if it says the same."""
        from tekrar.package.reader import Package

        try:
            same = Package(self.target, format=self.format).manifest_bytes == manifest
        except IntegrityError as error:
            raise self._taken(f"something else stands at the target ({error.message})") from error
        if not same:
            raise self._taken("another package stands at the target")

    def _taken(self, message: str) -> StorageError:
        return StorageError(
            message,
            where=str(self.target),
            expected="a free name, or a package with the same manifest",
            mend="choose another name; what is there was not touched",
            kind="target_exists",
        )


def files_document(files: Mapping[str, Mapping[str, str | int]], *, manifest: bytes) -> dict[str, Any]:
    """`files.json`: what lies where, the manifest's SHA-256, and its own SHA-256 without that key."""
    document: dict[str, Any] = {
        "format": FILES_FORMAT,
        "files": {name: dict(files[name]) for name in sorted(files)},
        "manifest_sha256": hashlib.sha256(manifest).hexdigest(),
    }
    return {**document, "self_sha256": hashlib.sha256(canonical_json(document)).hexdigest()}
