-- Classes of a release, longest and then largest first. `presentation`: published, dominated or provisional; at least
-- `min_length` sentences and `min_size` members. A page goes on behind a class's (length, size, number); (32767,
-- 2147483647, -1) starts. The first row, without a class number, is the head: status `listed`, or integrity_error of a
-- withdrawn release, which lists nothing; `total` counts what all pages together hold, where `counted` asks for it.
CREATE OR REPLACE FUNCTION api.list_classes(release uuid, presentation text, min_length smallint, min_size integer,
                                            after_length smallint, after_size integer, after integer, page integer,
                                            counted boolean)
    RETURNS TABLE (status text, code text, total bigint, class uuid, group_key bytea, size integer, length smallint,
                   class_no integer, first_row integer, winner uuid, left_extension smallint, right_extension smallint)
    LANGUAGE sql STABLE
AS $$
WITH state AS MATERIALIZED (
    -- Seen now, by whom asks now: a plan that was kept may have been made for somebody else.
    SELECT EXISTS (SELECT FROM repetition.incident i WHERE i.release = list_classes.release) AS withdrawn,
           EXISTS (SELECT FROM repetition.repetition_release r WHERE r.release = list_classes.release) AS seen
)
SELECT CASE WHEN list_classes.presentation IS NULL
                OR list_classes.presentation NOT IN ('published', 'dominated', 'provisional')
            THEN api.refuse_argument('presentation', 'published, dominated, provisional', list_classes.presentation)
        WHEN NOT w.seen THEN api.refuse_absent(list_classes.release, 'repetition release', list_classes.release::text)
        WHEN w.withdrawn THEN 'integrity_error' ELSE 'listed' END,
    CASE WHEN w.withdrawn THEN 'withdrawn_release' END,
    CASE WHEN list_classes.counted AND NOT w.withdrawn THEN
        (SELECT count(*) FROM repetition.class c
            WHERE c.profile_key = (api.release_of(list_classes.release)).profile_key
              AND (c.winner IS NOT NULL) = (list_classes.presentation = 'dominated')
              AND (c.class IS NULL) = (list_classes.presentation = 'provisional')
              AND c.length >= list_classes.min_length AND c.size >= list_classes.min_size) END,
    NULL::uuid, NULL::bytea, NULL::integer, NULL::smallint, NULL::integer, NULL::integer, NULL::uuid, NULL::smallint,
    NULL::smallint
FROM state AS w
UNION ALL
(SELECT NULL, NULL, NULL, c.class, CASE WHEN c.class IS NULL THEN c.witness END, c.size, c.length, c.class_no, c.first_row,
        NULL, NULL, NULL
    FROM repetition.class c
    WHERE list_classes.presentation IN ('published', 'provisional')
      AND NOT (SELECT w.withdrawn FROM state w)
      AND c.profile_key = (api.release_of(list_classes.release)).profile_key AND c.winner IS NULL
      AND (c.class IS NULL) = (list_classes.presentation = 'provisional')
      AND c.length >= list_classes.min_length AND c.size >= list_classes.min_size
      -- (length, size) fall and class_no rises: said in steps, so that the index is entered at the right place.
      AND c.length <= list_classes.after_length
      AND (c.length < list_classes.after_length OR c.size < list_classes.after_size
           OR (c.size = list_classes.after_size AND c.class_no > list_classes.after))
    ORDER BY c.length DESC, c.size DESC, c.class_no LIMIT list_classes.page)
UNION ALL
(SELECT NULL, NULL, NULL, c.class, NULL, c.size, c.length, c.class_no, c.first_row, k.class, c.left_extension,
        c.right_extension
    FROM (SELECT * FROM repetition.class d
          WHERE NOT (SELECT w.withdrawn FROM state w)
            AND d.profile_key = (api.release_of(list_classes.release)).profile_key AND d.winner IS NOT NULL
            AND d.length >= list_classes.min_length AND d.size >= list_classes.min_size
            AND d.length <= list_classes.after_length
            AND (d.length < list_classes.after_length OR d.size < list_classes.after_size
                 OR (d.size = list_classes.after_size AND d.class_no > list_classes.after))
          ORDER BY d.length DESC, d.size DESC, d.class_no LIMIT list_classes.page) AS c
    LEFT JOIN repetition.class k ON k.profile_key = (api.release_of(list_classes.release)).profile_key
        AND k.class_no = c.winner
    WHERE list_classes.presentation = 'dominated'
    ORDER BY c.length DESC, c.size DESC, c.class_no)
$$;
REVOKE ALL ON FUNCTION api.list_classes(uuid, text, smallint, integer, smallint, integer, integer, integer, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_classes(uuid, text, smallint, integer, smallint, integer, integer, integer, boolean)
    TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
