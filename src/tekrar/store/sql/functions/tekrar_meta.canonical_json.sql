-- RFC 8785 text of a value of objects with ASCII keys, arrays and strings. Anything else in it (a number, a boolean, null)
-- is left out, so that the text is then not the bytes that were read. A list of strings without an escape is taken as
-- PostgreSQL writes it, but for the blank between two of them: in such a list `", "` stands nowhere else. An object of such
-- strings alone is written where it stands.
CREATE OR REPLACE FUNCTION tekrar_meta.canonical_json(value jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    plain CONSTANT text := '^\[("[^"\\]*"(, "[^"\\]*")*)?\]$';
    flat CONSTANT text := '^\{"[^"\\]*": "[^"\\]*"(, "[^"\\]*": "[^"\\]*")*\}$';
BEGIN
    CASE jsonb_typeof(value)
        WHEN 'string' THEN
            RETURN value::text;
        WHEN 'array' THEN
            IF value::text ~ plain THEN
                RETURN replace(value::text, '", "', '","');
            END IF;
            RETURN '[' || coalesce((SELECT string_agg(CASE WHEN jsonb_typeof(e.one) = 'string' THEN e.one::text
                WHEN jsonb_typeof(e.one) = 'array' AND e.one::text ~ plain THEN replace(e.one::text, '", "', '","')
                WHEN jsonb_typeof(e.one) = 'object' AND e.one::text ~ flat THEN (
                    SELECT '{' || string_agg('"' || f.key || '":"' || f.value || '"', ',' ORDER BY f.key COLLATE "C") || '}'
                    FROM jsonb_each_text(e.one) AS f)
                ELSE tekrar_meta.canonical_json(e.one) END, ',' ORDER BY e.place)
                FROM jsonb_array_elements(value) WITH ORDINALITY AS e(one, place)), '') || ']';
        WHEN 'object' THEN
            RETURN '{' || coalesce((SELECT string_agg(to_json(e.key)::text || ':' || CASE
                WHEN jsonb_typeof(e.value) = 'string' THEN e.value::text
                WHEN jsonb_typeof(e.value) = 'array' AND e.value::text ~ plain THEN replace(e.value::text, '", "', '","')
                WHEN jsonb_typeof(e.value) = 'object' AND e.value::text ~ flat THEN (
                    SELECT '{' || string_agg('"' || f.key || '":"' || f.value || '"', ',' ORDER BY f.key COLLATE "C") || '}'
                    FROM jsonb_each_text(e.value) AS f)
                ELSE tekrar_meta.canonical_json(e.value) END, ',' ORDER BY e.key COLLATE "C")
                FROM jsonb_each(value) AS e), '') || '}';
        ELSE
            RETURN NULL;
    END CASE;
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.canonical_json(jsonb) FROM PUBLIC;
