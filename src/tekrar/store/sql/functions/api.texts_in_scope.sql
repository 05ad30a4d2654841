-- Keys of the text releases of the editions that the caller may read as the role `acting`; see api.scopes.
CREATE OR REPLACE FUNCTION api.texts_in_scope(acting name) RETURNS integer[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    scopes CONSTANT text[] := api.scopes(acting);
BEGIN
    RETURN ARRAY(SELECT r.release_key FROM core.release r
                 WHERE '*' = ANY (scopes) OR r.edition = ANY (scopes));
END
$$;
REVOKE ALL ON FUNCTION api.texts_in_scope(name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.texts_in_scope(name) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor,
    tekrar_administrator;
