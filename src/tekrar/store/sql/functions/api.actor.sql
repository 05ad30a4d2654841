-- Names an actor; `login` is its database login, null for one that speaks through tekrar_login. The same again is nothing.
CREATE OR REPLACE FUNCTION api.actor(name text, login text) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    author CONSTANT integer := curation.authorize_administrator('*');
    known curation.actor;
    moment timestamptz;
    seq bigint;
BEGIN
    IF NOT curation.is_name(actor.name) THEN
        PERFORM tekrar_meta.bad_argument('actor', 'a name of 1 to 200 characters in one line', actor.name);
    END IF;
    SELECT * INTO known FROM curation.actor a WHERE a.name = actor.name;
    IF FOUND THEN
        PERFORM tekrar_meta.compare('actor_login', 'login', known.login, actor.login, 'TK035');
        RETURN jsonb_build_object('outcome', 'already_named', 'actor', actor.name);
    END IF;
    PERFORM curation.check_login(actor.login);
    moment := clock_timestamp();
    seq := curation.append('actor', jsonb_build_object('actor', actor.name, 'login', coalesce(actor.login, ''), 'by',
        curation.name_of(author), 'recorded_at', tekrar_meta.instant(moment)));
    INSERT INTO curation.actor (name, login, recorded_at, ledger_seq) VALUES (actor.name, actor.login, moment, seq);
    PERFORM curation.move_to('authority', int8send(seq));
    RETURN jsonb_build_object('outcome', 'named', 'actor', actor.name);
END
$$;
REVOKE ALL ON FUNCTION api.actor(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.actor(text, text) TO tekrar_administrator;
