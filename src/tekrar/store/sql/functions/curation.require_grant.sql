-- The oldest grant that gives an actor a role at this moment for one edition (or '*' for all of them).
-- The moment is now and not when the transaction began: it may have waited for the heads while the grant expired.
-- Refused with what is wrong with the nearest grant: none, revoked, expired, not yet valid, another scope.
CREATE OR REPLACE FUNCTION curation.require_grant(actor_key integer, role text, scope text) RETURNS integer
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    one record;
    wrong text := 'missing';
    state text := 'TK030';
BEGIN
    FOR one IN SELECT g.grant_key, g.scope, g.valid_from, g.valid_to, v.grant_key AS revoked
               FROM curation.grant_entry g LEFT JOIN curation.revocation v ON v.grant_key = g.grant_key
               WHERE g.actor_key = require_grant.actor_key AND g.role = require_grant.role ORDER BY g.grant_key LOOP
        IF one.scope NOT IN ('*', require_grant.scope) THEN
            CONTINUE;
        ELSIF one.revoked IS NOT NULL THEN
            wrong := 'revoked';
            state := 'TK032';
        ELSIF clock_timestamp() < one.valid_from THEN
            wrong := 'not_yet_valid';
            state := 'TK031';
        ELSIF clock_timestamp() >= one.valid_to THEN
            wrong := 'expired';
            state := 'TK031';
        ELSE
            RETURN one.grant_key;
        END IF;
    END LOOP;
    RAISE EXCEPTION USING ERRCODE = state,
        MESSAGE = format('the grant of %s for %s is %s', require_grant.role, require_grant.scope, wrong),
        DETAIL = jsonb_build_object('kind', 'grant_' || wrong, 'role', require_grant.role, 'scope', require_grant.scope,
                                    'fact', 'publisher-grant', 'expected', 'valid', 'found', wrong)::text,
        HINT = 'an administrator grants roles (tekrar grant)';
END
$$;
REVOKE ALL ON FUNCTION curation.require_grant(integer, text, text) FROM PUBLIC;
