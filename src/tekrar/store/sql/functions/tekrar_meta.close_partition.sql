-- Builds the indexes of a filled partition (by attaching it), shuts it for good and puts it under the parent's policies.
CREATE OR REPLACE FUNCTION tekrar_meta.close_partition(parent regclass, key integer) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    part text;
BEGIN
    SELECT format('%I.%I', n.nspname, c.relname || '_' || key) INTO STRICT part
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent;
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES IN (%s)', parent, part, key);
    EXECUTE format('REVOKE ALL ON %s FROM tekrar_builder', part);
    PERFORM tekrar_meta.secure(part::regclass);
    PERFORM tekrar_meta.guard_sealed(part::regclass);
    EXECUTE format('ANALYZE %s', part);
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.close_partition(regclass, integer) FROM PUBLIC;
