-- Refuses the apply of a proposal for what can change until it happens, under the lock: its state, the freeze epoch, the
-- grants of applier, author and reviewers at the moment, the structures in force, and curation.check_now. `ids` are what
-- curation.check_lasting gave; `named` is an approval that must count, or null. Gives the approvals that count, ascending: those
-- whose reviewer may review at the moment. One whose reviewer no longer may stands in nobody's way while the others are enough.
CREATE OR REPLACE FUNCTION curation.admit_now(actor integer, p curation.proposal, a jsonb, ids uuid[], named uuid,
    moment timestamptz) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    state CONSTANT text := curation.proposal_state(p);
    one record;
    approvals uuid[];
BEGIN
    IF state = 'outdated' THEN
        PERFORM curation.refuse('outdated', 'a newer revision of the draft was submitted', 'proposal', 'the newest revision',
                                encode(p.proposal_digest, 'hex'));
    ELSIF state <> 'approved' THEN
        PERFORM curation.refuse('not_approved', format('the proposal is %s', state), 'proposal', 'approved', state);
    END IF;
    called := curation.require_epoch(p.freeze_epoch) IS NULL;
    called := curation.require_grant_at(p.author, '{curator}', p.edition, moment) IS NULL;
    IF actor <> p.author THEN
        called := curation.require_grant_at(actor, '{curator,reviewer}', p.edition, moment) IS NULL;
    END IF;
    approvals := ARRAY(SELECT r.review FROM curation.review r WHERE r.proposal_digest = p.proposal_digest
        AND r.outcome = 'approve' AND curation.holds_grant_at(r.reviewer, '{reviewer}', p.edition, moment) ORDER BY r.review);
    IF named <> ALL (approvals)
       OR cardinality(approvals) < (SELECT v.approvals FROM curation.review_policy v WHERE v.policy = p.policy) THEN
        -- Says whose grant is missing, of the one named or of the first that does not count.
        FOR one IN SELECT r.reviewer FROM curation.review r WHERE r.proposal_digest = p.proposal_digest
                   AND r.outcome = 'approve' AND r.review <> ALL (approvals) AND r.review = coalesce(named, r.review)
                   ORDER BY r.ledger_seq LOOP
            called := curation.require_grant_at(one.reviewer, '{reviewer}', p.edition, moment) IS NULL;
        END LOOP;
        PERFORM curation.refuse('not_approved', 'the approvals are not enough', 'reviews', NULL, array_to_string(approvals, ','));
    ELSIF a #>> '{quotation,kind}' = 'source_uncertain' OR jsonb_path_exists(a, '$.supersession.successors[*].quotation.kind ? (@ == "source_uncertain")') THEN
        PERFORM curation.refuse('source_uncertain', 'a quotation whose source is uncertain is not made effective', 'quotation.kind',
            'verbatim_quotation, adapted_quotation or formulaic_reuse', 'source_uncertain');
    END IF;
    called := curation.check_structures(a, true) IS NULL;
    called := curation.check_now(a, ids) IS NULL;
    RETURN approvals;
END
$$;
REVOKE ALL ON FUNCTION curation.admit_now(integer, curation.proposal, jsonb, uuid[], uuid, timestamptz) FROM PUBLIC;
