-- After the COPYs: builds the indexes of a text release, and shuts its tables for good.
CREATE OR REPLACE FUNCTION api.attach_text(release_key integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT tekrar_meta.close_partition(t, attach_text.release_key) FROM tekrar_meta.bulk_tables('release_key') AS t
$$;
REVOKE ALL ON FUNCTION api.attach_text(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.attach_text(integer) TO tekrar_builder;
