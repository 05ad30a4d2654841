-- Every check of a review that is a function of the ledger. A proposal out of the reviewer's scope is refused by the grant.
CREATE OR REPLACE FUNCTION curation.admit_review(payload jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    p CONSTANT curation.proposal := curation.require_digest(payload ->> 'proposal');
    who CONSTANT integer := curation.actor_named(payload ->> 'reviewer');
    state CONSTANT text := curation.proposal_state(p);
BEGIN
    called := curation.require_grant_at(who, '{reviewer}', p.edition, (payload ->> 'recorded_at')::timestamptz) IS NULL;
    IF who = p.author THEN
        PERFORM curation.refuse('self_review', format('%s wrote the proposal', payload ->> 'reviewer'), 'reviewer',
            'someone other than the author', payload ->> 'reviewer');
    END IF;
    IF payload ->> 'outcome' IS NULL OR payload ->> 'outcome' NOT IN ('approve', 'reject', 'request_changes') THEN
        PERFORM tekrar_meta.bad_argument('outcome', 'approve, reject or request_changes', payload ->> 'outcome');
    ELSIF octet_length(payload ->> 'note') > 65536 THEN
        PERFORM tekrar_meta.bad_argument('note', 'at most 65536 bytes', left(payload ->> 'note', 80));
    ELSIF state = 'outdated' THEN
        PERFORM curation.refuse('outdated', 'a newer revision of the draft was submitted', 'proposal', 'the newest revision',
            payload ->> 'proposal');
    ELSIF state NOT IN ('submitted', 'approved') THEN
        PERFORM curation.refuse('not_reviewable', format('the proposal is %s', state), 'proposal', 'submitted or approved', state);
    ELSIF EXISTS (SELECT FROM curation.review r WHERE r.proposal_digest = p.proposal_digest AND r.reviewer = who
                    AND r.outcome = payload ->> 'outcome') THEN
        PERFORM curation.refuse('already_reviewed', 'the same review of the same reviewer is there', 'review');
    END IF;
    called := curation.require_epoch(p.freeze_epoch) IS NULL;
    IF NOT curation.is_uuid7((payload ->> 'review')::uuid) THEN
        PERFORM curation.refuse('tag_mismatch', 'the review has no UUIDv7', 'review', 'a UUIDv7', payload ->> 'review');
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.admit_review(jsonb) FROM PUBLIC;
