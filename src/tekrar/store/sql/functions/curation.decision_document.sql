-- Bytes of a decision (docs/encoding.md section 13) from the payload of its entry: its keys are few and stand in their order.
-- A list is its text cut at the commas; in a JSON string a comma is nothing but itself.
CREATE OR REPLACE FUNCTION curation.decision_document(payload jsonb) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN convert_to('{"format":"tekrar/curation-decision/v1","operation":' || (payload -> 'operation')::text || ',"proposal":'
        || (payload -> 'proposal')::text || ',"recorded_at":' || (payload -> 'recorded_at')::text || ',"reviews":['
        || CASE payload ->> 'reviews' WHEN '' THEN '' ELSE replace((payload -> 'reviews')::text, ',', '","') END || '],"structures":['
        || CASE payload ->> 'structures' WHEN '' THEN '' ELSE replace((payload -> 'structures')::text, ',', '","') END || ']}', 'UTF8');
END
$$;
REVOKE ALL ON FUNCTION curation.decision_document(jsonb) FROM PUBLIC;
