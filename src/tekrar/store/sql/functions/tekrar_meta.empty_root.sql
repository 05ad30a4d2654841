-- Root of a manifest of no records (docs/encoding.md section 3): of a kind alone, or of a kind under a profile.
CREATE OR REPLACE FUNCTION tekrar_meta.empty_root(kind text, profile uuid DEFAULT NULL, predicate text DEFAULT NULL)
    RETURNS bytea
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT sha256(int4send(23) || convert_to('tekrar/manifest-root/v1', 'UTF8')
        || int4send(octet_length(kind)) || convert_to(kind, 'UTF8')
        || CASE WHEN profile IS NULL THEN '\x00'::bytea
           ELSE '\x01'::bytea || uuid_send(profile) || int4send(octet_length(predicate)) || convert_to(predicate, 'UTF8') END
        || int8send(0) || sha256(''::bytea))
$$;
REVOKE ALL ON FUNCTION tekrar_meta.empty_root(text, uuid, text) FROM PUBLIC;
