-- Checks one entry as far as the ledger and what is loaded decide, and records its rows. Gives what heads are moved by, in
-- order: {"head": [hex…]}; heads of profiles are moved by the publication itself.
CREATE OR REPLACE FUNCTION curation.replay_entry(seq bigint, kind text, payload jsonb, OUT head text, OUT happened bytea[])
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    a jsonb;
    p curation.proposal;
BEGIN
    called := curation.replay_keys(kind, payload) IS NULL;
    CASE
    WHEN kind IN ('actor', 'grant', 'revocation', 'freeze') THEN
        called := curation.replay_authority(seq, kind, payload) IS NULL;
        head := CASE kind WHEN 'freeze' THEN 'freeze' ELSE 'authority' END;
        happened := ARRAY[int8send(seq)];
    WHEN kind IN ('publication', 'withdrawal') THEN
        happened := curation.replay_publication(seq, kind, payload);
        head := 'repetition';
    WHEN kind = 'proposal' THEN
        a := curation.read_action(convert_to(payload ->> 'action', 'UTF8'));
        called := curation.form_action(a) IS NULL;
        called := curation.record_diffs(payload, a) IS NULL;
        called := curation.admit_proposal(payload, a) IS NULL;
        called := curation.record_proposal(seq, payload, a) IS NULL;
    WHEN kind = 'review' THEN
        called := curation.admit_review(payload) IS NULL;
        called := curation.record_review(seq, payload) IS NULL;
    WHEN kind = 'apply' THEN
        p := curation.require_digest(payload ->> 'proposal');
        a := convert_from(p.action, 'UTF8')::jsonb;
        called := curation.admit_apply(payload, p, a) IS NULL;
        called := curation.record_apply(seq, payload, p, a) IS NULL;
        head := 'curation';
        happened := ARRAY[decode(payload ->> 'decision', 'hex')];
    WHEN kind = 'crosswalk' THEN
        called := curation.admit_crosswalk(payload) IS NULL;
        called := curation.record_crosswalk(seq, payload) IS NULL;
    WHEN kind = 'policy' THEN
        called := curation.admit_policy(payload) IS NULL;
        called := curation.record_policy(seq, payload) IS NULL;
    WHEN kind = 'candidates' THEN
        called := curation.record_candidates(seq, payload) IS NULL;
    WHEN kind = 'disposition' THEN
        PERFORM curation.require_grant_at(curation.actor_named(payload ->> 'author'), '{curator}', (
            SELECT t.edition FROM repetition.profile f JOIN repetition.artifact x USING (artifact_key)
            JOIN core.release t USING (release_key) WHERE f.profile = (payload ->> 'profile')::uuid LIMIT 1),
            (payload ->> 'recorded_at')::timestamptz);
        called := curation.check_mark(payload) IS NULL;
        called := curation.refuse_unreviewed_override(payload) IS NULL;
        called := curation.record_disposition(seq, payload) IS NULL;
    END CASE;
END
$$;
REVOKE ALL ON FUNCTION curation.replay_entry(bigint, text, jsonb) FROM PUBLIC;
