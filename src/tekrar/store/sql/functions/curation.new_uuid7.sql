-- A UUID of version 7 (RFC 9562): the moment in milliseconds and 74 random bits. Made once, at a review or an apply, and
-- kept by the ledger for ever after.
CREATE OR REPLACE FUNCTION curation.new_uuid7(moment timestamptz) RETURNS uuid
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bytes CONSTANT bytea := substring(int8send(floor(extract(epoch FROM moment) * 1000)::bigint) FROM 3)
        || substring(uuid_send(gen_random_uuid()) FROM 7);
BEGIN
    RETURN encode(set_byte(bytes, 6, get_byte(bytes, 6) & 15 | 112), 'hex')::uuid;
END
$$;
REVOKE ALL ON FUNCTION curation.new_uuid7(timestamptz) FROM PUBLIC;
