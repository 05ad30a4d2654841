-- Begins the load of a package of candidates over a profile of a sealed artifact, in one transaction like an artifact's
-- (api.begin_artifact). `facts`: {"package_root", "artifact_root", "short", "profile", "text_release", "generator"}.
-- Returns {"set_key", "sealed", "targets"}; sealed: it was loaded before.
CREATE OR REPLACE FUNCTION api.begin_candidates(facts jsonb, manifest bytea) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    root CONSTANT bytea := decode(facts ->> 'package_root', 'hex');
    made_by CONSTANT bytea := decode(facts ->> 'generator', 'hex');
    key integer;
    over record;
    other bytea;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('tekrar/load/' || (facts ->> 'artifact_root') || (facts ->> 'generator'), 0));
    SELECT p.profile_key, p.artifact_key, p.profile, t.text_release INTO over
        FROM repetition.artifact a JOIN repetition.seal s USING (artifact_key) JOIN repetition.profile p USING (artifact_key)
        JOIN core.release t USING (release_key)
        WHERE encode(a.artifact_root, 'hex') = facts ->> 'artifact_root' AND p.short = facts ->> 'short';
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'TK010', MESSAGE = format('the artifact %s is not loaded', facts ->> 'artifact_root'),
            DETAIL = jsonb_build_object('kind', 'artifact_not_loaded', 'artifact_root', facts ->> 'artifact_root')::text,
            HINT = 'load the artifact from which the candidates were made (tekrar load ARTIFACT), then these';
    END IF;
    PERFORM tekrar_meta.compare('other_text_release', 'text release of the candidates', over.text_release::text,
                                facts ->> 'text_release');
    PERFORM tekrar_meta.compare('other_profile', 'profile of the candidates', over.profile::text, facts ->> 'profile');
    SELECT s.set_key, s.package_root INTO key, other FROM curation.candidate_set s
        WHERE s.artifact_key = over.artifact_key AND s.generator = made_by;
    IF FOUND THEN
        PERFORM tekrar_meta.compare('other_candidates', 'candidates of this generator over this artifact',
                                    encode(other, 'hex'), encode(root, 'hex'));
        RETURN jsonb_build_object('set_key', key, 'sealed', true, 'targets', '{}'::jsonb);
    END IF;
    INSERT INTO curation.candidate_set AS s (package_root, artifact_key, profile_key, profile, generator, manifest)
        VALUES (root, over.artifact_key, over.profile_key, over.profile, made_by, begin_candidates.manifest)
        RETURNING s.set_key INTO key;
    RETURN jsonb_build_object('set_key', key, 'sealed', false, 'targets', tekrar_meta.open_partitions('set_key', key));
END
$$;
REVOKE ALL ON FUNCTION api.begin_candidates(jsonb, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.begin_candidates(jsonb, bytea) TO tekrar_builder;
