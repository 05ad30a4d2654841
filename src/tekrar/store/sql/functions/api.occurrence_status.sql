-- One occurrence under one named release with its status: from its place in the partition, never from an empty list (QRY-03).
-- An unknown release or occurrence is an error, never `unique`. A withdrawn release answers integrity_error.
-- One SELECT that PostgreSQL inlines into the caller's: it reads a row by key and whether there is an incident.
CREATE OR REPLACE FUNCTION api.occurrence_status(release uuid, occurrence uuid)
    RETURNS TABLE (status text, presentation text, code text, reasons text[], class uuid, group_key bytea, size integer,
                   short text, profile uuid, predicate text, text_release uuid, row_no integer, selection uuid,
                   start_byte bigint, end_byte bigint, length smallint, unit integer)
    LANGUAGE sql STABLE
AS $$
SELECT CASE WHEN o.part IS NULL THEN
            api.refuse_absent(occurrence_status.release, 'occurrence', occurrence_status.occurrence::text)
        WHEN w.release IS NOT NULL THEN 'integrity_error'
        ELSE (ARRAY['matched', 'unique', 'not_evaluated', 'excluded', 'integrity_error'])[o.part] END,
    CASE WHEN w.release IS NULL THEN (ARRAY['published', 'dominated', 'provisional'])[o.presentation] END,
    CASE WHEN w.release IS NOT NULL THEN 'withdrawn_release'
        WHEN o.part = 3 THEN (ARRAY['pending_evaluation', 'pending_peer_universe', 'pending_verification'])[o.code]
        WHEN o.part = 5 THEN (ARRAY['missing_witness_bytes', 'digest_collision'])[o.code] END,
    CASE o.reasons WHEN 1 THEN ARRAY['heading_marker_intersection'] WHEN 2 THEN ARRAY['note_body_intersection']
        WHEN 3 THEN ARRAY['heading_marker_intersection', 'note_body_intersection'] END,
    o.class, o.group_key, o.class_size,
    (api.release_of(occurrence_status.release)).short, (api.release_of(occurrence_status.release)).profile,
    (api.release_of(occurrence_status.release)).predicate, (api.release_of(occurrence_status.release)).text_release,
    o.row_no, o.selection, o.start_byte, o.start_byte + o.extent, o.length, o.unit
FROM (SELECT) AS one_row
LEFT JOIN repetition.incident w ON w.release = occurrence_status.release
LEFT JOIN repetition.occurrence o ON o.profile_key = (api.release_of(occurrence_status.release)).profile_key
    AND o.occurrence = occurrence_status.occurrence
$$;
REVOKE ALL ON FUNCTION api.occurrence_status(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.occurrence_status(uuid, uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
