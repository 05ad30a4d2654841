-- Every occurrence that a family expands to, in document order behind row `after_row` (-1 starts), with the tagged member
-- that it comes from and the exact class by which it is an exact duplicate of others (FAM-13). Superseded ones answer too.
CREATE OR REPLACE FUNCTION api.family_members(release uuid, family uuid, after_row integer, page integer)
    RETURNS TABLE (row_no integer, occurrence uuid, "position" integer, tag text, exact_class uuid, duplicates bigint)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    r CONSTANT record := api.bound_release(family_members.release);
BEGIN
    IF NOT EXISTS (SELECT FROM curation.family f WHERE f.family = family_members.family AND f.profile = r.profile
                     AND f.decision < r.seq) THEN
        PERFORM api.not_found('family', family_members.family::text);
    END IF;
    RETURN QUERY
    SELECT x.row_no, x.occurrence, x."position", x.tag, x.class, x.duplicates
    FROM (SELECT o.row_no, o.occurrence, e."position", CASE WHEN m.class IS NULL THEN 'occurrence' ELSE 'class' END AS tag,
                 o.class, count(*) OVER (PARTITION BY coalesce(o.class, o.occurrence)) - 1 AS duplicates
          FROM curation.effective_membership e
          JOIN curation.family_member m ON m.family = e.family AND m."position" = e."position"
          JOIN repetition.occurrence o ON o.profile_key = r.profile_key AND o.occurrence = e.occurrence
          WHERE e.family = family_members.family) AS x
    WHERE x.row_no > after_row ORDER BY x.row_no LIMIT api.page_size(page);
END
$$;
REVOKE ALL ON FUNCTION api.family_members(uuid, uuid, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.family_members(uuid, uuid, integer, integer) TO tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor;
