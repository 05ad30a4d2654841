-- Spans [["start", "end"], …] as start, end, start, end …: each not empty. In time that grows with their number.
CREATE OR REPLACE FUNCTION curation.spans(value jsonb, place text) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    number CONSTANT text := '^(0|[1-9][0-9]{0,17})$';
    called boolean;
    odd text;
    plain CONSTANT text := '\["(0|[1-9][0-9]{0,17})", "(0|[1-9][0-9]{0,17})"\]';
BEGIN
    -- What it usually is: one span, read without looking at each part of it.
    IF value::text ~ ('^\[' || plain || '\]$') AND (value #>> '{0,0}')::bigint < (value #>> '{0,1}')::bigint THEN
        RETURN ARRAY[(value #>> '{0,0}')::bigint, (value #>> '{0,1}')::bigint];
    END IF;
    called := curation.form_array(value, place, 1) IS NULL;
    SELECT e.one::text INTO odd FROM jsonb_array_elements(value) WITH ORDINALITY AS e(one, n)
        WHERE CASE WHEN jsonb_typeof(e.one) <> 'array' THEN true
            WHEN jsonb_array_length(e.one) <> 2 OR jsonb_typeof(e.one -> 0) <> 'string' OR jsonb_typeof(e.one -> 1) <> 'string'
                 OR e.one ->> 0 !~ number OR e.one ->> 1 !~ number THEN true
            ELSE (e.one ->> 0)::bigint >= (e.one ->> 1)::bigint END
        ORDER BY e.n LIMIT 1;
    IF odd IS NOT NULL THEN
        PERFORM curation.refuse('malformed', format('%s holds no span', place), place, '["start", "end"], start < end', odd);
    END IF;
    RETURN (SELECT array_agg((e.one ->> k)::bigint ORDER BY e.n, k)
            FROM jsonb_array_elements(value) WITH ORDINALITY AS e(one, n) CROSS JOIN generate_series(0, 1) AS k);
END
$$;
REVOKE ALL ON FUNCTION curation.spans(jsonb, text) FROM PUBLIC;
