-- Why a release has no class or family of this ID to choose from, as api.canonical says it; null where it has one (AMB-25). An
-- occurrence is none: what it is says why (certified unique, excluded, not evaluated, or a member of something).
CREATE OR REPLACE FUNCTION api.why_no_structure(profile_key integer, profile uuid, seq bigint, structure uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    gone jsonb;
    o record;
BEGIN
    IF EXISTS (SELECT FROM repetition.class k WHERE k.profile_key = why_no_structure.profile_key AND k.class = structure) THEN
        RETURN NULL;
    ELSIF EXISTS (SELECT FROM curation.family f WHERE f.family = structure AND f.profile = why_no_structure.profile
                    AND f.decision < seq) THEN
        gone := jsonb_build_object('state', api.structure_state(structure, seq));
        IF gone ->> 'state' = 'effective' THEN
            RETURN CASE WHEN NOT api.expands(profile_key, structure)
                THEN '{"status": "unavailable", "reason": "needs_successor"}'::jsonb END;
        END IF;
        gone := gone || jsonb_build_object('successors', coalesce((SELECT jsonb_agg(n.successor ORDER BY n.successor)
            FROM curation.succession n JOIN curation.supersession s USING (predecessor)
            WHERE n.predecessor = structure AND s.decision < seq), '[]'));
        RETURN gone || jsonb_build_object('status', CASE jsonb_array_length(gone -> 'successors') WHEN 0 THEN 'retired'
            WHEN 1 THEN 'stale_evidence' ELSE 'ambiguous' END);
    END IF;
    SELECT x.part, x.code, x.reasons, x.class INTO o FROM repetition.occurrence x
        WHERE x.profile_key = why_no_structure.profile_key AND x.occurrence = structure;
    IF FOUND THEN
        RETURN jsonb_strip_nulls(jsonb_build_object(
            'status', CASE o.part WHEN 5 THEN 'integrity_error' ELSE 'unavailable' END,
            'reason', (ARRAY['an_occurrence', 'certified_unique', 'not_evaluated', 'excluded'])[o.part],
            'class', o.class,
            'code', CASE o.part
                WHEN 3 THEN (ARRAY['pending_evaluation', 'pending_peer_universe', 'pending_verification'])[o.code]
                WHEN 4 THEN (ARRAY[NULL, 'heading_marker_intersection', 'note_body_intersection'])[o.code]
                WHEN 5 THEN (ARRAY['missing_witness_bytes', 'digest_collision'])[o.code] END));
    ELSIF EXISTS (SELECT FROM curation.family f WHERE f.family = structure)
          OR EXISTS (SELECT FROM curation.canonical_choice c WHERE coalesce(c.exact_class, c.family) = structure)
          OR EXISTS (SELECT FROM repetition.profile p JOIN repetition.class k ON k.profile_key = p.profile_key
                         AND k.class = structure)
          OR EXISTS (SELECT FROM repetition.profile p JOIN repetition.occurrence x ON x.profile_key = p.profile_key
                         AND x.occurrence = structure) THEN
        RETURN '{"status": "unavailable", "reason": "not_in_release"}';
    END IF;
    PERFORM api.not_found('class or family', structure::text);
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION api.why_no_structure(integer, uuid, bigint, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.why_no_structure(integer, uuid, bigint, uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor;
