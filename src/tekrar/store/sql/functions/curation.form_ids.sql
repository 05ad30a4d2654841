-- Refuses a value that is no list of UUIDs, ascending, each once.
CREATE OR REPLACE FUNCTION curation.form_ids(value jsonb, place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    wrong jsonb;
BEGIN
    IF value = '[]' THEN
        RETURN;
    END IF;
    called := curation.form_array(value, place) IS NULL;
    PERFORM curation.form_text(e, place, 'uuid') FROM jsonb_array_elements(value) AS e;
    IF (SELECT bool_or(e.id <= e.before) FROM (
            SELECT x #>> '{}' COLLATE "C" AS id, lag(x #>> '{}' COLLATE "C") OVER (ORDER BY n) AS before
            FROM jsonb_array_elements(value) WITH ORDINALITY AS l(x, n)) AS e) THEN
        PERFORM curation.refuse('malformed', format('%s is not ascending, each ID once', place), place, 'ascending IDs');
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.form_ids(jsonb, text) FROM PUBLIC;
