-- Families that no decision ended and that are not effective in this artifact, with the profile that each was accepted
-- under (AMB-28): those of its own profile that do not expand in it, and those of the other profiles that its series
-- published before.
CREATE OR REPLACE FUNCTION curation.needs_successor(profile_key integer, before bigint)
    RETURNS TABLE (family uuid, profile uuid)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    WITH own AS (
        SELECT p.profile, s.series_key FROM repetition.profile p JOIN repetition.artifact a USING (artifact_key)
        JOIN core.release t USING (release_key)
        LEFT JOIN repetition.series s ON (s.edition, s.policy_digest, s.projection, s.enumerator)
            = (t.edition, a.policy_digest, p.projection, p.enumerator)
        WHERE p.profile_key = needs_successor.profile_key
    )
    SELECT f.family, own.profile FROM own, curation.families_in_force(needs_successor.profile_key, before) AS f
        WHERE NOT f.expands
    UNION ALL
    SELECT f.family, f.profile FROM own JOIN curation.family f ON f.profile <> own.profile
        WHERE f.profile IN (SELECT r.profile FROM repetition.repetition_release r WHERE r.series_key = own.series_key
                            AND (before IS NULL OR r.ledger_seq < before))
          AND (before IS NULL OR f.decision < before)
          AND NOT EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = f.family
                          AND (before IS NULL OR s.decision < before))
$$;
REVOKE ALL ON FUNCTION curation.needs_successor(integer, bigint) FROM PUBLIC;
