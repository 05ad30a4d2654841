-- Ends the load of an artifact with the root that was recomputed from the rows in the database; counts rows and class
-- members itself, and creates the heads of each profile at their empty roots. From here on no row of it can be added.
CREATE OR REPLACE FUNCTION api.seal_artifact(artifact_key integer, artifact_root bytea) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    key CONSTANT integer := seal_artifact.artifact_key;
    stated bytea;
    one record;
    counts jsonb := '{}';
BEGIN
    SELECT a.artifact_root INTO stated FROM repetition.artifact a WHERE a.artifact_key = key;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'TK010', MESSAGE = format('no artifact %s is being loaded', key),
            DETAIL = jsonb_build_object('kind', 'not_found', 'artifact_key', key)::text;
    END IF;
    PERFORM tekrar_meta.compare('seal_mismatch', 'artifact root', encode(stated, 'hex'),
                                encode(seal_artifact.artifact_root, 'hex'));
    FOR one IN SELECT p.profile_key, p.short, p.profile, p.predicate FROM repetition.profile p
               WHERE p.artifact_key = key ORDER BY p.profile_key LOOP
        counts := counts || jsonb_build_object(one.short, repetition.check_counts(one.profile_key));
        INSERT INTO curation.head (name, scope, value, version)
            SELECT name, one.profile::text, tekrar_meta.empty_root(name, one.profile, one.predicate), 0
            FROM unnest(ARRAY['candidates', 'false-positives', 'families', 'quotations', 'canonical-choices',
                              'unresolved-review', 'public-projection']) AS name
            ON CONFLICT DO NOTHING;
    END LOOP;
    INSERT INTO repetition.seal (artifact_key, artifact_root, counts)
        VALUES (key, seal_artifact.artifact_root, convert_to(counts::text, 'UTF8'));
    RETURN counts;
END
$$;
REVOKE ALL ON FUNCTION api.seal_artifact(integer, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.seal_artifact(integer, bytea) TO tekrar_builder;
