"""Curation in the store: drafts, proposals, reviews, decisions and what they made (contract C5).

`workflow` writes: drafts, submissions, reviews, applies, crosswalks. `listing` reads: queues, histories,
structures, effective inventories of a release. `ledger` exports and replays. Every rule is the database's own
(`docs/store.md`); these functions say who acts, and turn what the database refuses into typed errors.
"""
