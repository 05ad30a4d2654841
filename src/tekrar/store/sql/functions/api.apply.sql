-- Applies an approved proposal, whole or not at all: the UUIDv7s are made once, the decision is chained to the ledger and
-- the head of curation moves. `review` is an approval that must count, or null. What was applied before is `already_applied`
-- with its first structures, and nothing is written (CUR-09).
-- Checked before the lock is what can never become otherwise, so that several connections do it at once: the
-- proposal's bytes and digest, that `review` approves them, and curation.check_lasting (rows of sealed profiles, diffs, what
-- predecessors have had since they were issued). Everything that can change is asked under the lock, by statements that see what
-- was committed before it was given: whether it was applied, and curation.admit_now.
-- Returns {"outcome", "decision", "seq", "operation", "structures", "reviews"}.
CREATE OR REPLACE FUNCTION api.apply(proposal text, review uuid) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
    SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    actor CONSTANT integer := curation.current_actor();
    scopes CONSTANT text[] := api.scopes('tekrar_curator') || api.scopes('tekrar_reviewer');
    p curation.proposal;
    a jsonb;
    ids uuid[];
    name CONSTANT text := curation.name_of(actor);
    structures uuid[] := '{}';
    d record;
    moment timestamptz;
    reviews uuid[];
    payload jsonb;
    seq bigint;
BEGIN
    IF cardinality(scopes) = 0 THEN
        called := curation.require_grant(actor, 'curator', NULL) IS NULL;
    END IF;
    p := curation.require_digest(proposal);
    IF NOT ARRAY['*', p.edition] && scopes THEN
        PERFORM api.not_found('proposal', proposal);
    ELSIF review IS NOT NULL AND NOT EXISTS (SELECT FROM curation.review r WHERE r.review = review
            AND r.proposal_digest = p.proposal_digest AND r.outcome = 'approve') THEN
        PERFORM curation.refuse('digest_mismatch', format('review %s is no approval of these bytes', review), 'review',
                                'an approval of ' || proposal, review::text);
    END IF;
    a := convert_from(p.action, 'UTF8')::jsonb;
    ids := curation.check_lasting(a);
    called := curation.lock_heads('{}') IS NULL;
    called := tekrar_meta.step('apply/locked') IS NULL;
    moment := clock_timestamp();
    SELECT c.decision, c.document, c.decision_digest INTO d FROM curation.decision c WHERE c.proposal_digest = p.proposal_digest;
    IF FOUND THEN
        called := curation.require_grant_at(actor, '{curator,reviewer}', p.edition, moment) IS NULL;
        RETURN (convert_from(d.document, 'UTF8')::jsonb - '{format,proposal,recorded_at}'::text[]) || jsonb_build_object(
            'outcome', 'already_applied', 'seq', d.decision, 'decision', encode(d.decision_digest, 'hex'));
    END IF;
    reviews := curation.admit_now(actor, p, a, ids, review, moment);
    FOR place IN 1..curation.issued(a) LOOP
        structures[place] := curation.new_uuid7(moment);
    END LOOP;
    payload := jsonb_build_object('proposal', proposal, 'reviews', array_to_string(reviews, ','), 'structures',
        array_to_string(structures, ','), 'operation', p.operation, 'actor', name, 'recorded_at', tekrar_meta.instant(moment));
    payload := payload || jsonb_build_object('decision', encode(sha256(curation.decision_document(payload)), 'hex'));
    called := tekrar_meta.step('apply/checked') IS NULL;
    seq := curation.append('apply', payload);
    called := tekrar_meta.step('apply/ledger') IS NULL;
    called := curation.record_apply(seq, payload, p, a) IS NULL;
    called := curation.move_to('curation', decode(payload ->> 'decision', 'hex')) IS NULL;
    called := tekrar_meta.step('apply/head') IS NULL;
    called := tekrar_meta.step('apply/done') IS NULL;
    RETURN jsonb_build_object('outcome', 'applied', 'operation', p.operation, 'reviews', string_to_array(payload ->> 'reviews',
        ','), 'structures', string_to_array(payload ->> 'structures', ','), 'seq', seq, 'decision', payload -> 'decision');
END
$$;
REVOKE ALL ON FUNCTION api.apply(text, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.apply(text, uuid) TO tekrar_curator, tekrar_reviewer;
