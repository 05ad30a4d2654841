-- Members of one exact class of a named release in document order, from behind `after_row` on (-1 starts): the class is
-- named by its ID, by one of its occurrences, or as a provisional group by its witness. The first row, without a row
-- number, is the head: status, and the class with its size; what has no class has its own status and no member, and a
-- withdrawn release is integrity_error and gives none. `books` and `but_books` are labels: members of these books
-- alone, and not of those; `chosen` then counts them. Each member has its own anchors; none names another (CORE-03).
CREATE OR REPLACE FUNCTION api.list_duplicates(release uuid, id uuid, group_key bytea, books bytea[], but_books bytea[],
                                               after_row integer, page integer)
    RETURNS TABLE (status text, presentation text, code text, reasons text[], class uuid, group_key_found bytea,
                   size integer, chosen bigint, row_no integer, occurrence uuid, selection uuid, start_byte bigint,
                   end_byte bigint, length smallint, unit integer, book integer, book_label bytea, chapter integer,
                   chapter_number bigint, paragraph integer, last_paragraph integer, para bigint, ord bigint,
                   end_ord bigint, para_start bigint, para_end bigint)
    LANGUAGE sql STABLE
AS $$
WITH one AS MATERIALIZED (
    SELECT t.part, t.presentation, t.code, t.reasons, t.class, t.group_key, t.class_size, t.class_no
        FROM repetition.occurrence t
        WHERE t.profile_key = (api.release_of(list_duplicates.release)).profile_key
          AND t.occurrence = list_duplicates.id AND list_duplicates.group_key IS NULL
    UNION ALL
    SELECT 1, CASE WHEN k.winner IS NOT NULL THEN 2 WHEN k.class IS NULL THEN 3 ELSE 1 END, NULL, NULL, k.class,
           CASE WHEN k.class IS NULL THEN k.witness END, k.size, k.class_no
        FROM repetition.class k
        WHERE k.profile_key = (api.release_of(list_duplicates.release)).profile_key
          AND k.class = list_duplicates.id AND list_duplicates.group_key IS NULL
    UNION ALL
    SELECT 1, 3, NULL, NULL, NULL, k.witness, k.size, k.class_no FROM repetition.class k
        WHERE k.profile_key = (api.release_of(list_duplicates.release)).profile_key
          AND k.witness = list_duplicates.group_key AND k.class IS NULL
), state AS MATERIALIZED (
    SELECT EXISTS (SELECT FROM repetition.incident i WHERE i.release = list_duplicates.release) AS withdrawn
)
SELECT CASE WHEN one.part IS NULL THEN api.refuse_absent(list_duplicates.release, 'class or occurrence',
                coalesce(encode(list_duplicates.group_key, 'hex'), list_duplicates.id::text))
        WHEN w.withdrawn THEN 'integrity_error'
        ELSE (ARRAY['matched', 'unique', 'not_evaluated', 'excluded', 'integrity_error'])[one.part] END,
    CASE WHEN NOT w.withdrawn THEN (ARRAY['published', 'dominated', 'provisional'])[one.presentation] END,
    CASE WHEN w.withdrawn THEN 'withdrawn_release'
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
        ELSE (SELECT count(*) FROM repetition.occurrence o JOIN core.paragraph g ON g.paragraph = o.paragraph
            WHERE o.profile_key = (api.release_of(list_duplicates.release)).profile_key AND o.class_no = one.class_no
              AND g.release_key = (api.release_of(list_duplicates.release)).release_key
              AND (list_duplicates.books IS NULL OR g.book_label = ANY (list_duplicates.books))
              AND (list_duplicates.but_books IS NULL OR g.book_label <> ALL (list_duplicates.but_books)
                   OR g.book_label IS NULL)) END,
    NULL::integer, NULL::uuid, NULL::uuid, NULL::bigint, NULL::bigint, NULL::smallint, NULL::integer, NULL::integer,
    NULL::bytea, NULL::integer, NULL::bigint, NULL::integer, NULL::integer, NULL::bigint, NULL::bigint, NULL::bigint,
    NULL::bigint, NULL::bigint
FROM state AS w LEFT JOIN one ON true
UNION ALL
(SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, o.row_no, o.occurrence, o.selection, o.start_byte,
        o.start_byte + o.extent, o.length, o.unit, g.book, g.book_label, g.chapter, g.chapter_number, o.paragraph,
        o.last_paragraph, g.para, g.ord, l.ord, o.start_byte - g.start_byte, o.start_byte + o.extent - l.start_byte
    FROM state AS w CROSS JOIN one
    CROSS JOIN LATERAL (
        SELECT m.* FROM repetition.occurrence m
        WHERE m.profile_key = (api.release_of(list_duplicates.release)).profile_key AND m.class_no = one.class_no
          AND m.row_no > list_duplicates.after_row
          AND (list_duplicates.books IS NULL AND list_duplicates.but_books IS NULL OR EXISTS (
              SELECT FROM core.paragraph q
              WHERE q.release_key = (api.release_of(list_duplicates.release)).release_key AND q.paragraph = m.paragraph
                AND (list_duplicates.books IS NULL OR q.book_label = ANY (list_duplicates.books))
                AND (list_duplicates.but_books IS NULL OR q.book_label <> ALL (list_duplicates.but_books)
                     OR q.book_label IS NULL)))
        ORDER BY m.row_no LIMIT list_duplicates.page) AS o
    -- LIMIT 1: each looked up by its key, a page's members at a time, however large the class is.
    CROSS JOIN LATERAL (SELECT p.* FROM core.paragraph p
        WHERE p.release_key = (api.release_of(list_duplicates.release)).release_key AND p.paragraph = o.paragraph
        LIMIT 1) AS g
    CROSS JOIN LATERAL (SELECT p.ord, p.start_byte FROM core.paragraph p
        WHERE p.release_key = (api.release_of(list_duplicates.release)).release_key AND p.paragraph = o.last_paragraph
        LIMIT 1) AS l
    WHERE NOT w.withdrawn
    ORDER BY o.row_no)
$$;
REVOKE ALL ON FUNCTION api.list_duplicates(uuid, uuid, bytea, bytea[], bytea[], integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_duplicates(uuid, uuid, bytea, bytea[], bytea[], integer, integer)
    TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
