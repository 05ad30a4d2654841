-- Quotations in force in a published release, in the order of their IDs behind `after` (null starts): all, or those in which
-- an occurrence is the `source`, or the `quoting` one; the release has both. A side answers for itself alone: nothing follows from one quotation
-- about another (QUO-03, QUO-05, QUO-07).
CREATE OR REPLACE FUNCTION api.list_quotations(release uuid, occurrence uuid, side text, after uuid, page integer)
    RETURNS TABLE (quotation uuid, kind text, source_occurrence uuid, source_selection uuid, source_ranges bigint[],
                   quoting_occurrence uuid, quoting_selection uuid, quoting_ranges bigint[], extent_mapping bigint[], diff uuid,
                   attribution text, decision bigint)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    r CONSTANT record := api.bound_release(list_quotations.release);
BEGIN
    IF (occurrence IS NULL) <> (side IS NULL) OR side <> ALL ('{source,quoting}'::text[]) THEN
        PERFORM api.refuse_argument('side', 'source or quoting, with an occurrence', side);
    END IF;
    RETURN QUERY
    SELECT q.quotation, q.kind, q.source_occurrence, q.source_selection, q.source_ranges, q.quoting_occurrence,
           q.quoting_selection, q.quoting_ranges, q.extent_mapping, q.diff, q.attribution, q.decision
    FROM curation.quotation q
    WHERE q.profile = r.profile AND q.decision < r.seq
      AND (side IS NULL OR side = 'source' AND q.source_occurrence = list_quotations.occurrence
           OR side = 'quoting' AND q.quoting_occurrence = list_quotations.occurrence)
      AND (list_quotations.after IS NULL OR q.quotation > list_quotations.after)
      AND NOT EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = q.quotation AND s.decision < r.seq)
      AND EXISTS (SELECT FROM repetition.occurrence o WHERE o.profile_key = r.profile_key AND o.occurrence = q.source_occurrence)
      AND EXISTS (SELECT FROM repetition.occurrence o WHERE o.profile_key = r.profile_key AND o.occurrence = q.quoting_occurrence)
    ORDER BY q.quotation LIMIT api.page_size(page);
END
$$;
REVOKE ALL ON FUNCTION api.list_quotations(uuid, uuid, text, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_quotations(uuid, uuid, text, uuid, integer) TO tekrar_reader, tekrar_curator,
    tekrar_reviewer, tekrar_publisher, tekrar_auditor;
