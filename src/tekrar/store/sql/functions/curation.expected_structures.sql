-- The structures that an action rests on: predecessors, a choice that is compensated or superseded, the family of a choice.
CREATE OR REPLACE FUNCTION curation.expected_structures(a jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    IF NOT a ?| '{supersession,compensation,choice}' THEN
        RETURN '[]';
    END IF;
    RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'state', 'effective') ORDER BY s.id COLLATE "C"), '[]')
    FROM (SELECT jsonb_array_elements_text(a #> '{supersession,predecessors}')
          UNION ALL SELECT a #>> '{compensation,choice}' UNION ALL SELECT a #>> '{choice,supersedes}'
          UNION ALL SELECT a #>> '{choice,structure,id}' WHERE a #>> '{choice,structure,tag}' = 'family') AS s(id)
    WHERE s.id IS NOT NULL);
END
$$;
REVOKE ALL ON FUNCTION curation.expected_structures(jsonb) FROM PUBLIC;
