-- The names of the closed lists' numbers (docs/encoding.md section 2); null for a number that is in none.
CREATE OR REPLACE FUNCTION api.token(list text, number smallint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE list
        WHEN 'status' THEN (ARRAY['matched', 'unique', 'not_evaluated', 'excluded', 'integrity_error'])[number]
        WHEN 'part' THEN (ARRAY['matched', 'evaluated-unique', 'not-evaluated', 'excluded', 'failed'])[number]
        WHEN 'presentation' THEN (ARRAY['published', 'dominated', 'provisional'])[number]
        WHEN 'pending' THEN (ARRAY['pending_evaluation', 'pending_peer_universe', 'pending_verification'])[number]
        WHEN 'failure' THEN (ARRAY['missing_witness_bytes', 'digest_collision'])[number]
        WHEN 'reason' THEN CASE number WHEN 16 THEN 'note_marker_mask' ELSE
            (ARRAY['empty_core_extent', 'heading_marker_intersection', 'note_body_intersection'])[number] END
        WHEN 'treatment' THEN (ARRAY['included', 'excluded_from_extent', 'masked_with_boundary',
                                     'separate_analysis'])[number]
        WHEN 'annotation' THEN (ARRAY['heading', 'note_body', 'note_marker'])[number] END
$$;
REVOKE ALL ON FUNCTION api.token(text, smallint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.token(text, smallint) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator;
