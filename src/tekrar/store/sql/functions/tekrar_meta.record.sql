-- One length-delimited record of a manifest.
CREATE OR REPLACE FUNCTION tekrar_meta.record(key bytea, value bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT int4send(octet_length(key)) || key || int4send(octet_length(value)) || value $$;
REVOKE ALL ON FUNCTION tekrar_meta.record(bytea, bytea) FROM PUBLIC;
