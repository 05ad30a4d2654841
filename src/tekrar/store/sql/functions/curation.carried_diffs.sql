-- The diffs that an action names as its ledger entry carries them (docs/encoding.md section 13): canonical JSON of
-- [{"left", "right", "script"}…], ascending by diff. One that is not in the store is left out: the action is then refused.
CREATE OR REPLACE FUNCTION curation.carried_diffs(a jsonb) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    most CONSTANT bigint := 67108864;
    size CONSTANT bigint := (SELECT sum(2 * octet_length(p.script)::bigint + 120) FROM curation.named_diffs(a) AS n
                             CROSS JOIN LATERAL (SELECT q.script FROM curation.passage_diff q WHERE q.diff = n.diff::uuid LIMIT 1) AS p);
BEGIN
    IF size > most THEN
        PERFORM curation.refuse('too_large', format('the diffs that the action names are %s bytes', size), 'diffs',
            format('at most %s bytes: fewer members in one decision', most), size::text);
    END IF;
    RETURN (
    SELECT '[' || coalesce(string_agg(format('{"left":"%s","right":"%s","script":"%s"}', n.lhs, n.rhs, encode(p.script, 'hex')),
                                      ',' ORDER BY n.place), '') || ']'
    FROM curation.named_diffs(a) AS n
    CROSS JOIN LATERAL (SELECT q.script FROM curation.passage_diff q WHERE q.diff = n.diff::uuid LIMIT 1) AS p);
END
$$;
REVOKE ALL ON FUNCTION curation.carried_diffs(jsonb) FROM PUBLIC;
