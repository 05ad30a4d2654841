-- Every occurrence that a family's body expands to: those given directly, and all of each class. `same` is equal for
-- occurrences that are exact duplicates of each other.
CREATE OR REPLACE FUNCTION curation.expanded(profile_key integer, body jsonb)
    RETURNS TABLE ("position" integer, tag text, occurrence uuid, witness integer, same text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT m.n - 1, m.tag, o.occurrence, o.witness, coalesce(o.class::text, encode(o.group_key, 'hex'), o.occurrence::text)
    FROM (SELECT e.n::integer AS n, e.one ->> 'tag' AS tag, (e.one ->> 'id')::uuid AS id
          FROM jsonb_array_elements(body -> 'members') WITH ORDINALITY AS e(one, n)) AS m
    CROSS JOIN LATERAL (
        SELECT c.occurrence, c.witness, c.class, c.group_key FROM repetition.occurrence c
            WHERE m.tag = 'occurrence' AND c.profile_key = expanded.profile_key AND c.occurrence = m.id
        UNION ALL
        SELECT c.occurrence, c.witness, c.class, c.group_key FROM repetition.class k
            JOIN repetition.occurrence c ON c.profile_key = expanded.profile_key AND c.class_no = k.class_no
            WHERE m.tag = 'class' AND k.profile_key = expanded.profile_key AND k.class = m.id) AS o;
END
$$;
REVOKE ALL ON FUNCTION curation.expanded(integer, jsonb) FROM PUBLIC;
