-- Brings the memberships of every actor's login to what the ledger says; run by every migration and after a restore.
CREATE OR REPLACE FUNCTION curation.synchronize_roles() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT a.login FROM curation.actor a WHERE a.login IS NOT NULL ORDER BY a.actor_key LOOP
        PERFORM curation.synchronize_login(one.login);
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION curation.synchronize_roles() FROM PUBLIC;
