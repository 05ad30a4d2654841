-- After the COPYs: builds the indexes of an artifact's profiles, and shuts their tables for good.
CREATE OR REPLACE FUNCTION api.attach_artifact(artifact_key integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    parent regclass;
    key integer;
BEGIN
    FOR parent IN SELECT * FROM tekrar_meta.bulk_tables('profile_key') LOOP
        FOR key IN SELECT p.profile_key FROM repetition.profile p WHERE p.artifact_key = attach_artifact.artifact_key
                   ORDER BY p.profile_key LOOP
            PERFORM tekrar_meta.close_partition(parent, key);
        END LOOP;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION api.attach_artifact(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.attach_artifact(integer) TO tekrar_builder;
