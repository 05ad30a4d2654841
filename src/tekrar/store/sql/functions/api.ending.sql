-- How a structure ended, as of a ledger entry (null: now): the operation, its reason, the entry of the decision, and where
-- each member went: {"operation", "reason", "decision", "mapping": [{"tag", "member", "to": [successors]}]}; no successor is
-- the residue (AMB-31, CUR-07). A choice has no mapping, and a reason where it was compensated or its family ended. Null of
-- one that had not ended, and of what the caller may not read.
CREATE OR REPLACE FUNCTION api.ending(structure uuid, at bigint) RETURNS jsonb
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    moment CONSTANT bigint := coalesce(at, 9223372036854775807);
    ended jsonb;
BEGIN
    SELECT jsonb_build_object('operation', s.operation, 'reason', s.reason, 'decision', s.decision, 'mapping', coalesce((
            SELECT jsonb_agg(jsonb_build_object('tag', m.tag, 'member', m.member, 'to', m.went) ORDER BY m.tag, m.member)
            FROM (SELECT k.tag, k.member, coalesce(jsonb_agg(k.successor ORDER BY k.successor)
                             FILTER (WHERE k.successor IS NOT NULL), '[]') AS went
                  FROM curation.succession_member k WHERE k.predecessor = structure GROUP BY k.tag, k.member) AS m), '[]'))
        INTO ended FROM curation.supersession s WHERE s.predecessor = structure AND s.decision <= moment;
    IF NOT FOUND THEN
        SELECT jsonb_strip_nulls(jsonb_build_object(
                'operation', CASE WHEN x.choice IS NOT NULL THEN 'compensate_choice'
                    WHEN n.choice IS NOT NULL THEN 'choose_canonical' ELSE s.operation END,
                'reason', coalesce(x.reason, s.reason), 'decision', e.until))
            INTO ended FROM curation.effective_choice e
            LEFT JOIN curation.compensation x ON x.choice = e.choice
            LEFT JOIN curation.canonical_choice n ON n.supersedes = e.choice
            LEFT JOIN curation.supersession s ON s.predecessor = e.structure AND s.decision = e.until
            WHERE e.choice = structure AND e.until <= moment AND num_nonnulls(x.choice, n.choice, s.predecessor) > 0;
    END IF;
    RETURN ended;
END
$$;
REVOKE ALL ON FUNCTION api.ending(uuid, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.ending(uuid, bigint) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
