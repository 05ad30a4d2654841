-- IDs of the profiles over texts that the caller may read as the role `acting`; see api.scopes.
CREATE OR REPLACE FUNCTION api.profiles_in_scope(acting name) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    scopes CONSTANT text[] := api.scopes(acting);
BEGIN
    RETURN ARRAY(SELECT DISTINCT p.profile FROM repetition.profile p JOIN repetition.artifact a USING (artifact_key)
                 JOIN core.release r USING (release_key)
                 WHERE '*' = ANY (scopes) OR r.edition = ANY (scopes));
END
$$;
REVOKE ALL ON FUNCTION api.profiles_in_scope(name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.profiles_in_scope(name) TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor,
    tekrar_administrator;
