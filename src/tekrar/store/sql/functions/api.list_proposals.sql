-- Proposals in the caller's scope in the order of their submission, behind ledger entry `after` (-1 starts). `states` keeps
-- those in one of these states; `queue` those that the caller may still review. Whoever may still review one is told that it
-- is open, and no more: neither its state nor a choice by state tells anybody's verdict. `stale` says that what a proposal
-- expects no longer holds: it is computed, never stored. `needed` is how many approvals its policy of review asks for, and
-- `approvals` how many there are, null for whoever sees no verdict.
DROP FUNCTION IF EXISTS api.list_proposals(text[], text, boolean, bigint, integer);
CREATE OR REPLACE FUNCTION api.list_proposals(states text[], edition text, queue boolean, after bigint, page integer)
    RETURNS TABLE (seq bigint, proposal text, operation text, in_edition text, profile uuid, author text, draft text,
                   revision integer, recorded_at timestamptz, state text, stale boolean, approvals bigint, needed smallint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    scopes CONSTANT text[] := api.scopes(curation.acting());
    actor CONSTANT integer := (curation.caller()).actor_key;
BEGIN
    PERFORM api.require_scope(curation.acting());
    RETURN QUERY
    SELECT p.ledger_seq, encode(p.proposal_digest, 'hex'), p.operation, p.edition, p.profile, curation.name_of(p.author),
           p.draft, p.revision, p.recorded_at, CASE WHEN s.hidden THEN 'open' ELSE s.state END,
           s.state IN ('submitted', 'approved') AND curation.is_stale(p),
           CASE WHEN NOT s.hidden THEN (SELECT count(*) FROM curation.review r
               WHERE r.proposal_digest = p.proposal_digest AND r.outcome = 'approve') END,
           (SELECT v.approvals FROM curation.review_policy v WHERE v.policy = p.policy)
    FROM curation.proposal p
    CROSS JOIN LATERAL (
        SELECT o.state, o.state IN ('submitted', 'approved') AND (queue OR curation.acting() = 'tekrar_reviewer'
                   AND p.author IS DISTINCT FROM actor AND NOT EXISTS (SELECT FROM curation.review r
                       WHERE r.proposal_digest = p.proposal_digest AND r.reviewer = actor)) AS hidden
        FROM (SELECT curation.proposal_state(p) AS state) AS o) AS s
    WHERE p.ledger_seq > after AND ARRAY['*', p.edition] && scopes COLLATE "C"
      AND (list_proposals.edition IS NULL OR p.edition = list_proposals.edition)
      AND (states IS NULL OR CASE WHEN s.hidden THEN states && '{submitted,approved}'::text[] ELSE s.state = ANY (states) END)
      AND (NOT queue OR (s.state IN ('submitted', 'approved') AND p.author IS DISTINCT FROM actor
                         AND NOT EXISTS (SELECT FROM curation.review r WHERE r.proposal_digest = p.proposal_digest
                                           AND r.reviewer = actor)))
    ORDER BY p.ledger_seq LIMIT api.page_size(page);
END
$$;
REVOKE ALL ON FUNCTION api.list_proposals(text[], text, boolean, bigint, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_proposals(text[], text, boolean, bigint, integer)
    TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
