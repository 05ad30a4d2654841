-- The actor of this session, as curation.caller finds it; refused when there is none. A login hears its own actor's name and
-- nobody else's: whether another name is nobody's, or somebody's who speaks elsewhere, cannot be told apart (threat T13).
CREATE OR REPLACE FUNCTION curation.current_actor() RETURNS integer
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    who CONSTANT record := curation.caller();
    own text;
    wrong text;
    expected text := 'the name of an actor (--as NAME, TEKRAR_ACTOR)';
    mend text;
BEGIN
    IF who.actor_key IS NOT NULL THEN
        RETURN who.actor_key;
    END IF;
    SELECT a.name INTO own FROM curation.actor a WHERE a.login = session_user;
    IF session_user = 'tekrar_login' AND who.claimed IS NULL THEN
        wrong := 'nobody says who acts: tekrar_login speaks for more than one actor';
        mend := 'say who acts: --as NAME or TEKRAR_ACTOR';
    ELSIF session_user = 'tekrar_login' THEN
        wrong := format('%s is no actor who acts through tekrar_login', who.claimed);
        mend := 'correct the name; an actor with a login of its own connects as that login; an administrator names new '
                'actors (tekrar actor)';
    ELSIF own IS NOT NULL THEN
        wrong := format('this login, %s, speaks for %s alone, not for %s', session_user, own, who.claimed);
        expected := format('--as %s, or no name', own);
        mend := format('leave --as and TEKRAR_ACTOR away to act as %s, or connect as the login through which %s speaks: one '
                       'of its own, or tekrar_login', own, who.claimed);
    ELSE
        wrong := format('the login %s is no actor''s', session_user);
        expected := 'tekrar_login with --as NAME, or the login of an actor';
        mend := 'connect as tekrar_login and say who acts (--as NAME, TEKRAR_ACTOR), or as an actor''s own login '
                '(tekrar actor --login)';
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'TK033', MESSAGE = wrong, HINT = mend,
        DETAIL = jsonb_build_object('kind', 'unknown_actor', 'actor', who.claimed, 'login', session_user, 'expected',
                                    expected)::text;
END
$$;
REVOKE ALL ON FUNCTION curation.current_actor() FROM PUBLIC;
