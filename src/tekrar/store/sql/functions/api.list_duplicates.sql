-- Members of one exact class of a named release in document order, from behind `after_row` on (-1 starts): the class is
-- named by its ID, by one of its occurrences, or as a provisional group by its witness. Every row repeats the head: status,
-- and the class with its size; what has no class has its own status, and a withdrawn release is integrity_error. Where no
-- member is listed the one row has no row number. `books` and `but_books` are labels: members of these books alone, and not
-- of those; `chosen` then counts them. Each member has its own anchors, numbered as in api.get_occurrence, and its book's
-- source file; none names another member, and none is merged (CORE-03, CORE-08). `para_start` and `para_end` are offsets in
-- the first and the last paragraph.
CREATE OR REPLACE FUNCTION api.list_duplicates(release uuid, id uuid, group_key bytea, books bytea[], but_books bytea[],
                                               after_row integer, page integer)
    RETURNS TABLE (status text, presentation text, code text, reasons text[], class uuid, group_key_found bytea,
                   size integer, chosen bigint, row_no integer, occurrence uuid, selection uuid, start_byte bigint,
                   end_byte bigint, length smallint, unit integer, book integer, book_label bytea, chapter integer,
                   chapter_number bigint, chapter_no integer, paragraph integer, last_paragraph integer, para_no integer,
                   para bigint, ord bigint, end_ord bigint, para_start bigint, para_end bigint, source_name bytea,
                   source_digest bytea)
    LANGUAGE sql STABLE
AS $$
SELECT CASE WHEN one.part IS NULL THEN api.refuse_absent(list_duplicates.release, 'class or occurrence',
                coalesce(encode(list_duplicates.group_key, 'hex'), list_duplicates.id::text))
        WHEN w.release IS NOT NULL THEN 'integrity_error'
        WHEN m.row_no IS NOT NULL AND g.paragraph IS NULL THEN api.refuse_torn('occurrence', m.occurrence::text)
        ELSE (ARRAY['matched', 'unique', 'not_evaluated', 'excluded', 'integrity_error'])[one.part] END,
    CASE WHEN w.release IS NULL THEN (ARRAY['published', 'dominated', 'provisional'])[one.presentation] END,
    CASE WHEN w.release IS NOT NULL THEN 'withdrawn_release'
        WHEN one.part = 3 THEN (ARRAY['pending_evaluation', 'pending_peer_universe', 'pending_verification'])[one.code]
        WHEN one.part = 5 THEN (ARRAY['missing_witness_bytes', 'digest_collision'])[one.code] END,
    CASE one.reasons WHEN 1 THEN ARRAY['heading_marker_intersection'] WHEN 2 THEN ARRAY['note_body_intersection']
        WHEN 3 THEN ARRAY['heading_marker_intersection', 'note_body_intersection'] END,
    one.class, one.group_key, one.class_size,
    CASE WHEN list_duplicates.books IS NULL AND list_duplicates.but_books IS NULL THEN one.class_size
        WHEN EXISTS (SELECT FROM unnest(coalesce(list_duplicates.books, '{}') || list_duplicates.but_books) AS l
                     WHERE l NOT IN (SELECT b.label FROM core.book b WHERE b.label IS NOT NULL
                        AND b.release_key = (api.release_of(list_duplicates.release)).release_key))
        THEN api.refuse_argument('book', 'labels of books of the release', 'a label')::bigint
        ELSE (SELECT count(*) FROM repetition.occurrence n JOIN core.paragraph p ON p.paragraph = n.paragraph
            WHERE n.profile_key = (api.release_of(list_duplicates.release)).profile_key AND n.class_no = one.class_no
              AND p.release_key = (api.release_of(list_duplicates.release)).release_key
              AND (list_duplicates.books IS NULL OR p.book_label = ANY (list_duplicates.books))
              AND (list_duplicates.but_books IS NULL OR p.book_label <> ALL (list_duplicates.but_books)
                   OR p.book_label IS NULL)) END,
    m.row_no, m.occurrence, m.selection, m.start_byte, m.start_byte + m.extent, m.length, m.unit, g.book, g.book_label,
    g.chapter, g.chapter_number, g.chapter_no, m.paragraph, m.last_paragraph, g.para_no, g.para, g.ord,
    CASE WHEN m.last_paragraph = m.paragraph THEN g.ord ELSE m.last_ord END, m.start_byte - g.start_byte,
    coalesce(m.last_end, m.start_byte + m.extent - g.start_byte), g.source_name, g.source_digest
FROM (SELECT) AS one_row
LEFT JOIN repetition.incident w ON w.release = list_duplicates.release
LEFT JOIN (
    SELECT t.part, t.presentation, t.code, t.reasons, t.class, t.group_key, t.class_size, t.class_no
        FROM repetition.occurrence t
        WHERE t.profile_key = (api.release_of(list_duplicates.release)).profile_key
          AND t.occurrence = list_duplicates.id AND list_duplicates.group_key IS NULL
    UNION ALL
    SELECT 1::smallint, (CASE WHEN k.winner IS NOT NULL THEN 2 WHEN k.class IS NULL THEN 3 ELSE 1 END)::smallint,
           NULL::smallint, NULL::smallint, k.class, NULL::bytea, k.size, k.class_no
        FROM repetition.class k
        WHERE k.profile_key = (api.release_of(list_duplicates.release)).profile_key
          AND k.class = list_duplicates.id AND list_duplicates.group_key IS NULL
    UNION ALL
    SELECT 1::smallint, 3::smallint, NULL::smallint, NULL::smallint, NULL::uuid, k.witness, k.size, k.class_no
        FROM repetition.class k
        WHERE k.profile_key = (api.release_of(list_duplicates.release)).profile_key
          AND k.witness = list_duplicates.group_key AND k.class IS NULL
) AS one ON true
LEFT JOIN LATERAL (
    SELECT o.* FROM repetition.occurrence o
    WHERE o.profile_key = (api.release_of(list_duplicates.release)).profile_key AND o.class_no = one.class_no
      AND o.row_no > list_duplicates.after_row
      AND (list_duplicates.books IS NULL AND list_duplicates.but_books IS NULL OR EXISTS (
          SELECT FROM core.paragraph q
          WHERE q.release_key = (api.release_of(list_duplicates.release)).release_key AND q.paragraph = o.paragraph
            AND (list_duplicates.books IS NULL OR q.book_label = ANY (list_duplicates.books))
            AND (list_duplicates.but_books IS NULL OR q.book_label <> ALL (list_duplicates.but_books)
                 OR q.book_label IS NULL)))
    ORDER BY o.row_no LIMIT api.page_size(list_duplicates.page)) AS m ON w.release IS NULL
LEFT JOIN core.paragraph g ON g.release_key = (api.release_of(list_duplicates.release)).release_key
    AND g.paragraph = m.paragraph
ORDER BY m.row_no
$$;
REVOKE ALL ON FUNCTION api.list_duplicates(uuid, uuid, bytea, bytea[], bytea[], integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_duplicates(uuid, uuid, bytea, bytea[], bytea[], integer, integer)
    TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
