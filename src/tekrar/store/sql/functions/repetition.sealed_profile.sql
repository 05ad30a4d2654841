-- Key of a profile of a sealed artifact, and what its series is called, for whom the caller's grant of publisher covers its
-- edition; for others there is none.
CREATE OR REPLACE FUNCTION repetition.sealed_profile(artifact_root text, short text, OUT profile_key integer,
    OUT artifact_key integer, OUT release_key integer, OUT profile uuid, OUT edition text, OUT language text,
    OUT policy_digest bytea, OUT projection text, OUT enumerator text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    scopes CONSTANT text[] := api.scopes('tekrar_publisher');
BEGIN
    PERFORM api.require_scope('tekrar_publisher');
    SELECT p.profile_key, a.artifact_key, a.release_key, p.profile, t.edition, t.language, a.policy_digest, p.projection,
           p.enumerator
        INTO sealed_profile.profile_key, sealed_profile.artifact_key, sealed_profile.release_key, sealed_profile.profile,
             sealed_profile.edition, sealed_profile.language, sealed_profile.policy_digest, sealed_profile.projection,
             sealed_profile.enumerator
        FROM repetition.artifact a
        JOIN repetition.seal s ON s.artifact_key = a.artifact_key
        JOIN repetition.profile p ON p.artifact_key = a.artifact_key
        JOIN core.release t ON t.release_key = a.release_key
        WHERE encode(a.artifact_root, 'hex') = sealed_profile.artifact_root AND p.short = sealed_profile.short
          AND ARRAY['*', t.edition] && scopes COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'TK010',
            MESSAGE = format('there is no loaded artifact %s with profile %s', sealed_profile.artifact_root,
                             sealed_profile.short),
            DETAIL = jsonb_build_object('kind', 'not_found', 'what', 'profile', 'artifact_root',
                                        sealed_profile.artifact_root, 'profile', sealed_profile.short)::text,
            HINT = 'load the artifact first (tekrar load), or ask for a grant of its edition';
    END IF;
    IF sealed_profile.edition = 'unnamed' THEN
        RAISE EXCEPTION USING ERRCODE = 'TK025', MESSAGE = 'a release of an unnamed edition is not published',
            DETAIL = jsonb_build_object('kind', 'unnamed_edition', 'artifact_root', sealed_profile.artifact_root)::text,
            HINT = 'import the text with --edition NAME, build and load it again';
    END IF;
END
$$;
REVOKE ALL ON FUNCTION repetition.sealed_profile(text, text) FROM PUBLIC;
