"""A content-addressed folder on disk: the form of a text release and of an artifact.

    manifest.json      the package's own canonical document; what identity and roots speak about
    files.json         transport only: logical name -> object, SHA-256 and size of its bytes; in no root
    objects/<sha256>   the bytes, named by their digest; equal contents are stored once

A folder of this form appears at its target in one rename, after every byte was fsynced, or not at all
(contract C4; threats T9, T11).
"""

from tekrar.package.atomic import write_file
from tekrar.package.reader import Package
from tekrar.package.writer import PackageWriter

__all__ = ["Package", "PackageWriter", "write_file"]
