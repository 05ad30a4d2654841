-- Whether what an open proposal expects no longer holds: a structure that is not in force, an occurrence in another family,
-- another freeze epoch.
CREATE OR REPLACE FUNCTION curation.is_stale(proposal curation.proposal) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a CONSTANT jsonb := convert_from(proposal.action, 'UTF8')::jsonb;
    key CONSTANT integer := (curation.action_profile(a)).profile_key;
BEGIN
    RETURN proposal.freeze_epoch <> coalesce((SELECT max(f.epoch) FROM curation.freeze f), 0)
        OR EXISTS (SELECT FROM jsonb_array_elements(a #> '{expected,structures}') AS s
                   WHERE api.structure_state((s ->> 'id')::uuid) IS DISTINCT FROM 'effective')
        OR encode(curation.expected_occurrences(proposal.profile, ARRAY(
            SELECT e.occurrence FROM (SELECT a -> 'family' AS body WHERE a ? 'family' UNION ALL
                SELECT s -> 'family' FROM jsonb_array_elements(a #> '{supersession,successors}') AS s WHERE s ? 'family') AS b
            CROSS JOIN LATERAL curation.expanded(key, b.body) AS e)), 'hex') <> a #>> '{expected,occurrences}';
END
$$;
REVOKE ALL ON FUNCTION curation.is_stale(curation.proposal) FROM PUBLIC;
