-- Spans [["start", "end"], …] as start, end, start, end …: each not empty.
CREATE OR REPLACE FUNCTION curation.spans(value jsonb, place text) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    flat bigint[] := '{}';
    one jsonb;
BEGIN
    PERFORM curation.form_array(value, place, 1);
    FOR one IN SELECT * FROM jsonb_array_elements(value) LOOP
        PERFORM curation.form_array(one, place, 2);
        PERFORM curation.form_text(one -> 0, place, 'number');
        PERFORM curation.form_text(one -> 1, place, 'number');
        IF jsonb_array_length(one) > 2 OR (one ->> 0)::bigint >= (one ->> 1)::bigint THEN
            PERFORM curation.refuse('malformed', format('%s holds no span', place), place, '["start", "end"], start < end',
                                    one::text);
        END IF;
        flat := flat || (one ->> 0)::bigint || (one ->> 1)::bigint;
    END LOOP;
    RETURN flat;
END
$$;
REVOKE ALL ON FUNCTION curation.spans(jsonb, text) FROM PUBLIC;
