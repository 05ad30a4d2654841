DROP FUNCTION IF EXISTS api.coverage(uuid);
-- Exact coverage of a release as its build stated it and its load counted it; semantic coverage apart, never derived from it
-- (api.semantic_coverage).
CREATE OR REPLACE FUNCTION api.coverage(release uuid)
    RETURNS TABLE (short text, profile uuid, enumerator text, exact_status text, semantic_status text, stated bytea,
                   counted jsonb, semantic jsonb, withdrawn boolean, incident jsonb)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT p.short, p.profile, p.enumerator, p.exact_status, m.facts ->> 'status', p.coverage,
           convert_from(s.counts, 'UTF8')::jsonb -> p.short, m.facts,
           EXISTS (SELECT FROM repetition.incident i WHERE i.release = r.release), api.incident(r.release)
    FROM repetition.repetition_release r
    JOIN repetition.profile p ON p.profile_key = r.profile_key
    JOIN repetition.seal s ON s.artifact_key = r.artifact_key
    CROSS JOIN LATERAL api.semantic_coverage(r.release, current_user) AS m(facts)
    WHERE r.release = coverage.release;
    IF NOT FOUND THEN
        PERFORM api.not_found('repetition release', coverage.release::text);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION api.coverage(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.coverage(uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
