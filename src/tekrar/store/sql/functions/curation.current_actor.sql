-- The actor of this session, as curation.caller finds it; refused when there is none.
CREATE OR REPLACE FUNCTION curation.current_actor() RETURNS integer
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    found CONSTANT record := curation.caller();
BEGIN
    IF found.actor_key IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'TK033',
            MESSAGE = format('%s is no actor here', coalesce(found.claimed, session_user)),
            DETAIL = jsonb_build_object('kind', 'unknown_actor', 'actor', found.claimed, 'login', session_user)::text,
            HINT = 'ask an administrator to name the actor (tekrar actor) and to grant the role';
    END IF;
    RETURN found.actor_key;
END
$$;
REVOKE ALL ON FUNCTION curation.current_actor() FROM PUBLIC;
