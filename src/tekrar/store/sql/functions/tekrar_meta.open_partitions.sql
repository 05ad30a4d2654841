-- Opens every partition of a key: {"core.sentence": "core.sentence_7", …}, where rows go by COPY.
CREATE OR REPLACE FUNCTION tekrar_meta.open_partitions(key_column text, key integer) RETURNS jsonb
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    parent regclass;
    targets jsonb := '{}';
BEGIN
    FOR parent IN SELECT * FROM tekrar_meta.bulk_tables(key_column) LOOP
        targets := targets || jsonb_build_object(parent::text, tekrar_meta.open_partition(parent, key_column, key));
    END LOOP;
    RETURN targets;
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.open_partitions(text, integer) FROM PUBLIC;
