"""Candidates as a package on disk: made from an artifact and its release, verified, marked, listed, searched.

Serves ADR-009 *Candidate and diff evidence*. A candidate is evidence for a person to judge. Nothing in this
room reads or writes the store, and nothing it makes is a family, a quotation or a choice (CND-07, CND-11,
VAL-07).
"""
