-- Refuses a value that is no string of a form: `uuid`, `digest` (64 hexadecimal digits), `number` (decimal), `words` (1 to
-- 65536 bytes of UTF-8), or a regular expression.
CREATE OR REPLACE FUNCTION curation.form_text(value jsonb, place text, form text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF jsonb_typeof(value) IS DISTINCT FROM 'string'
       OR (CASE form WHEN 'words' THEN octet_length(value #>> '{}') NOT BETWEEN 1 AND 65536
            ELSE (value #>> '{}') !~ CASE form
                WHEN 'uuid' THEN '^[0-9a-f]{8}-[0-9a-f]{4}-[57][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
                WHEN 'digest' THEN '^[0-9a-f]{64}$'
                WHEN 'number' THEN '^(0|[1-9][0-9]{0,17})$'
                ELSE form END END) THEN
        PERFORM curation.refuse('malformed', format('%s is no %s', place, CASE WHEN form IN ('uuid', 'digest', 'number',
            'words') THEN form ELSE 'text of its form' END), place, form, value #>> '{}');
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.form_text(jsonb, text, text) FROM PUBLIC;
