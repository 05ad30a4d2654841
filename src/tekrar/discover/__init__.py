"""Discovery: what is nearly the same in a release, as an ordered list of entries (ADR-009 *Candidates*).

Everything here is evidence for a person to judge. Nothing here decides membership, a quotation or a choice.
"""
