-- Refuses a value that is not an object of exactly these keys.
CREATE OR REPLACE FUNCTION curation.form_object(value jsonb, place text, required text[], optional text[] DEFAULT '{}')
    RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    odd text;
BEGIN
    IF jsonb_typeof(value) IS DISTINCT FROM 'object' THEN
        PERFORM curation.refuse('malformed', format('%s is no object', place), place, array_to_string(required, ', '));
    ELSIF value ?& required AND value - (required || optional) = '{}' THEN
        RETURN;
    END IF;
    SELECT string_agg(k, ', ' ORDER BY k) INTO odd FROM (
        SELECT 'without ' || r AS k FROM unnest(required) AS r WHERE NOT value ? r
        UNION ALL SELECT 'with ' || u FROM jsonb_object_keys(value) AS u WHERE u <> ALL (required || optional)) AS o;
    IF odd IS NOT NULL THEN
        PERFORM curation.refuse('malformed', format('%s stands %s', place, odd), place,
            array_to_string(required, ', ') || coalesce(', and perhaps ' || nullif(array_to_string(optional, ', '), ''), ''), odd);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.form_object(jsonb, text, text[], text[]) FROM PUBLIC;
