-- Keys of the sets of candidates that the caller may read as the role `acting`, by api.scopes: a reader those of the profiles
-- of published releases, the others those of the editions of their grants.
CREATE OR REPLACE FUNCTION api.sets_to_read(acting name) RETURNS integer[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    scopes CONSTANT text[] := api.scopes(acting);
    keys integer[];
BEGIN
    IF acting = 'tekrar_reader' THEN
        keys := api.profiles_to_read(acting);
        RETURN ARRAY(SELECT s.set_key FROM curation.candidate_set s JOIN curation.candidate_entry e USING (set_key)
                     WHERE s.profile_key = ANY (keys));
    END IF;
    RETURN ARRAY(SELECT s.set_key FROM curation.candidate_set s JOIN curation.candidate_seal e USING (set_key)
                 JOIN repetition.artifact a USING (artifact_key) JOIN core.release r USING (release_key)
                 WHERE ARRAY['*', r.edition] && scopes COLLATE "C");
END
$$;
REVOKE ALL ON FUNCTION api.sets_to_read(name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.sets_to_read(name) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
