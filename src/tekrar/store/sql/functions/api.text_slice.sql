-- Bytes [start_byte, end_byte) of a text release, from core's blocks of 32768. Planned at each call: a plan that is
-- kept for every release would lock the partitions of all of them.
CREATE OR REPLACE FUNCTION api.text_slice(release_key integer, start_byte bigint, end_byte bigint) RETURNS bytea
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_variable
DECLARE
    first CONSTANT integer := start_byte / 32768;
    last CONSTANT integer := greatest(end_byte - 1, start_byte) / 32768;
    slice bytea;
BEGIN
    IF first = last THEN
        SELECT substring(b.data FROM (start_byte % 32768)::integer + 1 FOR (end_byte - start_byte)::integer)
            INTO slice FROM core.text_block b WHERE b.release_key = text_slice.release_key AND b.block = first;
    ELSE
        SELECT substring(string_agg(b.data, ''::bytea ORDER BY b.block)
                         FROM (start_byte % 32768)::integer + 1 FOR (end_byte - start_byte)::integer)
            INTO slice FROM core.text_block b
            WHERE b.release_key = text_slice.release_key AND b.block BETWEEN first AND last;
    END IF;
    IF octet_length(slice) IS DISTINCT FROM (end_byte - start_byte)::integer THEN
        PERFORM api.require_scope(current_user);
        RAISE EXCEPTION USING ERRCODE = 'TK011', MESSAGE = 'bytes of the text release cannot be read',
            DETAIL = jsonb_build_object('kind', 'missing_bytes', 'start', start_byte, 'end', end_byte)::text;
    END IF;
    RETURN slice;
END
$$;
REVOKE ALL ON FUNCTION api.text_slice(integer, bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.text_slice(integer, bigint, bigint) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
