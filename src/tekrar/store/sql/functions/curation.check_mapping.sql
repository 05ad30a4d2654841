-- Refuses a member mapping that leaves a member of a predecessor out, names one that is none, or says that a member went
-- where its occurrences are not: all of them stand in the successors named, or none in any (the residue). A member of another
-- profile has no occurrence in the successors; its line is what the reviewers say.
CREATE OR REPLACE FUNCTION curation.check_mapping(profile_key integer, body jsonb, before uuid[], of_families boolean)
    RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    odd text;
BEGIN
    WITH held AS (
        SELECT CASE WHEN m.class IS NULL THEN 'occurrence' ELSE 'class' END || ' ' || coalesce(m.class, m.occurrence) AS key
            FROM curation.family_member m WHERE m.family = ANY (before)
        UNION ALL SELECT 'quotation ' || q FROM unnest(before) AS q WHERE NOT of_families),
    mapped AS (SELECT concat_ws(' ', l #>> '{member,tag}', l #>> '{member,id}') AS key
               FROM jsonb_array_elements(body -> 'mapping') AS l)
    SELECT coalesce(h.key || ' is left out', m.key || ' is no member') INTO odd
        FROM (SELECT DISTINCT key FROM held) AS h FULL JOIN mapped AS m USING (key)
        WHERE h.key IS NULL OR m.key IS NULL ORDER BY 1 LIMIT 1;
    IF odd IS NOT NULL THEN
        PERFORM curation.refuse('incomplete_mapping', odd, 'supersession.mapping',
            'every member of the predecessors, each once, to successors or to the residue', odd);
    ELSIF NOT of_families OR body -> 'successors' = '[]' THEN  -- there is nowhere to go: its form says residue of each
        RETURN;
    END IF;
    WITH now_in AS MATERIALIZED (
        SELECT e.occurrence, (s.n - 1)::integer AS successor
        FROM jsonb_array_elements(body -> 'successors') WITH ORDINALITY AS s(one, n)
        CROSS JOIN LATERAL curation.expanded(profile_key, s.one -> 'family') AS e),
    lines AS (SELECT l, (l #>> '{member,id}')::uuid AS id FROM jsonb_array_elements(body -> 'mapping') AS l),
    gone AS (
        SELECT l.l AS line, n.successor FROM lines l
        JOIN curation.family_member m ON m.family = ANY (before) AND coalesce(m.class, m.occurrence) = l.id
            AND (m.class IS NULL) = (l.l #>> '{member,tag}' = 'occurrence')
        JOIN curation.effective_membership e ON e.family = m.family AND e."position" = m."position"
            AND e.profile = (SELECT p.profile FROM repetition.profile p WHERE p.profile_key = check_mapping.profile_key)
        LEFT JOIN now_in n ON n.occurrence = e.occurrence)
    SELECT g.line #>> '{member,id}' INTO odd FROM gone g GROUP BY g.line
        HAVING CASE WHEN g.line -> 'to' = '"residue"' THEN count(g.successor) > 0
            ELSE count(*) <> count(g.successor)
                 OR array_agg(DISTINCT g.successor ORDER BY g.successor)
                    <> ARRAY(SELECT t::integer FROM jsonb_array_elements_text(g.line -> 'to') AS t ORDER BY 1) END
        ORDER BY 1 LIMIT 1;
    IF odd IS NOT NULL THEN
        PERFORM curation.refuse('mapping_differs', format('member %s is not where the mapping says', odd),
            'supersession.mapping', 'the successors in which all its occurrences stand, or the residue', odd);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_mapping(integer, jsonb, uuid[], boolean) FROM PUBLIC;
