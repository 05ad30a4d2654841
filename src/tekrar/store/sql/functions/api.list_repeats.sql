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
    -- A few rows by their keys, whatever the plan thinks of how many there are.
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan
    SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    known CONSTANT text[] := '{exact_class,provisional_group,near_exact_family,variant_family,quotation,candidate}';
    one CONSTANT record := api.bound_release(list_repeats.release);
    nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    in_layer record;
    lost boolean;
    rejected uuid[];
    replaced uuid[];
    remaining integer := api.page_size(page);
    found bigint;
BEGIN
    IF EXISTS (SELECT FROM unnest(layers) AS l WHERE l IS NULL OR l <> ALL (known)) THEN
        PERFORM api.refuse_argument('layer', array_to_string(known, ', '), array_to_string(layers, ', ', 'null'));
    END IF;
    IF NOT EXISTS (SELECT FROM repetition.occurrence o
                   WHERE o.profile_key = one.profile_key AND o.occurrence = list_repeats.occurrence) THEN
        PERFORM api.refuse_absent(list_repeats.release, 'occurrence', coalesce(list_repeats.occurrence::text, 'null'));
    END IF;
    -- Of each layer as many structures as are left to list, and one: each but the first has a place that was not listed yet.
    FOR in_layer IN
        SELECT t.number, t.layer, t.group_key, (array_agg(t.structure ORDER BY t.rank, t.structure))[:page + 1] AS structures
        FROM (SELECT DISTINCT array_position(known, v.layer) AS number, v.layer, v.rank, coalesce(v.structure, nobody) AS structure,
                     v.group_key
              FROM api.repeats v
              WHERE v.release = list_repeats.release AND v.profile_key = one.profile_key
                AND v.occurrence = list_repeats.occurrence) AS t
        WHERE (layers IS NULL OR t.layer = ANY (layers))
          AND (t.number > after_layer
               OR t.number = after_layer AND (t.rank, t.structure) >= (after_rank, after_structure))
        GROUP BY t.number, t.layer, t.group_key ORDER BY t.number
    LOOP
        IF in_layer.layer LIKE '%_family' THEN
            -- The passage is in one family at most; whether the profile bears it, as in api.list_families.
            lost := (SELECT bool_or(NOT api.expands(one.profile_key, s)) FROM unnest(in_layer.structures) AS s);
        ELSIF in_layer.layer = 'candidate' THEN
            SELECT array_agg(c.candidate) FILTER (WHERE c.disposition = 'false_positive'),
                   array_agg(c.candidate) FILTER (WHERE c.disposition = 'superseded_candidate')
                INTO rejected, replaced FROM api.closed_candidates(list_repeats.release, current_user) AS c;
        END IF;
        RETURN QUERY
        SELECT v.layer, in_layer.number, v.kind, v.rank, v.structure, v.group_key, v.role, x.role_no,
               CASE WHEN v.layer = 'candidate' THEN CASE WHEN v.structure = ANY (rejected) THEN 'rejected'
                        WHEN v.structure = ANY (replaced) THEN 'superseded' ELSE 'pending' END
                    WHEN v.state = 'accepted' THEN CASE WHEN lost AND v.layer <> 'quotation' THEN 'needs_successor'
                        ELSE 'effective' END
                    ELSE v.state END,
               v.occurrence = list_repeats.occurrence, v.occurrence, v.row_no, v.start_byte, v.end_byte, v.length, v.unit, v.book,
               v.book_label, v.chapter, v.chapter_number, v.chapter_no, v.sentence_no, v.paragraph, v.last_paragraph, v.para_no,
               v.para, v.ord, v.end_ord
        FROM api.repeats v
        CROSS JOIN LATERAL (SELECT CASE v.role WHEN 'member' THEN 0 WHEN 'source' THEN 0 WHEN 'quoting' THEN 1 WHEN 'left' THEN 0
            WHEN 'right' THEN 1 ELSE substring(v.role FROM '[0-9]+$')::integer END AS role_no) AS x
        WHERE in_layer.group_key IS NULL AND v.structure = ANY (in_layer.structures)
          AND v.release = list_repeats.release AND v.profile_key = one.profile_key AND v.layer = in_layer.layer
          AND (in_layer.number > after_layer OR (v.rank, v.structure, v.row_no, x.role_no)
               > (after_rank, after_structure, after_row, after_role))
        ORDER BY v.rank, v.structure, v.row_no, x.role_no LIMIT remaining;
        GET DIAGNOSTICS found = ROW_COUNT;
        IF in_layer.group_key IS NOT NULL THEN
            RETURN QUERY
            SELECT v.layer, in_layer.number, v.kind, v.rank, v.structure, v.group_key, v.role, 0, v.state,
                   v.occurrence = list_repeats.occurrence, v.occurrence, v.row_no, v.start_byte, v.end_byte, v.length, v.unit,
                   v.book, v.book_label, v.chapter, v.chapter_number, v.chapter_no, v.sentence_no, v.paragraph, v.last_paragraph,
                   v.para_no, v.para, v.ord, v.end_ord
            FROM api.repeats v
            WHERE v.group_key = in_layer.group_key AND v.release = list_repeats.release AND v.profile_key = one.profile_key
              AND v.layer = in_layer.layer AND (in_layer.number > after_layer OR v.row_no > after_row)
            ORDER BY v.row_no LIMIT remaining;
            GET DIAGNOSTICS found = ROW_COUNT;
        END IF;
        remaining := remaining - found;
        EXIT WHEN remaining <= 0;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION api.list_repeats(uuid, uuid, text[], integer, integer, uuid, integer, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_repeats(uuid, uuid, text[], integer, integer, uuid, integer, integer, integer) TO tekrar_reader,
    tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
