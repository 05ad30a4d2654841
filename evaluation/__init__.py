"""Recall, precision and queue lengths of candidates on every gold set: `make eval` (see README.md here)."""
