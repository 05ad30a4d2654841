-- Candidates of a published release that no longer wait in it, for whoever may read the release as the role `acting`.
CREATE OR REPLACE FUNCTION api.closed_candidates(release uuid, acting name)
    RETURNS TABLE (candidate uuid, disposition text, event bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT c.candidate, c.disposition, c.event
    FROM repetition.repetition_release r,
        curation.closed_candidates(curation.sets_of(r.profile_key, r.ledger_seq), r.profile, r.ledger_seq) AS c
    WHERE r.release = closed_candidates.release AND r.release = ANY (api.releases_to_read(acting))
$$;
REVOKE ALL ON FUNCTION api.closed_candidates(uuid, name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.closed_candidates(uuid, name) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
