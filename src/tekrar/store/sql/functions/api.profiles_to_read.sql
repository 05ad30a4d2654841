-- Keys of the profiles of published releases that the caller may read as the role `acting`, by api.scopes.
CREATE OR REPLACE FUNCTION api.profiles_to_read(acting name) RETURNS integer[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    texts CONSTANT integer[] := api.texts_in_scope(acting);
BEGIN
    RETURN ARRAY(SELECT DISTINCT r.profile_key FROM repetition.repetition_release r WHERE r.release_key = ANY (texts));
END
$$;
REVOKE ALL ON FUNCTION api.profiles_to_read(name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.profiles_to_read(name) TO tekrar_reader, tekrar_curator, tekrar_reviewer;
