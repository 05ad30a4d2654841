-- The extent mapping of a quotation as source start, end, quoting start, end, …
CREATE OR REPLACE FUNCTION curation.mapping_spans(value jsonb, place text) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    keys CONSTANT text[] := '{source,quoting}';
    called boolean;
    odd jsonb;
    source bigint[];
    quoting bigint[];
BEGIN
    called := curation.form_array(value, place, 1) IS NULL;
    SELECT e.one INTO odd FROM jsonb_array_elements(value) WITH ORDINALITY AS e(one, n)
        WHERE CASE WHEN jsonb_typeof(e.one) <> 'object' THEN true ELSE NOT e.one ?& keys OR e.one - keys <> '{}' END
        ORDER BY e.n LIMIT 1;
    IF odd IS NOT NULL THEN
        called := curation.form_object(odd, place, keys) IS NULL;
    END IF;
    SELECT curation.spans(jsonb_agg(e.one -> 'source' ORDER BY e.n), place),
           curation.spans(jsonb_agg(e.one -> 'quoting' ORDER BY e.n), place) INTO source, quoting
        FROM jsonb_array_elements(value) WITH ORDINALITY AS e(one, n);
    RETURN (SELECT array_agg(s.at ORDER BY (s.n - 1) / 2, s.side, s.n)
            FROM (SELECT at, n, 1 AS side FROM unnest(source) WITH ORDINALITY AS u(at, n)
                  UNION ALL SELECT at, n, 2 FROM unnest(quoting) WITH ORDINALITY AS u(at, n)) AS s);
END
$$;
REVOKE ALL ON FUNCTION curation.mapping_spans(jsonb, text) FROM PUBLIC;
