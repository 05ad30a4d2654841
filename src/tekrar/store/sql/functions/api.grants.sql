-- Every grant of the caller's scope with its state at this moment, for auditors and administrators.
CREATE OR REPLACE FUNCTION api.grants()
    RETURNS TABLE (grant_key integer, actor text, login text, role text, scope text, valid_from timestamptz,
                   valid_to timestamptz, granted_by text, recorded_at timestamptz, revoked_at timestamptz, state text)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT api.require_scope(current_user);
    SELECT g.grant_key, a.name, a.login, g.role, g.scope, g.valid_from, g.valid_to, b.name, g.recorded_at, v.recorded_at,
           CASE WHEN v.grant_key IS NOT NULL THEN 'revoked' WHEN now() < g.valid_from THEN 'not_yet_valid'
                WHEN now() >= g.valid_to THEN 'expired' ELSE 'valid' END
    FROM curation.grant_entry g
    JOIN curation.actor a ON a.actor_key = g.actor_key
    LEFT JOIN curation.actor b ON b.actor_key = g.granted_by
    LEFT JOIN curation.revocation v ON v.grant_key = g.grant_key
    ORDER BY g.grant_key
$$;
REVOKE ALL ON FUNCTION api.grants() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.grants() TO tekrar_auditor, tekrar_administrator;
