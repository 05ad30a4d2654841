-- Length-prefixed bytes, as docs/encoding.md writes them.
CREATE OR REPLACE FUNCTION tekrar_meta.lp(bytes bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT int4send(octet_length(bytes)) || bytes $$;
REVOKE ALL ON FUNCTION tekrar_meta.lp(bytea) FROM PUBLIC;
