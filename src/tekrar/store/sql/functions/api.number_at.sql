-- The u64 of canonical bytes that stands behind so many bytes.
CREATE OR REPLACE FUNCTION api.number_at(bytes bytea, at integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT ('x' || encode(substring(bytes FROM at + 1 FOR 8), 'hex'))::bit(64)::bigint $$;
REVOKE ALL ON FUNCTION api.number_at(bytea, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.number_at(bytea, integer) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
