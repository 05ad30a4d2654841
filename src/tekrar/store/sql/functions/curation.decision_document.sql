-- Bytes of a decision (docs/encoding.md section 13) from the payload of its entry.
CREATE OR REPLACE FUNCTION curation.decision_document(payload jsonb) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN (
    SELECT convert_to(tekrar_meta.canonical_json(jsonb_build_object('format', 'tekrar/curation-decision/v1',
        'operation', payload -> 'operation', 'proposal', payload -> 'proposal', 'recorded_at', payload -> 'recorded_at',
        'reviews', to_jsonb(string_to_array(payload ->> 'reviews', ',')),
        'structures', to_jsonb(string_to_array(payload ->> 'structures', ',')))), 'UTF8'));
END
$$;
REVOKE ALL ON FUNCTION curation.decision_document(jsonb) FROM PUBLIC;
