-- Every check of a submission that is a function of the ledger and of what is loaded: live under the lock, and at replay.
CREATE OR REPLACE FUNCTION curation.admit_proposal(payload jsonb, a jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    moment CONSTANT timestamptz := (payload ->> 'recorded_at')::timestamptz;
    who CONSTANT integer := curation.actor_named(payload ->> 'author');
    latest curation.proposal;
    digest text;
BEGIN
    called := curation.require_grant_at(who, '{curator}', a ->> 'edition', moment) IS NULL;
    called := curation.require_epoch((payload ->> 'freeze')::bigint) IS NULL;
    SELECT * INTO latest FROM curation.proposal p WHERE p.author = who AND p.draft = payload ->> 'draft'
        ORDER BY p.revision DESC LIMIT 1;
    IF payload ->> 'revision' <> (1 + coalesce(latest.revision, 0))::text THEN
        PERFORM curation.refuse('edit_conflict', 'the draft has another newest revision', 'revision',
            (1 + coalesce(latest.revision, 0))::text, payload ->> 'revision');
    ELSIF latest.revision IS NOT NULL AND curation.proposal_state(latest) = 'applied' THEN
        PERFORM curation.refuse('draft_closed', format('draft %s was applied', payload ->> 'draft'), 'draft',
            'a draft that was not applied', payload ->> 'draft');
    END IF;
    digest := encode(curation.proposal_digest(convert_to(payload ->> 'action', 'UTF8'), payload ->> 'author',
                                              payload ->> 'draft', payload ->> 'revision'), 'hex');
    IF digest IS DISTINCT FROM payload ->> 'digest' THEN
        PERFORM curation.refuse('digest_mismatch', 'the digest is not that of the action', 'digest', digest, payload ->> 'digest');
    END IF;
    called := curation.check_action(a, false) IS NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.admit_proposal(jsonb, jsonb) FROM PUBLIC;
