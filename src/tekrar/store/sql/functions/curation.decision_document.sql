-- Bytes of a decision (docs/encoding.md section 13) from the payload of its entry: its keys are few and stand in their order.
CREATE OR REPLACE FUNCTION curation.decision_document(payload jsonb) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN convert_to('{"format":"tekrar/curation-decision/v1","operation":' || (payload -> 'operation')::text || ',"proposal":'
        || (payload -> 'proposal')::text || ',"recorded_at":' || (payload -> 'recorded_at')::text || ',"reviews":'
        || tekrar_meta.canonical_json(to_jsonb(string_to_array(payload ->> 'reviews', ','))) || ',"structures":'
        || tekrar_meta.canonical_json(to_jsonb(string_to_array(payload ->> 'structures', ','))) || '}', 'UTF8');
END
$$;
REVOKE ALL ON FUNCTION curation.decision_document(jsonb) FROM PUBLIC;
