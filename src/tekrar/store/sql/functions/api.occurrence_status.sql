-- One occurrence under one named release with its status: from its place in the partition, never from an empty list (QRY-03).
-- An unknown release or occurrence is an error, never `unique`. A withdrawn release answers integrity_error.
-- Small statements by key and one plan kept for all of them: this is the question asked most. It runs as its caller, so
-- its search path is the caller's own matter.
CREATE OR REPLACE FUNCTION api.occurrence_status(release uuid, occurrence uuid)
    RETURNS TABLE (status text, presentation text, code text, reasons text[], class uuid, group_key bytea, size integer,
                   short text, profile uuid, predicate text, text_release uuid, row_no integer, selection uuid,
                   start_byte bigint, end_byte bigint, length smallint, unit integer)
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    r record;
    o record;
BEGIN
    SELECT e.profile_key, e.short, e.profile, e.predicate, e.text_release, i.release AS withdrawn INTO r
        FROM repetition.repetition_release e LEFT JOIN repetition.incident i ON i.release = e.release
        WHERE e.release = occurrence_status.release;
    SELECT t.row_no, t.class_no, t.part, t.code, t.presentation, t.witness, t.selection, t.start_byte, t.extent, t.length,
           t.unit INTO o
        FROM repetition.occurrence t
        WHERE t.profile_key = r.profile_key AND t.occurrence = occurrence_status.occurrence;
    IF NOT FOUND THEN
        PERFORM api.refuse_absent(occurrence_status.release, 'occurrence', occurrence_status.occurrence::text);
    END IF;
    IF o.class_no IS NOT NULL THEN
        SELECT k.class, CASE WHEN k.class IS NULL THEN k.witness END, k.size INTO class, group_key, size
            FROM repetition.class k WHERE k.profile_key = r.profile_key AND k.class_no = o.class_no;
        presentation := api.token('presentation', o.presentation);
    ELSIF o.part = 4 THEN
        reasons := ARRAY(
            SELECT api.token('reason', s.reason) FROM repetition.witness_span s
            WHERE s.profile_key = r.profile_key AND s.witness = o.witness AND s.treatment = 2
            GROUP BY s.reason ORDER BY s.reason);
    END IF;
    status := CASE WHEN r.withdrawn IS NOT NULL THEN 'integrity_error' WHEN o.part = 1 THEN 'matched'
        WHEN o.part = 2 THEN 'unique' WHEN o.part = 3 THEN 'not_evaluated' WHEN o.part = 4 THEN 'excluded'
        ELSE 'integrity_error' END;
    code := CASE WHEN r.withdrawn IS NOT NULL THEN 'withdrawn_release' WHEN o.part = 3 THEN api.token('pending', o.code)
        WHEN o.part = 5 THEN api.token('failure', o.code) END;
    short := r.short;
    profile := r.profile;
    predicate := r.predicate;
    text_release := r.text_release;
    row_no := o.row_no;
    selection := o.selection;
    start_byte := o.start_byte;
    end_byte := o.start_byte + o.extent;
    length := o.length;
    unit := o.unit;
    RETURN NEXT;
END
$$;
REVOKE ALL ON FUNCTION api.occurrence_status(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.occurrence_status(uuid, uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
