"""The text-release package on disk: columns, one canonical manifest, provenance of the import (contracts C1,
C4).

Core text and each annotation dataset are rooted apart. No clock, host, path or user enters the package, so
the same source imported anywhere gives the same manifest byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tekrar.core.annotation import check_spans
from tekrar.core.identity import parse_uuid, uuid_text
from tekrar.core.policy import primary_subtag
from tekrar.core.release import certified_digest, core_manifest, dataset_root, manifest_root_of, release_id
from tekrar.core.text import DATASETS, TextRelease
from tekrar.corpus.columns import ENCODING, metadata_root, release_of, tables_of
from tekrar.corpus.imported import METADATA_TABLES, Imported
from tekrar.errors import IntegrityError, UsageError
from tekrar.package import Package, PackageWriter

FORMAT: Final = "tekrar/text-release/v1"

_KEYS: Final = {
    "format": str,
    "edition": str,
    "text_release": str,
    "core_release_manifest": dict,
    "core_release_manifest_root": str,
    "datasets": dict,
    "provenance": dict,
}


@dataclass(frozen=True)
class ReleaseInfo:
    """What was written.

    Attributes:
        path: the package.
        id: text-release UUID (16 bytes).
        certified: certified digest (32 bytes).
        manifest_root: core release manifest root (32 bytes).
        manifest: the package manifest.
    """

    path: Path
    id: bytes
    certified: bytes
    manifest_root: bytes
    manifest: dict[str, Any]


@dataclass(frozen=True)
class OpenRelease:
    """An opened release package.

    Attributes:
        release: the columns.
        id, certified, manifest_root: as the package states them; recomputed and equal when it was opened with
            `check`.
        manifest: the core release manifest document.
        path: the package.
        package_manifest: the package manifest with datasets and provenance.
        package: the opened package.
    """

    release: TextRelease
    id: bytes
    certified: bytes
    manifest_root: bytes
    manifest: dict[str, Any]
    path: Path
    package_manifest: dict[str, Any]
    package: Package

    def metadata(self, table: str) -> list[str | None]:
        """Source facts outside identity of `books`, `chapters`, `paragraphs` or a dataset.

        JSON text or None, by ordinal; an empty list for a missing dataset.
        """
        if table not in self.package:
            return []
        column: list[str | None] = self.package.read_table(table, ["metadata"]).column("metadata").to_pylist()
        if not all(value is None or isinstance(value, str) for value in column):
            raise _differs(self.package, f"metadata of {table} is no text", name=f"table {table}")
        return column


def write_release(imported: Imported, target: Path, *, exist_ok: bool = False) -> ReleaseInfo:
    """Write an imported release as a package.

    Args:
        imported: the release with its provenance.
        target: the folder to make.
        exist_ok: succeed when the target already holds a package with an equal manifest.

    Raises:
        UsageError: the target exists, or the release's language has no scope policy.
        IntegrityError: atoms do not tile the text, or a dataset is stale or of bad geometry.
        StorageError: the file system refuses; nothing is left.
    """
    release = imported.release
    release.check_tiling()
    manifest = package_manifest(imported)
    info = ReleaseInfo(
        path=target,
        id=release_id(release, manifest_root=bytes.fromhex(manifest["core_release_manifest_root"])),
        certified=bytes.fromhex(manifest["core_release_manifest"]["certified_digest"]),
        manifest_root=bytes.fromhex(manifest["core_release_manifest_root"]),
        manifest=manifest,
    )
    for kind in DATASETS:
        dataset = release.datasets.get(kind)
        if dataset is not None:
            if dataset.core_root != info.certified:
                raise stale_dataset(kind, expected=info.certified, found=dataset.core_root.hex())
            check_spans(release, dataset)
    with PackageWriter(target, format=FORMAT, exist_ok=exist_ok) as writer:
        writer.add_bytes("text", release.text)
        for name, table in tables_of(release, imported.metadata).items():
            encoding = ENCODING.get("datasets" if name in DATASETS else name)
            writer.add_table(name, table, compression="zstd", column_encoding=encoding)
        writer.commit(manifest)
    return info


def package_manifest(imported: Imported) -> dict[str, Any]:
    """The manifest document of a release package.

    Every root and ID in it is computed here from the columns.
    """
    release = imported.release
    primary_subtag(release.language)
    core = core_manifest(release, certified=certified_digest(release))
    root = manifest_root_of(core)
    identity = release_id(release, manifest_root=root)
    return {
        "format": FORMAT,
        "edition": release.edition,
        "text_release": uuid_text(identity),
        "core_release_manifest": core,
        "core_release_manifest_root": root.hex(),
        "datasets": _datasets_of(release, identity=identity),
        "provenance": {
            "importer": imported.importer,
            "sources": [
                {
                    "name": source.name,
                    "bytes": source.bytes,
                    "sha256": source.sha256,
                    "books": len(release.book_chapters) if source.books is None else source.books,
                }
                for source in imported.sources
            ],
            "unread": list(imported.unread),
            "parameters": imported.parameters,
            "segmenter": release.segmenter,
            "source_metadata_root": metadata_root(imported.metadata).hex(),
        },
    }


def open_release(path: Path, *, check: bool = True) -> OpenRelease:
    """Open a release package.

    Args:
        path: the folder.
        check: verify the digest of every file and recompute the certified digest, the roots of tree, labels,
            datasets and source metadata, the manifest root and the release ID. Without it the columns are
            read and their shape is checked; whoever needs a root computes it.

    Raises:
        NotFoundError: nothing at the path.
        IntegrityError: names the file, table or root that differs.
    """
    package = Package(path, format=FORMAT)
    manifest = package.manifest
    core, core_roots = _stated(package)
    if check:
        package.check_transport()
    release = release_of(
        package.read_bytes("text"),
        package.read_table,
        facts={
            "edition": manifest["edition"],
            "language": str(core.get("language")),
            "segmenter": str(core.get("segmenter")),
        },
        core_roots=core_roots,
    )
    opened = OpenRelease(
        release=release,
        id=_uuid(package, manifest["text_release"]),
        certified=_digest(package, core.get("certified_digest")),
        manifest_root=_digest(package, manifest["core_release_manifest_root"]),
        manifest=core,
        path=path,
        package_manifest=manifest,
        package=package,
    )
    if check:
        _recompute(opened)
    return opened


def stale_dataset(kind: str, *, expected: bytes, found: str, where: str = "") -> IntegrityError:
    """The refusal of a dataset made for other bytes (ADR-009.

    Stale annotation evidence is an integrity failure).
    """
    return IntegrityError(
        f"the annotation dataset {kind} was made for another text release",
        where=where or f"dataset {kind}",
        expected=f"core_root {expected.hex()}, found {found}",
        mend="make the dataset anew for this release",
        kind="stale_dataset",
    )


def _datasets_of(release: TextRelease, *, identity: bytes) -> dict[str, dict[str, Any] | None]:
    found: dict[str, dict[str, Any] | None] = {}
    for kind in DATASETS:
        dataset = release.datasets.get(kind)
        found[kind] = (
            None
            if dataset is None
            else {
                "root": dataset_root(dataset, release=identity).hex(),
                "spans": len(dataset.start),
                "core_root": dataset.core_root.hex(),
            }
        )
    return found


def _stated(package: Package) -> tuple[dict[str, Any], dict[str, bytes | None]]:
    """The core manifest and the datasets' core roots, once manifest and file list are well formed."""
    manifest = package.manifest
    for key, kind in _KEYS.items():
        if not isinstance(manifest.get(key), kind):
            raise _differs(package, f"manifest key {key!r} is missing or malformed")
    if set(manifest) != set(_KEYS) or set(manifest["datasets"]) != set(DATASETS):
        raise _differs(package, "the manifest has unknown keys")
    core_roots: dict[str, bytes | None] = {}
    for kind, row in manifest["datasets"].items():
        if row is not None and not isinstance(row, dict):
            raise _differs(package, f"dataset {kind} is malformed")
        core_roots[kind] = None if row is None else _digest(package, row.get("core_root"))
    names = {"text", "atoms", "books", "chapters", "paragraphs"}
    names |= {kind for kind, root in core_roots.items() if root is not None}
    if set(package.names) != names:
        odd = sorted(names ^ set(package.names))[0]
        raise _differs(package, f"the file list does not fit the manifest: {odd!r}", name="files.json")
    return manifest["core_release_manifest"], core_roots


