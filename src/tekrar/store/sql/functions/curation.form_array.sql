-- Refuses a value that is no array of at least `at_least` items.
CREATE OR REPLACE FUNCTION curation.form_array(value jsonb, place text, at_least integer DEFAULT 0) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF jsonb_typeof(value) IS DISTINCT FROM 'array' OR jsonb_array_length(value) < at_least THEN
        PERFORM curation.refuse('malformed', format('%s is no list of %s or more', place, at_least), place,
            format('a list of %s or more', at_least));
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.form_array(jsonb, text, integer) FROM PUBLIC;
