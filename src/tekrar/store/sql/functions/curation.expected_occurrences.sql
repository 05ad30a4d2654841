-- Digest over occurrences, ascending, and the family that each is in now (docs/encoding.md section 13; AMB-29).
CREATE OR REPLACE FUNCTION curation.expected_occurrences(profile uuid, occurrences uuid[]) RETURNS bytea
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN (
    SELECT sha256('\x0000001e'::bytea || 'tekrar/expected-occurrences/v1'::bytea || int8send(count(*))
        || coalesce(string_agg(uuid_send(o.id) || uuid_send(coalesce(m.family, '00000000-0000-0000-0000-000000000000')),
                               ''::bytea ORDER BY o.id), ''::bytea))
    FROM unnest(occurrences) AS o(id)
    LEFT JOIN LATERAL (SELECT e.family FROM curation.effective_membership e WHERE e.profile = expected_occurrences.profile
                         AND e.occurrence = o.id AND e.until IS NULL LIMIT 1) AS m ON true);
END
$$;
REVOKE ALL ON FUNCTION curation.expected_occurrences(uuid, uuid[]) FROM PUBLIC;
