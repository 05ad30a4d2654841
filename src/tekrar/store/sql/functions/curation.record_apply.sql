-- The rows of an `apply` entry, from its payload, the proposal's bytes and what is loaded: nothing of it reads the clock or
-- makes anything up, so that a replay gives the same rows.
CREATE OR REPLACE FUNCTION curation.record_apply(seq bigint, payload jsonb, p curation.proposal, a jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    document CONSTANT bytea := curation.decision_document(payload);
    structures CONSTANT uuid[] := string_to_array(payload ->> 'structures', ',')::uuid[];
BEGIN
    INSERT INTO curation.decision (decision, decision_digest, document, proposal_digest, operation, applied_by, recorded_at)
        VALUES (seq, sha256(document), document, p.proposal_digest, p.operation, curation.actor_named(payload ->> 'actor'),
                (payload ->> 'recorded_at')::timestamptz);
    called := tekrar_meta.step('apply/decision') IS NULL;
    INSERT INTO curation.decision_review (review, decision) SELECT r::uuid, seq
        FROM unnest(string_to_array(payload ->> 'reviews', ',')) AS r;
    called := tekrar_meta.step('apply/reviews') IS NULL;
    IF a ? 'family' THEN
        called := curation.record_family(seq, structures[1], a, a -> 'family') IS NULL;
    ELSIF a ? 'quotation' THEN
        called := curation.record_quotation(seq, structures[1], a, a -> 'quotation') IS NULL;
    ELSIF a ? 'choice' THEN
        called := curation.record_choice(seq, structures[1], a) IS NULL;
    ELSIF a ? 'supersession' THEN
        called := curation.record_supersession(seq, structures, a) IS NULL;
    ELSIF a ? 'compensation' THEN
        INSERT INTO curation.compensation (choice, reason, decision)
            VALUES ((a #>> '{compensation,choice}')::uuid, a #>> '{compensation,reason}', seq);
        called := tekrar_meta.step('apply/compensation') IS NULL;
        UPDATE curation.effective_choice e SET until = seq WHERE e.choice = (a #>> '{compensation,choice}')::uuid;
        called := tekrar_meta.step('apply/ended') IS NULL;
    ELSE
        INSERT INTO curation.false_positive_override (candidate, event, generator, participants, profile, decision)
            VALUES ((a #>> '{override,candidate}')::uuid, decode(a #>> '{override,event}', 'hex'), decode(a #>>
                '{override,generator}', 'hex'), decode(a #>> '{override,participants}', 'hex'), (a ->> 'profile')::uuid, seq);
        called := tekrar_meta.step('apply/override') IS NULL;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.record_apply(bigint, jsonb, curation.proposal, jsonb) FROM PUBLIC;
