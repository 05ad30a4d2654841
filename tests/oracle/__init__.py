"""The slow oracle: what ADR-009 makes of a small structured document, worked out naively and apart from
`src`.

It imports nothing of tekrar. It is written from the ADR, the requirements and `docs/encoding.md`, and is
quadratic on
purpose: lists and tuples of items, equality of complete preimages, dominance by the full definition over
complete
inventories. It reads three data files of the package (the policy, the vectors, the identity release key),
whose
digests the encoding names.
"""
