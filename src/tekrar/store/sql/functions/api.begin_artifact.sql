-- Begins the load of an artifact over a sealed text release, in one transaction like a text release's (api.begin_text).
-- `facts`: {"artifact_root", "text_release", "policy_name", "policy_digest", "language", "roots": [[name, hex]…],
--   "profiles": [{"short", "profile", "document", "projection", "enumerator", "predicate", "partial", "exact_status",
--   "coverage", "projection_root", "validation": {name: hex}}…]}; document and coverage are canonical JSON as text.
-- Returns {"artifact_key", "sealed", "profiles": {short: {"profile_key", "targets"}}}.
CREATE OR REPLACE FUNCTION api.begin_artifact(facts jsonb, manifest bytea, provenance bytea) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    root CONSTANT bytea := decode(facts ->> 'artifact_root', 'hex');
    key integer;
    text_key integer;
    one jsonb;
    profile_key integer;
    opened jsonb := '{}';
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('tekrar/load/' || encode(root, 'hex'), 0));
    SELECT a.artifact_key INTO key FROM repetition.artifact a WHERE a.artifact_root = root;
    IF FOUND THEN
        SELECT jsonb_object_agg(p.short, jsonb_build_object('profile_key', p.profile_key, 'targets', '{}'::jsonb))
            INTO opened FROM repetition.profile p WHERE p.artifact_key = key;
        RETURN jsonb_build_object('artifact_key', key, 'sealed', true, 'profiles', opened);
    END IF;
    SELECT r.release_key INTO text_key FROM core.release r JOIN core.release_seal s USING (release_key)
        WHERE r.text_release = (facts ->> 'text_release')::uuid;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'TK010',
            MESSAGE = format('the text release %s is not loaded', facts ->> 'text_release'),
            DETAIL = jsonb_build_object('kind', 'text_release_not_loaded', 'text_release', facts ->> 'text_release')::text,
            HINT = 'load the text release that the artifact was built from';
    END IF;
    INSERT INTO repetition.artifact AS a (artifact_root, release_key, policy_name, policy_digest, language, manifest,
                                          provenance)
        VALUES (root, text_key, facts ->> 'policy_name', decode(facts ->> 'policy_digest', 'hex'), facts ->> 'language',
                begin_artifact.manifest, begin_artifact.provenance)
        RETURNING a.artifact_key INTO key;
    INSERT INTO repetition.root (artifact_key, position, name, root)
        SELECT key, place - 1, entry ->> 0, decode(entry ->> 1, 'hex')
        FROM jsonb_array_elements(facts -> 'roots') WITH ORDINALITY AS listed(entry, place);
    FOR one IN SELECT * FROM jsonb_array_elements(facts -> 'profiles') LOOP
        profile_key := repetition.add_profile(key, one);
        opened := opened || jsonb_build_object(one ->> 'short', jsonb_build_object('profile_key', profile_key,
            'targets', tekrar_meta.open_partitions('profile_key', profile_key)));
    END LOOP;
    RETURN jsonb_build_object('artifact_key', key, 'sealed', false, 'profiles', opened);
END
$$;
REVOKE ALL ON FUNCTION api.begin_artifact(jsonb, bytea, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.begin_artifact(jsonb, bytea, bytea) TO tekrar_builder;
