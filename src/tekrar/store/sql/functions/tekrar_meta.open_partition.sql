-- A table like one partition of `parent`, of the rows of `key` only, not attached: no row-level security yet, since COPY
-- refuses a table that has it. tekrar_builder may insert and read until `close_partition`, in the same transaction.
CREATE OR REPLACE FUNCTION tekrar_meta.open_partition(parent regclass, key_column text, key integer) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema_name text;
    table_name text;
BEGIN
    SELECT n.nspname, c.relname || '_' || key INTO STRICT schema_name, table_name
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent;
    EXECUTE format('CREATE TABLE %I.%I (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE, '
                   'CONSTRAINT of_one_key CHECK (%I = %s))', schema_name, table_name, parent, key_column, key);
    EXECUTE format('GRANT SELECT, INSERT ON %I.%I TO tekrar_builder', schema_name, table_name);
    RETURN format('%I.%I', schema_name, table_name);
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.open_partition(regclass, text, integer) FROM PUBLIC;