def _recompute(opened: OpenRelease) -> None:
    release, package = opened.release, opened.package
    release.check_tiling()
    for found, stated in _pairs(opened):
        for key in sorted(set(found) | set(stated)):
            if found.get(key) != stated.get(key):
                raise _differs(
                    package,
                    f"{key} differs from what the columns give",
                    expected=f"{found.get(key)}, stated {stated.get(key)}",
                )
    for kind, dataset in release.datasets.items():
        if dataset is not None and dataset.core_root != opened.certified:
            where = f"{package.path}/manifest.json, dataset {kind}"
            raise stale_dataset(kind, expected=opened.certified, found=dataset.core_root.hex(), where=where)


def _pairs(opened: OpenRelease) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    release, manifest = opened.release, opened.package_manifest
    core = core_manifest(release, certified=certified_digest(release))
    root = manifest_root_of(core)
    identity = release_id(release, manifest_root=root)
    metadata = {table: opened.metadata(table) for table in METADATA_TABLES}
    computed = {
        "core_release_manifest_root": root.hex(),
        "text_release": uuid_text(identity),
        "datasets": _datasets_of(release, identity=identity),
    }
    provenance = {
        "segmenter": release.segmenter,
        "source_metadata_root": metadata_root(metadata).hex(),
    }
    return [
        (core, opened.manifest),
        (computed, {key: manifest[key] for key in computed}),
        (provenance, {key: manifest["provenance"].get(key) for key in provenance}),
    ]


def _digest(package: Package, text: object) -> bytes:
    if isinstance(text, str) and len(text) == 64 and text == text.lower():
        try:
            return bytes.fromhex(text)
        except ValueError:
            pass
    raise _differs(package, f"{str(text)[:80]!r} is no digest", expected="64 lower-case hex digits")


def _uuid(package: Package, text: str) -> bytes:
    try:
        return parse_uuid(text, what="text_release")
    except UsageError as error:
        raise _differs(package, error.message) from None


def _differs(
    package: Package, message: str, *, expected: str = "", name: str = "manifest.json"
) -> IntegrityError:
    return IntegrityError(
        message,
        where=f"{package.path}/{name}",
        expected=expected,
        mend="import the source again, or take the release from its maker again",
        kind="release_differs",
    )
