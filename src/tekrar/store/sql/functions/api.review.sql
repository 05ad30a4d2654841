-- Reviews the bytes of a proposal: approve, reject or request_changes. The same review of the same reviewer again is
-- `already_reviewed` with its first ID; with another note it is refused, so that no word is lost
-- without being said. Returns {"outcome", "review", "state"}.
CREATE OR REPLACE FUNCTION api.review(proposal text, outcome text, note text) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
    SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    actor CONSTANT integer := curation.current_actor();
    p curation.proposal;
    known record;
    payload jsonb;
    seq bigint;
    moment timestamptz;
BEGIN
    called := curation.lock_heads('{}') IS NULL;
    called := tekrar_meta.step('review/locked') IS NULL;
    called := curation.require_grant(actor, 'reviewer', NULL) IS NULL;
    p := curation.require_digest(proposal);
    IF NOT ARRAY['*', p.edition] && api.scopes('tekrar_reviewer') THEN
        PERFORM api.not_found('proposal', proposal);
    END IF;
    SELECT r.review, r.note INTO known FROM curation.review r
        WHERE r.proposal_digest = p.proposal_digest AND r.reviewer = actor AND r.outcome = outcome;
    IF FOUND AND known.note <> coalesce(note, '') THEN
        PERFORM curation.refuse('already_reviewed', format('review %s says %s with another note', known.review, outcome), 'note',
                                left(known.note, 400), note);
    ELSIF FOUND THEN
        RETURN jsonb_build_object('outcome', 'already_reviewed', 'review', known.review, 'state', curation.proposal_state(p));
    END IF;
    moment := clock_timestamp();
    payload := jsonb_build_object('review', curation.new_uuid7(moment), 'proposal', proposal, 'outcome', outcome, 'reviewer',
        curation.name_of(actor), 'note', coalesce(note, ''), 'recorded_at', tekrar_meta.instant(moment));
    called := curation.admit_review(payload) IS NULL;
    seq := curation.append('review', payload);
    called := tekrar_meta.step('review/ledger') IS NULL;
    called := curation.record_review(seq, payload) IS NULL;
    called := tekrar_meta.step('review/done') IS NULL;
    RETURN jsonb_build_object('outcome', 'reviewed', 'review', payload -> 'review', 'state', curation.proposal_state(p));
END
$$;
REVOKE ALL ON FUNCTION api.review(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.review(text, text, text) TO tekrar_reviewer;
