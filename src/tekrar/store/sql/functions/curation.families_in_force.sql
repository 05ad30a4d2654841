-- Families of a profile that no decision ended at an entry of the ledger (null: now), and whether each expands in this
-- artifact to exactly what it was accepted with (AMB-28): every tagged class has its inventory, and all together the root.
CREATE OR REPLACE FUNCTION curation.families_in_force(profile_key integer, before bigint)
    RETURNS TABLE (family uuid, expands boolean)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    WITH mine AS (
        SELECT f.family, f.size, f.expansion FROM curation.family f
        WHERE f.profile = (SELECT p.profile FROM repetition.profile p WHERE p.profile_key = families_in_force.profile_key)
          AND (before IS NULL OR f.decision < before)
          AND NOT EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = f.family
                          AND (before IS NULL OR s.decision < before))
    ), tagged AS (
        SELECT m.family, m.occurrence, m.class, c.class_no,
               m.class IS NOT NULL AND c.members IS DISTINCT FROM m.inventory AS lost
        FROM mine JOIN curation.family_member m USING (family)
        LEFT JOIN repetition.class c ON c.profile_key = families_in_force.profile_key AND c.class = m.class
    ), spread AS (
        SELECT t.family, o.occurrence FROM tagged t JOIN repetition.occurrence o
            ON o.profile_key = families_in_force.profile_key AND o.occurrence = t.occurrence
        UNION
        SELECT t.family, o.occurrence FROM tagged t JOIN repetition.occurrence o
            ON o.profile_key = families_in_force.profile_key AND o.class_no = t.class_no
    ), found AS (
        SELECT s.family, count(*) AS size,
               sha256(int8send(count(*)) || string_agg(uuid_send(s.occurrence), ''::bytea ORDER BY s.occurrence)) AS root
        FROM spread s GROUP BY s.family
    )
    SELECT mine.family, coalesce(found.size = mine.size AND found.root = mine.expansion, false)
        AND NOT EXISTS (SELECT FROM tagged t WHERE t.family = mine.family AND t.lost)
    FROM mine LEFT JOIN found USING (family)
$$;
REVOKE ALL ON FUNCTION curation.families_in_force(integer, bigint) FROM PUBLIC;
