-- The first decision about a profile or another of its series that no release binds yet and whose approvals are no longer
-- enough, because a reviewer's grant was revoked (AMB-30, CUR-06): its number, operation, edition, the structure that it is
-- about and the reviewer; nothing where all stand. A decision counts while something that it issued is in force; those that
-- issue nothing (retire, compensate, override) always do. An approval counts while its reviewer holds an unrevoked grant now,
-- or held one at the apply that only ended since: expiry is no revocation. A release of the decision's profile or of this one
-- binds what was decided before it, unless it was withdrawn for what was decided.
-- It begins at who lost a grant and has no other now: an approval of anybody else counts, as it did at the apply. Of publications that were, a replay
-- does not ask this: it is a fact of the moment that an entry was written, and grants were revoked since.
CREATE OR REPLACE FUNCTION curation.unapproved(profile_key integer, OUT decision bigint, OUT operation text, OUT edition text,
    OUT structure uuid, OUT reviewer text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    own record;
    lost integer[];
    one record;
    now_at CONSTANT timestamptz := clock_timestamp();
BEGIN
    SELECT p.profile, p.projection, p.enumerator, a.policy_digest, t.edition INTO STRICT own
        FROM repetition.profile p JOIN repetition.artifact a USING (artifact_key) JOIN core.release t USING (release_key)
        WHERE p.profile_key = unapproved.profile_key;
    lost := ARRAY(SELECT DISTINCT g.actor_key FROM curation.grant_entry g JOIN curation.revocation v USING (grant_key)
                  WHERE g.role = 'reviewer' AND g.scope IN ('*', own.edition)
                    AND NOT curation.holds_grant_at(g.actor_key, '{reviewer}', own.edition, now_at));
    IF lost = '{}' THEN
        RETURN;
    END IF;
    WITH series AS MATERIALIZED (
        SELECT q.profile, (SELECT coalesce(max(r.ledger_seq), -1) FROM repetition.repetition_release r
                           LEFT JOIN repetition.incident i USING (release)
                           WHERE r.profile IN (q.profile, own.profile) AND i.cause IS DISTINCT FROM 'curation') AS bound
        FROM (SELECT DISTINCT p.profile FROM repetition.profile p JOIN repetition.artifact a USING (artifact_key)
              JOIN core.release t USING (release_key) WHERE (p.projection, p.enumerator, a.policy_digest, t.edition)
                  = (own.projection, own.enumerator, own.policy_digest, own.edition)) AS q
    ), held AS MATERIALIZED (
        SELECT g.actor_key, g.valid_from, g.valid_to FROM curation.grant_entry g
        WHERE g.role = 'reviewer' AND g.scope IN ('*', own.edition)
          AND NOT EXISTS (SELECT FROM curation.revocation v WHERE v.grant_key = g.grant_key)
    ), suspect AS MATERIALIZED (
        SELECT b.decision FROM curation.decision_review b JOIN curation.review r USING (review) WHERE r.reviewer = ANY (lost)
    ), approval AS (
        SELECT d.decision, d.operation, p.policy, r.reviewer, r.ledger_seq, EXISTS (SELECT FROM held h
            WHERE h.actor_key = r.reviewer AND (now_at >= h.valid_from AND (h.valid_to IS NULL OR now_at < h.valid_to)
                OR d.recorded_at >= h.valid_from AND (h.valid_to IS NULL OR d.recorded_at < h.valid_to))) AS counts
        FROM curation.decision d JOIN curation.proposal p USING (proposal_digest) JOIN series s ON s.profile = p.profile
        JOIN curation.decision_review b ON b.decision = d.decision JOIN curation.review r ON r.review = b.review
        WHERE d.decision > (SELECT min(s.bound) FROM series s) AND d.decision > s.bound AND p.edition = own.edition
          AND d.decision IN (SELECT s.decision FROM suspect s)
    ), lacking AS (
        SELECT a.decision, a.operation, (array_agg(a.reviewer ORDER BY a.ledger_seq) FILTER (WHERE NOT a.counts))[1] AS reviewer
        FROM approval a JOIN curation.review_policy v USING (policy)
        GROUP BY a.decision, a.operation, v.approvals
        HAVING count(*) FILTER (WHERE a.counts) < v.approvals
    )
    SELECT l.* INTO one FROM lacking l
    WHERE l.operation IN ('retire', 'compensate_choice', 'override_false_positive')
       OR EXISTS (SELECT FROM curation.family f WHERE f.decision = l.decision
                  AND NOT EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = f.family))
       OR EXISTS (SELECT FROM curation.quotation q WHERE q.decision = l.decision
                  AND NOT EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = q.quotation))
       OR EXISTS (SELECT FROM curation.canonical_choice c JOIN curation.effective_choice e USING (choice)
                  WHERE c.decision = l.decision AND e.until IS NULL)
    ORDER BY l.decision LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    decision := one.decision;
    operation := one.operation;
    edition := own.edition;
    reviewer := curation.name_of(one.reviewer);
    -- What is in force of it first, in the order of the IDs.
    SELECT x.id INTO structure FROM (
        SELECT f.family AS id, s.predecessor AS ended FROM curation.family f
            LEFT JOIN curation.supersession s ON s.predecessor = f.family WHERE f.decision = one.decision
        UNION ALL SELECT q.quotation, s.predecessor FROM curation.quotation q
            LEFT JOIN curation.supersession s ON s.predecessor = q.quotation WHERE q.decision = one.decision
        UNION ALL SELECT c.choice, NULL FROM curation.canonical_choice c WHERE c.decision = one.decision
        UNION ALL SELECT c.choice, NULL FROM curation.compensation c WHERE c.decision = one.decision
        UNION ALL SELECT o.candidate, NULL FROM curation.false_positive_override o WHERE o.decision = one.decision
        UNION ALL SELECT s.predecessor, NULL FROM curation.supersession s
            WHERE s.decision = one.decision AND s.operation = 'retire') AS x
        ORDER BY x.ended IS NOT NULL, x.id LIMIT 1;
END
$$;
REVOKE ALL ON FUNCTION curation.unapproved(integer) FROM PUBLIC;
