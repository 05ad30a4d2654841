-- An action from its bytes, which must be canonical JSON of objects, arrays and strings alone. What they are instead is
-- said by its kind: a number, a key that stands twice, other bytes.
CREATE OR REPLACE FUNCTION curation.read_action(action bytea) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    read jsonb;
    plain json;
    written text;
BEGIN
    IF action IS NULL OR octet_length(action) > 16777216 THEN
        PERFORM curation.refuse('malformed', 'an action has 1 to 16777216 bytes', 'action');
    END IF;
    BEGIN
        plain := convert_from(action, 'UTF8')::json;
        read := plain::jsonb;
        written := tekrar_meta.canonical_json(read);
    EXCEPTION WHEN data_exception OR statement_too_complex OR character_not_in_repertoire OR untranslatable_character THEN
        PERFORM curation.refuse('malformed', 'the bytes are no JSON in UTF-8 without U+0000', 'action');
    END;
    IF convert_to(coalesce(written, ''), 'UTF8') = action AND jsonb_typeof(read) = 'object' THEN
        RETURN read;
    ELSIF jsonb_path_exists(read, 'strict $.** ? (@.type() == "number")') THEN
        PERFORM curation.refuse('float', 'a number stands in the action; numbers are decimal strings', 'action');
    ELSIF EXISTS (WITH RECURSIVE walk(one) AS (
            SELECT plain UNION ALL
            SELECT e.value FROM walk w CROSS JOIN LATERAL (
                SELECT value FROM json_each(CASE json_typeof(w.one) WHEN 'object' THEN w.one END)
                UNION ALL SELECT value FROM json_array_elements(CASE json_typeof(w.one) WHEN 'array' THEN w.one END)) AS e)
        SELECT FROM walk w WHERE json_typeof(w.one) = 'object'
           AND (SELECT count(*) > count(DISTINCT k) FROM json_object_keys(w.one) AS k)) THEN
        PERFORM curation.refuse('duplicate_key', 'a key stands twice in one object of the action', 'action');
    END IF;
    PERFORM curation.refuse('not_canonical', 'the bytes are not the canonical JSON of what they say', 'action',
        'RFC 8785 bytes of objects, arrays and strings');
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.read_action(bytea) FROM PUBLIC;
