DROP FUNCTION IF EXISTS api.list_families(uuid, uuid, uuid, integer);
-- Families in force in a published release, in the order of their IDs behind `after` (null starts); of `id` alone where one
-- is given: a family, or those that an occurrence or exact class is in. `state` is effective, or needs_successor where the
-- release's profile no longer has exactly its members (AMB-28). `first` is the occurrence of it that stands first in the
-- document; null where the release has none.
CREATE OR REPLACE FUNCTION api.list_families(release uuid, id uuid, after uuid, page integer)
    RETURNS TABLE (family uuid, kind text, size integer, tagged bigint, classes bigint, decision bigint, state text, first uuid)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    r CONSTANT record := api.bound_release(list_families.release);
BEGIN
    RETURN QUERY
    SELECT f.family, f.kind, f.size, m.tagged, m.classes, f.decision,
           CASE WHEN api.expands(r.profile_key, f.family) THEN 'effective' ELSE 'needs_successor' END,
           (SELECT o.occurrence FROM repetition.occurrence o WHERE o.profile_key = r.profile_key AND o.row_no = m.first_row)
    FROM (SELECT g.* FROM curation.family g
          WHERE g.profile = r.profile AND g.decision < r.seq
            AND (list_families.after IS NULL OR g.family > list_families.after)
            AND (list_families.id IS NULL OR g.family = list_families.id OR g.family IN (
                SELECT e.family FROM curation.effective_membership e WHERE e.occurrence = list_families.id
                UNION ALL SELECT k.family FROM curation.family_member k WHERE k.class = list_families.id))
            AND NOT EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = g.family AND s.decision < r.seq)
          ORDER BY g.family LIMIT api.page_size(list_families.page)) AS f
    CROSS JOIN LATERAL (
        SELECT count(*) AS tagged, count(k.class) AS classes,
               min(CASE WHEN k.class IS NOT NULL THEN (SELECT c.first_row FROM repetition.class c
                           WHERE c.profile_key = r.profile_key AND c.class = k.class)
                        ELSE (SELECT o.row_no FROM repetition.occurrence o
                           WHERE o.profile_key = r.profile_key AND o.occurrence = k.occurrence) END) AS first_row
        FROM curation.family_member k WHERE k.family = f.family) AS m
    ORDER BY f.family;
END
$$;
REVOKE ALL ON FUNCTION api.list_families(uuid, uuid, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_families(uuid, uuid, uuid, integer) TO tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor;
