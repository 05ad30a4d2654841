-- Revokes one grant by its number; the actor's login loses the database role with its last grant of it. Revoking it again
-- changes nothing. A grant outside the administrator's scope is not there.
CREATE OR REPLACE FUNCTION api.revoke_grant(grant_key integer) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    author CONSTANT integer := curation.authorize_administrator(NULL);
    given curation.grant_entry;
    moment timestamptz;
    seq bigint;
BEGIN
    SELECT * INTO given FROM curation.grant_entry g WHERE g.grant_key = revoke_grant.grant_key
        AND ARRAY['*', g.scope] && api.scopes('tekrar_administrator') COLLATE "C";
    IF NOT FOUND THEN
        PERFORM api.not_found('grant', revoke_grant.grant_key::text);
    END IF;
    IF EXISTS (SELECT FROM curation.revocation v WHERE v.grant_key = given.grant_key) THEN
        RETURN jsonb_build_object('outcome', 'already_revoked', 'grant', given.grant_key);
    END IF;
    moment := clock_timestamp();
    seq := curation.append('revocation', jsonb_build_object('grant', given.grant_key::text, 'actor',
        curation.name_of(given.actor_key), 'role', given.role, 'scope', given.scope, 'by', curation.name_of(author),
        'recorded_at', tekrar_meta.instant(moment)));
    INSERT INTO curation.revocation (grant_key, revoked_by, recorded_at, ledger_seq)
        VALUES (given.grant_key, author, moment, seq);
    PERFORM curation.move_to('authority', int8send(seq));
    PERFORM curation.synchronize_login((SELECT a.login FROM curation.actor a WHERE a.actor_key = given.actor_key));
    RETURN jsonb_build_object('outcome', 'revoked', 'grant', given.grant_key);
END
$$;
REVOKE ALL ON FUNCTION api.revoke_grant(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.revoke_grant(integer) TO tekrar_administrator;
