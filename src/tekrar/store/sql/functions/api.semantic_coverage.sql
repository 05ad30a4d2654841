-- Semantic coverage of a published release, apart from its exact coverage (COV-13, COV-14, DOM-09): the candidates that it
-- binds, how many of them wait and how many are rejected, with the roots. `open` says that there are candidates, whatever
-- was decided of them: that somebody looked at each does not say that every similar passage was found. Null for whom the
-- release is not there as the role `acting`.
CREATE OR REPLACE FUNCTION api.semantic_coverage(release uuid, acting name) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    one record;
    sets integer[];
    facts jsonb;
    counted jsonb;
BEGIN
    SELECT r.profile_key, r.profile, r.ledger_seq, convert_from(r.bound, 'UTF8')::jsonb AS bound INTO one
        FROM repetition.repetition_release r
        WHERE r.release = semantic_coverage.release AND r.release = ANY (api.releases_to_read(acting));
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    sets := curation.sets_of(one.profile_key, one.ledger_seq);
    facts := jsonb_build_object('candidates_root', one.bound -> 'head/candidates',
        'rejected_root', one.bound -> 'head/false-positives', 'unresolved_root', one.bound -> 'head/unresolved-review');
    IF cardinality(sets) = 0 THEN
        RETURN facts || '{"status": "not_assessed", "candidates": 0, "pending": 0, "rejected": 0, "sets": []}';
    END IF;
    SELECT jsonb_build_object('candidates', sum(e.candidates), 'sets', jsonb_agg(jsonb_build_object('candidates_root',
            encode(s.package_root, 'hex'), 'generator', encode(s.generator, 'hex'), 'candidates', e.candidates) ORDER BY s.set_key))
        INTO counted FROM curation.candidate_set s JOIN curation.candidate_seal e USING (set_key) WHERE s.set_key = ANY (sets);
    facts := facts || counted || jsonb_build_object('rejected', (SELECT count(*)
        FROM curation.closed_candidates(sets, one.profile, one.ledger_seq) AS c WHERE c.disposition = 'false_positive'));
    SELECT jsonb_build_object('pending', ('x' || encode(substring(u.value FOR 8), 'hex'))::bit(64)::bigint,
                              'pending_root', encode(substring(u.value FROM 9), 'hex'))
        INTO counted FROM curation.unresolved_records(one.profile_key, sets, one.ledger_seq) AS u
        WHERE u.key = tekrar_meta.lp('pending-candidates');
    RETURN facts || counted || '{"status": "open"}';
END
$$;
REVOKE ALL ON FUNCTION api.semantic_coverage(uuid, name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.semantic_coverage(uuid, name) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
