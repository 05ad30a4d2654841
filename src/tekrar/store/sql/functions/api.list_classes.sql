-- Classes of a release, longest and then largest first, from behind class number `after` on; -1
-- starts. presentation: published, dominated or provisional. A page ends the list when it is short.
CREATE OR REPLACE FUNCTION api.list_classes(release uuid, presentation text, after integer, page integer)
    RETURNS TABLE (class uuid, group_key bytea, size integer, length smallint, class_no integer, first_row integer,
                   winner uuid, left_extension smallint, right_extension smallint)
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    key integer;
    last record;
BEGIN
    SELECT r.profile_key INTO key FROM repetition.repetition_release r WHERE r.release = list_classes.release;
    IF NOT FOUND THEN
        PERFORM api.not_found('repetition release', list_classes.release::text);
    END IF;
    SELECT c.length, c.size INTO last FROM repetition.class c WHERE c.profile_key = key AND c.class_no = after;
    IF NOT FOUND AND after <> -1 THEN
        PERFORM api.not_found('class number', after::text);
    END IF;
    -- (length, size) fall and class_no rises: said in three steps, so that the index is entered at the right place.
    IF presentation IN ('published', 'provisional') THEN
        RETURN QUERY
        SELECT c.class, CASE WHEN c.class IS NULL THEN c.witness END, c.size, c.length, c.class_no, c.first_row, NULL::uuid,
               c.left_extension, c.right_extension
        FROM repetition.class c
        WHERE c.profile_key = key AND c.winner IS NULL AND (c.class IS NULL) = (presentation = 'provisional')
          AND c.length <= coalesce(last.length, 32767::smallint)
          AND (last.length IS NULL OR c.length < last.length OR c.size < last.size
               OR (c.size = last.size AND c.class_no > after))
        ORDER BY c.length DESC, c.size DESC, c.class_no LIMIT page;
    ELSIF presentation = 'dominated' THEN
        RETURN QUERY
        SELECT c.class, NULL::bytea, c.size, c.length, c.class_no, c.first_row, w.class, c.left_extension, c.right_extension
        FROM repetition.class c
        JOIN repetition.class w ON w.profile_key = c.profile_key AND w.class_no = c.winner
        WHERE c.profile_key = key AND c.winner IS NOT NULL
          AND c.length <= coalesce(last.length, 32767::smallint)
          AND (last.length IS NULL OR c.length < last.length OR c.size < last.size
               OR (c.size = last.size AND c.class_no > after))
        ORDER BY c.length DESC, c.size DESC, c.class_no LIMIT page;
    ELSE
        RAISE EXCEPTION USING ERRCODE = 'TK012', MESSAGE = format('%s is no presentation', presentation),
            DETAIL = jsonb_build_object('kind', 'bad_argument', 'argument', 'presentation',
                                        'expected', 'published, dominated, provisional', 'found', presentation)::text;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION api.list_classes(uuid, text, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_classes(uuid, text, integer, integer) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
