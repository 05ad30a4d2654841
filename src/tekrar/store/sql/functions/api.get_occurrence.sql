-- One occurrence with its own anchors and exact bytes from core (CORE-03, QRY-04). Ordinals count from 0; `para`, `ord`,
-- numbers and labels are the source's. Status as api.occurrence_status; of an excluded one `code` is the primary reason.
CREATE OR REPLACE FUNCTION api.get_occurrence(release uuid, occurrence uuid)
    RETURNS TABLE (status text, presentation text, code text, class uuid, group_key bytea, size integer, short text,
                   profile uuid, predicate text, text_release uuid, row_no integer, selection uuid, start_byte bigint,
                   end_byte bigint, length smallint, unit integer, book integer, book_label bytea, chapter integer,
                   chapter_number bigint, chapter_title bytea, paragraph integer, last_paragraph integer, para bigint,
                   ord bigint, end_ord bigint, mask_witness bytea, fingerprint bytea, content bytea)
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    r record;
    o record;
    a record;
BEGIN
    SELECT e.profile_key, e.release_key, e.short, e.profile, e.predicate, e.text_release, i.release AS withdrawn,
           e.enumerator = 'sentence_run_2_12_v1' AS runs INTO r
        FROM repetition.repetition_release e LEFT JOIN repetition.incident i ON i.release = e.release
        WHERE e.release = get_occurrence.release;
    SELECT t.*, w.root AS mask, k.class, k.size, CASE WHEN k.class IS NULL THEN k.witness END AS group_key INTO o
        FROM repetition.occurrence t
        JOIN repetition.witness w ON w.profile_key = r.profile_key AND w.witness = t.witness
        LEFT JOIN repetition.class k ON k.profile_key = r.profile_key AND k.class_no = t.class_no
        WHERE t.profile_key = r.profile_key AND t.occurrence = get_occurrence.occurrence;
    IF NOT FOUND THEN
        PERFORM api.refuse_absent(get_occurrence.release, 'occurrence', get_occurrence.occurrence::text);
    END IF;
    paragraph := o.unit;
    last_paragraph := o.unit;
    IF r.runs THEN
        SELECT min(s.paragraph), max(s.paragraph) INTO paragraph, last_paragraph FROM core.sentence s
            WHERE s.release_key = r.release_key AND s.sentence IN (o.unit, o.unit + o.length - 1);
    END IF;
    SELECT g.para, g.ord, h.chapter, h.number, h.title, b.book, b.label,
           substring(x.data FROM (o.start_byte % 32768)::integer + 1 FOR o.extent) AS part INTO STRICT a
        FROM core.paragraph g
        JOIN core.chapter h ON h.release_key = r.release_key AND h.chapter = g.chapter
        JOIN core.book b ON b.release_key = r.release_key AND b.book = h.book
        JOIN core.text_block x ON x.release_key = r.release_key AND x.block = o.start_byte / 32768
        WHERE g.release_key = r.release_key AND g.paragraph = get_occurrence.paragraph;
    end_ord := a.ord;
    IF last_paragraph <> paragraph THEN
        SELECT g.ord INTO end_ord FROM core.paragraph g
            WHERE g.release_key = r.release_key AND g.paragraph = get_occurrence.last_paragraph;
    END IF;
    content := a.part;
    IF octet_length(content) <> o.extent THEN -- it goes on in the next block
        content := api.text_slice(r.release_key, o.start_byte, o.start_byte + o.extent);
    END IF;
    RETURN QUERY SELECT CASE WHEN r.withdrawn IS NOT NULL THEN 'integrity_error' WHEN o.part = 1 THEN 'matched'
        WHEN o.part = 2 THEN 'unique' WHEN o.part = 3 THEN 'not_evaluated' WHEN o.part = 4 THEN 'excluded'
        ELSE 'integrity_error' END,
        api.token('presentation', o.presentation), CASE WHEN r.withdrawn IS NOT NULL THEN 'withdrawn_release'
            WHEN o.part = 3 THEN api.token('pending', o.code) WHEN o.part = 4 THEN api.token('reason', o.code)
            WHEN o.part = 5 THEN api.token('failure', o.code) END,
        o.class, o.group_key, o.size, r.short, r.profile, r.predicate, r.text_release, o.row_no, o.selection, o.start_byte,
        o.start_byte + o.extent, o.length, o.unit, a.book, a.label, a.chapter, a.number, a.title, paragraph,
        last_paragraph, a.para, a.ord, end_ord, o.mask, o.fingerprint, content;
END
$$;
REVOKE ALL ON FUNCTION api.get_occurrence(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.get_occurrence(uuid, uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
