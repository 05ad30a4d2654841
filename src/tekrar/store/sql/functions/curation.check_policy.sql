-- Refuses a choice under a policy whose text is not registered, or that says something else than was registered (CAN-03).
-- A ledger of before there were registrations replays: until its first `policy` entry choices are held against each other, as
-- they were then. Live there is no choice without a text.
CREATE OR REPLACE FUNCTION curation.check_policy(policy jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    known record;
    there text;
BEGIN
    SELECT encode(p.digest, 'hex') AS document, p.rule INTO known FROM curation.choice_policy p
        WHERE p.name = policy ->> 'name' AND p.version = policy ->> 'version';
    IF NOT FOUND THEN
        IF current_setting('tekrar.replay', true) IS DISTINCT FROM pg_current_xact_id_if_assigned()::text
           OR EXISTS (SELECT FROM curation.choice_policy) THEN
            SELECT string_agg(x.said, ', ') INTO there FROM (SELECT p.name || ' ' || p.version AS said
                FROM curation.choice_policy p ORDER BY p.name <> policy ->> 'name', p.ledger_seq DESC LIMIT 6) AS x;
            called := curation.refuse('policy_not_registered', format('policy %s %s is not registered', policy ->> 'name',
                policy ->> 'version'), 'choice.policy', coalesce('one that is: ' || there, 'one that is; there is none yet'),
                format('--name %s --policy-version %s --rule %s', policy ->> 'name', policy ->> 'version', policy ->> 'rule'))
                IS NULL;
        END IF;
        SELECT encode(c.policy_document, 'hex') AS document, c.rule INTO known FROM curation.canonical_choice c
            WHERE c.policy = policy ->> 'name' AND c.policy_version = policy ->> 'version' LIMIT 1;
    END IF;
    IF FOUND THEN
        called := curation.compare_policy(policy, policy ->> 'document', known.document, known.rule, 'choice.policy') IS NULL;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_policy(jsonb) FROM PUBLIC;
