-- Rows of loads that were never sealed, which no other policy shows an auditor: a load that is not sealed does not commit,
-- so there are none.
CREATE OR REPLACE FUNCTION api.unsealed_rows() RETURNS TABLE (relation text, key integer, rows bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT u.relation, u.key, count(*)
    FROM (
        SELECT 'core.release' AS relation, r.release_key AS key FROM core.release r
            WHERE NOT EXISTS (SELECT FROM core.release_seal s WHERE s.release_key = r.release_key)
        UNION ALL
        SELECT 'repetition.artifact', a.artifact_key FROM repetition.artifact a
            WHERE NOT EXISTS (SELECT FROM repetition.seal s WHERE s.artifact_key = a.artifact_key)
        UNION ALL
        SELECT 'curation.candidate_set', c.set_key FROM curation.candidate_set c
            WHERE NOT EXISTS (SELECT FROM curation.candidate_seal s WHERE s.set_key = c.set_key)
        UNION ALL
        SELECT 'repetition.root', t.artifact_key FROM repetition.root t
            WHERE NOT EXISTS (SELECT FROM repetition.seal s WHERE s.artifact_key = t.artifact_key)
        UNION ALL
        SELECT 'repetition.profile', p.profile_key FROM repetition.profile p
            WHERE NOT EXISTS (SELECT FROM repetition.seal s WHERE s.artifact_key = p.artifact_key)
        UNION ALL
        SELECT 'repetition.validation', v.profile_key FROM repetition.validation v
            WHERE NOT EXISTS (SELECT FROM repetition.profile p JOIN repetition.seal s USING (artifact_key)
                              WHERE p.profile_key = v.profile_key)) AS u
    GROUP BY u.relation, u.key
    ORDER BY u.relation, u.key
$$;
REVOKE ALL ON FUNCTION api.unsealed_rows() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.unsealed_rows() TO tekrar_auditor;
