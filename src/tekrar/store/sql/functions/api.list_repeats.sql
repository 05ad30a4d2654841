-- Where a passage recurs in a published release: of every structure that it is in, each place of it, read from api.repeats.
-- Layers in their order, in one the structures by rank and ID, in one of them the places in document order and left before
-- right; `layers` names those that are asked for (null: all). A page goes on behind a place's (layer, rank, structure, row,
-- number of its role); layer 0 starts. A passage that recurs nowhere has no row, and its status says why (QRY-03).
CREATE OR REPLACE FUNCTION api.list_repeats(release uuid, occurrence uuid, layers text[], after_layer integer, after_rank integer,
                                            after_structure uuid, after_row integer, after_role integer, page integer)
    RETURNS TABLE (layer text, layer_no integer, kind text, rank integer, structure uuid, group_key bytea, role text,
                   role_no integer, state text, is_asked boolean, occurrence_found uuid, row_no integer, start_byte bigint,
                   end_byte bigint, length smallint, unit integer, book integer, book_label bytea, chapter integer,
                   chapter_number bigint, chapter_no integer, sentence_no integer, paragraph integer, last_paragraph integer,
                   para_no integer, para bigint, ord bigint, end_ord bigint)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    known CONSTANT text[] := '{exact_class,provisional_group,near_exact_family,variant_family,quotation,candidate}';
    one CONSTANT record := api.bound_release(list_repeats.release);
    nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    wanted text;
    number integer;
    structures uuid[];
    ranks integer[];
    key bytea;
    remaining integer := page;
    found bigint;
BEGIN
    IF EXISTS (SELECT FROM unnest(layers) AS l WHERE l IS NULL OR l <> ALL (known)) THEN
        PERFORM api.refuse_argument('layer', array_to_string(known, ', '), array_to_string(layers, ', ', 'null'));
    END IF;
    IF NOT EXISTS (SELECT FROM repetition.occurrence o
                   WHERE o.profile_key = one.profile_key AND o.occurrence = list_repeats.occurrence) THEN
        PERFORM api.refuse_absent(list_repeats.release, 'occurrence', coalesce(list_repeats.occurrence::text, 'null'));
    END IF;
    FOR number, wanted IN SELECT l.n, l.name FROM unnest(known) WITH ORDINALITY AS l(name, n)
                          WHERE l.n >= after_layer AND (layers IS NULL OR l.name = ANY (layers)) ORDER BY l.n LOOP
        -- Each of these has a place that was not listed yet, but for the first: so as many as are left, and one.
        SELECT array_agg(s.structure ORDER BY s.rank, s.structure), array_agg(s.rank ORDER BY s.rank, s.structure),
               (array_agg(s.group_key))[1] INTO structures, ranks, key
        FROM (SELECT DISTINCT v.rank, coalesce(v.structure, nobody) AS structure, v.group_key FROM api.repeats v
              WHERE v.release = list_repeats.release AND v.profile_key = one.profile_key AND v.layer = wanted
                AND v.occurrence = list_repeats.occurrence
                AND (number > after_layer OR (v.rank, coalesce(v.structure, nobody)) >= (after_rank, after_structure))
              ORDER BY 1, 2 LIMIT remaining + 1) AS s;
        CONTINUE WHEN structures IS NULL;
        RETURN QUERY
        SELECT v.layer, number, v.kind, v.rank, v.structure, v.group_key, v.role, x.role_no, v.state,
               v.occurrence = list_repeats.occurrence, v.occurrence, v.row_no, v.start_byte, v.end_byte, v.length, v.unit, v.book,
               v.book_label, v.chapter, v.chapter_number, v.chapter_no, v.sentence_no, v.paragraph, v.last_paragraph, v.para_no,
               v.para, v.ord, v.end_ord
        FROM api.repeats v
        CROSS JOIN LATERAL (SELECT CASE v.role WHEN 'member' THEN 0 WHEN 'source' THEN 0 WHEN 'quoting' THEN 1 WHEN 'left' THEN 0
            WHEN 'right' THEN 1 ELSE substring(v.role FROM '[0-9]+$')::integer END AS role_no) AS x
        WHERE v.release = list_repeats.release AND v.profile_key = one.profile_key AND v.layer = wanted
          AND (v.structure = ANY (structures) OR v.group_key = key)
          AND (number > after_layer OR (v.rank, coalesce(v.structure, nobody), v.row_no, x.role_no)
               > (after_rank, after_structure, after_row, after_role))
        ORDER BY v.rank, v.structure, v.row_no, x.role_no LIMIT remaining;
        GET DIAGNOSTICS found = ROW_COUNT;
        remaining := remaining - found;
        EXIT WHEN remaining <= 0;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION api.list_repeats(uuid, uuid, text[], integer, integer, uuid, integer, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_repeats(uuid, uuid, text[], integer, integer, uuid, integer, integer, integer) TO tekrar_reader,
    tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
