-- What the caller may read as the role `acting` at this moment: the editions of its valid grants of that role, or '*'. The
-- program reading for the public, tekrar_login as tekrar_reader for no actor, reads all that is published. Policies ask it
-- once a query with their current_user, so that a read after a revocation finds nothing (PUB-06).
CREATE OR REPLACE FUNCTION api.scopes(acting name) RETURNS text[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    who CONSTANT record := curation.caller();
BEGIN
    IF session_user = 'tekrar_login' AND acting = 'tekrar_reader' AND who.claimed IS NULL THEN
        RETURN ARRAY['*'];
    END IF;
    RETURN ARRAY(
        SELECT DISTINCT g.scope FROM curation.grant_entry g
        WHERE g.actor_key = who.actor_key AND 'tekrar_' || g.role = acting::text
          AND clock_timestamp() >= g.valid_from AND (g.valid_to IS NULL OR clock_timestamp() < g.valid_to)
          AND NOT EXISTS (SELECT FROM curation.revocation v WHERE v.grant_key = g.grant_key));
END
$$;
REVOKE ALL ON FUNCTION api.scopes(name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.scopes(name) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor,
    tekrar_administrator;
