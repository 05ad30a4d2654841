-- Keys of the text releases of published releases, for the policies of the program reading for the public. Marked IMMUTABLE so
-- that it is a constant of a plan: what was published once is published for ever, so a plan that was kept never says too
-- much, and where it says too little, of a release that came later, the policy asks again (api.texts_to_read). A
-- transaction that writes gets no key: its own publication may yet be undone.
CREATE OR REPLACE FUNCTION api.published_texts() RETURNS integer[]
    LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
        RETURN '{}';
    END IF;
    RETURN ARRAY(SELECT DISTINCT r.release_key FROM repetition.repetition_release r ORDER BY r.release_key);
END
$$;
REVOKE ALL ON FUNCTION api.published_texts() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.published_texts() TO tekrar_reader, tekrar_curator, tekrar_reviewer;
