-- The actor of this session (docs/store.md, "Who acts"), null for none: the one whose database login it is. tekrar_login is
-- the program's own login and speaks for actors without a login of their own, by the claim `actor`.
CREATE OR REPLACE FUNCTION curation.caller(OUT actor_key integer, OUT claimed text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    BEGIN
        claimed := nullif(current_setting('tekrar.claims', true), '')::jsonb ->> 'actor';
    EXCEPTION WHEN data_exception THEN
        RAISE EXCEPTION USING ERRCODE = 'TK012', MESSAGE = 'the claims of the caller cannot be read',
            DETAIL = jsonb_build_object('kind', 'bad_argument', 'argument', 'tekrar.claims', 'expected',
                                        'a JSON object')::text,
            HINT = 'set tekrar.claims to a JSON object, or to nothing';
    END;
    IF session_user = 'tekrar_login' AND claimed IS NOT NULL THEN
        SELECT a.actor_key INTO actor_key FROM curation.actor a
            WHERE a.name = claimed AND coalesce(a.login, 'tekrar_login') = 'tekrar_login';
    ELSE
        SELECT a.actor_key INTO actor_key FROM curation.actor a
            WHERE a.login = session_user AND a.name = coalesce(claimed, a.name);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.caller() FROM PUBLIC;
