-- The occurrences that an action's families expand to, ascending: what curation.check_lasting gives of an action that it lets
-- through, without asking any of it again.
CREATE OR REPLACE FUNCTION curation.expanded_ids(a jsonb) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key integer;
BEGIN
    IF NOT a ? 'family' AND coalesce(a #> '{supersession,successors}', '[]') = '[]' THEN
        RETURN '{}';
    END IF;
    key := (curation.action_profile(a)).profile_key;
    IF a ? 'family' THEN
        RETURN ARRAY(SELECT e.occurrence FROM curation.expanded(key, a -> 'family') AS e ORDER BY e.occurrence);
    END IF;
    RETURN ARRAY(SELECT e.occurrence FROM jsonb_array_elements(a #> '{supersession,successors}') AS s
                 CROSS JOIN LATERAL curation.expanded(key, s -> 'family') AS e WHERE s ? 'family' ORDER BY e.occurrence);
END
$$;
REVOKE ALL ON FUNCTION curation.expanded_ids(jsonb) FROM PUBLIC;
