-- The inventory of what is not resolved (docs/encoding.md section 14): the sets of candidates, how many of them wait and
-- which, and the last of the events about them; proposals that wait; families that need a successor.
CREATE OR REPLACE FUNCTION curation.unresolved_records(profile_key integer, sets integer[], before bigint)
    RETURNS TABLE (key bytea, value bytea)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    own record;
    closed uuid[];
    waiting bytea[];
BEGIN
    SELECT p.profile, p.predicate INTO STRICT own FROM repetition.profile p
        WHERE p.profile_key = unresolved_records.profile_key;
    IF cardinality(sets) > 0 THEN
        RETURN QUERY SELECT tekrar_meta.lp('candidate-set') || s.package_root, int8send(e.candidates)
            FROM curation.candidate_set s JOIN curation.candidate_seal e USING (set_key) WHERE s.set_key = ANY (sets);
        closed := ARRAY(SELECT d.candidate FROM curation.closed_candidates(sets, own.profile, before) AS d);
        waiting := ARRAY(SELECT '\x00000010'::bytea || uuid_send(c.candidate) || '\x00000000'::bytea FROM curation.candidate c
                         LEFT JOIN unnest(closed) AS d(candidate) ON d.candidate = c.candidate
                         WHERE c.set_key = ANY (sets) AND d.candidate IS NULL ORDER BY c.candidate);
        RETURN QUERY SELECT tekrar_meta.lp('pending-candidates'), int8send(cardinality(waiting))
            || tekrar_meta.manifest_root('candidates-pending', own.profile, own.predicate, waiting);
    END IF;
    RETURN QUERY SELECT tekrar_meta.lp('proposal') || p.proposal_digest, convert_to(p.state, 'UTF8')
        FROM curation.open_proposals(own.profile, before) AS p;
    RETURN QUERY SELECT tekrar_meta.lp('needs-successor') || uuid_send(f.family), uuid_send(f.profile)
        FROM curation.needs_successor(unresolved_records.profile_key, before) AS f;
    RETURN QUERY SELECT tekrar_meta.lp('disposition-events'), int8send(count(*))
            || (array_agg(d.event ORDER BY d.ledger_seq DESC))[1]
        FROM curation.disposition d WHERE d.profile = own.profile AND (before IS NULL OR d.ledger_seq < before)
        HAVING count(*) > 0;
END
$$;
REVOKE ALL ON FUNCTION curation.unresolved_records(integer, integer[], bigint) FROM PUBLIC;
