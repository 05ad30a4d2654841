-- Refuses a family without the diff from its reference member, the first in document order, to each other tagged member;
-- and any diff that is not there, is of other occurrences, or of other witnesses than the occurrences have (DIF-08). `firsts` are
-- the first occurrences of the tagged members, in document order.
CREATE OR REPLACE FUNCTION curation.check_diffs(profile_key integer, body jsonb, firsts uuid[], place text) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    wrong record;
BEGIN
    SELECT needed.lhs AS reference, needed.rhs AS other INTO wrong
        FROM (SELECT firsts[1]::text AS lhs, f::text AS rhs FROM unnest(firsts[2:]) AS f WHERE f <> firsts[1]
              EXCEPT SELECT d ->> 'left', d ->> 'right' FROM jsonb_array_elements(body -> 'diffs') AS d) AS needed
        ORDER BY 2 LIMIT 1;
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
        LEFT JOIN LATERAL (SELECT q.* FROM curation.passage_diff q WHERE q.diff = (d.one ->> 'diff')::uuid LIMIT 1) AS p ON true
        LEFT JOIN LATERAL (SELECT c.occurrence, c.witness FROM repetition.occurrence c WHERE c.profile_key = check_diffs.profile_key
                               AND c.occurrence = (d.one ->> 'left')::uuid LIMIT 1) AS l ON true
        LEFT JOIN LATERAL (SELECT c.occurrence, c.witness FROM repetition.occurrence c WHERE c.profile_key = check_diffs.profile_key
                               AND c.occurrence = (d.one ->> 'right')::uuid LIMIT 1) AS r ON true
        WHERE (p.left_occurrence, p.right_occurrence, p.left_witness, p.right_witness) IS DISTINCT FROM (l.occurrence, r.occurrence,
                (SELECT w.root FROM repetition.witness w WHERE w.profile_key = check_diffs.profile_key AND w.witness = l.witness),
                (SELECT w.root FROM repetition.witness w WHERE w.profile_key = check_diffs.profile_key AND w.witness = r.witness))
           OR l.occurrence IS NULL OR r.occurrence IS NULL
        ORDER BY d.n LIMIT 1;
    IF FOUND THEN
        PERFORM curation.refuse('stale_diff', format('diff %s %s', wrong.diff, wrong.why), format('%s[%s]', place, wrong.n),
            'a diff of these occurrences with the witnesses that they have', wrong.diff);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_diffs(integer, jsonb, uuid[], text) FROM PUBLIC;
