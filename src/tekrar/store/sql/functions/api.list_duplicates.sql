-- Members of one exact class (or provisional group, by its witness) of a named release, in document order, from behind
-- `after_row` on (-1 starts). Each has its own anchors; none names another (CORE-03).
CREATE OR REPLACE FUNCTION api.list_duplicates(release uuid, class uuid, group_key bytea, after_row integer, page integer)
    RETURNS TABLE (row_no integer, occurrence uuid, selection uuid, start_byte bigint, end_byte bigint, length smallint,
                   unit integer, book integer, book_label bytea, chapter integer, chapter_number bigint, paragraph integer,
                   last_paragraph integer, para bigint, ord bigint, end_ord bigint, para_start bigint, para_end bigint,
                   size integer, presentation text)
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    r record;
    one record;
BEGIN
    SELECT e.profile_key, e.release_key, e.enumerator = 'sentence_run_2_12_v1' AS runs INTO r
        FROM repetition.repetition_release e WHERE e.release = list_duplicates.release;
    IF list_duplicates.class IS NOT NULL THEN
        SELECT c.class_no, c.size INTO one FROM repetition.class c
            WHERE c.profile_key = r.profile_key AND c.class = list_duplicates.class;
    ELSE
        SELECT c.class_no, c.size INTO one FROM repetition.class c
            WHERE c.profile_key = r.profile_key AND c.witness = list_duplicates.group_key AND c.class IS NULL;
    END IF;
    IF one.class_no IS NULL THEN
        PERFORM api.refuse_absent(list_duplicates.release, 'exact class',
                                  coalesce(list_duplicates.class::text, encode(list_duplicates.group_key, 'hex'), 'null'));
    END IF;
    RETURN QUERY
    SELECT o.row_no, o.occurrence, o.selection, o.start_byte, o.start_byte + o.extent, o.length, o.unit, h.book, b.label,
           h.chapter, h.number, g.paragraph, l.paragraph, g.para, g.ord, l.ord, o.start_byte - g.start_byte,
           o.start_byte + o.extent - l.start_byte, one.size, (ARRAY['published', 'dominated', 'provisional'])[o.presentation]
    FROM (SELECT * FROM repetition.occurrence m
          WHERE m.profile_key = r.profile_key AND m.class_no = one.class_no AND m.row_no > after_row
          ORDER BY m.row_no LIMIT page) AS o
    -- LIMIT 1: each looked up by its key, a page's members at a time, however large the class is.
    CROSS JOIN LATERAL (SELECT CASE WHEN r.runs THEN (SELECT s.paragraph FROM core.sentence s
                                    WHERE s.release_key = r.release_key AND s.sentence = o.unit) ELSE o.unit END AS first,
                               CASE WHEN r.runs THEN (SELECT s.paragraph FROM core.sentence s
                                    WHERE s.release_key = r.release_key AND s.sentence = o.unit + o.length - 1)
                               ELSE o.unit END AS last LIMIT 1) AS u
    CROSS JOIN LATERAL (SELECT p.paragraph, p.chapter, p.para, p.ord, p.start_byte FROM core.paragraph p
                        WHERE p.release_key = r.release_key AND p.paragraph = u.first LIMIT 1) AS g
    CROSS JOIN LATERAL (SELECT p.paragraph, p.ord, p.start_byte FROM core.paragraph p
                        WHERE p.release_key = r.release_key AND p.paragraph = u.last LIMIT 1) AS l
    CROSS JOIN LATERAL (SELECT c.book, c.chapter, c.number FROM core.chapter c
                        WHERE c.release_key = r.release_key AND c.chapter = g.chapter LIMIT 1) AS h
    CROSS JOIN LATERAL (SELECT k.label FROM core.book k WHERE k.release_key = r.release_key AND k.book = h.book
                        LIMIT 1) AS b
    ORDER BY o.row_no;
END
$$;
REVOKE ALL ON FUNCTION api.list_duplicates(uuid, uuid, bytea, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_duplicates(uuid, uuid, bytea, integer, integer) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
