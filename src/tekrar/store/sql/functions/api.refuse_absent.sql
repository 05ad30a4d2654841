-- Says which of a release and a thing in it is not there; called where a query found no row.
CREATE OR REPLACE FUNCTION api.refuse_absent(release uuid, what text, id text) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    IF NOT EXISTS (SELECT FROM repetition.repetition_release r WHERE r.release = refuse_absent.release) THEN
        PERFORM api.not_found('repetition release', refuse_absent.release::text);
    END IF;
    PERFORM api.not_found(what, id);
END
$$;
REVOKE ALL ON FUNCTION api.refuse_absent(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.refuse_absent(uuid, text, text) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
