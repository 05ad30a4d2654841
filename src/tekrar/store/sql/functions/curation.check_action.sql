-- Refuses an action that is not so in the database: its structures are in force, its body is right, its occurrences are in
-- the families that it expects, nobody else's members are taken, its candidates and evidence are there. Asked at the proposal;
-- an apply asks the same parts of it, curation.check_lasting before the lock and the others under it.
CREATE OR REPLACE FUNCTION curation.check_action(a jsonb, late boolean) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
BEGIN
    called := curation.check_structures(a, late) IS NULL;
    called := curation.check_now(a, curation.check_lasting(a)) IS NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.check_action(jsonb, boolean) FROM PUBLIC;
