-- A recorded time as text: UTC, microseconds, always the same length.
CREATE OR REPLACE FUNCTION tekrar_meta.instant(moment timestamptz) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.instant(timestamptz) FROM PUBLIC;
