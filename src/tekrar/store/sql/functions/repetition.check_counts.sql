-- Counts of one profile's rows against its coverage, and every class against its members (CL-01, COV-12).
CREATE OR REPLACE FUNCTION repetition.check_counts(profile_key integer) RETURNS jsonb
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    key CONSTANT integer := check_counts.profile_key;
    stated jsonb;
    counted jsonb;
    short text;
    fact text;
    wrong integer;
BEGIN
    SELECT convert_from(p.coverage, 'UTF8')::jsonb, p.short INTO STRICT stated, short FROM repetition.profile p
        WHERE p.profile_key = key;
    SELECT jsonb_build_object('emitted', count(*), 'matched', count(*) FILTER (WHERE part = 1),
            'evaluated_unique', count(*) FILTER (WHERE part = 2), 'not_evaluated', count(*) FILTER (WHERE part = 3),
            'excluded', count(*) FILTER (WHERE part = 4), 'failed', count(*) FILTER (WHERE part = 5),
            'published_items', count(*) FILTER (WHERE presentation = 1),
            'dominated_items', count(*) FILTER (WHERE presentation = 2),
            'provisional_items', count(*) FILTER (WHERE presentation = 3))
        INTO counted FROM repetition.occurrence WHERE profile_key = key;
    SELECT counted || jsonb_build_object('discovered_classes', count(class), 'dominated_classes', count(winner),
                                         'published_classes', count(class) FILTER (WHERE winner IS NULL),
                                         'provisional_groups', count(*) FILTER (WHERE class IS NULL))
        INTO counted FROM repetition.class WHERE profile_key = key;
    SELECT counted || jsonb_build_object('enumeration_exclusions', count(*)) INTO counted
        FROM repetition.enumeration_exclusion WHERE profile_key = key;
    FOR fact IN SELECT k FROM jsonb_object_keys(counted) AS k ORDER BY k COLLATE "C" LOOP
        PERFORM tekrar_meta.compare('seal_mismatch', short || ' ' || fact, stated ->> fact, counted ->> fact);
    END LOOP;
    SELECT coalesce(c.class_no, m.class_no) INTO wrong
        FROM (SELECT class_no, count(*) AS members, min(row_no) AS first_row FROM repetition.occurrence
              WHERE profile_key = key AND class_no IS NOT NULL GROUP BY class_no) AS m
        FULL JOIN (SELECT class_no, size, first_row FROM repetition.class WHERE profile_key = key) AS c USING (class_no)
        WHERE c.size IS DISTINCT FROM m.members OR c.first_row IS DISTINCT FROM m.first_row
        ORDER BY 1 LIMIT 1;
    PERFORM tekrar_meta.compare('seal_mismatch', short || ' class whose members are not its size', NULL, wrong::text);
    RETURN counted;
END
$$;
REVOKE ALL ON FUNCTION repetition.check_counts(integer) FROM PUBLIC;
