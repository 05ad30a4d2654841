-- The row of a published release, for the keys of its partitions. Marked IMMUTABLE, which it is: that table is
-- append-only, so a release that is there gives the same row for ever, and one that is not there is an error and no
-- value. So a question that names its release as a constant is planned over that release's partitions alone, however
-- many are loaded, and its plan can be kept. What may be read of them is still decided by their policies at each run.
CREATE OR REPLACE FUNCTION api.release_of(release uuid) RETURNS repetition.repetition_release
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    found_row repetition.repetition_release;
BEGIN
    SELECT r.* INTO found_row FROM repetition.repetition_release r WHERE r.release = release_of.release;
    IF found_row.release IS NULL THEN
        PERFORM api.not_found('repetition release', coalesce(release_of.release::text, 'null'));
    END IF;
    RETURN found_row;
END
$$;
REVOKE ALL ON FUNCTION api.release_of(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.release_of(uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
