-- Every check of a policy that is a function of the ledger: its form, its digest, a curator of some edition, and choices that
-- named the same version before its text was kept. Live under the lock, and at replay.
CREATE OR REPLACE FUNCTION curation.admit_policy(payload jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    who CONSTANT integer := curation.actor_named(payload ->> 'by');
    moment CONSTANT timestamptz := (payload ->> 'recorded_at')::timestamptz;
    -- A policy is of no edition: the oldest grant that holds, whatever it is for.
    scope CONSTANT text := (SELECT g.scope FROM curation.grant_entry g
        WHERE g.actor_key = who AND g.role = 'curator' AND moment >= g.valid_from
          AND (g.valid_to IS NULL OR moment < g.valid_to)
          AND NOT EXISTS (SELECT FROM curation.revocation v WHERE v.grant_key = g.grant_key) ORDER BY g.grant_key LIMIT 1);
    digest CONSTANT text := encode(sha256(convert_to(payload ->> 'document', 'UTF8')), 'hex');
    known record;
BEGIN
    called := curation.form_policy(payload, 'policy') IS NULL;
    called := curation.form_text(payload -> 'document', 'policy.document', 'words') IS NULL;
    called := curation.require_grant_at(who, '{curator}', coalesce(scope, '*'), moment) IS NULL;
    IF digest IS DISTINCT FROM payload ->> 'digest' THEN
        PERFORM curation.refuse('digest_mismatch', 'the digest is not that of the text', 'policy.digest', digest,
                                payload ->> 'digest');
    ELSIF EXISTS (SELECT FROM curation.choice_policy p WHERE p.name = payload ->> 'name'
                    AND p.version = payload ->> 'version') THEN
        PERFORM curation.refuse('policy_differs', format('policy %s %s is registered already', payload ->> 'name',
            payload ->> 'version'), 'policy.version', 'one registration a version', payload ->> 'version');
    END IF;
    -- Any choice under this version tells: all of them were held against one before.
    SELECT encode(c.policy_document, 'hex') AS document, c.rule INTO known FROM curation.canonical_choice c
        WHERE c.policy = payload ->> 'name' AND c.policy_version = payload ->> 'version' LIMIT 1;
    IF FOUND THEN
        called := curation.compare_policy(payload, digest, known.document, known.rule, 'policy') IS NULL;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.admit_policy(jsonb) FROM PUBLIC;
