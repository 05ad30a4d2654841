-- SHA-256 of a count and the UUIDs ascending (docs/encoding.md section 9): of a class's or a family's occurrences.
CREATE OR REPLACE FUNCTION curation.members_digest(ids uuid[]) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN (
    SELECT sha256(int8send(count(*)) || coalesce(string_agg(uuid_send(id), ''::bytea ORDER BY id), ''::bytea))
    FROM unnest(ids) AS id);
END
$$;
REVOKE ALL ON FUNCTION curation.members_digest(uuid[]) FROM PUBLIC;
