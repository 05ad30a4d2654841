-- The root of a release's witness number 0, by far the commonest: as api.release_of a value for ever and so IMMUTABLE, a
-- constant of the plan of a question.
CREATE OR REPLACE FUNCTION api.plain_witness(release uuid) RETURNS bytea
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT api.witness_root((api.release_of(plain_witness.release)).profile_key, 0)
$$;
REVOKE ALL ON FUNCTION api.plain_witness(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.plain_witness(uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
