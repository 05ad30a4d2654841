"""Hundreds of small packages are written here; that they outlast a power cut is the package tests' matter."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def no_fsync() -> Iterator[None]:
    """Writing without waiting for the disk."""
    with pytest.MonkeyPatch.context() as to:
        to.setattr(os, "fsync", lambda handle: None)
        yield
