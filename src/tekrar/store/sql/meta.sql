-- What the migration runner remembers. Run as tekrar_owner before every migration; each step may have been done.
CREATE SCHEMA IF NOT EXISTS tekrar_meta;

-- Every function is born without the EXECUTE that PostgreSQL would give to PUBLIC.
ALTER DEFAULT PRIVILEGES FOR ROLE tekrar_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE TABLE IF NOT EXISTS tekrar_meta.migration (
    n int4 PRIMARY KEY CHECK (n > 0),
    name text COLLATE "C" NOT NULL,
    sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32)
);

-- The functions and policies that were applied last, as one digest over their files.
CREATE TABLE IF NOT EXISTS tekrar_meta.code (
    one bool PRIMARY KEY CHECK (one),
    sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32)
);

ALTER TABLE tekrar_meta.migration ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE tekrar_meta.code ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

DO $policies$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_catalog.pg_policy
        WHERE polrelid = 'tekrar_meta.migration'::regclass AND polname = 'owner_keeps'
    ) THEN
        CREATE POLICY owner_keeps ON tekrar_meta.migration TO tekrar_owner USING (true) WITH CHECK (true);
        CREATE POLICY owner_keeps ON tekrar_meta.code TO tekrar_owner USING (true) WITH CHECK (true);
    END IF;
END
$policies$;

-- The state of the schema for roles that read no table: one row a migration, then the code's digest as n = 0.
CREATE OR REPLACE FUNCTION tekrar_meta.state()
RETURNS TABLE (n int4, name text, sha256 bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT m.n, m.name, m.sha256 FROM tekrar_meta.migration AS m
    UNION ALL
    SELECT 0, 'code', c.sha256 FROM tekrar_meta.code AS c
    ORDER BY 1
$$;
REVOKE ALL ON FUNCTION tekrar_meta.state() FROM PUBLIC;
GRANT USAGE ON SCHEMA tekrar_meta TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT EXECUTE ON FUNCTION tekrar_meta.state() TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
