-- RFC 8785 bytes of a flat object with ASCII keys and string values; null where it is none.
CREATE OR REPLACE FUNCTION tekrar_meta.canonical(object jsonb) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN (
    SELECT CASE WHEN bool_and(jsonb_typeof(e.value) = 'string' AND e.key ~ '^[ -~]+$') THEN
        convert_to('{' || string_agg(to_json(e.key)::text || ':' || to_json(e.value #>> '{}')::text, ','
                                     ORDER BY e.key COLLATE "C") || '}', 'UTF8') END
    FROM jsonb_each(object) AS e);
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.canonical(jsonb) FROM PUBLIC;
