-- Candidates of these sets that no longer wait, at an entry of the ledger (null: now), with the event that says so: those whose
-- last event is false_positive or superseded_candidate, and those that a false positive suppresses: the same participants
-- under the same generator and profile, and nothing else (AMB-46).
CREATE OR REPLACE FUNCTION curation.closed_candidates(sets integer[], profile uuid, before bigint)
    RETURNS TABLE (candidate uuid, disposition text, event bytea)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    WITH events AS (
        -- A false positive that a decision overrides closes nothing; the event stays the last one.
        SELECT d.ledger_seq, d.candidate, d.participants, d.generator, d.event,
               CASE WHEN v.event IS NULL THEN d.disposition ELSE 'pending_review' END AS disposition
        FROM curation.disposition d
        LEFT JOIN curation.false_positive_override v ON v.event = d.event AND v.candidate = d.candidate
            AND (before IS NULL OR v.decision < before)
        WHERE d.profile = closed_candidates.profile AND (before IS NULL OR d.ledger_seq < before)
    ), of_key AS (
        SELECT DISTINCT ON (d.participants, d.generator) d.participants, d.generator, d.disposition, d.event
        FROM events d ORDER BY d.participants, d.generator, d.ledger_seq DESC
    ), of_one AS (
        SELECT DISTINCT ON (d.candidate) d.candidate, d.disposition, d.event
        FROM events d ORDER BY d.candidate, d.ledger_seq DESC
    ), closing AS (
        SELECT c.candidate, o.disposition, o.event, 1 AS place
        FROM of_one o JOIN curation.candidate c ON c.candidate = o.candidate AND c.set_key = ANY (sets)
        WHERE o.disposition IN ('false_positive', 'superseded_candidate')
        UNION ALL
        SELECT c.candidate, k.disposition, k.event, 2
        FROM of_key k JOIN curation.candidate c
            ON c.participants = k.participants AND c.generator = k.generator AND c.set_key = ANY (sets)
        WHERE k.disposition = 'false_positive'
    )
    SELECT DISTINCT ON (c.candidate) c.candidate, c.disposition, c.event FROM closing c
    ORDER BY c.candidate, c.disposition <> 'false_positive', c.place
$$;
REVOKE ALL ON FUNCTION curation.closed_candidates(integer[], uuid, bigint) FROM PUBLIC;
