-- Whether a UUID is of version 7, as the ledger issues them. Its body is text, so that its digest is in the schema's snapshot.
CREATE OR REPLACE FUNCTION curation.is_uuid7(value uuid) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN get_byte(uuid_send(value), 6) >> 4 = 7 AND get_byte(uuid_send(value), 8) >> 6 = 2;
END
$$;
REVOKE ALL ON FUNCTION curation.is_uuid7(uuid) FROM PUBLIC;
