-- Spans [["start", "end"], …] as start, end, start, end …: each not empty.
CREATE OR REPLACE FUNCTION curation.spans(value jsonb, place text) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    flat bigint[] := '{}';
    one jsonb;
    plain CONSTANT text := '\["(0|[1-9][0-9]{0,17})", "(0|[1-9][0-9]{0,17})"\]';
BEGIN
    -- What it usually is: one span, read without looking at each part of it.
    IF value::text ~ ('^\[' || plain || '\]$') AND (value #>> '{0,0}')::bigint < (value #>> '{0,1}')::bigint THEN
        RETURN ARRAY[(value #>> '{0,0}')::bigint, (value #>> '{0,1}')::bigint];
    END IF;
    called := curation.form_array(value, place, 1) IS NULL;
    FOR one IN SELECT * FROM jsonb_array_elements(value) LOOP
        called := curation.form_array(one, place, 2) IS NULL;
        called := curation.form_text(one -> 0, place, 'number') IS NULL;
        called := curation.form_text(one -> 1, place, 'number') IS NULL;
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
