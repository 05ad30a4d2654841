"""Importers, one file a format, and the text-release package on disk (contracts C1, C9)."""
