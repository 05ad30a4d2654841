-- Refuses where rows that belong to a row are missing: never taken for an answer (COV-11).
CREATE OR REPLACE FUNCTION api.refuse_torn(what text, id text) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'TK011', MESSAGE = format('rows of %s %s are missing', what, id),
        DETAIL = jsonb_build_object('kind', 'missing_rows', 'what', what, 'id', id)::text,
        HINT = 'the database is damaged: verify the release, and restore it from a backup';
END
$$;
REVOKE ALL ON FUNCTION api.refuse_torn(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.refuse_torn(text, text) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
