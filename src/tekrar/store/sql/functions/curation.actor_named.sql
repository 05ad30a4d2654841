-- Key of an actor by name; refused when there is none.
CREATE OR REPLACE FUNCTION curation.actor_named(name text) RETURNS integer
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    key integer;
BEGIN
    SELECT a.actor_key INTO key FROM curation.actor a WHERE a.name = actor_named.name;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'TK033', MESSAGE = format('%s is no actor here', actor_named.name),
            DETAIL = jsonb_build_object('kind', 'unknown_actor', 'actor', actor_named.name)::text,
            HINT = 'an administrator names actors (tekrar actor)';
    END IF;
    RETURN key;
END
$$;
REVOKE ALL ON FUNCTION curation.actor_named(text) FROM PUBLIC;
