-- One published release: what it binds, the incident if it was withdrawn, and the moves of its pointer.
DROP FUNCTION IF EXISTS api.release_show(uuid);
CREATE OR REPLACE FUNCTION api.release_show(release uuid)
    RETURNS TABLE (bound bytea, roots bytea, compiler bytea, recorded_at timestamptz, state text, incident_cause text, incident_reason text,
                   incident_at timestamptz, pointer_moves jsonb)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT r.bound, r.roots, r.compiler, r.recorded_at,
           CASE WHEN i.release IS NOT NULL THEN 'withdrawn' WHEN v.release = r.release THEN 'visible' ELSE 'earlier' END,
           i.cause, i.reason, i.recorded_at,
           (SELECT jsonb_agg(jsonb_build_object('version', m.version, 'previous', m.previous, 'release', m.release)
                             ORDER BY m.version)
            FROM repetition.pointer_move m WHERE m.series_key = r.series_key
              AND (m.release = r.release OR m.previous = r.release))
    FROM repetition.repetition_release r
    JOIN repetition.visible v USING (series_key)
    LEFT JOIN repetition.incident i ON i.release = r.release
    WHERE r.release = release_show.release;
    IF NOT FOUND THEN
        PERFORM api.not_found('repetition release', release_show.release::text);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION api.release_show(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.release_show(uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
