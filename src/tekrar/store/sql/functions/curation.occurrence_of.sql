-- An occurrence of a sealed profile with its extent and mask root, where the edition of its text is in one of the scopes.
CREATE OR REPLACE FUNCTION curation.occurrence_of(profile uuid, occurrence uuid, scopes text[], OUT extent int8range,
    OUT witness bytea)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    key integer;
BEGIN
    FOR key IN SELECT p.profile_key FROM repetition.profile p JOIN repetition.seal s USING (artifact_key)
               JOIN repetition.artifact a USING (artifact_key) JOIN core.release r USING (release_key)
               WHERE p.profile = occurrence_of.profile AND ARRAY['*', r.edition] && occurrence_of.scopes COLLATE "C"
               ORDER BY p.profile_key LOOP
        SELECT int8range(o.start_byte, o.start_byte + o.extent), w.root INTO occurrence_of.extent, occurrence_of.witness
            FROM repetition.occurrence o
            JOIN repetition.witness w ON w.profile_key = o.profile_key AND w.witness = o.witness
            WHERE o.profile_key = key AND o.occurrence = occurrence_of.occurrence;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
    PERFORM api.not_found('occurrence', coalesce(occurrence_of.occurrence::text, 'null'));
END
$$;
REVOKE ALL ON FUNCTION curation.occurrence_of(uuid, uuid, text[]) FROM PUBLIC;
