-- State of a proposal: applied, outdated, rejected, changes_requested, approved or submitted.
CREATE OR REPLACE FUNCTION curation.proposal_state(proposal curation.proposal) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN (
    SELECT CASE
        WHEN EXISTS (SELECT FROM curation.decision d WHERE d.proposal_digest = proposal.proposal_digest) THEN 'applied'
        WHEN EXISTS (SELECT FROM curation.proposal p WHERE p.author = proposal.author AND p.draft = proposal.draft
                       AND p.revision > proposal.revision) THEN 'outdated'
        ELSE (SELECT CASE WHEN bool_or(r.outcome = 'reject') THEN 'rejected'
                     WHEN bool_or(r.outcome = 'request_changes') THEN 'changes_requested'
                     WHEN count(*) FILTER (WHERE r.outcome = 'approve') >= (SELECT v.approvals FROM curation.review_policy v
                                                                           WHERE v.policy = proposal.policy) THEN 'approved'
                     ELSE 'submitted' END
              FROM curation.review r WHERE r.proposal_digest = proposal.proposal_digest) END);
END
$$;
REVOKE ALL ON FUNCTION curation.proposal_state(curation.proposal) FROM PUBLIC;
