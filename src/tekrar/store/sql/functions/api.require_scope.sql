-- Refuses a caller that holds no valid grant of the role `acting`: for `scope`, or, where that is null, at all. Called where
-- nothing was found, so that a lost grant is not taken for an absence. With a grant of any scope there is no word: what is
-- out of scope is not there (threat T14). A definer's function, which asks as the owner, names the role itself.
CREATE OR REPLACE FUNCTION api.require_scope(acting name, scope text DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    scopes CONSTANT text[] := CASE WHEN acting <> 'tekrar_owner' THEN api.scopes(acting) END;
BEGIN
    IF cardinality(scopes) = 0 OR (scope IS NOT NULL AND NOT ARRAY['*', scope] && scopes) THEN
        PERFORM curation.require_grant(curation.current_actor(), substr(acting::text, 8), scope);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION api.require_scope(name, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.require_scope(name, text) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor,
    tekrar_administrator;
