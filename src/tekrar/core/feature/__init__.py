"""Candidate features: folded text and n-grams, each named, versioned and labelled by authority class.

Serves ADR-009 *Candidate generation* (CND-03, CND-09, PRO-22): a feature proposes, it never proves. No module
that makes or checks an exact preimage imports this package (`pyproject.toml`, contract `features`), and every
folded character knows the source bytes it stands for, so what a feature finds is shown in the source's own
bytes. docs/features.md lists the normalizers and the authority classes.
"""
