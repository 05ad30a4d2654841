-- Keys of the artifacts over texts that the caller may read as the role `acting`; see api.scopes.
CREATE OR REPLACE FUNCTION api.artifacts_in_scope(acting name) RETURNS integer[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    scopes CONSTANT text[] := api.scopes(acting);
BEGIN
    RETURN ARRAY(SELECT a.artifact_key FROM repetition.artifact a JOIN core.release r USING (release_key)
                 WHERE '*' = ANY (scopes) OR r.edition = ANY (scopes));
END
$$;
REVOKE ALL ON FUNCTION api.artifacts_in_scope(name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.artifacts_in_scope(name) TO tekrar_publisher, tekrar_auditor;
