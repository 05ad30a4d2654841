-- Classes of a release, longest and then largest first. `presentation`: published, dominated or provisional; at least
-- `min_length` sentences and `min_size` members. A page goes on behind a class's (length, size, number); (32767,
-- 2147483647, -1) starts. Every row repeats the head: status `listed`, or integrity_error of a withdrawn release, which
-- lists nothing; `total` counts what all pages together hold, where `counted` asks for it. Where nothing is listed the one
-- row has no class number.
CREATE OR REPLACE FUNCTION api.list_classes(release uuid, presentation text, min_length smallint, min_size integer,
                                            after_length smallint, after_size integer, after integer, page integer,
                                            counted boolean)
    RETURNS TABLE (status text, code text, total bigint, class uuid, group_key bytea, size integer, length smallint,
                   class_no integer, first_row integer, winner uuid, left_extension smallint, right_extension smallint)
    LANGUAGE sql STABLE
AS $$
SELECT CASE WHEN list_classes.presentation IS NULL
                OR list_classes.presentation NOT IN ('published', 'dominated', 'provisional')
            THEN api.refuse_argument('presentation', 'published, dominated, provisional', list_classes.presentation)
        WHEN c.class_no IS NULL AND api.listed(list_classes.release) IS NULL THEN NULL
        WHEN w.release IS NOT NULL THEN 'integrity_error' ELSE 'listed' END,
    CASE WHEN w.release IS NOT NULL THEN 'withdrawn_release' END,
    CASE WHEN list_classes.counted AND w.release IS NULL THEN
        (SELECT count(*) FROM repetition.class n
            WHERE n.profile_key = (api.release_of(list_classes.release)).profile_key
              AND (n.winner IS NOT NULL) = (list_classes.presentation = 'dominated')
              AND (n.class IS NULL) = (list_classes.presentation = 'provisional')
              AND n.length >= list_classes.min_length AND n.size >= list_classes.min_size) END,
    c.class, CASE WHEN c.class IS NULL THEN c.witness END, c.size, c.length, c.class_no, c.first_row, k.class,
    c.left_extension, c.right_extension
FROM (SELECT) AS one_row
LEFT JOIN repetition.incident w ON w.release = list_classes.release
LEFT JOIN (
    SELECT d.* FROM repetition.class d
    WHERE d.profile_key = (api.release_of(list_classes.release)).profile_key
      AND (d.winner IS NOT NULL) = (list_classes.presentation = 'dominated')
      AND (d.class IS NULL) = (list_classes.presentation = 'provisional')
      AND d.length >= list_classes.min_length AND d.size >= list_classes.min_size
      -- (length, size) fall and class_no rises: said in steps, so that the index is entered at the right place.
      AND d.length <= list_classes.after_length
      AND (d.length < list_classes.after_length OR d.size < list_classes.after_size
           OR (d.size = list_classes.after_size AND d.class_no > list_classes.after))
    ORDER BY d.length DESC, d.size DESC, d.class_no LIMIT api.page_size(list_classes.page)) AS c ON w.release IS NULL
LEFT JOIN repetition.class k ON list_classes.presentation = 'dominated'
    AND k.profile_key = (api.release_of(list_classes.release)).profile_key AND k.class_no = c.winner
ORDER BY c.length DESC, c.size DESC, c.class_no
$$;
REVOKE ALL ON FUNCTION api.list_classes(uuid, text, smallint, integer, smallint, integer, integer, integer, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_classes(uuid, text, smallint, integer, smallint, integer, integer, integer, boolean)
    TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
