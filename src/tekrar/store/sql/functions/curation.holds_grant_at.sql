-- Whether an actor held a valid grant of one of the roles for an edition at a moment; of revocations, those there are.
CREATE OR REPLACE FUNCTION curation.holds_grant_at(actor_key integer, roles text[], scope text, moment timestamptz)
    RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN EXISTS (SELECT FROM curation.grant_entry g
        WHERE g.actor_key = holds_grant_at.actor_key AND g.role = ANY (roles)
          AND (g.scope = '*' OR g.scope = holds_grant_at.scope)
          AND moment >= g.valid_from AND (g.valid_to IS NULL OR moment < g.valid_to)
          AND NOT EXISTS (SELECT FROM curation.revocation v WHERE v.grant_key = g.grant_key));
END
$$;
REVOKE ALL ON FUNCTION curation.holds_grant_at(integer, text[], text, timestamptz) FROM PUBLIC;
