-- One occurrence with its own anchors and exact bytes from core (CORE-03, QRY-04). Ordinals count from 0; `para`, `ord`,
-- numbers and labels are the source's. Status as api.occurrence_status.
CREATE OR REPLACE FUNCTION api.get_occurrence(release uuid, occurrence uuid)
    RETURNS TABLE (status text, presentation text, code text, class uuid, group_key bytea, size integer, short text,
                   profile uuid, predicate text, text_release uuid, row_no integer, selection uuid, start_byte bigint,
                   end_byte bigint, length smallint, unit integer, book integer, book_label bytea, chapter integer,
                   chapter_number bigint, chapter_title bytea, paragraph integer, last_paragraph integer, para bigint,
                   ord bigint, end_ord bigint, mask_witness bytea, fingerprint bytea, content bytea)
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
                WHEN o.part = 4 THEN api.token('reason', o.code)
                WHEN o.part = 5 THEN api.token('failure', o.code) END,
           c.class, CASE WHEN c.class IS NULL THEN c.witness END, c.size, p.short, p.profile, p.predicate, t.text_release,
           o.row_no, o.selection, o.start_byte, o.start_byte + o.extent, o.length, o.unit,
           h.book, b.label, h.chapter, h.number, h.title, g.paragraph, l.paragraph, g.para, g.ord, l.ord,
           w.root, o.fingerprint, api.text_slice(r.release_key, o.start_byte, o.start_byte + o.extent)
    FROM repetition.repetition_release r
    JOIN repetition.profile p ON p.profile_key = r.profile_key
    JOIN core.release t ON t.release_key = r.release_key
    JOIN repetition.occurrence o ON o.profile_key = r.profile_key AND o.occurrence = get_occurrence.occurrence
    JOIN repetition.witness w ON w.profile_key = o.profile_key AND w.witness = o.witness
    LEFT JOIN repetition.class c ON c.profile_key = o.profile_key AND c.class_no = o.class_no
    LEFT JOIN repetition.incident i ON i.release = r.release
    LEFT JOIN core.sentence s ON s.release_key = r.release_key AND s.sentence = o.unit
        AND p.enumerator = 'sentence_run_2_12_v1'
    LEFT JOIN core.sentence e ON e.release_key = r.release_key AND e.sentence = o.unit + o.length - 1
        AND p.enumerator = 'sentence_run_2_12_v1'
    JOIN core.paragraph g ON g.release_key = r.release_key AND g.paragraph = coalesce(s.paragraph, o.unit)
    JOIN core.paragraph l ON l.release_key = r.release_key AND l.paragraph = coalesce(e.paragraph, o.unit)
    JOIN core.chapter h ON h.release_key = r.release_key AND h.chapter = g.chapter
    JOIN core.book b ON b.release_key = r.release_key AND b.book = h.book
    WHERE r.release = get_occurrence.release;
    IF NOT FOUND THEN
        PERFORM api.refuse_absent(get_occurrence.release, 'occurrence', get_occurrence.occurrence::text);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION api.get_occurrence(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.get_occurrence(uuid, uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
