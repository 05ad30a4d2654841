-- Whether the caller, as a reviewer, may see what others said of a proposal; the policy of curation.review asks it.
CREATE OR REPLACE FUNCTION api.verdicts_shown(proposal_digest bytea) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    p curation.proposal;
BEGIN
    SELECT * INTO p FROM curation.proposal q WHERE q.proposal_digest = verdicts_shown.proposal_digest;
    RETURN FOUND AND curation.verdicts_shown(p, (curation.caller()).actor_key);
END
$$;
REVOKE ALL ON FUNCTION api.verdicts_shown(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.verdicts_shown(bytea) TO tekrar_reviewer;
