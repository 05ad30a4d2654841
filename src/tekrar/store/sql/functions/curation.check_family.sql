-- Refuses a family's body that is not so in the rows of its profile: members, witness roots, complete inventories, the
-- expansion with its root, no occurrence twice, not one exact class alone, every required diff. Gives the expanded
-- occurrences, ascending. Asked at the proposal and again at the apply.
CREATE OR REPLACE FUNCTION curation.check_family(profile_key integer, body jsonb, place text) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    wrong record;
    whole record;
BEGIN
    SELECT array_agg(t.first ORDER BY t.first_row) AS firsts,
           (array_agg(to_jsonb(t) ORDER BY t."position") FILTER (WHERE t.wrong IS NOT NULL))[1] AS odd
        INTO wrong FROM curation.tagged(profile_key, body) AS t;
    IF wrong.odd IS NOT NULL THEN
        PERFORM curation.refuse(wrong.odd ->> 'wrong', format('%s %s: %s', wrong.odd ->> 'tag', wrong.odd ->> 'id',
            replace(wrong.odd ->> 'wrong', '_', ' ')), format('%s.members[%s]', place, wrong.odd ->> 'position'), NULL,
            wrong.odd ->> 'id');
    END IF;
    WITH x AS MATERIALIZED (SELECT e.* FROM curation.expanded(profile_key, body) AS e)
    SELECT array_agg(x.occurrence ORDER BY x.occurrence) AS ids, count(*) AS members, count(DISTINCT x.occurrence) AS apart,
           count(DISTINCT x.same) AS kinds,
           (SELECT c.id FROM (SELECT m.n - 1 AS n, m.one ->> 'id' AS id, m.one ->> 'inventory' AS inventory
                              FROM jsonb_array_elements(body -> 'members') WITH ORDINALITY AS m(one, n)
                              WHERE m.one ->> 'tag' = 'class') AS c
            WHERE c.inventory <> (SELECT encode(curation.members_digest(array_agg(y.occurrence)), 'hex') FROM x AS y
                                  WHERE y."position" = c.n) ORDER BY c.n LIMIT 1) AS torn
        INTO whole FROM x;
    IF whole.torn IS NOT NULL THEN
        PERFORM curation.refuse('incomplete_inventory', format('the inventory of class %s is not all of it', whole.torn),
            place || '.members', 'the digest of every occurrence of the class', whole.torn);
    ELSIF whole.apart <> whole.members THEN
        PERFORM curation.refuse('double_membership', 'an occurrence stands in the family twice, directly or through classes',
            place || '.members', whole.members || ' different occurrences', whole.apart::text);
    ELSIF whole.members::text <> body #>> '{expansion,count}'
          OR encode(curation.members_digest(whole.ids), 'hex') <> body #>> '{expansion,root}' THEN
        PERFORM curation.refuse('incomplete_inventory', 'the expansion is not what the members expand to', place || '.expansion',
            format('%s occurrences, %s', whole.members, encode(curation.members_digest(whole.ids), 'hex')),
            format('%s occurrences, %s', body #>> '{expansion,count}', body #>> '{expansion,root}'));
    ELSIF whole.kinds < 2 THEN
        PERFORM curation.refuse('one_exact_class', 'all members are exact duplicates of each other: no family (AMB-49)',
            place || '.members', 'occurrences that are not all of one exact class');
    END IF;
    called := curation.check_diffs(profile_key, body, wrong.firsts, place || '.diffs') IS NULL;
    RETURN whole.ids;
END
$$;
REVOKE ALL ON FUNCTION curation.check_family(integer, jsonb, text) FROM PUBLIC;
