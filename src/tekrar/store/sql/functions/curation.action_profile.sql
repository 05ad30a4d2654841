-- Key of the sealed profile that an action is about, and of its text: of its edition, text release and profile. An artifact
-- that was built again has the same occurrences and classes, so any of them will do.
CREATE OR REPLACE FUNCTION curation.action_profile(a jsonb, OUT profile_key integer, OUT release_key integer)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    SELECT p.profile_key, t.release_key INTO action_profile.profile_key, action_profile.release_key
        FROM repetition.profile p
        JOIN repetition.artifact x ON x.artifact_key = p.artifact_key
        JOIN core.release t ON t.release_key = x.release_key
        JOIN repetition.seal s ON s.artifact_key = x.artifact_key
        WHERE p.profile = (a ->> 'profile')::uuid AND t.text_release = (a ->> 'text_release')::uuid
          AND t.edition = a ->> 'edition'
        ORDER BY p.profile_key LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'TK010', MESSAGE = format('no artifact of profile %s over text %s of edition %s is loaded',
                a ->> 'profile', a ->> 'text_release', a ->> 'edition'),
            DETAIL = jsonb_build_object('kind', 'not_found', 'what', 'profile', 'id', a ->> 'profile')::text,
            HINT = 'load the artifact first (tekrar load); copy the IDs as tekrar printed them';
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.action_profile(jsonb) FROM PUBLIC;
