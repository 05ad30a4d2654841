"""Evidence in the database: candidates, what curators say of them, passage diffs.

Serves ADR-009 *Candidate and diff evidence*.

A result is opaque here: its places are read, so that they can be compared with the text, and no metric is
(CND-11). The IDs and roots are made again from the rows, by docs/encoding.md section 12 alone.
"""
