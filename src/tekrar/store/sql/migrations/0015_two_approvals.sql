-- A proposal can ask for two reviewers besides its author (contract C5). default.v1 stays what it is.
INSERT INTO curation.review_policy (policy, approvals) VALUES ('two-approvals.v1', 2);
