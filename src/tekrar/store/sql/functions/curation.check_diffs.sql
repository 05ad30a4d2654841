-- Refuses a family without the diff from its reference member, the first in document order, to each other tagged member;
-- and any diff that is not there, is of other occurrences, or of other witnesses than the occurrences have (DIF-08).
CREATE OR REPLACE FUNCTION curation.check_diffs(profile_key integer, body jsonb, place text) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    wrong record;
BEGIN
    WITH t AS MATERIALIZED (SELECT g.first, g.first_row, min(g.first_row) OVER () AS reference FROM curation.tagged(profile_key, body) AS g)
    SELECT r.first AS reference, t.first AS other INTO wrong
        FROM t JOIN t AS r ON r.first_row = r.reference
        WHERE t.first_row <> t.reference
          AND NOT EXISTS (SELECT FROM jsonb_array_elements(body -> 'diffs') AS d
                          WHERE d ->> 'left' = r.first::text AND d ->> 'right' = t.first::text)
        ORDER BY t.first_row LIMIT 1;
    IF FOUND THEN
        PERFORM curation.refuse('missing_diff', format('there is no diff from %s to %s', wrong.reference, wrong.other), place,
            'one from the reference member to each other tagged member', wrong.other::text);
    END IF;
    SELECT d.n - 1 AS n, d.one ->> 'diff' AS diff,
           CASE WHEN p.diff IS NULL THEN 'is not in the store'
                WHEN l.occurrence IS NULL OR r.occurrence IS NULL THEN 'is of other occurrences than the family has'
                ELSE 'is of other occurrences or witnesses than it names' END AS why
        INTO wrong
        FROM jsonb_array_elements(body -> 'diffs') WITH ORDINALITY AS d(one, n)
        LEFT JOIN curation.passage_diff p ON p.diff = (d.one ->> 'diff')::uuid
        LEFT JOIN repetition.occurrence l ON l.profile_key = check_diffs.profile_key AND l.occurrence = (d.one ->> 'left')::uuid
        LEFT JOIN repetition.occurrence r ON r.profile_key = check_diffs.profile_key AND r.occurrence = (d.one ->> 'right')::uuid
        LEFT JOIN repetition.witness lw ON lw.profile_key = check_diffs.profile_key AND lw.witness = l.witness
        LEFT JOIN repetition.witness rw ON rw.profile_key = check_diffs.profile_key AND rw.witness = r.witness
        WHERE (p.left_occurrence, p.right_occurrence, p.left_witness, p.right_witness)
              IS DISTINCT FROM (l.occurrence, r.occurrence, lw.root, rw.root) OR l.occurrence IS NULL OR r.occurrence IS NULL
        ORDER BY d.n LIMIT 1;
    IF FOUND THEN
        PERFORM curation.refuse('stale_diff', format('diff %s %s', wrong.diff, wrong.why), format('%s[%s]', place, wrong.n),
            'a diff of these occurrences with the witnesses that they have', wrong.diff);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_diffs(integer, jsonb, text) FROM PUBLIC;
