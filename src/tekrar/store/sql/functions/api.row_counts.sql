-- Rows of every table of facts that has no partitions, as its owner counts them: an auditor who sees fewer is looking at
-- rows that no policy shows, of nothing that is sealed, published or decided. Counts are of all editions, so a grant for
-- all of them is asked for. Rows of partitions are counted by their roots.
CREATE OR REPLACE FUNCTION api.row_counts() RETURNS TABLE (relation text, rows bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    PERFORM api.require_scope('tekrar_auditor', '*');
    FOR relation IN
        SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname IN ('core', 'repetition', 'curation', 'restricted') AND c.relkind = 'r' AND NOT c.relispartition
        ORDER BY n.nspname, c.relname
    LOOP
        EXECUTE 'SELECT count(*) FROM ' || relation INTO rows;
        RETURN NEXT;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION api.row_counts() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.row_counts() TO tekrar_auditor;
