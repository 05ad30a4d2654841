-- Every check of an entry `apply` that is a function of the ledger and of what is loaded, as a replay asks them: what
-- api.apply asks, and that the entry says what came of it. What can never change (curation.check_lasting) was asked of the
-- proposal's own entry, in the transaction of this same replay and of the same rows.
CREATE OR REPLACE FUNCTION curation.admit_apply(payload jsonb, p curation.proposal, a jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    structures CONSTANT uuid[] := string_to_array(payload ->> 'structures', ',')::uuid[];
    approvals uuid[];
BEGIN
    approvals := curation.admit_now(curation.actor_named(payload ->> 'actor'), p, a, curation.expanded_ids(a), NULL,
                                    (payload ->> 'recorded_at')::timestamptz);
    IF payload ->> 'reviews' IS DISTINCT FROM array_to_string(approvals, ',') THEN
        PERFORM curation.refuse(CASE WHEN EXISTS (SELECT FROM curation.review r
                WHERE r.review = ANY (string_to_array(payload ->> 'reviews', ',')::uuid[])
                  AND (r.proposal_digest <> p.proposal_digest OR r.outcome <> 'approve')) THEN 'digest_mismatch' ELSE 'not_approved' END,
            'the reviews named are not the valid approvals of these bytes', 'reviews', array_to_string(approvals, ','),
            payload ->> 'reviews');
    ELSIF payload ->> 'operation' IS DISTINCT FROM p.operation OR cardinality(structures) <> curation.issued(a)
          OR EXISTS (SELECT FROM unnest(structures) AS s WHERE NOT curation.is_uuid7(s)) THEN
        PERFORM curation.refuse('tag_mismatch', 'the structures are not those that the action issues', 'structures',
            curation.issued(a)::text || ' UUIDv7', payload ->> 'structures');
    ELSIF encode(sha256(curation.decision_document(payload)), 'hex') IS DISTINCT FROM payload ->> 'decision' THEN
        PERFORM curation.refuse('digest_mismatch', 'the digest of the decision is not that of its bytes', 'decision');
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.admit_apply(jsonb, curation.proposal, jsonb) FROM PUBLIC;
