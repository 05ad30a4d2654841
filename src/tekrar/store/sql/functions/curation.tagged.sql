-- The tagged members of a family's body with what the profile says of each: its first occurrence in document order with
-- that one's witness root, its own witness and size, and what is wrong with it, null for nothing.
CREATE OR REPLACE FUNCTION curation.tagged(profile_key integer, body jsonb)
    RETURNS TABLE ("position" integer, tag text, id uuid, class_no integer, first_row integer, first uuid, root bytea,
                   witness bytea, size integer, inventory text, wrong text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT m.n - 1, m.tag, m.id, k.class_no, o.row_no, o.occurrence, w.root, coalesce(k.witness, w.root),
           coalesce(k.size, 1), m.inventory,
           CASE WHEN m.tag = 'occurrence' AND o.occurrence IS NULL AND EXISTS (SELECT FROM repetition.class c
                        WHERE c.profile_key = tagged.profile_key AND c.class = m.id)
                    OR m.tag = 'class' AND k.class IS NULL AND EXISTS (SELECT FROM repetition.occurrence c
                        WHERE c.profile_key = tagged.profile_key AND c.occurrence = m.id) THEN 'tag_mismatch'
                WHEN o.occurrence IS NULL THEN 'not_found'
                WHEN m.tag = 'occurrence' AND o.part NOT IN (1, 2, 3) THEN 'excluded_occurrence'
                WHEN encode(coalesce(k.witness, w.root), 'hex') IS DISTINCT FROM m.witness THEN 'witness_mismatch'
                WHEN k.winner IS NOT NULL AND NOT body ? 'allow_dominated' THEN 'dominated_class'
                WHEN m.tag = 'class' AND k.size <> m.count THEN 'incomplete_inventory' END
    FROM (SELECT e.n::integer AS n, e.one ->> 'tag' AS tag, (e.one ->> 'id')::uuid AS id, e.one ->> 'witness' AS witness,
                 (e.one ->> 'count')::integer AS count, e.one ->> 'inventory' AS inventory
          FROM jsonb_array_elements(body -> 'members') WITH ORDINALITY AS e(one, n)) AS m
    LEFT JOIN LATERAL (SELECT c.* FROM repetition.class c WHERE m.tag = 'class' AND c.profile_key = tagged.profile_key
                           AND c.class = m.id LIMIT 1) AS k ON true
    LEFT JOIN LATERAL (
        SELECT c.occurrence, c.row_no, c.part, c.witness FROM repetition.occurrence c
            WHERE m.tag = 'occurrence' AND c.profile_key = tagged.profile_key AND c.occurrence = m.id
        UNION ALL
        SELECT c.occurrence, c.row_no, c.part, c.witness FROM repetition.occurrence c
            WHERE m.tag = 'class' AND c.profile_key = tagged.profile_key AND c.row_no = k.first_row
        LIMIT 1) AS o ON true
    LEFT JOIN LATERAL (SELECT x.root FROM repetition.witness x WHERE x.profile_key = tagged.profile_key
                           AND x.witness = o.witness LIMIT 1) AS w ON true;
END
$$;
REVOKE ALL ON FUNCTION curation.tagged(integer, jsonb) FROM PUBLIC;
