-- Every published release with its place: the visible one of its series, an earlier one, or withdrawn.
CREATE OR REPLACE FUNCTION api.releases()
    RETURNS TABLE (release uuid, edition text, language text, projection text, enumerator text, policy_digest bytea,
                   short text, profile uuid, exact_status text, text_release uuid, artifact_root bytea, state text,
                   pointer_version bigint, recorded_at timestamptz, release_set bytea)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT api.require_scope(current_user);
    SELECT r.release, s.edition, s.language, s.projection, s.enumerator, s.policy_digest, p.short, p.profile, p.exact_status,
           t.text_release, a.artifact_root,
           CASE WHEN i.release IS NOT NULL THEN 'withdrawn' WHEN v.release = r.release THEN 'visible' ELSE 'earlier' END,
           CASE WHEN v.release = r.release THEN v.version END, r.recorded_at,
           (SELECT m.release_set FROM repetition.release_set_member m JOIN repetition.release_set e USING (release_set)
            WHERE m.release = r.release ORDER BY e.recorded_at DESC, m.release_set LIMIT 1)
    FROM repetition.repetition_release r
    JOIN repetition.series s USING (series_key)
    JOIN repetition.visible v USING (series_key)
    JOIN repetition.profile p USING (profile_key)
    JOIN repetition.artifact a ON a.artifact_key = r.artifact_key
    JOIN core.release t ON t.release_key = r.release_key
    LEFT JOIN repetition.incident i ON i.release = r.release
    ORDER BY s.series_key, r.ledger_seq
$$;
REVOKE ALL ON FUNCTION api.releases() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.releases() TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
