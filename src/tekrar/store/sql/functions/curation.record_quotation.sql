-- The row of one accepted quotation.
CREATE OR REPLACE FUNCTION curation.record_quotation(seq bigint, structure uuid, a jsonb, body jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
BEGIN
    INSERT INTO curation.quotation (quotation, profile, text_release, kind, source_occurrence, source_witness,
            source_selection, source_ranges, quoting_occurrence, quoting_witness, quoting_selection, quoting_ranges,
            extent_mapping, diff, attribution, decision)
        VALUES (structure, (a ->> 'profile')::uuid, (a ->> 'text_release')::uuid, body ->> 'kind',
            (body #>> '{source,occurrence}')::uuid, decode(body #>> '{source,witness}', 'hex'),
            (body #>> '{source,selection}')::uuid, curation.spans(body #> '{source,ranges}', 'ranges'),
            (body #>> '{quoting,occurrence}')::uuid, decode(body #>> '{quoting,witness}', 'hex'),
            (body #>> '{quoting,selection}')::uuid, curation.spans(body #> '{quoting,ranges}', 'ranges'),
            curation.mapping_spans(body -> 'mapping', 'mapping'), (body ->> 'diff')::uuid, body ->> 'attribution', seq);
    called := tekrar_meta.step('apply/quotation') IS NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.record_quotation(bigint, uuid, jsonb, jsonb) FROM PUBLIC;
