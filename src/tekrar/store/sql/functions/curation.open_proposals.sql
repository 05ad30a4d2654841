-- Proposals about a profile that wait for a review or for being applied, at an entry of the ledger (null: now). What a
-- newer revision outdated, and what was rejected or sent back, waits no more.
CREATE OR REPLACE FUNCTION curation.open_proposals(profile uuid, before bigint)
    RETURNS TABLE (proposal_digest bytea, state text)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT p.proposal_digest, CASE WHEN r.approvals >= v.approvals THEN 'approved' ELSE 'submitted' END
    FROM curation.proposal p JOIN curation.review_policy v ON v.policy = p.policy
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE w.outcome = 'approve') AS approvals, count(*) FILTER (WHERE w.outcome <> 'approve') AS ended
        FROM curation.review w WHERE w.proposal_digest = p.proposal_digest AND (before IS NULL OR w.ledger_seq < before)) AS r
    WHERE p.profile = open_proposals.profile AND (before IS NULL OR p.ledger_seq < before) AND r.ended = 0
      AND NOT EXISTS (SELECT FROM curation.decision d WHERE d.proposal_digest = p.proposal_digest
                      AND (before IS NULL OR d.decision < before))
      AND NOT EXISTS (SELECT FROM curation.proposal n WHERE n.author = p.author AND n.draft = p.draft
                      AND n.revision > p.revision AND (before IS NULL OR n.ledger_seq < before))
$$;
REVOKE ALL ON FUNCTION curation.open_proposals(uuid, bigint) FROM PUBLIC;
