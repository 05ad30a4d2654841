-- Name of an actor.
CREATE OR REPLACE FUNCTION curation.name_of(actor_key integer) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN (
    SELECT a.name FROM curation.actor a WHERE a.actor_key = name_of.actor_key);
END
$$;
REVOKE ALL ON FUNCTION curation.name_of(integer) FROM PUBLIC;
