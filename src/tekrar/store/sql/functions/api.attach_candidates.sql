-- After the COPYs: builds the indexes of a set of candidates, and shuts its tables for good.
CREATE OR REPLACE FUNCTION api.attach_candidates(set_key integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    parent regclass;
BEGIN
    FOR parent IN SELECT * FROM tekrar_meta.bulk_tables('set_key') LOOP
        PERFORM tekrar_meta.close_partition(parent, set_key);
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION api.attach_candidates(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.attach_candidates(integer) TO tekrar_builder;
