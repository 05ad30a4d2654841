-- Refuses where a query found no row of a thing in a release; a release that is not there is named itself. Returns
-- text, so that it can stand in the place of a value.
CREATE OR REPLACE FUNCTION api.refuse_absent(release uuid, what text, id text) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    IF NOT EXISTS (SELECT FROM repetition.repetition_release r WHERE r.release = refuse_absent.release) THEN
        PERFORM api.not_found('repetition release', coalesce(refuse_absent.release::text, 'null'));
    END IF;
    PERFORM api.not_found(what, coalesce(id, 'null'));
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION api.refuse_absent(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.refuse_absent(uuid, text, text) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
