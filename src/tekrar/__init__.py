"""Tekrar finds, proves and publishes exact repeated passages in immutable text corpora.

The package annotates repetition (ADR-009); it never edits, merges or reorders a core text.
"""

__version__ = "0.1.0"
