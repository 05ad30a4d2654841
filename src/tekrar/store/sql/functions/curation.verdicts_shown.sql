-- Whether an actor who acts as a reviewer may see what others said of a proposal: not before saying something themselves,
-- while they still may. Its author is nobody who may. What they say in this same transaction opens nothing: they could look,
-- and take it back.
CREATE OR REPLACE FUNCTION curation.verdicts_shown(p curation.proposal, actor integer) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM curation.review r WHERE r.proposal_digest = p.proposal_digest AND r.reviewer = actor
               AND r.recorded_at >= now()) THEN
        RETURN false;
    END IF;
    RETURN coalesce(p.author = actor, false) OR curation.proposal_state(p) NOT IN ('submitted', 'approved')
        OR EXISTS (SELECT FROM curation.review r WHERE r.proposal_digest = p.proposal_digest AND r.reviewer = actor);
END
$$;
REVOKE ALL ON FUNCTION curation.verdicts_shown(curation.proposal, integer) FROM PUBLIC;
