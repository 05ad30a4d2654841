-- Refuses a policy that says something else than its version did before: another text, or another rule.
CREATE OR REPLACE FUNCTION curation.compare_policy(policy jsonb, said text, digest text, rule text, place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF said IS DISTINCT FROM digest THEN
        PERFORM curation.refuse('policy_differs', format('policy %s %s has another text', policy ->> 'name',
            policy ->> 'version'), place || '.document', digest, said);
    ELSIF policy ->> 'rule' IS DISTINCT FROM rule THEN
        PERFORM curation.refuse('policy_differs', format('policy %s %s has another rule', policy ->> 'name',
            policy ->> 'version'), place || '.rule', rule, policy ->> 'rule');
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.compare_policy(jsonb, text, text, text, text) FROM PUBLIC;
