-- Every check of an apply that is a function of the ledger and of what is loaded: the bytes, their approvals, the grants of
-- author, reviewers and applier at the moment, the freeze epoch, and the whole action again.
CREATE OR REPLACE FUNCTION curation.admit_apply(payload jsonb, p curation.proposal, a jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    moment CONSTANT timestamptz := (payload ->> 'recorded_at')::timestamptz;
    state CONSTANT text := curation.proposal_state(p);
    reviews CONSTANT uuid[] := string_to_array(payload ->> 'reviews', ',')::uuid[];
    structures CONSTANT uuid[] := string_to_array(payload ->> 'structures', ',')::uuid[];
    one record;
    approvals integer := 0;
BEGIN
    IF state = 'outdated' THEN
        PERFORM curation.refuse('outdated', 'a newer revision of the draft was submitted', 'proposal', 'the newest revision',
                                payload ->> 'proposal');
    ELSIF state <> 'approved' THEN
        PERFORM curation.refuse('not_approved', format('the proposal is %s', state), 'proposal', 'approved', state);
    END IF;
    called := curation.require_epoch(p.freeze_epoch) IS NULL;
    called := curation.require_grant_at(curation.actor_named(payload ->> 'actor'), '{curator,reviewer}', p.edition, moment) IS NULL;
    called := curation.require_grant_at(p.author, '{curator}', p.edition, moment) IS NULL;
    FOR one IN SELECT r.reviewer, r.review, r.proposal_digest, r.outcome FROM curation.review r WHERE r.review = ANY (reviews) LOOP
        IF one.proposal_digest <> p.proposal_digest OR one.outcome <> 'approve' THEN
            PERFORM curation.refuse('digest_mismatch', format('review %s is no approval of these bytes', one.review), 'review',
                encode(p.proposal_digest, 'hex'), encode(one.proposal_digest, 'hex'));
        END IF;
        called := curation.require_grant_at(one.reviewer, '{reviewer}', p.edition, moment) IS NULL;
        approvals := approvals + 1;
    END LOOP;
    IF approvals <> cardinality(reviews) OR reviews <> ARRAY(SELECT DISTINCT r FROM unnest(reviews) AS r ORDER BY r)
       OR approvals < (SELECT v.approvals FROM curation.review_policy v WHERE v.policy = p.policy) THEN
        PERFORM curation.refuse('not_approved', 'the approvals named are not enough', 'reviews', NULL, payload ->> 'reviews');
    ELSIF a #>> '{quotation,kind}' = 'source_uncertain' OR jsonb_path_exists(a, '$.supersession.successors[*].quotation.kind ? (@ == "source_uncertain")') THEN
        PERFORM curation.refuse('source_uncertain', 'a quotation whose source is uncertain is not made effective', 'quotation.kind',
            'verbatim_quotation, adapted_quotation or formulaic_reuse', 'source_uncertain');
    ELSIF payload ->> 'operation' IS DISTINCT FROM p.operation OR cardinality(structures) <> curation.issued(a)
          OR EXISTS (SELECT FROM unnest(structures) AS s WHERE NOT curation.is_uuid7(s)) THEN
        PERFORM curation.refuse('tag_mismatch', 'the structures are not those that the action issues', 'structures',
            curation.issued(a)::text || ' UUIDv7', payload ->> 'structures');
    ELSIF encode(sha256(curation.decision_document(payload)), 'hex') IS DISTINCT FROM payload ->> 'decision' THEN
        PERFORM curation.refuse('digest_mismatch', 'the digest of the decision is not that of its bytes', 'decision');
    END IF;
    called := curation.check_action(a, true) IS NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.admit_apply(jsonb, curation.proposal, jsonb) FROM PUBLIC;
