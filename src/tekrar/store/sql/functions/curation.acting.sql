-- The role that the caller took for this transaction; a definer's function asks for its scopes by this name.
CREATE OR REPLACE FUNCTION curation.acting() RETURNS name
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT CASE current_setting('role') WHEN 'none' THEN session_user ELSE current_setting('role')::name END $$;
REVOKE ALL ON FUNCTION curation.acting() FROM PUBLIC;
