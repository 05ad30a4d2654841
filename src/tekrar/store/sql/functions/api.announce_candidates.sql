-- The entry of a set of candidates that was sealed before there was a ledger; nothing where it has one.
CREATE OR REPLACE FUNCTION api.announce_candidates(set_key integer) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT curation.announce_candidates(set_key) $$;
REVOKE ALL ON FUNCTION api.announce_candidates(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.announce_candidates(integer) TO tekrar_builder;
