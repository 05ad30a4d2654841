-- Evidence of a release that no decision took up (QRY-01): candidates that wait (`pending`), that are marked as false
-- positives (`rejected`) or as superseded, best first, behind a set's key and a rank (0, 0 starts). `status` chooses one of
-- the three; null chooses all. The state is the release's: later marks do not change it. Every row repeats the head; of
-- a withdrawn release nothing is listed.
CREATE OR REPLACE FUNCTION api.unresolved(release uuid, status text, after_set integer, after_rank integer, page integer)
    RETURNS TABLE (state text, code text, set_key integer, rank integer, candidate uuid, item_status text, disposition text,
                   generator bytea, kind smallint, left_start bigint, left_end bigint, right_start bigint, right_end bigint,
                   participants uuid[], event bytea)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    one CONSTANT repetition.repetition_release := api.release_of(unresolved.release);
    -- Kind, disposition, direction, release and two roots follow upon the tag, then the two sides (encoding section 12).
    tag CONSTANT integer := 30;
BEGIN
    IF status IS NOT NULL AND status NOT IN ('pending', 'rejected', 'superseded') THEN
        PERFORM api.refuse_argument('status', 'pending, rejected, superseded', status);
    END IF;
    IF EXISTS (SELECT FROM repetition.incident i WHERE i.release = one.release) THEN
        RETURN QUERY SELECT 'integrity_error', 'withdrawn_release', NULL::integer, NULL::integer, NULL::uuid, NULL::text,
            NULL::text, NULL::bytea, NULL::smallint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::uuid[],
            NULL::bytea;
        RETURN;
    END IF;
    RETURN QUERY
    WITH closed AS MATERIALIZED (
        SELECT d.candidate, d.disposition, d.event FROM api.closed_candidates(unresolved.release, current_user) AS d
    ), found AS (
        SELECT c.set_key, c.rank, c.candidate, c.generator, c.result, d.event,
               CASE d.disposition WHEN 'false_positive' THEN 'rejected' WHEN 'superseded_candidate' THEN 'superseded'
                   ELSE 'pending' END AS item_status,
               d.disposition
        FROM curation.candidate c
        JOIN curation.candidate_set s ON s.set_key = c.set_key AND s.profile_key = one.profile_key
        JOIN curation.candidate_entry e ON e.set_key = c.set_key AND e.ledger_seq < one.ledger_seq
        LEFT JOIN closed d ON d.candidate = c.candidate
        WHERE (c.set_key, c.rank) > (after_set, after_rank)
          AND (status IS NULL OR status = CASE d.disposition WHEN 'false_positive' THEN 'rejected'
               WHEN 'superseded_candidate' THEN 'superseded' ELSE 'pending' END)
        ORDER BY c.set_key, c.rank LIMIT api.page_size(page)
    ), placed AS (
        SELECT f.*, tag + 83 AS left_at, tag + 83 + 33 + CASE get_byte(f.result, tag + 83 + 32) WHEN 1 THEN 16 ELSE 0 END
            AS right_at
        FROM found f
    )
    SELECT 'listed', NULL::text, p.set_key, p.rank, p.candidate, p.item_status,
           coalesce(p.disposition, (ARRAY['probable_near_exact', 'probable_variant', 'probable_quotation', 'uncertain'])
                                   [get_byte(p.result, tag + 1) - 1]),
           p.generator, get_byte(p.result, tag)::smallint,
           api.number_at(p.result, p.left_at + 16), api.number_at(p.result, p.left_at + 24),
           api.number_at(p.result, p.right_at + 16), api.number_at(p.result, p.right_at + 24),
           ARRAY(SELECT m.occurrence FROM curation.candidate_participant m
                 WHERE m.set_key = p.set_key AND m.candidate = p.candidate ORDER BY m.side, m.position),
           p.event
    FROM placed p
    UNION ALL SELECT 'listed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
        WHERE NOT EXISTS (SELECT FROM placed)
    ORDER BY 3, 4;
END
$$;
REVOKE ALL ON FUNCTION api.unresolved(uuid, text, integer, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.unresolved(uuid, text, integer, integer, integer) TO tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor;
