-- Locks the heads and gives the acting administrator, whose grant covers the scope.
CREATE OR REPLACE FUNCTION curation.authorize_administrator(scope text) RETURNS integer
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    actor CONSTANT integer := curation.current_actor();
BEGIN
    PERFORM curation.lock_heads('{}');
    PERFORM curation.require_grant(actor, 'administrator', scope);
    RETURN actor;
END
$$;
REVOKE ALL ON FUNCTION curation.authorize_administrator(text) FROM PUBLIC;
