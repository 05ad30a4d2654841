-- A published release that the caller may read, with the ledger entry up to which its decisions count. A withdrawn one
-- answers nothing.
CREATE OR REPLACE FUNCTION api.bound_release(release uuid, OUT profile_key integer, OUT profile uuid, OUT seq bigint)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    SELECT r.profile_key, r.profile, r.ledger_seq INTO bound_release.profile_key, bound_release.profile, bound_release.seq
        FROM repetition.repetition_release r WHERE r.release = bound_release.release;
    IF NOT FOUND THEN
        PERFORM api.not_found('repetition release', release::text);
    ELSIF EXISTS (SELECT FROM repetition.incident i WHERE i.release = bound_release.release) THEN
        RAISE EXCEPTION USING ERRCODE = 'TK023', MESSAGE = format('release %s was withdrawn', release),
            DETAIL = (jsonb_build_object('kind', 'withdrawn', 'release', release) || api.incident(release))::text,
            HINT = 'ask of a release that was not withdrawn (tekrar releases)';
    END IF;
END
$$;
REVOKE ALL ON FUNCTION api.bound_release(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.bound_release(uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher,
    tekrar_auditor;
