-- The row of one profile of an artifact and its validation records; see api.begin_artifact for `one`.
CREATE OR REPLACE FUNCTION repetition.add_profile(artifact_key integer, one jsonb) RETURNS integer
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    key integer;
BEGIN
    INSERT INTO repetition.profile AS p (artifact_key, short, profile, rule, document, projection, enumerator, predicate,
                                         partial, exact_status, coverage, projection_root)
        VALUES (add_profile.artifact_key, one ->> 'short', (one ->> 'profile')::uuid,
                sha256(convert_to(one ->> 'document', 'UTF8')), convert_to(one ->> 'document', 'UTF8'),
                one ->> 'projection', one ->> 'enumerator', one ->> 'predicate', (one ->> 'partial')::boolean,
                one ->> 'exact_status', convert_to(one ->> 'coverage', 'UTF8'), decode(one ->> 'projection_root', 'hex'))
        RETURNING p.profile_key INTO key;
    INSERT INTO repetition.validation (profile_key, position, name, digest)
        SELECT key, array_position(ARRAY['profile', 'text-release', 'inventory-count', 'compiler-vectors',
                                         'preimages-verified'], name), name, decode(digest, 'hex')
        FROM jsonb_each_text(one -> 'validation') AS recorded(name, digest);
    RETURN key;
END
$$;
REVOKE ALL ON FUNCTION repetition.add_profile(integer, jsonb) FROM PUBLIC;
