-- Refuses an actor who held no valid grant of a role for an edition at a moment. Live, the moment is the clock under the
-- lock; at replay it is the entry's own, and the revocations are those before the entry.
CREATE OR REPLACE FUNCTION curation.require_grant_at(actor_key integer, roles text[], scope text, moment timestamptz)
    RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    wrong text;
BEGIN
    IF curation.holds_grant_at(actor_key, roles, scope, moment) THEN
        RETURN;
    END IF;
    SELECT CASE WHEN EXISTS (SELECT FROM curation.revocation v WHERE v.grant_key = g.grant_key) THEN 'revoked'
                WHEN moment < g.valid_from THEN 'not_yet_valid' ELSE 'expired' END
        INTO wrong FROM curation.grant_entry g
        WHERE g.actor_key = require_grant_at.actor_key AND g.role = ANY (roles)
          AND (g.scope = '*' OR g.scope = require_grant_at.scope) ORDER BY g.grant_key DESC LIMIT 1;
    wrong := coalesce(wrong, 'missing');
    RAISE EXCEPTION USING
        ERRCODE = CASE wrong WHEN 'missing' THEN 'TK030' WHEN 'revoked' THEN 'TK032' ELSE 'TK031' END,
        MESSAGE = format('the grant of %s for %s of %s is %s', array_to_string(roles, ' or '), require_grant_at.scope,
                         curation.name_of(require_grant_at.actor_key), wrong),
        DETAIL = jsonb_build_object('kind', 'grant_' || wrong, 'role', roles[1], 'scope', require_grant_at.scope,
            'actor', curation.name_of(require_grant_at.actor_key), 'fact', roles[1] || '-grant', 'expected', 'valid',
            'found', wrong)::text,
        HINT = 'an administrator grants roles (tekrar grant)';
END
$$;
REVOKE ALL ON FUNCTION curation.require_grant_at(integer, text[], text, timestamptz) FROM PUBLIC;
