-- Grants a role for one edition or '*', from valid_from (null: now) until valid_to (null: for good).
CREATE OR REPLACE FUNCTION api.grant_role(actor text, role text, scope text, valid_from timestamptz, valid_to timestamptz)
    RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    author CONSTANT integer := curation.authorize_administrator(scope);
    start CONSTANT timestamptz := coalesce(valid_from, now());
    seq bigint;
    key integer;
BEGIN
    PERFORM curation.actor_named(actor);
    seq := curation.append('grant', jsonb_build_object('actor', actor, 'role', role, 'scope', scope,
        'valid_from', tekrar_meta.instant(start), 'valid_to', coalesce(tekrar_meta.instant(valid_to), ''),
        'by', curation.name_of(author), 'recorded_at', tekrar_meta.instant(now())));
    INSERT INTO curation.grant_entry AS g (actor_key, role, scope, valid_from, valid_to, granted_by, recorded_at, ledger_seq)
        VALUES (curation.actor_named(grant_role.actor), grant_role.role, grant_role.scope, start, grant_role.valid_to, author,
                now(), seq)
        RETURNING g.grant_key INTO key;
    PERFORM curation.move_to('authority', int8send(seq));
    RETURN jsonb_build_object('outcome', 'granted', 'grant', key);
END
$$;
REVOKE ALL ON FUNCTION api.grant_role(text, text, text, timestamptz, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.grant_role(text, text, text, timestamptz, timestamptz) TO tekrar_administrator;
