-- Name of an actor.
CREATE OR REPLACE FUNCTION curation.name_of(actor_key integer) RETURNS text
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT a.name FROM curation.actor a WHERE a.actor_key = name_of.actor_key $$;
REVOKE ALL ON FUNCTION curation.name_of(integer) FROM PUBLIC;
