-- The actor of this session, as curation.caller finds it; refused when there is none.
CREATE OR REPLACE FUNCTION curation.current_actor() RETURNS integer
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    who CONSTANT record := curation.caller();
BEGIN
    IF who.actor_key IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'TK033',
            MESSAGE = format('%s is no actor here', coalesce(who.claimed, session_user)),
            DETAIL = jsonb_build_object('kind', 'unknown_actor', 'actor', who.claimed, 'login', session_user)::text,
            HINT = 'ask an administrator to name the actor (tekrar actor) and to grant the role';
    END IF;
    RETURN who.actor_key;
END
$$;
REVOKE ALL ON FUNCTION curation.current_actor() FROM PUBLIC;
