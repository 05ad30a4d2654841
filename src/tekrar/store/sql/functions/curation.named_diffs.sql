-- The diffs that an action names, each once: its families', its successors', those of quotations; numbered by their IDs.
CREATE OR REPLACE FUNCTION curation.named_diffs(a jsonb)
    RETURNS TABLE (place bigint, diff text, lhs text, rhs text)
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT a ?| '{family,quotation,supersession}' THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT row_number() OVER (ORDER BY n.id COLLATE "C", n.one COLLATE "C", n.other COLLATE "C"), n.id, n.one, n.other FROM (
        SELECT d ->> 'diff', d ->> 'left', d ->> 'right'
            FROM (SELECT a UNION ALL SELECT jsonb_array_elements(a #> '{supersession,successors}')) AS b(body)
            CROSS JOIN LATERAL jsonb_array_elements(b.body #> '{family,diffs}') AS d
        UNION SELECT b.body #>> '{quotation,diff}', b.body #>> '{quotation,source,occurrence}',
                     b.body #>> '{quotation,quoting,occurrence}'
            FROM (SELECT a UNION ALL SELECT jsonb_array_elements(a #> '{supersession,successors}')) AS b(body)
            WHERE b.body -> 'quotation' ? 'diff') AS n(id, one, other);
END
$$;
REVOKE ALL ON FUNCTION curation.named_diffs(jsonb) FROM PUBLIC;
