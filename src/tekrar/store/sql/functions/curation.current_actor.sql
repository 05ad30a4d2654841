-- The actor of this session (docs/store.md, "Who acts"): the one whose database login it is. tekrar_login is the
-- program's own login and speaks for actors without a login of their own, by the claim `actor`.
CREATE OR REPLACE FUNCTION curation.current_actor() RETURNS integer
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claimed CONSTANT text := nullif(current_setting('tekrar.claims', true), '')::jsonb ->> 'actor';
    key integer;
BEGIN
    IF session_user = 'tekrar_login' AND claimed IS NOT NULL THEN
        SELECT a.actor_key INTO key FROM curation.actor a
            WHERE a.name = claimed AND coalesce(a.login, 'tekrar_login') = 'tekrar_login';
    ELSE
        SELECT a.actor_key INTO key FROM curation.actor a
            WHERE a.login = session_user AND a.name = coalesce(claimed, a.name);
    END IF;
    IF key IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'TK033', MESSAGE = format('%s is no actor here', coalesce(claimed, session_user)),
            DETAIL = jsonb_build_object('kind', 'unknown_actor', 'actor', claimed, 'login', session_user)::text,
            HINT = 'ask an administrator to name the actor (tekrar actor) and to grant the role';
    END IF;
    RETURN key;
END
$$;
REVOKE ALL ON FUNCTION curation.current_actor() FROM PUBLIC;
