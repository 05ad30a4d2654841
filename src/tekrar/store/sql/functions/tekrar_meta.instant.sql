-- A recorded time as text: UTC, microseconds, always the same length.
CREATE OR REPLACE FUNCTION tekrar_meta.instant(moment timestamptz) RETURNS text
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;
REVOKE ALL ON FUNCTION tekrar_meta.instant(timestamptz) FROM PUBLIC;
