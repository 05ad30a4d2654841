-- Status of one occurrence under one named release: from its place in the partition, never from an empty list (QRY-03).
-- An unknown release or occurrence is an error, never `unique`. A withdrawn release answers integrity_error.
CREATE OR REPLACE FUNCTION api.occurrence_status(release uuid, occurrence uuid)
    RETURNS TABLE (status text, presentation text, code text, reasons text[], class uuid, group_key bytea, size integer,
                   short text, profile uuid, predicate text, text_release uuid, row_no integer)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT CASE WHEN i.release IS NOT NULL THEN 'integrity_error'
                ELSE coalesce((ARRAY['matched', 'unique', 'not_evaluated', 'excluded'])[o.part], 'integrity_error') END,
           (ARRAY['published', 'dominated', 'provisional'])[o.presentation],
           CASE WHEN i.release IS NOT NULL THEN 'withdrawn_release'
                WHEN o.part = 3 THEN api.token('pending', o.code)
                WHEN o.part = 5 THEN api.token('failure', o.code) END,
           CASE WHEN o.part = 4 THEN ARRAY(
               SELECT api.token('reason', s.reason) FROM repetition.witness_span s
               WHERE s.profile_key = o.profile_key AND s.witness = o.witness AND s.treatment = 2
               GROUP BY s.reason ORDER BY s.reason) END,
           c.class, CASE WHEN c.class IS NULL THEN c.witness END, c.size, p.short, p.profile, p.predicate, t.text_release,
           o.row_no
    FROM repetition.repetition_release r
    JOIN repetition.profile p ON p.profile_key = r.profile_key
    JOIN core.release t ON t.release_key = r.release_key
    JOIN repetition.occurrence o ON o.profile_key = r.profile_key AND o.occurrence = occurrence_status.occurrence
    LEFT JOIN repetition.class c ON c.profile_key = o.profile_key AND c.class_no = o.class_no
    LEFT JOIN repetition.incident i ON i.release = r.release
    WHERE r.release = occurrence_status.release;
    IF NOT FOUND THEN
        PERFORM api.refuse_absent(occurrence_status.release, 'occurrence', occurrence_status.occurrence::text);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION api.occurrence_status(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.occurrence_status(uuid, uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
