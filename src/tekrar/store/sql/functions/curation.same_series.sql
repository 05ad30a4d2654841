-- Whether two profiles are one, or the same projection and enumerator over texts of one edition, so that one may have taken the
-- place of the other.
CREATE OR REPLACE FUNCTION curation.same_series(one uuid, other uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF one = other THEN
        RETURN true;
    END IF;
    RETURN EXISTS (
        SELECT t.edition, p.projection, p.enumerator FROM repetition.profile p
            JOIN repetition.artifact x USING (artifact_key) JOIN core.release t USING (release_key) WHERE p.profile = one
        INTERSECT
        SELECT t.edition, p.projection, p.enumerator FROM repetition.profile p
            JOIN repetition.artifact x USING (artifact_key) JOIN core.release t USING (release_key) WHERE p.profile = other);
END
$$;
REVOKE ALL ON FUNCTION curation.same_series(uuid, uuid) FROM PUBLIC;
