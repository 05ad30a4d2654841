-- The extent mapping of a quotation as source start, end, quoting start, end, …
CREATE OR REPLACE FUNCTION curation.mapping_spans(value jsonb, place text) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    flat bigint[] := '{}';
    one jsonb;
BEGIN
    called := curation.form_array(value, place, 1) IS NULL;
    FOR one IN SELECT * FROM jsonb_array_elements(value) LOOP
        called := curation.form_object(one, place, '{source,quoting}') IS NULL;
        flat := flat || curation.spans(jsonb_build_array(one -> 'source'), place)
                     || curation.spans(jsonb_build_array(one -> 'quoting'), place);
    END LOOP;
    RETURN flat;
END
$$;
REVOKE ALL ON FUNCTION curation.mapping_spans(jsonb, text) FROM PUBLIC;
