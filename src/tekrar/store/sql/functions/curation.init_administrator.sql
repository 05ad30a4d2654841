-- The first actor and the first grant, as ledger entry 0 (contract C5). The owner alone runs it, on an empty ledger.
CREATE OR REPLACE FUNCTION curation.init_administrator(name text, login text) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    seq bigint;
    key integer;
BEGIN
    PERFORM curation.lock_heads('{}');
    IF EXISTS (SELECT FROM curation.ledger) THEN
        RAISE EXCEPTION USING ERRCODE = 'TK034', MESSAGE = 'the ledger has its first administrator already',
            DETAIL = jsonb_build_object('kind', 'already_initialized')::text,
            HINT = 'an administrator grants roles (tekrar grant)';
    END IF;
    IF NOT curation.is_name(init_administrator.name) THEN
        PERFORM tekrar_meta.bad_argument('administrator', 'a name of 1 to 200 characters in one line',
                                         init_administrator.name);
    ELSIF NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolcanlogin AND r.rolname = coalesce(login, 'tekrar_login')) THEN
        PERFORM tekrar_meta.bad_argument('login', 'a role of this server that can log in', login);
    END IF;
    seq := curation.append('grant', jsonb_build_object('actor', init_administrator.name, 'login',
        coalesce(init_administrator.login, ''), 'role', 'administrator', 'scope', '*', 'valid_from',
        tekrar_meta.instant(now()), 'valid_to', '', 'recorded_at', tekrar_meta.instant(now())));
    INSERT INTO curation.actor AS a (name, login, recorded_at, ledger_seq)
        VALUES (init_administrator.name, init_administrator.login, now(), seq) RETURNING a.actor_key INTO key;
    INSERT INTO curation.grant_entry (actor_key, role, scope, valid_from, valid_to, granted_by, recorded_at, ledger_seq)
        VALUES (key, 'administrator', '*', now(), NULL, NULL, now(), seq);
    PERFORM curation.move_to('authority', int8send(seq));
    PERFORM curation.synchronize_login(login);
    RETURN key;
END
$$;
REVOKE ALL ON FUNCTION curation.init_administrator(text, text) FROM PUBLIC;
