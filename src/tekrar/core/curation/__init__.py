"""Curation as pure records and rules: what people decide on exact bytes (ADR-009 *Reviewed repeat families*
to *Review and correction*; `docs/encoding.md` section 13, `docs/curation.md`).

`action` holds the bytes of a proposal and reads them back; `family`, `quotation`, `choice` and `supersession`
what an action may do; `decision` the bytes of what was applied. Nothing here reads a clock, a file or a
score, and nothing makes a UUIDv7.
"""
