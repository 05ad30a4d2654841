-- Locks heads in one order, so that no two transactions wait for each other in a circle: the global ones first, all of
-- them, then those of the given profiles. Nobody waits for ever behind a transaction that holds them and does nothing.
CREATE OR REPLACE FUNCTION curation.lock_heads(scopes text[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET lock_timeout = '30s'
AS $$
BEGIN
    PERFORM h.name FROM curation.head h WHERE h.scope = '' OR h.scope = ANY (scopes) ORDER BY h.scope, h.name FOR UPDATE;
END
$$;
REVOKE ALL ON FUNCTION curation.lock_heads(text[]) FROM PUBLIC;
