-- Members of one exact class (or provisional group, by its witness) of a named release, in document order, from behind
-- `after_row` on (-1 starts): IDs and bytes alone. api.list_duplicates adds the anchors.
CREATE OR REPLACE FUNCTION api.list_members(release uuid, class uuid, group_key bytea, after_row integer, page integer)
    RETURNS TABLE (row_no integer, occurrence uuid, selection uuid, start_byte bigint, end_byte bigint, length smallint,
                   unit integer, size integer, presentation text)
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    r record;
    one record;
BEGIN
    SELECT e.profile_key INTO r
        FROM repetition.repetition_release e WHERE e.release = list_members.release;
    IF list_members.class IS NOT NULL THEN
        SELECT c.class_no, c.size INTO one FROM repetition.class c
            WHERE c.profile_key = r.profile_key AND c.class = list_members.class;
    ELSE
        SELECT c.class_no, c.size INTO one FROM repetition.class c
            WHERE c.profile_key = r.profile_key AND c.witness = list_members.group_key AND c.class IS NULL;
    END IF;
    IF one.class_no IS NULL THEN
        PERFORM api.refuse_absent(list_members.release, 'exact class',
                                  coalesce(list_members.class::text, encode(list_members.group_key, 'hex'), 'null'));
    END IF;
    RETURN QUERY
    SELECT o.row_no, o.occurrence, o.selection, o.start_byte, o.start_byte + o.extent, o.length, o.unit, one.size,
           (ARRAY['published', 'dominated', 'provisional'])[o.presentation]
    FROM repetition.occurrence o
    WHERE o.profile_key = r.profile_key AND o.class_no = one.class_no AND o.row_no > after_row
    ORDER BY o.row_no LIMIT page;
END
$$;
REVOKE ALL ON FUNCTION api.list_members(uuid, uuid, bytea, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_members(uuid, uuid, bytea, integer, integer) TO tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor;
