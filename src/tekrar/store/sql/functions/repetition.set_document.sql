-- What a release set is: its releases, in matrix order, by their places. Its SHA-256 names the set.
CREATE OR REPLACE FUNCTION repetition.set_document(releases uuid[]) RETURNS bytea
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT tekrar_meta.canonical(jsonb_object_agg(place::text, r) || '{"format": "tekrar/release-set/v1"}')
    FROM unnest(releases) WITH ORDINALITY AS listed(r, place)
$$;
REVOKE ALL ON FUNCTION repetition.set_document(uuid[]) FROM PUBLIC;
