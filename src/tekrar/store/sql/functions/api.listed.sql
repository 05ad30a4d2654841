-- `listed` of a release that the caller may read, for a listing that holds nothing: seen now, by whom asks now, for a plan
-- that was kept may have been made for somebody else. Any other release is refused.
CREATE OR REPLACE FUNCTION api.listed(release uuid) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    IF NOT EXISTS (SELECT FROM repetition.repetition_release r WHERE r.release = listed.release) THEN
        PERFORM api.not_found('repetition release', coalesce(listed.release::text, 'null'));
    END IF;
    RETURN 'listed';
END
$$;
REVOKE ALL ON FUNCTION api.listed(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.listed(uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
